//===-- Archive.h - Plain data as bytes and back -------------------*- C++ -*-===//
//
// Writes structures of numbers, strings and containers to a string of bytes and reads them back. A structure
// takes part when `members(Structure &)` gives its members as a tuple of references, found beside it by name
// lookup. Not a format for exchange: the bytes mean something to the build that wrote them alone.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_ANALYZER_RESULT_ARCHIVE_H
#define WARPLINT_ANALYZER_RESULT_ARCHIVE_H

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace warplint::result {

class ArchiveWriter {
public:
  explicit ArchiveWriter(std::string &Bytes) : Bytes(Bytes) {}

  template <typename T> void put(const T &Value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      Bytes.append(reinterpret_cast<const char *>(&Value), sizeof Value);
    else
      object(Value);
  }

private:
  void object(const std::string &Text) {
    put(uint64_t(Text.size()));
    Bytes += Text;
  }
  template <typename T> void object(const std::vector<T> &Items) {
    put(uint64_t(Items.size()));
    for (const T &Item : Items)
      put(Item);
  }
  template <typename T, size_t N> void object(const std::array<T, N> &Items) {
    for (const T &Item : Items)
      put(Item);
  }
  template <typename K, typename V> void object(const std::map<K, V> &Items) {
    put(uint64_t(Items.size()));
    for (const auto &[Key, Value] : Items) {
      put(Key);
      put(Value);
    }
  }
  template <typename T> void object(const std::optional<T> &Item) {
    put(Item.has_value());
    if (Item)
      put(*Item);
  }
  template <typename T> void object(const T &Structure) {
    std::apply([&](const auto &...Members) { (put(Members), ...); }, members(const_cast<T &>(Structure)));
  }

  std::string &Bytes;
};

class ArchiveReader {
public:
  explicit ArchiveReader(std::string_view Bytes) : Rest(Bytes) {}

  /// False once the bytes did not hold what was asked for.
  bool good() const { return Good; }
  /// ... and everything was used.
  bool complete() const { return Good && Rest.empty(); }

  template <typename T> void get(T &Value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (Rest.size() < sizeof Value)
        return fail();
      if constexpr (std::is_same_v<T, bool>) {
        const unsigned char Byte = Rest.front(); // any other would be no bool at all
        if (Byte > 1)
          return fail();
        Value = Byte != 0;
      } else {
        std::memcpy(&Value, Rest.data(), sizeof Value);
      }
      Rest.remove_prefix(sizeof Value);
    } else {
      object(Value);
    }
  }

private:
  void fail() {
    Good = false;
    Rest = {};
  }
  /// The number of items that follow; none takes less than a byte.
  uint64_t count() {
    uint64_t Count = 0;
    get(Count);
    if (Count <= Rest.size())
      return Count;
    fail();
    return 0;
  }
  void object(std::string &Text) {
    uint64_t Size = count();
    Text.assign(Rest.substr(0, Size));
    Rest.remove_prefix(Size);
  }
  template <typename T> void object(std::vector<T> &Items) {
    for (uint64_t Count = count(); Count && Good; --Count)
      get(Items.emplace_back());
  }
  template <typename T, size_t N> void object(std::array<T, N> &Items) {
    for (T &Item : Items)
      get(Item);
  }
  template <typename K, typename V> void object(std::map<K, V> &Items) {
    for (uint64_t Count = count(); Count && Good; --Count) {
      K Key{};
      get(Key);
      get(Items[Key]);
    }
  }
  template <typename T> void object(std::optional<T> &Item) {
    bool There = false;
    get(There);
    if (There)
      get(Item.emplace());
  }
  template <typename T> void object(T &Structure) {
    std::apply([&](auto &...Members) { (get(Members), ...); }, members(Structure));
  }

  std::string_view Rest;
  bool Good = true;
};

} // namespace warplint::result

#endif
