#include "worker/features/listing/listing_view.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include <memory>
#include <vector>

#include "common/base/json.h"
#include "common/base/text.h"
#include "worker/features/listing/listing_icons.h"
#include "worker/features/listing/listing_style.h"

namespace servery::listing {
namespace {

// reference B27, B28, B39
const std::vector<std::string> kHostileNames = {"<img src=x onerror=alert(1)>",
                                                "</script><script>alert(1)</script>",
                                                "\" onmouseover=\"x",
                                                "' onmouseover='x",
                                                "javascript:alert(1)",
                                                "a:b",
                                                "t #:?3 %&'\";+.txt",
                                                "nl\nname",
                                                "tab\tname",
                                                "back\\slash",
                                                "[x]",
                                                "~$d.docx",
                                                " lead",
                                                "trail. ",
                                                "\xff\xfe.bin",
                                                "\xf0\x9f\x98\x80",
                                                "\xe2\x80\xae"
                                                "exe.txt",
                                                std::string(255, 'n')};

PageFacts facts_of(std::string_view query, Format format = Format::kHtml) {
  PageFacts facts;
  EXPECT_FALSE(parse_query(query, {}, facts.query));
  facts.query.format = format;
  facts.url_path = "/drop/a <b>/c/";
  facts.prefix_size = 6;
  facts.counts = {.directories = 1, .others = 2};
  facts.count = 3;
  return facts;
}

std::string render(const PageFacts& facts, const std::vector<Entry>& entries,
                   const Neighbours& neighbours = {}) {
  std::string out;
  const auto view = make_view(facts);
  view->append_head(out);
  for (const Entry& entry : entries) view->append_entry(out, entry);
  view->append_foot(out, neighbours);
  return out;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Values of an attribute, entities as they are.
std::vector<std::string> attributes(const std::string& page, const std::string& name) {
  std::vector<std::string> values;
  const std::string begin = name + "=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    values.push_back(page.substr(at, page.find('"', at) - at));
  }
  return values;
}

TEST(ListingHtml, HostileNamesStayText) {
  std::vector<Entry> entries;
  for (const std::string& name : kHostileNames) entries.push_back({.name = name});
  PageFacts facts = facts_of("");
  facts.offers_archive = true;
  const std::string page = render(facts, entries);
  const std::string harmless =
      render(facts, std::vector<Entry>(entries.size(), Entry{.name = "a"}));
  // The same tags, whatever the names: what opens an element does not come from them.
  for (const std::string_view tag : {"<a ", "<td", "<tr", "<bdi", "<svg", "<script", "<img"}) {
    EXPECT_EQ(count_of(page, tag), count_of(harmless, tag)) << tag;
  }
  EXPECT_EQ(count_of(page, "\xe2\x80\xae"), 1U);  // in the form's value alone, which must be exact
}

TEST(ListingHtml, LinksLeadToTheNames) {
  std::vector<Entry> entries;
  for (const std::string& name : kHostileNames) entries.push_back({.name = name});
  const std::vector<std::string> links = attributes(render(facts_of(""), entries), "href");
  for (const std::string& name : kHostileNames) {
    const bool found = std::any_of(links.begin(), links.end(), [&name](const std::string& link) {
      return percent_decode(link) == name && link.find(':') == std::string::npos;
    });
    EXPECT_TRUE(found) << name;
  }
}

TEST(ListingHtml, ChecksAreOnlyOfferedForNamesAFormKeeps) {
  PageFacts facts = facts_of("");
  facts.offers_archive = true;
  const auto choices = [&facts](std::string_view name) {
    return count_of(render(facts, {Entry{.name = name}}), "type=checkbox");
  };
  EXPECT_EQ(choices("a \xc3\xa4&\""), 1U);
  EXPECT_EQ(choices("a\nb"), 0U);
  EXPECT_EQ(choices("\xff"), 0U);
  facts.offers_archive = false;
  EXPECT_EQ(choices("a"), 0U);
}

TEST(ListingHtml, CrumbsBeginAtTheRouteAndAreAbsolute) {
  const std::string page = render(facts_of(""), {});
  const auto links = attributes(page.substr(page.find("<nav"), page.find("</nav>")), "href");
  ASSERT_GE(links.size(), 3U);
  EXPECT_EQ(links[0], "/drop/");
  EXPECT_EQ(links[1], "#h");
  EXPECT_EQ(links[2], "/drop/a%20%3Cb%3E/");
  EXPECT_NE(page.find("<h1><bdi>c</bdi></h1>"), std::string::npos);
  EXPECT_NE(page.find("href=\"../\""), std::string::npos);
}

TEST(ListingHtml, AtTheRouteThereIsNoWayUp) {
  PageFacts facts = facts_of("");
  facts.url_path = "/drop/";
  const std::string page = render(facts, {});
  EXPECT_EQ(page.find("../"), std::string::npos);
  EXPECT_EQ(page.find("<nav aria-label=Breadcrumb"), std::string::npos);
}

TEST(ListingHtml, SortLinksTurnTheCurrentOrderAndKeepTheRest) {
  const std::string page = render(facts_of("sort=size&q=%3Cx%3E&limit=5"), {});
  const auto links = attributes(page.substr(page.find("<thead")), "href");
  EXPECT_EQ(links[0], "?q=%3Cx%3E&amp;limit=5");
  EXPECT_EQ(links[1], "?sort=size&amp;order=desc&amp;q=%3Cx%3E&amp;limit=5");
  EXPECT_EQ(links[2], "?sort=time&amp;q=%3Cx%3E&amp;limit=5");
  EXPECT_EQ(count_of(page, "aria-sort=ascending"), 1U);
  EXPECT_NE(
      page.find("<input type=hidden name=sort value=size><input type=hidden name=limit value=5>"),
      std::string::npos);
}

TEST(ListingHtml, AReflectedFilterIsText) {  // reference B39
  const std::string page = render(facts_of("q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"), {});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("value=\"&quot;&gt;&lt;script&gt;"), std::string::npos);
}

TEST(ListingHtml, UnavailableEntriesAreNoLinks) {
  const std::string page = render(
      facts_of(""), {Entry{.name = "gone", .kind = EntryKind::kUnavailable, .is_link = true}});
  EXPECT_EQ(page.find("href=\"gone\""), std::string::npos);
  EXPECT_NE(page.find("broken link"), std::string::npos);
}

TEST(ListingHtml, EmptyDirectoriesAndFiltersSaySo) {
  PageFacts facts = facts_of("");
  facts.counts = {};
  EXPECT_NE(render(facts, {}).find("This folder is empty"), std::string::npos);
  facts = facts_of("q=zzz");
  facts.counts = {};
  const std::string page = render(facts, {});
  EXPECT_NE(page.find("No name matches"), std::string::npos);
  EXPECT_NE(page.find("href=\"?\""), std::string::npos);  // the way back
}

TEST(ListingHtml, ThePagerNamesThePagesAround) {
  PageFacts facts = facts_of("limit=3");
  facts.counts = {.directories = 0, .others = 9'000, .before = 1'500};
  const Cursor next{false, {false, 0, "z"}};
  const Cursor previous{true, {false, 0, "b"}};
  const std::string page = render(facts, {}, {previous, next});
  EXPECT_NE(page.find("1,501–1,503 of 9,000"), std::string::npos);
  EXPECT_NE(page.find("cursor=" + encode_cursor({}, next) + "\" rel=next"), std::string::npos);
  EXPECT_NE(page.find("cursor=" + encode_cursor({}, previous) + "\" rel=prev"), std::string::npos);
  EXPECT_NE(page.find("href=\"?limit=3\""), std::string::npos);
}

TEST(ListingHtml, NothingInItRunsOrLoads) {
  const std::string page = render(facts_of(""), {Entry{.name = "a"}});
  for (const std::string_view forbidden :
       {"<script", " style=", "javascript:", "http:", "https:", "//", "<img", "<link"}) {
    EXPECT_EQ(page.find(forbidden), std::string::npos) << forbidden;
  }
}

// The policy must allow exactly the style that is sent (CSP 3 2.3.1).
TEST(ListingHtml, ThePolicyNamesTheStyle) {
  const std::string page = render(facts_of(""), {});
  const std::size_t begin = page.find("<style>") + 7;
  EXPECT_EQ(page.substr(begin, page.find("</style>") - begin), kStyle);
  const char* program =
      "python3 -c 'import sys,hashlib,base64;d=sys.stdin.buffer.read();"
      "sys.exit(sys.argv[1]!=\"sha256-\"+base64.b64encode("
      "hashlib.sha256(d).digest()).decode())' ";
  FILE* pipe = ::popen((program + std::string(kStyleHash)).c_str(), "w");
  ASSERT_NE(pipe, nullptr);
  ::fwrite(kStyle.data(), 1, kStyle.size(), pipe);
  EXPECT_EQ(::pclose(pipe), 0) << "kStyleHash is not the hash of kStyle";
  EXPECT_NE(content_security_policy().find(kStyleHash), std::string_view::npos);
}

TEST(ListingIcons, EachIsDefined) {
  for (const char* name :
       {"a", "a.txt", "a.C", "a.PNG", "a.mp3", "a.mkv", "a.zip", ".zip", "x.", "a.zst", "a.7z"}) {
    const std::string id = "<symbol id=" + std::string(icon_id({.name = name})) + " ";
    EXPECT_NE(icon_symbols().find(id), std::string_view::npos) << name;
  }
  EXPECT_EQ(icon_id({.name = "a.PNG"}), "i");
  EXPECT_EQ(icon_id({.name = "x.7z"}), "z");
  EXPECT_EQ(icon_id({.name = "x.zst"}), "z");
  EXPECT_EQ(icon_id({.name = ".png"}), "f");  // a hidden name has no extension
  EXPECT_EQ(icon_id({.name = "d.png", .kind = EntryKind::kDirectory}), "d");
}

TEST(ListingJson, NamesOfAnyBytesComeBack) {
  for (const std::string& name : kHostileNames) {
    const auto json =
        parse_json(render(facts_of("", Format::kJson), {Entry{.name = name}}), 1 << 20);
    ASSERT_TRUE(json) << name;
    const Json& entry = (*json)["entries"][0];
    EXPECT_EQ(percent_decode(entry["href"].get<std::string>()), name);
    if (name.front() == '\xff') {
      EXPECT_EQ(entry["name"], "\xEF\xBF\xBD\xEF\xBF\xBD.bin");
      EXPECT_EQ(entry["name_base64"], "//4uYmlu");
    } else {
      EXPECT_EQ(entry["name"], name);
      EXPECT_FALSE(entry.contains("name_base64"));
    }
  }
}

TEST(ListingJson, FactsAndPages) {
  PageFacts facts = facts_of("limit=2", Format::kJson);
  facts.counts = {.directories = 1, .others = 8, .before = 3};
  const Cursor next{false, {false, 0, "l"}};
  const auto json = parse_json(
      render(facts,
             {{.name = "d", .kind = EntryKind::kDirectory, .has_facts = true, .mtime = 0},
              {.name = "f", .has_facts = true, .size = 7, .mtime = 1'700'000'000},
              {.name = "l", .kind = EntryKind::kUnavailable, .is_link = true}},
             {std::nullopt, next}),
      1 << 20);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["path"], "/drop/a <b>/c/");
  EXPECT_EQ((*json)["total"], 9);
  EXPECT_EQ((*json)["directories"], 1);
  EXPECT_EQ((*json)["first"], 3);
  EXPECT_EQ((*json)["entries"][0]["href"], "d/");
  EXPECT_EQ((*json)["entries"][0]["size"], nullptr);
  EXPECT_EQ((*json)["entries"][0]["modified"], "1970-01-01T00:00:00Z");
  EXPECT_EQ((*json)["entries"][1]["size"], 7);
  EXPECT_EQ((*json)["entries"][2]["type"], "unavailable");
  EXPECT_EQ((*json)["entries"][2]["link"], true);
  EXPECT_FALSE((*json)["entries"][2].contains("href"));
  EXPECT_EQ((*json)["entries"][2]["modified"], nullptr);
  EXPECT_EQ((*json)["previous"], nullptr);
  EXPECT_EQ((*json)["next_cursor"], encode_cursor({}, next));
  EXPECT_EQ((*json)["next"], "?limit=2&cursor=" + encode_cursor({}, next));
}

TEST(ListingJson, EveryNdjsonLineStandsAlone) {
  const std::string text = render(facts_of("", Format::kNdjson), {{.name = "a\nb"}, {.name = "c"}});
  ASSERT_EQ(count_of(text, "\n"), 2U);
  EXPECT_EQ((*parse_json(text.substr(0, text.find('\n')), 1000))["name"], "a\nb");
}

}  // namespace
}  // namespace servery::listing
