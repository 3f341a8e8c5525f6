// Symmetric JSON for plain structs: one `describe(visitor, value)` per struct names its members
// once, FieldWriter and FieldReader walk it, so encoder and decoder cannot drift. Strict and
// bounded on the way in: every member present, of its type, in its range, none unknown. Strings are
// bytes (a path need not be UTF-8): a byte above 0x7f travels as the code point of the same number.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/base/json.h"

namespace servery::json_fields {

std::string bytes_to_utf8(std::string_view bytes);
std::optional<std::string> utf8_to_bytes(std::string_view text);

class FieldWriter {
 public:
  template <typename T>
  void operator()(std::string_view name, const T& value) {
    json_[std::string(name)] = write(value);
  }
  Json take() { return std::move(json_); }

  static Json write(const std::string& text) { return bytes_to_utf8(text); }
  static Json write(std::chrono::milliseconds value) {
    return static_cast<std::uint64_t>(value.count());
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  static Json write(T value) { return value; }
  template <typename T>
  requires std::is_enum_v<T>
  static Json write(T value) { return static_cast<std::uint32_t>(value); }
  template <typename T>
  static Json write(const std::optional<T>& value) {
    return value ? write(*value) : Json(nullptr);
  }
  template <typename T>
  static Json write(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(write(value));
    return list;
  }
  template <typename T>
  requires std::is_class_v<T>
  static Json write(const T& value) {
    FieldWriter writer;
    describe(writer, const_cast<T&>(value));  // a writer only reads
    return writer.take();
  }

 private:
  Json json_ = Json::object();
};

class FieldReader {
 public:
  explicit FieldReader(const Json& json) : json_(json), ok_(json.is_object()) {}

  template <typename T>
  void operator()(std::string_view name, T& value) {
    ++members_;
    if (!ok_) return;
    const auto member = json_.find(name);
    ok_ = member != json_.end() && read(*member, value);
  }
  // After the last member: all were good and nothing else is there.
  bool finish() const { return ok_ && json_.size() == members_; }

  static bool read(const Json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  static bool read(const Json& json, double& value) {
    if (!json.is_number()) return false;
    value = json.get<double>();
    return true;
  }
  static bool read(const Json& json, std::string& text);
  static bool read(const Json& json, std::chrono::milliseconds& value);
  template <std::unsigned_integral T>
  static bool read(const Json& json, T& value) {
    if (!json.is_number_unsigned()) return false;
    const auto number = json.get<std::uint64_t>();
    if (number > std::numeric_limits<T>::max()) return false;
    value = static_cast<T>(number);
    return true;
  }
  // An enum declares its last enumerator by `enum_last(T)`.
  template <typename T>
  requires std::is_enum_v<T>
  static bool read(const Json& json, T& value) {
    std::uint32_t number = 0;
    if (!read(json, number) || number > static_cast<std::uint32_t>(enum_last(T{}))) return false;
    value = static_cast<T>(number);
    return true;
  }
  template <typename T>
  static bool read(const Json& json, std::optional<T>& value) {
    value.reset();
    return json.is_null() || read(json, value.emplace());
  }
  template <typename T>
  static bool read(const Json& json, std::vector<T>& values) {
    if (!json.is_array() || json.size() > kMaxItems) return false;
    values.clear();
    for (const Json& item : json) {
      if (!read(item, values.emplace_back())) return false;
    }
    return true;
  }
  template <typename T>
  requires std::is_class_v<T>
  static bool read(const Json& json, T& value) {
    FieldReader reader(json);
    describe(reader, value);
    return reader.finish();
  }

 private:
  static constexpr std::size_t kMaxItems = 65'536;

  const Json& json_;
  std::size_t members_ = 0;
  bool ok_;
};

}  // namespace servery::json_fields
