#include "analyzer/result/Result.h"

namespace warplint::result {

const char *spelling(Space Value) {
  switch (Value) {
  case Space::Global: return "global";
  case Space::Shared: return "shared";
  case Space::Constant: return "constant";
  case Space::Local: return "local";
  case Space::Unknown: return "unknown";
  }
  return "unknown";
}

const char *spelling(Operation Value) {
  switch (Value) {
  case Operation::Load: return "load";
  case Operation::Store: return "store";
  case Operation::Atomic: return "atomic";
  }
  return "load";
}

const char *spelling(Mechanism Value) {
  switch (Value) {
  case Mechanism::Plain: return "plain";
  case Mechanism::Memcpy: return "memcpy";
  case Mechanism::CpAsync: return "cp.async";
  case Mechanism::Ldmatrix: return "ldmatrix";
  }
  return "plain";
}

const char *spelling(Confidence Value) {
  switch (Value) {
  case Confidence::Exact: return "exact";
  case Confidence::Assumed: return "assumed";
  case Confidence::Unknown: return "unknown";
  }
  return "unknown";
}

const char *spelling(BlockOrigin Value) {
  switch (Value) {
  case BlockOrigin::Launch: return "launch";
  case BlockOrigin::Reqntid: return "reqntid";
  case BlockOrigin::Config: return "config";
  case BlockOrigin::Option: return "option";
  case BlockOrigin::Assumed: return "assumed";
  }
  return "assumed";
}

const char *spelling(Severity Value) {
  switch (Value) {
  case Severity::Note: return "note";
  case Severity::Warning: return "warning";
  case Severity::Error: return "error";
  }
  return "warning";
}

const char *spelling(Impact Value) {
  switch (Value) {
  case Impact::Low: return "low";
  case Impact::Medium: return "medium";
  case Impact::High: return "high";
  }
  return "medium";
}

const char *spelling(FixSafety Value) {
  switch (Value) {
  case FixSafety::Safe: return "safe";
  case FixSafety::Unsafe: return "unsafe";
  case FixSafety::Display: return "display";
  }
  return "display";
}

} // namespace warplint::result
