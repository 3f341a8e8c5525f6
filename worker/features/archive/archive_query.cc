#include "worker/features/archive/archive_query.h"

#include <algorithm>
#include <array>

#include "worker/http/query.h"

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

bool is_child_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace

bool asks_for_archive(std::string_view text) {
  http::QueryCursor pairs(text);
  for (std::string_view key, value; pairs.next(key, value);) {
    if (key == "archive") return true;
  }
  return false;
}

std::optional<http::Refusal> parse_query(std::string_view text, Query& query) {
  http::QueryCursor pairs(text);
  for (std::string_view key, value; pairs.next(key, value);) {
    if (key == "archive") {
      const auto row = std::find_if(kFormats.begin(), kFormats.end(),
                                    [value](const FormatRow& r) { return r.name == value; });
      if (row == kFormats.end()) return kBadQuery;
      query.format = static_cast<Format>(row - kFormats.begin());
    } else if (key == "entry") {
      auto name = http::decode_query_value(value);
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

}  // namespace servery::archive
