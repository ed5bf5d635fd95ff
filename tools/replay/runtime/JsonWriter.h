//===-- JsonWriter.h - JSON, written as it comes ---------------------------------------*- C++ -*-===//
//
// The replayed program must not be linked to LLVM, whose writer the tool itself uses.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_TOOLS_REPLAY_RUNTIME_JSONWRITER_H
#define WARPLINT_TOOLS_REPLAY_RUNTIME_JSONWRITER_H

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace warplint::replay {

class JsonWriter {
public:
  explicit JsonWriter(std::FILE *Out) : Out(Out) {}

  template <typename Body> void object(Body B) { nested('{', '}', B); }
  template <typename Body> void array(Body B) { nested('[', ']', B); }
  void key(std::string_view Name) {
    separate();
    string(Name);
    std::fputc(':', Out);
    Fresh = true;
  }
  template <typename Body> void objectAt(std::string_view Name, Body B) {
    key(Name);
    object(B);
  }
  template <typename Body> void arrayAt(std::string_view Name, Body B) {
    key(Name);
    array(B);
  }
  template <typename T> void at(std::string_view Name, const T &V) {
    key(Name);
    value(V);
  }

  void value(bool V) { raw(V ? "true" : "false"); }
  void value(std::string_view V) {
    separate();
    string(V);
  }
  void value(const char *V) { value(std::string_view(V)); }
  template <std::integral T> void value(T V) { raw(std::to_string(V)); }
  void value(double V) {
    if (std::isfinite(V) && V == std::floor(V) && std::fabs(V) < 1e15)
      return value(int64_t(V));
    char Text[40];
    std::snprintf(Text, sizeof Text, "%.12g", std::isfinite(V) ? V : 0.0);
    raw(Text);
  }
  void null() { raw("null"); }

private:
  std::FILE *Out;
  bool Fresh = true; ///< nothing stands before the next value in its list

  void separate() {
    if (!Fresh)
      std::fputc(',', Out);
    Fresh = false;
  }
  void raw(std::string_view Text) {
    separate();
    std::fwrite(Text.data(), 1, Text.size(), Out);
  }
  template <typename Body> void nested(char Open, char Close, Body B) {
    separate();
    std::fputc(Open, Out);
    Fresh = true;
    B();
    std::fputc(Close, Out);
    Fresh = false;
  }
  void string(std::string_view Text) {
    std::fputc('"', Out);
    for (unsigned char C : Text)
      if (C == '"' || C == '\\')
        std::fprintf(Out, "\\%c", C);
      else if (C < 0x20)
        std::fprintf(Out, "\\u%04x", C);
      else
        std::fputc(C, Out);
    std::fputc('"', Out);
  }
};

} // namespace warplint::replay

#endif
