#include "worker/features/listing/listing_readme.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "common/base/text.h"
#include "common/base/utf8.h"
#include "worker/features/listing/listing_text.h"
#include "worker/features/listing/markdown_html.h"
#include "worker/files/content.h"

namespace servery::listing {
namespace {

constexpr std::uint64_t kMostShown = std::uint64_t{256} * 1024;
constexpr std::array<std::string_view, 4> kNames = {"readme.md", "readme.markdown", "readme",
                                                    "readme.txt"};
constexpr std::size_t kFirstPlain = 2;

std::size_t rank_of(std::string_view name) {
  const auto same = [name](std::string_view other) { return equals_ignore_case(name, other); };
  return static_cast<std::size_t>(std::find_if(kNames.begin(), kNames.end(), same) -
                                  kNames.begin());
}

// UTF-8 without what no text has: other bytes and control characters become U+FFFD.
std::string clean_text(std::string_view content) {
  std::string text;
  text.reserve(content.size());
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  while (!content.empty()) {
    const std::size_t n = utf8_length(content);
    const auto first = static_cast<unsigned char>(content[0]);
    const bool is_space = first == '\t' || first == '\n' || first == '\r' || first == '\f';
    if (n == 0 || (first < 0x20 && !is_space) || first == 0x7F) {
      text += "\xEF\xBF\xBD";
    } else {
      text += content.substr(0, n);
    }
    content.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return text;
}

void append_section_head(std::string& out, std::string_view name) {
  out += "<section class=r aria-labelledby=readme><h2 id=readme><bdi>";
  append_html_name(out, name);
  out += "</bdi></h2>\n<div>";
}

void append_too_large(std::string& out, std::string_view name) {
  append_section_head(out, name);
  out += "<p><a href=\"";
  append_percent_encoded(out, name);
  out += "\">";
  append_html_name(out, name);
  out += "</a> is ";
  out += "larger than 256 KiB and not shown here.</p></div></section>\n";
}

}  // namespace

bool is_better_readme(std::string_view name, std::string_view other) {
  const std::size_t rank = rank_of(name);
  if (rank == kNames.size()) return false;
  return other.empty() || std::tuple(rank, name) < std::tuple(rank_of(other), other);
}

void append_readme_text(std::string& out, std::string_view name, std::string_view content) {
  const std::string text = clean_text(content);
  if (text.find_first_not_of(" \t\r\n\f") == std::string::npos) return;
  append_section_head(out, name);
  if (rank_of(name) >= kFirstPlain || !append_markdown(out, text)) {
    out += "<pre class=y>";
    append_html_escaped(out, text);
    out += "</pre>";
  }
  out += "</div></section>\n";
}

void append_readme(std::string& out, const files::Root& root, const files::RelativePath& directory,
                   std::string_view name) {
  files::RelativePath path = directory;
  if (!path.enter(name)) return;
  const files::Resource found =
      files::acquire_resource(root, path.c_str(), files::Access::kBlocking);
  if (found.kind != files::Resource::Kind::kFile) return;
  if (found.identity.size > kMostShown) {
    append_too_large(out, name);
    return;
  }
  std::string content;
  const auto outcome =
      files::read_content(found.fd.get(), found.identity, files::Access::kBlocking, content);
  if (outcome == files::ReadOutcome::kComplete) append_readme_text(out, name, content);
}

}  // namespace servery::listing
