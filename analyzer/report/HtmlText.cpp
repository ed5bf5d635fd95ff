//===-- HtmlText.cpp - Text inside a page of HTML ----------------------------------===//
#include "analyzer/report/HtmlText.h"
#include "analyzer/report/ShownText.h"
#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace warplint::report {

/// Of text that is safe to print.
static std::string withEntities(StringRef Safe) {
  std::string Text;
  for (const char C : Safe)
    switch (C) {
    case '&':
      Text += "&amp;";
      break;
    case '<':
      Text += "&lt;";
      break;
    case '>':
      Text += "&gt;";
      break;
    case '"':
      Text += "&quot;";
      break;
    case '\'':
      Text += "&#39;";
      break;
    default:
      Text += C;
    }
  return Text;
}

std::string htmlText(StringRef Text) {
  std::string Shown;
  while (!Text.empty()) {
    const auto [Piece, Rest] = Text.split('\t');
    Shown += withEntities(escaped(Piece));
    if (Piece.size() < Text.size())
      Shown += '\t';
    Text = Rest;
  }
  return Shown;
}

std::string htmlWords(StringRef Text) { return withEntities(words(Text)); }

//===-- Markdown ---------------------------------------------------------------===//

namespace {

std::string inlineOf(StringRef Text) {
  std::string Html;
  while (!Text.empty()) {
    const size_t Open = Text.find('`'), Close = Text.find('`', Open + 1);
    if (Open == StringRef::npos || Close == StringRef::npos)
      return Html + htmlWords(Text);
    Html += htmlWords(Text.take_front(Open));
    Html += "<code>" + htmlWords(Text.slice(Open + 1, Close)) + "</code>";
    Text = Text.drop_front(Close + 1);
  }
  return Html;
}

/// Puts lines together to blocks.
class Markdown {
  std::string Html, Text;
  const char *Block = nullptr; ///< the tag that `Text` is for
  bool InList = false;

  void closeBlock() {
    if (Block)
      Html += std::string("<") + Block + ">" + inlineOf(Text) + "</" + Block + ">\n";
    Block = nullptr;
    Text.clear();
  }
  void closeList() {
    closeBlock();
    if (InList)
      Html += "</ul>\n";
    InList = false;
  }
  void open(const char *Tag, StringRef Line) {
    closeBlock();
    Block = Tag;
    Text = Line.str();
  }

public:
  void line(StringRef Line) {
    if (Line.trim().empty()) {
      closeList();
    } else if (Line.starts_with("#")) {
      closeList();
      open(Line.starts_with("## ") ? "h5" : "h4", Line.ltrim('#').trim());
      closeBlock();
    } else if (Line.starts_with("- ")) {
      if (!InList) {
        closeList();
        Html += "<ul>\n";
        InList = true;
      }
      open("li", Line.drop_front(2));
    } else if (Block) {
      Text += " " + Line.trim().str();
    } else {
      open("p", Line);
    }
  }
  void code(StringRef Line) { Html += htmlText(Line) + "\n"; }
  void openCode() {
    closeList();
    Html += "<pre>";
  }
  void closeCode() { Html += "</pre>\n"; }
  std::string finish() {
    closeList();
    return std::move(Html);
  }
};

} // namespace

std::string htmlOfMarkdown(StringRef Page) {
  llvm::SmallVector<StringRef, 64> Lines;
  Page.split(Lines, '\n');
  Markdown To;
  bool InCode = false;
  for (StringRef Line : Lines) {
    Line = Line.rtrim();
    if (Line.starts_with("```")) {
      InCode ? To.closeCode() : To.openCode();
      InCode = !InCode;
    } else if (InCode) {
      To.code(Line);
    } else {
      To.line(Line);
    }
  }
  if (InCode)
    To.closeCode();
  return To.finish();
}

} // namespace warplint::report
