#include "worker/features/listing/listing_text.h"

#include <array>
#include <charconv>
#include <ctime>

#include "common/base/text.h"
#include "common/base/utf8.h"

namespace servery::listing {
namespace {

constexpr char kHex[] = "0123456789ABCDEF";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Characters that reorder what follows them (U+202A-202E, U+2066-2069), or C1 controls.
bool is_deceptive(std::string_view sequence) {
  if (sequence.size() == 2) return byte_at(sequence, 0) == 0xC2 && byte_at(sequence, 1) < 0xA0;
  if (sequence.size() != 3 || byte_at(sequence, 0) != 0xE2) return false;
  const unsigned second = byte_at(sequence, 1);
  const unsigned third = byte_at(sequence, 2);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

// The control pictures U+2400 and on.
void append_picture(std::string& out, unsigned control) {
  const unsigned code = control == 0x7F ? 0x21 : control;
  out += "\xE2\x90";
  out += static_cast<char>(0x80 + code);
}

std::array<char, 32> format_time(const char* format, std::int64_t seconds) {
  std::array<char, 32> text{};
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return text;
  if (parts.tm_year < -1900 || parts.tm_year > 9999 - 1900) return text;
  if (std::strftime(text.data(), text.size(), format, &parts) == 0) text[0] = '\0';
  return text;
}

}  // namespace

void append_html_name(std::string& out, std::string_view name) {
  while (!name.empty()) {
    const std::size_t n = utf8_length(name);
    const unsigned first = byte_at(name, 0);
    if (n == 1 && (first < 0x20 || first == 0x7F)) {
      append_picture(out, first);
    } else if (n == 1) {
      append_html_escaped(out, name.substr(0, 1));
    } else if (n == 0 || is_deceptive(name.substr(0, n))) {
      out += kReplacement;
    } else {
      out += name.substr(0, n);
    }
    name.remove_prefix(n == 0 ? 1 : n);
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    const unsigned first = byte_at(text, 0);
    if (n == 0) {
      out += kReplacement;
    } else if (first < 0x20 || first == 0x7F) {
      out += "\\u00";
      out += kHex[first >> 4];
      out += kHex[first & 15];
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  out += '"';
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

void append_grouped(std::string& out, std::uint64_t value) {
  const std::size_t begin = out.size();
  append_number(out, value);
  for (std::size_t i = out.size(); i > begin + 3; i -= 3) out.insert(i - 3, 1, ',');
}

void append_size(std::string& out, std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> kUnits = {" B",   " KiB", " MiB", " GiB",
                                                        " TiB", " PiB", " EiB"};
  std::size_t unit = 0;
  std::uint64_t rest = 0;  // of the last division, in 1024ths
  while (bytes >= 1024) {
    rest = bytes % 1024;
    bytes /= 1024;
    ++unit;
  }
  append_number(out, bytes);
  if (unit > 0 && bytes < 10) {
    out += '.';
    append_number(out, rest * 10 / 1024);
  }
  out += kUnits[unit];
}

bool append_iso_time(std::string& out, std::int64_t seconds) {
  const auto text = format_time("%Y-%m-%dT%H:%M:%SZ", seconds);
  out += text.data();
  return text[0] != '\0';
}

bool append_short_time(std::string& out, std::int64_t seconds) {
  const auto text = format_time("%Y-%m-%d %H:%M", seconds);
  out += text.data();
  return text[0] != '\0';
}

}  // namespace servery::listing
