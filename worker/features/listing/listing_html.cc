#include <array>

#include "common/base/text.h"
#include "common/base/utf8.h"
#include "worker/features/listing/listing_icons.h"
#include "worker/features/listing/listing_style.h"
#include "worker/features/listing/listing_text.h"
#include "worker/features/listing/listing_view.h"

// Works without script: sorting and paging are links, filtering and choosing are forms.

namespace servery::listing {
namespace {

struct Column {
  Sort sort;
  std::string_view css;
  std::string_view title;
};
constexpr std::array<Column, 3> kColumns = {
    {{Sort::kName, "n", "Name"}, {Sort::kSize, "s", "Size"}, {Sort::kTime, "t", "Modified (UTC)"}}};

void append_icon(std::string& out, std::string_view id) {
  out.append("<svg aria-hidden=true><use href=\"#").append(id).append("\"/></svg>");
}

// Whether a form gives this name back as it is: browsers send UTF-8 and rewrite line ends.
bool survives_form(std::string_view name) {
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  return is_utf8(name);
}

class HtmlView final : public ListingView {
 public:
  explicit HtmlView(const PageFacts& facts) : facts_(facts), query_(facts.query) {}

  void append_head(std::string& out) override {
    append_document_head(out);
    append_crumbs(out);
    append_title(out);
    if (!is_at_root() || facts_.counts.total() > 0) append_table_head(out);
    if (!is_at_root()) append_parent(out);
  }
  void append_entry(std::string& out, const Entry& entry) override;
  void append_foot(std::string& out, const Neighbours& neighbours) override {
    if (!is_at_root() || facts_.counts.total() > 0) out += "</tbody></table>\n";
    if (facts_.counts.total() == 0) append_empty(out);
    append_downloads(out);
    if (neighbours.previous || neighbours.next) append_pager(out, neighbours);
    out.append(facts_.readme).append("</main></html>\n");
  }

 private:
  bool is_at_root() const { return facts_.url_path.size() <= facts_.prefix_size; }
  std::string_view path() const { return facts_.url_path; }

  void append_document_head(std::string& out) const;
  void append_crumbs(std::string& out) const;
  void append_title(std::string& out) const;
  void append_counts(std::string& out) const;
  void append_filter(std::string& out) const;
  void append_hidden_inputs(std::string& out) const;
  void append_table_head(std::string& out) const;
  void append_column(std::string& out, const Column& column) const;
  void append_parent(std::string& out) const;
  void append_choice(std::string& out, std::string_view name) const;
  void append_name(std::string& out, const Entry& entry) const;
  void append_facts(std::string& out, const Entry& entry) const;
  void append_empty(std::string& out) const;
  void append_downloads(std::string& out) const;
  void append_pager(std::string& out, const Neighbours& neighbours) const;
  std::string first_page_href() const;

  const PageFacts& facts_;
  const Query& query_;
};

void HtmlView::append_document_head(std::string& out) const {
  out +=
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width\"><meta name=color-scheme "
      "content=\"light dark\"><title>";
  append_html_name(out, path());
  out.append("</title><style>").append(kStyle).append("</style></head>\n<body>");
  out += icon_symbols();
}

// Every directory from the route's root to the parent; the last one is the heading.
void HtmlView::append_crumbs(std::string& out) const {
  if (is_at_root()) return;
  const std::string_view prefix = path().substr(0, facts_.prefix_size);
  out.append("<nav aria-label=Breadcrumb><ol><li><a href=\"")
      .append(percent_encode_path(prefix))
      .append("\" aria-label=\"");
  append_html_name(out, prefix);
  out += "\">";
  append_icon(out, "h");
  out += "</a></li>";
  std::size_t begin = facts_.prefix_size;
  for (std::size_t slash = path().find('/', begin); slash + 1 < path().size();
       slash = path().find('/', begin)) {
    out.append("<li><a href=\"").append(percent_encode_path(path().substr(0, slash + 1)));
    out += "\"><bdi>";
    append_html_name(out, path().substr(begin, slash - begin));
    out += "</bdi></a></li>";
    begin = slash + 1;
  }
  out += "</ol></nav>\n";
}

void HtmlView::append_title(std::string& out) const {
  std::string_view name = path().substr(0, path().size() - 1);
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  out += "<main><h1><bdi>";
  append_html_name(out, name.empty() ? path() : name);
  out += "</bdi></h1>\n<div class=b><p>";
  append_counts(out);
  out += "</p>";
  if (facts_.counts.total() > 1 || !query_.filter.empty()) append_filter(out);
  out += "</div>\n";
}

void HtmlView::append_counts(std::string& out) const {
  const auto append = [&out](std::uint64_t count, std::string_view one, std::string_view many) {
    append_grouped(out, count);
    out.append(" ").append(count == 1 ? one : many);
  };
  const PageCounts& counts = facts_.counts;
  if (counts.directories > 0) append(counts.directories, "folder", "folders");
  if (counts.directories > 0 && counts.others > 0) out += ", ";
  if (counts.others > 0 || counts.directories == 0) append(counts.others, "file", "files");
  if (query_.filter.empty()) return;
  out += " matching “<bdi>";
  append_html_name(out, query_.filter);
  out.append("</bdi>” · <a href=\"");
  Query all = query_;
  all.filter.clear();
  all.cursor.reset();
  append_html_escaped(out, format_query(all));
  out += "\">Show all</a>";
}

void HtmlView::append_filter(std::string& out) const {
  out +=
      "<form class=q role=search><input type=search name=q aria-label=\"Filter by name\" "
      "placeholder=\"Filter by name\" value=\"";
  append_html_name(out, query_.filter);
  out += "\">";
  append_hidden_inputs(out);
  out += "<button>Filter</button></form>";
}

// What a form must carry on beside its own inputs.
void HtmlView::append_hidden_inputs(std::string& out) const {
  Query rest = query_;
  rest.filter.clear();
  rest.cursor.reset();
  std::string text = format_query(rest).substr(1);  // keys and values are plain words
  while (!text.empty()) {
    const std::string pair = text.substr(0, text.find('&'));
    text.erase(0, pair.size() + 1);
    const std::size_t equals = pair.find('=');
    out.append("<input type=hidden name=").append(pair, 0, equals);
    out.append(" value=").append(pair, equals + 1).append(">");
  }
}

void HtmlView::append_table_head(std::string& out) const {
  out += facts_.offers_archive ? "<form id=z></form><table class=m>" : "<table>";
  out += "<caption>Contents of ";
  append_html_name(out, path());
  out += "</caption><thead><tr>";
  if (facts_.offers_archive) out += "<th class=c><span class=o>Choose</span></th>";
  for (const Column& column : kColumns) append_column(out, column);
  out += "</tr></thead>\n<tbody>\n";
}

void HtmlView::append_column(std::string& out, const Column& column) const {
  const bool is_current = column.sort == query_.order.sort;
  Query target = query_;
  target.cursor.reset();
  target.order = {column.sort, is_current && !query_.order.descending};
  out.append("<th scope=col class=").append(column.css);
  if (is_current) {
    out.append(" aria-sort=").append(query_.order.descending ? "descending" : "ascending");
  }
  out += "><a href=\"";
  append_html_escaped(out, format_query(target));
  out.append("\">").append(column.title);
  if (is_current) out += query_.order.descending ? " ↓" : " ↑";
  out += "</a></th>";
}

void HtmlView::append_parent(std::string& out) const {
  out += "<tr>";
  if (facts_.offers_archive) out += "<td class=c></td>";
  out += "<td class=n><a href=\"../\">";
  append_icon(out, "u");
  out += "Parent folder</a></td><td class=s></td><td class=t></td></tr>\n";
}

void HtmlView::append_entry(std::string& out, const Entry& entry) {
  out += "<tr>";
  if (facts_.offers_archive) {
    out += "<td class=c>";
    if (entry.kind != EntryKind::kUnavailable) append_choice(out, entry.name);
    out += "</td>";
  }
  append_name(out, entry);
  append_facts(out, entry);
  out += "</tr>\n";
}

void HtmlView::append_choice(std::string& out, std::string_view name) const {
  if (!survives_form(name)) return;
  out += "<input type=checkbox form=z name=entry value=\"";
  append_html_escaped(out, name);
  out += "\" aria-label=\"Choose ";
  append_html_name(out, name);
  out += "\">";
}

void HtmlView::append_name(std::string& out, const Entry& entry) const {
  const bool is_link = entry.kind != EntryKind::kUnavailable;
  out += "<td class=n>";
  if (is_link) {
    out += "<a href=\"";
    append_percent_encoded(out, entry.name);
    out += entry.is_directory() ? "/\">" : "\">";
  } else {
    out += "<span>";
  }
  append_icon(out, icon_id(entry));
  out += "<bdi>";
  append_html_name(out, entry.name);
  out += entry.is_directory() ? "/</bdi>" : "</bdi>";
  if (entry.is_link) out += is_link ? " <em>link</em>" : " <em>broken link</em>";
  out += is_link ? "</a></td>" : "</span></td>";
}

void HtmlView::append_facts(std::string& out, const Entry& entry) const {
  out += "<td class=s";
  if (entry.has_facts && entry.kind == EntryKind::kFile) {
    out += " title=\"";
    append_grouped(out, entry.size);
    out += " bytes\">";
    append_size(out, entry.size);
  } else {
    out += '>';
  }
  out += "</td><td class=t>";
  std::string time;
  if (entry.has_facts && append_iso_time(time, entry.mtime)) {
    out.append("<time datetime=").append(time).append(">");
    append_short_time(out, entry.mtime);
    out += "</time>";
  }
  out += "</td>";
}

void HtmlView::append_empty(std::string& out) const {
  out += query_.filter.empty() ? "<p class=e>This folder is empty.</p>\n"
                               : "<p class=e>No name matches the filter.</p>\n";
}

void HtmlView::append_downloads(std::string& out) const {
  if (!facts_.offers_archive || facts_.counts.total() == 0) return;
  out += "<div class=g><span>Download all, or what is chosen, as</span>";
  for (const std::string_view format : {"zip", "tar.gz", "tar.zst", "tar"}) {
    out.append("<button form=z name=archive value=").append(format).append(">");
    out.append(format).append("</button>");
  }
  out += "</div>\n";
}

std::string HtmlView::first_page_href() const {
  Query first = query_;
  first.cursor.reset();
  return format_query(first);
}

void HtmlView::append_pager(std::string& out, const Neighbours& neighbours) const {
  const auto append_link = [&out](const std::string& href, std::string_view rest,
                                  std::string_view title) {
    out += "<a href=\"";
    append_html_escaped(out, href);
    out.append("\"").append(rest).append(">").append(title).append("</a>");
  };
  out += "<nav class=p aria-label=Pages>";
  if (neighbours.previous) {
    append_link(first_page_href(), "", "« First");
    append_link(page_href(query_, *neighbours.previous), " rel=prev", "‹ Previous");
  }
  if (neighbours.next) append_link(page_href(query_, *neighbours.next), " rel=next", "Next ›");
  out += "<span>";
  append_grouped(out, facts_.counts.before + 1);
  out += "–";
  append_grouped(out, facts_.counts.before + facts_.count);
  out += " of ";
  append_grouped(out, facts_.counts.total());
  out += "</span></nav>\n";
}

}  // namespace

std::unique_ptr<ListingView> make_html_view(const PageFacts& facts) {
  return std::make_unique<HtmlView>(facts);
}

std::string_view content_security_policy() {
  static const std::string policy = "default-src 'none'; style-src '" + std::string(kStyleHash) +
                                    "'; form-action 'self'; base-uri 'none'; "
                                    "frame-ancestors 'self'";
  return policy;
}

}  // namespace servery::listing
