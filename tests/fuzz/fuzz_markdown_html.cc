// Hostile Markdown: what comes out is made of the tags that the writer knows, closed in order, with
// no attribute but its own, and its links name no scheme but the three.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/utf8.h"
#include "worker/features/listing/markdown_html.h"

namespace {

using Text = std::string_view;

constexpr std::array<Text, 24> kTags = {"p",      "h3",    "h4",         "h5",  "h6",   "ul",
                                        "ol",     "li",    "blockquote", "pre", "code", "table",
                                        "thead",  "tbody", "tr",         "th",  "td",   "em",
                                        "strong", "del",   "a",          "hr",  "br",   "input"};

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_one_of(Text name, const std::vector<Text>& list) {
  for (const Text other : list) {
    if (name == other) return true;
  }
  return false;
}

void check_link(Text attributes) {
  constexpr Text kBegin = "rel=nofollow href=\"";
  require(attributes.starts_with(kBegin) && attributes.ends_with('"'));
  const Text target = attributes.substr(kBegin.size(), attributes.size() - kBegin.size() - 1);
  for (const char c : target)
    require(c > ' ' && c < 0x7F && Text("\"'<>`\\").find(c) == Text::npos);
  std::string scheme(target.substr(0, target.find_first_of("/?#")));
  for (char& c : scheme) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  require(scheme.find_first_of(":&") == Text::npos || scheme == "http:" || scheme == "https:" ||
          scheme.starts_with("mailto:"));
}

void check_tag(Text tag, std::vector<Text>& open) {
  if (tag.starts_with('/')) {
    require(!open.empty() && open.back() == tag.substr(1));
    open.pop_back();
    return;
  }
  const Text name = tag.substr(0, tag.find(' '));
  const Text attributes = name.size() == tag.size() ? Text() : tag.substr(name.size() + 1);
  bool is_known = false;
  for (const Text known : kTags) is_known = is_known || name == known;
  require(is_known);
  if (name == "a") {
    require(!is_one_of("a", open));
    check_link(attributes);
  } else if (name == "ol") {
    require(attributes.starts_with("start=") &&
            attributes.find_first_not_of("0123456789", 6) == Text::npos);
  } else {
    require(is_one_of(attributes, {"", "align=center", "align=right", "class=x",
                                   "type=checkbox disabled", "type=checkbox disabled checked"}));
  }
  if (!is_one_of(name, {"hr", "br", "input"})) open.push_back(name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Text input(reinterpret_cast<const char*>(data), size);
  if (!servery::is_utf8(input)) return 0;
  std::string out;
  if (!servery::listing::append_markdown(out, input)) return 0;
  std::vector<Text> open;
  Text rest = out;
  for (std::size_t at = rest.find('<'); at != Text::npos; at = rest.find('<')) {
    require(rest.substr(0, at).find('>') == Text::npos);
    const std::size_t end = rest.find('>', at);
    require(end != Text::npos);
    check_tag(rest.substr(at + 1, end - at - 1), open);
    rest.remove_prefix(end + 1);
  }
  require(rest.find('>') == Text::npos && open.empty());
  return 0;
}
