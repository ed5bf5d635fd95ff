//===-- Workers.cpp - Numbered tasks in processes that may die ------------===//
#include "test/fuzz/mutate/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace warplint::fuzz {

namespace {

double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return double(Now.tv_sec) + double(Now.tv_nsec) * 1e-9;
}

/// Restarts both clocks; whichever runs out first ends the process, whose signal says which it was.
void wind(const Limits &L) {
  itimerval Cpu{{0, 0}, {time_t(L.cpuSeconds), 0}};
  setitimer(ITIMER_PROF, &Cpu, nullptr);
  alarm(L.wallSeconds);
}

std::string oneLine(std::string Text) {
  for (char &C : Text)
    if (C == '\n' || C == '\t')
      C = ' ';
  return Text;
}

void say(int To, const std::string &Line) {
  for (size_t Done = 0; Done < Line.size();) {
    const ssize_t Written = write(To, Line.data() + Done, Line.size() - Done);
    if (Written < 0)
      _exit(3); // nobody listens any more
    Done += size_t(Written);
  }
}

[[noreturn]] void work(int To, uint64_t Begin, uint64_t End, uint64_t Step, const Limits &L,
                       function_ref<TaskReport(uint64_t)> Task) {
  for (const int Signal : {SIGPROF, SIGALRM})
    signal(Signal, SIG_DFL);
  const rlimit NoCore{0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  if (L.memory) {
    const rlimit Memory{rlim_t(L.memory), rlim_t(L.memory)};
    setrlimit(RLIMIT_AS, &Memory);
  }
  for (uint64_t I = Begin; I < End; I += Step) {
    wind(L);
    const double Start = cpuSeconds();
    const TaskReport Report = Task(I);
    say(To, oneLine(Report.problem) + "\t" + oneLine(Report.facts) + "\t" +
                std::to_string(cpuSeconds() - Start) + "\n");
  }
  _exit(0);
}

/// One child process and the tasks that are still its own.
struct Worker {
  pid_t pid = -1;
  int from = -1;
  uint64_t next = 0;
  std::string buffer;
};

std::string describe(int Status, const Limits &L) {
  if (WIFEXITED(Status))
    return "crash: the process exited with " + itostr(WEXITSTATUS(Status));
  if (WTERMSIG(Status) == SIGPROF)
    return "hang: more than " + utostr(L.cpuSeconds) + " s of CPU";
  if (WTERMSIG(Status) == SIGALRM)
    return "hang: more than " + utostr(L.wallSeconds) + " s";
  return std::string("crash: ") + strsignal(WTERMSIG(Status));
}

class Pool {
public:
  Pool(uint64_t Last, unsigned Processes, const Limits &L, function_ref<TaskReport(uint64_t)> Task,
       function_ref<void(const TaskResult &)> Done)
      : End(Last), Step(Processes), L(L), Task(Task), Done(Done) {}

  void run(uint64_t First) {
    std::vector<Worker> Workers(Step);
    for (unsigned I = 0; I < Step; ++I)
      start(Workers[I], First + I);
    while (true) {
      std::vector<pollfd> Waiting;
      for (const Worker &W : Workers)
        Waiting.push_back({W.from, POLLIN, 0}); // poll() passes over -1
      if (all_of(Workers, [](const Worker &W) { return W.pid < 0; }))
        return;
      poll(Waiting.data(), Waiting.size(), -1);
      for (size_t I = 0; I < Waiting.size(); ++I)
        if (Waiting[I].revents)
          hear(Workers[I]);
    }
  }

private:
  void start(Worker &W, uint64_t First) {
    W = Worker();
    W.next = First;
    if (First >= End)
      return;
    int Ends[2];
    if (pipe(Ends) != 0)
      return giveUp(W, "no pipe");
    W.pid = fork();
    if (W.pid == 0) {
      close(Ends[0]);
      work(Ends[1], First, End, Step, L, Task);
    }
    close(Ends[1]);
    W.from = Ends[0];
    if (W.pid < 0)
      giveUp(W, "no process");
  }

  /// Without a process no task runs: that is no pass.
  void giveUp(Worker &W, const char *Why) {
    for (; W.next < End; W.next += Step)
      Done({W.next, std::string("crash: ") + Why, "", 0});
    if (W.from >= 0)
      close(W.from);
    W = Worker();
  }

  void hear(Worker &W) {
    char Chunk[4096];
    const ssize_t Count = read(W.from, Chunk, sizeof(Chunk));
    if (Count <= 0)
      return bury(W);
    W.buffer.append(Chunk, size_t(Count));
    for (size_t Stop; (Stop = W.buffer.find('\n')) != std::string::npos; W.buffer.erase(0, Stop + 1)) {
      SmallVector<StringRef, 3> Fields;
      StringRef(W.buffer).take_front(Stop).split(Fields, '\t');
      TaskResult Result{W.next, Fields[0].str(), Fields[1].str(), 0};
      Fields[2].getAsDouble(Result.cpuSeconds);
      Done(Result);
      W.next += Step;
    }
  }

  /// The process has ended: with its tasks done, or in the middle of one.
  void bury(Worker &W) {
    int Status = 0;
    waitpid(W.pid, &Status, 0);
    close(W.from);
    uint64_t Next = W.next;
    if (Next < End) {
      Done({Next, describe(Status, L), "", 0});
      Next += Step;
    }
    start(W, Next);
  }

  uint64_t End, Step;
  const Limits &L;
  function_ref<TaskReport(uint64_t)> Task;
  function_ref<void(const TaskResult &)> Done;
};

} // namespace

void runTasks(uint64_t First, uint64_t Count, unsigned Processes, const Limits &L,
              function_ref<TaskReport(uint64_t)> Task, function_ref<void(const TaskResult &)> Done) {
  Pool(First + Count, std::max(1u, Processes), L, Task, Done).run(First);
}

} // namespace warplint::fuzz
