//===-- Database.cpp - compile_commands.json ------------------------------===//
#include "analyzer/frontend/Database.h"
#include "analyzer/frontend/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>
#include <mutex>

using namespace llvm;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace warplint::frontend {

namespace {

constexpr StringLiteral FileName = "compile_commands.json";
constexpr StringLiteral Remedy = "CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: bear -- make";

std::string absolute(StringRef Directory, StringRef Name) {
  if (isWindowsPath(Name))
    return Name.str();
  SmallString<256> Result(Name);
  path::make_absolute(Directory, Result);
  path::remove_dots(Result, /*remove_dot_dot=*/true);
  return std::string(Result);
}

/// Does the command compile CUDA, whatever the file's name? A look at -x suffices; translation would read
/// response files of every entry.
bool languageIsCuda(ArrayRef<std::string> Words) {
  if (size_t At = findCompiler(Words); At < Words.size() && programName(Words[At]) == "nvc++")
    return is_contained(Words, "-cuda");
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if ((Word == "-x" || Word == "--x") && I + 1 < Words.size())
      Word = Words[I + 1];
    else if (!Word.consume_front("--x=") && !Word.consume_front("-x=") && !Word.consume_front("-x"))
      continue;
    if (Word == "cu" || Word == "cuda")
      return true;
  }
  return false;
}

Error invalid(StringRef Path, const Twine &What) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           "'" + Path + "' is not a compilation database: " + What + "; write it anew (" +
                               Remedy + ")");
}

} // namespace

bool isCudaSourceName(StringRef File) {
  if (File.ends_with(".cu.cc") || File.ends_with(".cu.cpp"))
    return true;
  return StringSwitch<bool>(path::extension(File)).Cases({".cu", ".cuh", ".cuda"}, true).Default(false);
}

bool isHeaderName(StringRef File) {
  return StringSwitch<bool>(path::extension(File))
      .Cases({".cuh", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp", ".tcc", ".impl"},
             true)
      .Default(false);
}

namespace {

/// llvm::json calls itself for every level; a hostile file must not use up the stack.
bool isNestedTooDeeply(StringRef Text) {
  constexpr unsigned MaxDepth = 100;
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString && C == '\\')
      ++I;
    else if (C == '"')
      InString = !InString;
    else if (!InString && (C == '[' || C == '{') && ++Depth > MaxDepth)
      return true;
    else if (!InString && (C == ']' || C == '}') && Depth)
      --Depth;
  }
  return false;
}

/// The text in UTF-8: shells of Windows write UTF-16, and old names may have any bytes.
std::string decoded(StringRef Text) {
  std::string Result;
  ArrayRef<char> Bytes(Text.data(), Text.size());
  if (hasUTF16ByteOrderMark(Bytes) && convertUTF16ToUTF8String(Bytes, Result))
    return Result;
  Text.consume_front("\xef\xbb\xbf");
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}

/// llvm::json's "[3:14, byte=60]: Expected ..." in words.
std::string inWords(std::string Message) {
  StringRef Rest = Message;
  unsigned Line = 0, Column = 0;
  if (!Rest.consume_front("[") || Rest.consumeInteger(10, Line) || !Rest.consume_front(":") ||
      Rest.consumeInteger(10, Column))
    return Message;
  return ("line " + Twine(Line) + ", column " + Twine(Column) + ": " + Rest.split("]: ").second).str();
}

} // namespace

/// Takes one entry in; says what is wrong when it cannot be used.
bool Database::add(const json::Value &Item, std::string &Problem) {
  const json::Object *Object = Item.getAsObject();
  std::optional<StringRef> File = Object ? Object->getString("file") : std::nullopt;
  if (!File || File->empty()) {
    Problem = "names no file";
    return false;
  }
  DatabaseEntry Entry;
  Entry.directory = absolute(path::parent_path(Path), Object->getString("directory").value_or(""));
  Entry.file = absolute(Entry.directory, *File);
  if (const json::Array *Words = Object->getArray("arguments")) {
    for (const json::Value &Word : *Words)
      Entry.words.push_back(Word.getAsString().value_or("").str());
  } else if (std::optional<StringRef> Line = Object->getString("command")) {
    Entry.words = isWindowsCommand(*Line, Entry.directory)
                      ? splitForWindows(*Line)
                      : compilingPart(splitForShell(*Line), Entry.directory);
  } else {
    Problem = "has no command";
    return false;
  }
  Entry.cuda = isCudaSourceName(Entry.file) || languageIsCuda(Entry.words);
  auto [At, New] = ByFile.try_emplace(Entry.file, Entries.size());
  if (!New && Entry.cuda && !Entries[At->second].cuda)
    At->second = Entries.size();
  Entries.push_back(std::move(Entry));
  return true;
}

Error Database::parse(StringRef Bytes) {
  std::string Text = decoded(Bytes);
  if (isNestedTooDeeply(Text))
    return invalid(Path, "it is nested too deeply");
  Expected<json::Value> Root = json::parse(Text);
  if (!Root)
    return invalid(Path, inWords(toString(Root.takeError())));
  const json::Array *List = Root->getAsArray();
  if (!List)
    return invalid(Path, "it is no array of commands");
  if (List->empty())
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "the compilation database '" + Path +
                                 "' is empty; build the project once with it, or leave out -p");
  for (const json::Value &Item : *List) {
    std::string Problem;
    if (!add(Item, Problem))
      Problems.push_back("entry " + utostr(&Item - List->data()) + " " + Problem);
  }
  // Some entries that cannot be used are no reason to refuse the others.
  if (Entries.empty())
    return invalid(Path, Problems.front());
  return Error::success();
}

/// Where else a database is that the user can have meant.
static std::string elsewhere(StringRef Folder) {
  for (const char *Below :
       {"build", "out", "_build", "builddir", "cmake-build-debug", "cmake-build-release"}) {
    SmallString<256> Candidate(Folder);
    path::append(Candidate, Below);
    SmallString<256> Name(Candidate);
    path::append(Name, FileName);
    if (fs::is_regular_file(Name))
      return (", but '" + Candidate + "' has").str();
  }
  std::string Above = Database::folderAbove(Folder);
  return Above.empty() ? "" : ", but '" + Above + "' has";
}

Expected<std::shared_ptr<const Database>> Database::load(StringRef Folder) {
  SmallString<256> File(Folder);
  (void)fs::make_absolute(File);
  path::remove_dots(File, /*remove_dot_dot=*/true);
  if (!fs::exists(File))
    return createStringError(std::make_error_code(std::errc::no_such_file_or_directory),
                             "no compilation database: the folder '" + Folder + "' does not exist");
  if (fs::is_directory(File))
    path::append(File, FileName);
  fs::file_status Status;
  if (fs::status(File, Status))
    return createStringError(std::make_error_code(std::errc::no_such_file_or_directory),
                             "no compilation database: '" + Folder + "' has no " + FileName +
                                 elsewhere(path::parent_path(File)) + "; have the build system write one (" +
                                 Remedy + ")");
  if (!fs::is_regular_file(Status))
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "'" + File + "' is not a compilation database: it is no regular file");

  // Every file of a run asks for its command; the database may be large.
  struct Cached {
    sys::TimePoint<> time;
    uint64_t size;
    std::shared_ptr<const Database> database;
  };
  static std::mutex Lock;
  static std::map<std::string, Cached> Cache;
  std::lock_guard<std::mutex> Guard(Lock);
  Cached &Slot = Cache[std::string(File)];
  if (Slot.database && Slot.time == Status.getLastModificationTime() && Slot.size == Status.getSize())
    return Slot.database;

  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(File);
  if (!Buffer)
    return createStringError(Buffer.getError(), "cannot read the compilation database '" + File +
                                                    "': " + Buffer.getError().message());
  Expected<std::shared_ptr<const Database>> Result = read((*Buffer)->getBuffer(), File);
  if (Result)
    Slot = {Status.getLastModificationTime(), Status.getSize(), *Result};
  return Result;
}

Expected<std::shared_ptr<const Database>> Database::read(StringRef Text, StringRef Path) {
  auto Result = std::make_shared<Database>();
  Result->Path = Path.str();
  if (Error Problem = Result->parse(Text))
    return std::move(Problem);
  return Result;
}

std::string Database::folderAbove(StringRef File) {
  for (StringRef Folder = path::parent_path(File); !Folder.empty(); Folder = path::parent_path(Folder)) {
    // Out-of-source builds put it into build/, as clangd looks there too.
    for (const char *Below : {"", "build"}) {
      SmallString<256> Candidate(Folder);
      path::append(Candidate, Below);
      SmallString<256> Name(Candidate);
      path::append(Name, FileName);
      if (fs::is_regular_file(Name))
        return std::string(Candidate);
    }
  }
  return "";
}

const DatabaseEntry *Database::find(StringRef File) const {
  if (auto At = ByFile.find(File); At != ByFile.end())
    return &Entries[At->second];
  SmallString<256> Real;
  if (fs::real_path(File, Real))
    return nullptr;
  for (const DatabaseEntry &Entry : Entries) {
    SmallString<256> Other;
    if (path::filename(Entry.file) == path::filename(File) && !fs::real_path(Entry.file, Other) &&
        Other == Real)
      return &Entries[ByFile.lookup(Entry.file)];
  }
  return nullptr;
}

std::vector<const DatabaseEntry *> Database::findAll(StringRef File) const {
  std::vector<const DatabaseEntry *> Result;
  const DatabaseEntry *First = find(File);
  if (!First)
    return Result;
  for (const DatabaseEntry &Entry : Entries)
    if (Entry.file == First->file && Entry.cuda == First->cuda)
      Result.push_back(&Entry);
  return Result;
}

std::vector<const DatabaseEntry *> Database::likelyIncluders(StringRef File, bool Cuda) const {
  StringRef Stem = path::stem(File), Folder = path::parent_path(File);
  auto Rank = [&](const DatabaseEntry &Entry) {
    StringRef Other = path::stem(Entry.file);
    if (Other == Stem)
      return 0;
    // "mma.cuh" beside "mma_instances.cu"
    if (Other.starts_with(Stem))
      return 1;
    return path::parent_path(Entry.file) == Folder ? 2 : 3;
  };
  std::vector<std::pair<int, const DatabaseEntry *>> Ranked;
  for (const DatabaseEntry &Entry : Entries)
    if (Entry.cuda == Cuda && !isHeaderName(Entry.file) && &Entries[ByFile.lookup(Entry.file)] == &Entry)
      Ranked.emplace_back(Rank(Entry), &Entry);
  stable_sort(Ranked, [](const auto &A, const auto &B) { return A.first < B.first; });
  std::vector<const DatabaseEntry *> Result;
  for (auto &[Unused, Entry] : Ranked)
    Result.push_back(Entry);
  return Result;
}

const DatabaseEntry *Database::nearest(StringRef File) const {
  const DatabaseEntry *Best = nullptr;
  unsigned BestDistance = ~0u;
  for (const DatabaseEntry &Entry : Entries) {
    if (!Entry.cuda)
      continue;
    // The name counts most; folders that the two do not share break ties.
    unsigned Distance = 16 * path::stem(Entry.file).edit_distance(path::stem(File));
    StringRef A = path::parent_path(Entry.file), B = path::parent_path(File);
    auto AI = path::begin(A), AE = path::end(A), BI = path::begin(B), BE = path::end(B);
    while (AI != AE && BI != BE && *AI == *BI)
      ++AI, ++BI;
    Distance += std::distance(AI, AE) + std::distance(BI, BE);
    if (Distance < BestDistance) {
      Best = &Entry;
      BestDistance = Distance;
    }
  }
  return Best;
}

} // namespace warplint::frontend
