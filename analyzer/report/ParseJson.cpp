#include "analyzer/report/ParseJson.h"

using llvm::StringRef;

/// Is anything inside more brackets than a report or a baseline has?
static bool isTooDeep(StringRef Text) {
  constexpr unsigned Most = 1000;
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (InString) {
      I += C == '\\';
      InString = C != '"';
    } else if (C == '"') {
      InString = true;
    } else if (C == '[' || C == '{') {
      if (++Depth > Most)
        return true;
    } else if ((C == ']' || C == '}') && Depth) {
      --Depth;
    }
  }
  return false;
}

llvm::Expected<llvm::json::Value> warplint::report::parseJson(StringRef Text) {
  if (isTooDeep(Text))
    return llvm::createStringError("the brackets are nested too deep");
  return llvm::json::parse(Text);
}
