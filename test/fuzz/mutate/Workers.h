//===-- Workers.h - Numbered tasks in processes that may die -------*- C++ -*-===//
//
// Runs task 0, 1, 2, ... in child processes. A task that kills its process, or takes too long, is a failure
// of that task: another process goes on with the next one.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TEST_FUZZ_MUTATE_WORKERS_H
#define WARPLINT_TEST_FUZZ_MUTATE_WORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>
#include <vector>

namespace warplint::fuzz {

struct Limits {
  unsigned cpuSeconds = 20;   ///< of one task
  unsigned wallSeconds = 300; ///< of one task: for what waits without computing
  uint64_t memory = 0;        ///< bytes of address space of a process; 0 for no limit
};

struct TaskResult {
  uint64_t task = 0;
  std::string problem; ///< "" when the task ran to its end and found nothing; "crash: ...", "hang: ..."
  std::string facts;   ///< what the task returned besides
  double cpuSeconds = 0;
};

/// What a task says in its child process; one line each.
struct TaskReport {
  std::string problem, facts;
};

/// Calls `Done` in this process once per task, in the order in which tasks end.
void runTasks(uint64_t First, uint64_t Count, unsigned Processes, const Limits &,
              llvm::function_ref<TaskReport(uint64_t)> Task,
              llvm::function_ref<void(const TaskResult &)> Done);

} // namespace warplint::fuzz

#endif
