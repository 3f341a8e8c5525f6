#include "worker/features/listing/markdown_html.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/text.h"

namespace servery::listing {
namespace {

// Link references and nesting make much of little.
constexpr std::size_t kMostHtml = std::size_t{2} * 1024 * 1024;
// Containers opened by one line. The parser's time grows with depth times lines.
constexpr unsigned kMostNested = 32;
constexpr unsigned kHeadingShift = 2;  // the page has an h1, the README an h2
constexpr unsigned kLastHeading = 6;
constexpr int kStop = 1;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Whether a line begins with more quote and list marks than anybody writes.
bool nests_deep(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    unsigned depth = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (std::string_view(" \t>-+*.)0123456789").find(line[i]) == std::string_view::npos) break;
      const bool ends_mark = i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\t';
      const bool is_mark = std::string_view("-+*.)").find(line[i]) != std::string_view::npos;
      if (line[i] == '>' || (is_mark && ends_mark)) ++depth;
    }
    if (depth > kMostNested) return true;
  }
  return false;
}

// Where a link may lead. What comes before the first of / ? # is a scheme if it has a colon, and
// an ampersand may begin the entity of one.
bool is_safe_target(const MD_ATTRIBUTE& target) {
  const std::string_view text(target.text, target.size);
  for (const std::string_view scheme : {"https://", "http://", "mailto:"}) {
    if (equals_ignore_case(text.substr(0, scheme.size()), scheme)) return true;
  }
  const std::string_view segment = text.substr(0, text.find_first_of("/?#"));
  return segment.find_first_of(":&") == std::string_view::npos;
}

// As the value of an attribute: what a URL cannot hold is escaped, in the way of URLs.
void append_target(std::string& out, const MD_ATTRIBUTE& target) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kKept =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$()*+,;=%";
  if (target.size == 0) return;
  for (std::size_t i = 0; target.substr_offsets[i] < target.size; ++i) {
    const std::size_t begin = target.substr_offsets[i];
    const std::string_view part(target.text + begin, target.substr_offsets[i + 1] - begin);
    if (target.substr_types[i] == MD_TEXT_ENTITY) {
      out += part;
      continue;
    }
    for (const char c : part) {
      const auto byte = static_cast<std::uint8_t>(c);
      if (c == '&') {
        out += "&amp;";
      } else if (kKept.find(c) != std::string_view::npos) {
        out += c;
      } else {
        out.append({'%', kHex[byte >> 4U], kHex[byte & 15U]});
      }
    }
  }
}

// Turns the parser's events into HTML.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out), begin_(out.size()) {}

  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type, void* detail);
  void enter(MD_SPANTYPE type, void* detail);
  void leave(MD_SPANTYPE type, void* detail);
  void add(MD_TEXTTYPE type, std::string_view text);
  int verdict() const { return out_.size() - begin_ > kMostHtml ? kStop : 0; }

 private:
  void append_heading(std::string_view open, const void* detail);
  void append_item(const MD_BLOCK_LI_DETAIL& item);
  void append_cell(std::string_view open, const MD_BLOCK_TD_DETAIL& cell);
  void open_link(const MD_ATTRIBUTE& target);
  void close_link();

  std::string& out_;
  std::size_t begin_;
  unsigned links_ = 0;          // links and images around; HTML has no link in a link
  bool has_anchor_ = false;     // the outermost is one
  std::size_t image_text_ = 0;  // where the text of the image at hand begins
};

void Writer::append_heading(std::string_view open, const void* detail) {
  const unsigned level = static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level + kHeadingShift;
  out_.append(open).append(std::to_string(std::min(level, kLastHeading))).append(">");
}

void Writer::append_item(const MD_BLOCK_LI_DETAIL& item) {
  if (item.is_task == 0) {
    out_ += "<li>";
  } else if (item.task_mark == ' ') {
    out_ += "<li class=x><input type=checkbox disabled> ";
  } else {
    out_ += "<li class=x><input type=checkbox disabled checked> ";
  }
}

void Writer::append_cell(std::string_view open, const MD_BLOCK_TD_DETAIL& cell) {
  out_ += open;
  if (cell.align == MD_ALIGN_CENTER) out_ += " align=center";
  if (cell.align == MD_ALIGN_RIGHT) out_ += " align=right";
  out_ += '>';
}

void Writer::enter(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
      break;
    case MD_BLOCK_QUOTE:
      out_ += "<blockquote>\n";
      break;
    case MD_BLOCK_UL:
      out_ += "<ul>\n";
      break;
    case MD_BLOCK_OL:
      out_.append("<ol start=")
          .append(std::to_string(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start))
          .append(">\n");
      break;
    case MD_BLOCK_LI:
      append_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
      break;
    case MD_BLOCK_HR:
      out_ += "<hr>\n";
      break;
    case MD_BLOCK_H:
      append_heading("<h", detail);
      break;
    case MD_BLOCK_CODE:
      out_ += "<pre><code>";
      break;
    case MD_BLOCK_P:
      out_ += "<p>";
      break;
    case MD_BLOCK_TABLE:
      out_ += "<table>";
      break;
    case MD_BLOCK_THEAD:
      out_ += "<thead>";
      break;
    case MD_BLOCK_TBODY:
      out_ += "<tbody>";
      break;
    case MD_BLOCK_TR:
      out_ += "<tr>";
      break;
    case MD_BLOCK_TH:
      append_cell("<th", *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
      break;
    case MD_BLOCK_TD:
      append_cell("<td", *static_cast<MD_BLOCK_TD_DETAIL*>(detail));
      break;
  }
}

void Writer::leave(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_HR:
      break;
    case MD_BLOCK_QUOTE:
      out_ += "</blockquote>\n";
      break;
    case MD_BLOCK_UL:
      out_ += "</ul>\n";
      break;
    case MD_BLOCK_OL:
      out_ += "</ol>\n";
      break;
    case MD_BLOCK_LI:
      out_ += "</li>\n";
      break;
    case MD_BLOCK_H:
      append_heading("</h", detail);
      break;
    case MD_BLOCK_CODE:
      out_ += "</code></pre>\n";
      break;
    case MD_BLOCK_P:
      out_ += "</p>\n";
      break;
    case MD_BLOCK_TABLE:
      out_ += "</table>\n";
      break;
    case MD_BLOCK_THEAD:
      out_ += "</thead>";
      break;
    case MD_BLOCK_TBODY:
      out_ += "</tbody>";
      break;
    case MD_BLOCK_TR:
      out_ += "</tr>\n";
      break;
    case MD_BLOCK_TH:
      out_ += "</th>";
      break;
    case MD_BLOCK_TD:
      out_ += "</td>";
      break;
  }
}

void Writer::open_link(const MD_ATTRIBUTE& target) {
  if (links_++ != 0 || !is_safe_target(target)) return;
  has_anchor_ = true;
  out_ += "<a rel=nofollow href=\"";
  append_target(out_, target);
  out_ += "\">";
}

void Writer::close_link() {
  if (--links_ != 0 || !has_anchor_) return;
  has_anchor_ = false;
  out_ += "</a>";
}

std::string_view span_name(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "em>";
    case MD_SPAN_STRONG:
      return "strong>";
    case MD_SPAN_CODE:
      return "code>";
    case MD_SPAN_DEL:
      return "del>";
    default:  // links, and what is not switched on
      return {};
  }
}

void Writer::enter(MD_SPANTYPE type, void* detail) {
  if (type == MD_SPAN_A) {
    open_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
  } else if (type == MD_SPAN_IMG) {  // nothing is loaded: a link to it, by its text
    open_link(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
    image_text_ = out_.size();
  } else if (const std::string_view name = span_name(type); !name.empty()) {
    out_.append("<").append(name);
  }
}

void Writer::leave(MD_SPANTYPE type, void* detail) {
  if (type == MD_SPAN_A) {
    close_link();
  } else if (type == MD_SPAN_IMG) {
    const MD_ATTRIBUTE& source = static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
    if (out_.size() == image_text_) append_html_escaped(out_, {source.text, source.size});
    close_link();
  } else if (const std::string_view name = span_name(type); !name.empty()) {
    out_.append("</").append(name);
  }
}

void Writer::add(MD_TEXTTYPE type, std::string_view text) {
  switch (type) {
    case MD_TEXT_NULLCHAR:
      out_ += kReplacement;
      break;
    case MD_TEXT_BR:
      out_ += "<br>\n";
      break;
    case MD_TEXT_SOFTBR:
      out_ += '\n';
      break;
    case MD_TEXT_ENTITY:  // &letters; or &#digits; and nothing else
      out_ += text;
      break;
    case MD_TEXT_HTML:  // the author's markup
      break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_LATEXMATH:
      append_html_escaped(out_, text);
      break;
  }
}

Writer& writer(void* user) { return *static_cast<Writer*>(user); }

constexpr unsigned kFlags = MD_DIALECT_GITHUB;
constexpr MD_PARSER kParser = {0,
                               kFlags,
                               [](MD_BLOCKTYPE type, void* detail, void* user) {
                                 writer(user).enter(type, detail);
                                 return writer(user).verdict();
                               },
                               [](MD_BLOCKTYPE type, void* detail, void* user) {
                                 writer(user).leave(type, detail);
                                 return writer(user).verdict();
                               },
                               [](MD_SPANTYPE type, void* detail, void* user) {
                                 writer(user).enter(type, detail);
                                 return writer(user).verdict();
                               },
                               [](MD_SPANTYPE type, void* detail, void* user) {
                                 writer(user).leave(type, detail);
                                 return writer(user).verdict();
                               },
                               [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
                                 writer(user).add(type, {text, size});
                                 return writer(user).verdict();
                               },
                               nullptr,
                               nullptr};

}  // namespace

bool append_markdown(std::string& out, std::string_view text) {
  if (nests_deep(text)) return false;
  const std::size_t before = out.size();
  Writer events(out);
  if (md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &kParser, &events) == 0) return true;
  out.resize(before);
  return false;
}

}  // namespace servery::listing
