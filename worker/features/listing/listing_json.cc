#include "common/base/base64.h"
#include "common/base/text.h"
#include "common/base/utf8.h"
#include "worker/features/listing/listing_text.h"
#include "worker/features/listing/listing_view.h"

// Names are shown as UTF-8; where that loses bytes, `name_base64` has them all. `href` always leads
// to the entry.

namespace servery::listing {
namespace {

std::string_view type_name(EntryKind kind) {
  switch (kind) {
    case EntryKind::kDirectory:
      return "directory";
    case EntryKind::kFile:
      return "file";
    case EntryKind::kUnavailable:
      return "unavailable";
  }
  return "unavailable";
}

void append_object(std::string& out, const Entry& entry) {
  out += "{\"name\":";
  append_json_string(out, entry.name);
  if (!is_utf8(entry.name)) {
    out += ",\"name_base64\":\"";
    append_base64(out, entry.name, Base64::kStandard);
    out += '"';
  }
  if (entry.kind != EntryKind::kUnavailable) {
    out += ",\"href\":\"";
    append_percent_encoded(out, entry.name);
    out += entry.is_directory() ? "/\"" : "\"";
  }
  out.append(",\"type\":\"").append(type_name(entry.kind)).append("\"");
  if (entry.is_link) out += ",\"link\":true";
  out += ",\"size\":";
  if (entry.has_facts && entry.kind == EntryKind::kFile) {
    append_number(out, entry.size);
  } else {
    out += "null";
  }
  std::string time;
  const bool has_time = entry.has_facts && append_iso_time(time, entry.mtime);
  out += ",\"modified\":";
  out += has_time ? "\"" + time + "\"" : "null";
  out += '}';
}

class JsonView final : public ListingView {
 public:
  explicit JsonView(const PageFacts& facts) : facts_(facts) {}

  void append_head(std::string& out) override {
    out += "{\"path\":";
    append_json_string(out, facts_.url_path);
    append_count(out, "total", facts_.counts.total());
    append_count(out, "directories", facts_.counts.directories);
    append_count(out, "first", facts_.counts.before);
    out += ",\"entries\":[";
  }
  void append_entry(std::string& out, const Entry& entry) override {
    out += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    append_object(out, entry);
  }
  void append_foot(std::string& out, const Neighbours& neighbours) override {
    out += "\n]";
    append_page(out, "previous", neighbours.previous);
    append_page(out, "next", neighbours.next);
    out += "}\n";
  }

 private:
  static void append_count(std::string& out, std::string_view name, std::uint64_t value) {
    out.append(",\"").append(name).append("\":");
    append_number(out, value);
  }
  // "next":"?limit=100&cursor=...","next_cursor":"..."
  void append_page(std::string& out, std::string_view name, const std::optional<Cursor>& cursor) {
    out.append(",\"").append(name).append("\":");
    out += cursor ? "\"" + page_href(facts_.query, *cursor) + "\"" : "null";
    out.append(",\"").append(name).append("_cursor\":");
    out += cursor ? "\"" + encode_cursor(facts_.query.order, *cursor) + "\"" : "null";
  }

  const PageFacts& facts_;
  bool is_first_ = true;
};

// One object a line; the pages around are in the Link field alone.
class NdjsonView final : public ListingView {
 public:
  void append_head(std::string&) override {}
  void append_entry(std::string& out, const Entry& entry) override {
    append_object(out, entry);
    out += '\n';
  }
  void append_foot(std::string&, const Neighbours&) override {}
};

}  // namespace

std::unique_ptr<ListingView> make_json_view(const PageFacts& facts) {
  return std::make_unique<JsonView>(facts);
}

std::unique_ptr<ListingView> make_ndjson_view(const PageFacts&) {
  return std::make_unique<NdjsonView>();
}

}  // namespace servery::listing
