// What a request asks of an archive: ?archive= zip|tar|tar.gz|tar.zst and any number of entry=,
// names of children; none means all. Pure; hostile input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/http/message.h"

namespace servery::archive {

enum class Format : std::uint8_t { kZip, kTar, kTarGz, kTarZst };

struct Query {
  Format format = Format::kZip;
  std::vector<std::string> entries;  // sorted, each once
};

// Whether the query has the key `archive`.
bool asks_for_archive(std::string_view text);
std::optional<http::Refusal> parse_query(std::string_view text, Query& query);

std::string_view content_type(Format format);
std::string_view extension(Format format);  // ".tar.gz"

}  // namespace servery::archive
