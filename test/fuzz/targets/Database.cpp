//===-- Database.cpp - Fuzz target: compilation databases -----------------===//
//
// The input is the text of a database; after '!' it is a command's words, one per line, and after '?' a
// command's text.
//
//===----------------------------------------------------------------------===//
#include "analyzer/frontend/Database.h"
#include "analyzer/frontend/CommandLine.h"
#include "test/fuzz/targets/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace warplint;
using namespace warplint::fuzz;
using frontend::Database;
using frontend::DatabaseEntry;

namespace {

constexpr StringLiteral Path = "/warplint-fuzz/compile_commands.json";

Expected<std::shared_ptr<const Database>> read(const json::Value &Root) {
  std::string Text;
  raw_string_ostream(Text) << Root;
  return Database::read(Text, Path);
}

json::Value entry(StringRef File, StringRef Directory, StringRef Key, json::Value What) {
  return json::Object{{"file", File}, {"directory", Directory}, {Key, std::move(What)}};
}

bool isAbsolute(StringRef Name) { return sys::path::is_absolute(Name) || frontend::isWindowsPath(Name); }

void checkEntries(const Database &Commands) {
  require(!Commands.entries().empty(), "a database that can be read has entries");
  json::Array Written;
  for (const DatabaseEntry &E : Commands.entries()) {
    require(isAbsolute(E.directory) && isAbsolute(E.file), "names are absolute: " + E.file);
    const DatabaseEntry *Found = Commands.find(E.file);
    require(Found && Found->file == E.file, "entries are found by their names: " + E.file);
    require(Found->cuda || !E.cuda, "a command that compiles CUDA is preferred: " + E.file);
    const DatabaseEntry *Nearest = Commands.nearest(E.file);
    require(!E.cuda || (Nearest && Nearest->cuda), "some CUDA file is nearest: " + E.file);
    Written.push_back(entry(E.file, E.directory, "arguments", json::Array(E.words)));
  }
  // What was read, written as a database, reads the same.
  auto Again = read(std::move(Written));
  require(bool(Again), "a database that was read can be read again");
  auto Same = [](const DatabaseEntry &X, const DatabaseEntry &Y) {
    return X.file == Y.file && X.directory == Y.directory && X.words == Y.words && X.cuda == Y.cuda;
  };
  const std::vector<DatabaseEntry> &A = Commands.entries(), &B = (*Again)->entries();
  require(std::equal(A.begin(), A.end(), B.begin(), B.end(), Same), "the same when read again");
}

std::vector<std::string> splitByDatabase(StringRef Command) {
  auto Read = read(json::Array{entry("a.cu", "/", "command", Command)});
  require(bool(Read), "any command can be read");
  return (*Read)->entries().front().words;
}

/// As a POSIX shell wants it.
std::string quote(StringRef Word) {
  std::string Result = "'";
  for (const char C : Word)
    Result += C == '\'' ? "'\\''" : std::string(1, C);
  return Result + "'";
}

void checkQuoted(const std::vector<std::string> &Words) {
  // A list of commands is taken apart after splitting, when quotes no longer tell.
  if (any_of(Words, [](StringRef W) { return W == "&&" || W == ";" || W == "||" || W == "|"; }))
    return;
  std::string Command;
  for (const std::string &Word : Words)
    Command += quote(Word) + " ";
  const std::vector<std::string> Split = splitByDatabase(Command);
  require(Split == Words, "quoted words come back: " + shown(Words) + " became " + shown(Split));
}

void checkCommand(StringRef Command) {
  const std::vector<std::string> Words = splitByDatabase(Command);
  size_t Length = 0;
  for (const std::string &Word : Words)
    Length += Word.size();
  require(Length <= Command.size(), "nothing is expanded: " + shown(Words));
  checkQuoted(Words);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const StringRef Text = textOf(Data, Size);
  if (Text.starts_with("!") || Text.starts_with("?")) {
    const std::string Rest = json::fixUTF8(Text.drop_front()); // JSON holds nothing else
    Text.starts_with("!") ? checkQuoted(wordsOf(Rest)) : checkCommand(Rest);
    return 0;
  }
  auto Read = Database::read(Text, Path);
  if (Read) {
    checkEntries(**Read);
  } else {
    const std::string Message = toString(Read.takeError());
    require(StringRef(Message).contains(Path), "errors name the file: " + Message);
  }
  return 0;
}
