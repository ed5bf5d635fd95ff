#include "analyzer/report/Paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace warplint::report;
using llvm::SmallString;
using llvm::StringRef;
namespace path = llvm::sys::path;

std::string warplint::report::percentEncoded(StringRef Path) {
  std::string Encoded;
  for (const char C : Path)
    if (llvm::isAlnum(C) || StringRef("-._~/").contains(C))
      Encoded += C;
    else
      Encoded += "%" + llvm::utohexstr(static_cast<unsigned char>(C), /*LowerCase=*/false, /*Width=*/2);
  return Encoded;
}

static std::string realPath(StringRef Path) {
  SmallString<256> Real;
  return llvm::sys::fs::real_path(Path, Real) ? std::string() : Real.str().str();
}

/// What follows `Root` and a separator in `File`.
static std::optional<std::string> below(StringRef Root, StringRef File) {
  if (Root.empty() || !File.consume_front(Root))
    return std::nullopt;
  if (!Root.ends_with("/") && !File.consume_front("/"))
    return std::nullopt;
  return File.empty() ? std::nullopt : std::optional(File.str());
}

RepositoryPaths::RepositoryPaths(std::string Folder) : Root(std::move(Folder)), RealRoot(realPath(Root)) {}

std::optional<std::string> RepositoryPaths::relative(const std::string &File) {
  auto [It, New] = Known.try_emplace(File);
  if (!New || File.empty())
    return It->second;
  // Where a link leads, "x/.." need not be where it seems to be.
  SmallString<256> Plain(File);
  path::remove_dots(Plain, /*remove_dot_dot=*/false);
  const bool HasDotDot = llvm::any_of(llvm::make_range(path::begin(Plain), path::end(Plain)),
                                      [](StringRef Part) { return Part == ".."; });
  if (!HasDotDot)
    It->second = below(Root, Plain);
  if (!It->second)
    It->second = below(RealRoot, realPath(File));
  if (!It->second && HasDotDot) {
    path::remove_dots(Plain, /*remove_dot_dot=*/true);
    It->second = below(Root, Plain);
  }
  return It->second;
}

std::string RepositoryPaths::shown(const std::string &File) { return relative(File).value_or(File); }
