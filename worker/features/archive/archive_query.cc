#include "worker/features/archive/archive_query.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/base/utf8.h"

namespace servery::archive {
namespace {

constexpr http::Refusal kBadQuery{400, "archive_query"};
constexpr http::Refusal kNoEntry{404, "archive_entry"};

struct FormatRow {
  std::string_view name;
  std::string_view extension;
  std::string_view content_type;
};
// In the order of Format.
constexpr std::array<FormatRow, 4> kFormats = {{{"zip", ".zip", "application/zip"},
                                                {"tar", ".tar", "application/x-tar"},
                                                {"tar.gz", ".tar.gz", "application/gzip"},
                                                {"tar.zst", ".tar.zst", "application/zstd"}}};

const FormatRow& row_of(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

// Takes the next "key=value" of a query; false at the end.
bool take_pair(std::string_view& text, std::string_view& key, std::string_view& value) {
  if (text.empty()) return false;
  const std::size_t end = text.find('&');
  const std::string_view pair = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  const std::size_t equals = pair.find('=');
  key = pair.substr(0, equals);
  value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
  return true;
}

// As a form sends it.
std::optional<std::string> decode_value(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

bool is_child_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

// Inside a quoted string and on any system: what could be misread becomes '_'.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '/' || c == '%') c = '_';
  }
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
  return percent_encode_path(utf8);
}

}  // namespace

bool asks_for_archive(std::string_view text) {
  std::string_view key;
  std::string_view value;
  while (take_pair(text, key, value)) {
    if (key == "archive") return true;
  }
  return false;
}

std::optional<http::Refusal> parse_query(std::string_view text, Query& query) {
  std::string_view key;
  std::string_view value;
  while (take_pair(text, key, value)) {
    if (key == "archive") {
      const auto row = std::find_if(kFormats.begin(), kFormats.end(),
                                    [value](const FormatRow& r) { return r.name == value; });
      if (row == kFormats.end()) return kBadQuery;
      query.format = static_cast<Format>(row - kFormats.begin());
    } else if (key == "entry") {
      auto name = decode_value(value);
      if (!name) return kBadQuery;
      if (name->ends_with('/')) name->pop_back();
      if (!is_child_name(*name)) return kNoEntry;
      query.entries.push_back(std::move(*name));
    }
  }
  std::sort(query.entries.begin(), query.entries.end());
  query.entries.erase(std::unique(query.entries.begin(), query.entries.end()), query.entries.end());
  return std::nullopt;
}

std::string_view content_type(Format format) { return row_of(format).content_type; }
std::string_view extension(Format format) { return row_of(format).extension; }

std::string content_disposition(std::string_view file_name) {
  const std::string plain = plain_name(file_name);
  std::string value = "attachment; filename=\"" + plain + "\"";
  if (plain != file_name) value += "; filename*=UTF-8''" + extended_name(file_name);
  return value;
}

}  // namespace servery::archive
