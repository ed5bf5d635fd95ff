//===-- Printf.cpp - printf of device code ----------------------------------------------------===//
//
// The compiler packs the arguments as C's default promotions leave them, each at a multiple of its size.
// Every directive is given to the host's printf with the one argument that it takes.
//
//===----------------------------------------------------------------------===//
#include "tools/replay/runtime/Abi.h"
#include <cstdio>
#include <cstring>
#include <string>

namespace {

class ArgumentReader {
public:
  explicit ArgumentReader(const void *From) : At(static_cast<const char *>(From)), Start(At) {}
  template <typename T> T next() {
    const size_t Offset = (size_t(At - Start) + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T Value;
    std::memcpy(&Value, Start + Offset, sizeof Value);
    At = Start + Offset + sizeof(T);
    ++Count;
    return Value;
  }
  int Count = 0;

private:
  const char *At, *Start;
};

/// "%-8.3lld" in parts.
struct Directive {
  std::string text;   ///< up to the length, with stars replaced
  unsigned longs = 0; ///< l: 1; ll, z, j, t: 2
  char conversion = 0;
  const char *end = nullptr; ///< behind it
};

Directive parse(const char *Percent, ArgumentReader &Arguments) {
  Directive D;
  const char *C = Percent + 1;
  D.text = "%";
  for (; *C && std::strchr("-+ #0123456789.*", *C); ++C)
    if (*C == '*')
      D.text += std::to_string(Arguments.next<int>());
    else
      D.text += *C;
  for (; *C && std::strchr("hlzjtL", *C); ++C) {
    D.longs += *C == 'l' ? 1 : *C == 'z' || *C == 'j' || *C == 't' ? 2 : 0;
    if (*C == 'h')
      D.text += 'h';
  }
  D.conversion = *C;
  D.end = *C ? C + 1 : C;
  return D;
}

void print(const Directive &D, ArgumentReader &Arguments) {
  switch (D.conversion) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    if (D.longs)
      std::printf((D.text + "ll" + D.conversion).c_str(), Arguments.next<long long>());
    else
      std::printf((D.text + D.conversion).c_str(), Arguments.next<int>());
    return;
  case 'c':
    std::printf((D.text + 'c').c_str(), Arguments.next<int>());
    return;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    std::printf((D.text + D.conversion).c_str(), Arguments.next<double>());
    return;
  case 's': {
    const char *Text = Arguments.next<const char *>();
    std::printf((D.text + 's').c_str(), Text ? Text : "(null)");
    return;
  }
  case 'p':
    std::printf((D.text + 'p').c_str(), Arguments.next<void *>());
    return;
  case '%':
    std::putchar('%');
    return;
  default: // as it stands, like the device's own
    std::fputs(D.text.c_str(), stdout);
    if (D.conversion)
      std::putchar(D.conversion);
  }
}

} // namespace

int32_t warplintReplayPrintf(const char *Format, const void *Packed) {
  ArgumentReader Arguments(Packed);
  while (*Format) {
    const size_t Plain = std::strcspn(Format, "%");
    std::fwrite(Format, 1, Plain, stdout);
    Format += Plain;
    if (!*Format)
      break;
    const Directive D = parse(Format, Arguments);
    print(D, Arguments);
    Format = D.end;
  }
  return Arguments.Count;
}
