#include "worker/http/disposition.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/base/utf8.h"

namespace servery::http {
namespace {

constexpr std::size_t kMaxName = 255;  // of a file, in bytes (NAME_MAX)

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string harmless_name(std::string_view name) {
  std::string harmless(name);
  std::replace_if(
      harmless.begin(), harmless.end(),
      [](char c) { return is_control(c) || c == '/' || c == '\\'; }, '_');
  return harmless;
}

// Inside a quoted string, for clients that know no other: what could be misread becomes '_'.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::replace_if(
      plain.begin(), plain.end(),
      [](char c) { return static_cast<unsigned char>(c) >= 0x7F || c == '"' || c == '%'; }, '_');
  return plain;
}

// RFC 8187 3.2.1 attr-char, all else as %XX; bytes that are not UTF-8 as U+FFFD.
std::string extended_name(std::string_view name) {
  std::string utf8;
  while (!name.empty()) {
    const std::size_t n = utf8_length(name);
    utf8 += n == 0 ? std::string_view("\xEF\xBF\xBD") : name.substr(0, n);
    name.remove_prefix(n == 0 ? 1 : n);
  }
  std::string encoded;
  append_percent_encoded(encoded, utf8);
  return encoded;
}

// With its dot; empty: none.
std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

}  // namespace

std::string attachment(std::string_view file_name) {
  const std::string name = harmless_name(file_name);
  const std::string plain = plain_name(name);
  std::string value = "attachment; filename=\"" + plain + "\"";
  if (plain != file_name) value += "; filename*=UTF-8''" + extended_name(name);
  return value;
}

std::string download_name(std::string_view asked, std::string_view file_name) {
  if (asked.empty()) return std::string(file_name);
  const std::string_view extension = extension_of(file_name);
  if (extension.empty()) asked = asked.substr(0, asked.find('.'));
  if (asked.empty()) return std::string(file_name);
  std::string name(asked.substr(0, kMaxName - std::min(kMaxName, extension.size())));
  if (!equals_ignore_case(extension_of(name), extension)) name += extension;
  return name;
}

}  // namespace servery::http
