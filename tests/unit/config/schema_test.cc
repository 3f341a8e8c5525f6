#include "config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "config/document.h"
#include "config/value.h"
#include "config/value_text.h"

namespace servery {
namespace {

using ::testing::ElementsAre;

struct Everything {
  explicit Everything(const Row& row) {
    const std::string_view key = row.key;
    for (const std::string_view handler : kHandlerNames) {
      if (key.starts_with("routes[]." + std::string(handler))) select_handler(route, handler);
    }
  }
  Settings settings;
  ListenerSettings listener;
  RouteSettings route;
  Target target{settings, &listener, &route};
};

TEST(Schema, EveryRowIsDocumentedOnceAndHasItsOwnField) {
  std::set<std::string_view> keys;
  std::set<std::string_view> flags;
  for (const Row& row : schema()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_TRUE(row.doc.ends_with('.')) << row.key;
    EXPECT_LE(row.minimum, row.maximum) << row.key;
    EXPECT_TRUE(row.flag.empty() || flags.insert(row.flag).second) << row.key;
  }
}

TEST(Schema, DefaultsLieWithinTheirBounds) {
  for (const Row& row : schema()) {
    const bool scalar = row.type == Type::kInteger || row.type == Type::kNumber ||
                        row.type == Type::kDuration || row.type == Type::kSize ||
                        row.type == Type::kChoice || row.type == Type::kRevalidate ||
                        row.type == Type::kWorkers;
    if (!scalar) continue;
    Everything holder(row);
    const std::string text = write_value(row, holder.target);
    const Document document = parse_document(text);
    const auto faults = read_value(row, document.root, holder.target, "/");
    EXPECT_TRUE(faults.empty()) << row.key << ": " << text;
    EXPECT_EQ(write_value(row, holder.target), text) << row.key;
  }
}

TEST(Schema, BothBoundsAreAllowedAndTheNextOutsideIsNot) {
  for (const Row& row : schema()) {
    if (row.type != Type::kInteger || !row.choices.empty()) continue;
    Everything holder(row);
    const auto faults_of = [&row, &holder](double value) {
      Node node;
      node.kind = Node::Kind::kScalar;
      node.text = std::to_string(static_cast<std::int64_t>(value));
      return read_value(row, node, holder.target, "/").size();
    };
    EXPECT_EQ(faults_of(row.minimum), 0u) << row.key;
    EXPECT_EQ(faults_of(row.maximum), 0u) << row.key;
    EXPECT_EQ(write_value(row, holder.target),
              std::to_string(static_cast<std::int64_t>(row.maximum)))
        << row.key;
    EXPECT_EQ(faults_of(row.minimum - 1), 1u) << row.key;
    EXPECT_EQ(faults_of(row.maximum + 1), 1u) << row.key;
  }
}

TEST(Schema, NamesOfSections) {
  EXPECT_THAT(names_in_section("pool"), ElementsAre("threads", "queue"));
  EXPECT_THAT(names_in_section("listeners[]"), ElementsAre("address", "mode", "proxy_protocol"));
  EXPECT_THAT(names_in_section("routes[].static"),
              ElementsAre("root", "index", "hidden", "symlinks", "listing", "readme", "archive",
                          "compress", "precompressed", "mime_types", "attachment", "etag",
                          "digests", "clean_urls", "spa", "cache_control", "cache_rules"));
  EXPECT_TRUE(is_section("runtime.restart"));
  EXPECT_FALSE(is_section("runtime.workers"));
  EXPECT_FALSE(is_section("runtime.wor"));
  EXPECT_FALSE(is_section("run"));
}

TEST(Schema, KeyOfTheSchema) {
  EXPECT_EQ(schema_key("routes[12].static.root"), "routes[].static.root");
  EXPECT_EQ(schema_key("pool.queue"), "pool.queue");
  EXPECT_EQ(schema_key("auth.team.basic.file"), "auth.*.basic.file");
  EXPECT_EQ(schema_key("auth.team"), "auth.*");
  EXPECT_EQ(schema_key("auth"), "auth");
}

TEST(Schema, AHandlerIsKeptWhenItIsTheOne) {
  RouteSettings route;
  std::get<StaticSettings>(route.handler).root = "/srv";
  select_handler(route, "static");
  EXPECT_EQ(std::get<StaticSettings>(route.handler).root, "/srv");
  select_handler(route, "redirect");
  EXPECT_EQ(handler_name(route), "redirect");
  Settings settings;
  const Target target{settings, nullptr, &route};
  EXPECT_TRUE(applies(*find_row("routes[].redirect.to"), target));
  EXPECT_FALSE(applies(*find_row("routes[].static.root"), target));
  EXPECT_TRUE(applies(*find_row("routes[].host"), target));
}

TEST(ValueText, QuotesWhatYamlWouldReadOtherwise) {
  EXPECT_EQ(quote_yaml("plain-text_1.x/y"), "plain-text_1.x/y");
  for (const char* text : {"", "true", "Null", "12", "1.5", "0x1", "-a", "a: b", "#x", "*", "a b",
                           "~", "{", "\n", "é"}) {
    const std::string quoted = quote_yaml(text);
    EXPECT_EQ(quoted.front(), '"') << text;
    const Document document = parse_document(quoted);
    ASSERT_TRUE(document.problems.empty()) << text;
    EXPECT_EQ(document.root.text, text);
  }
}

TEST(ValueText, Bounds) {
  EXPECT_EQ(describe_bounds(*find_row("limits.header_bytes")), "1KiB to 1MiB");
  EXPECT_EQ(describe_bounds(*find_row("runtime.workers")), "1 to 1024");
  EXPECT_EQ(describe_bounds(*find_row("routes[].static.hidden")), "deny, list or allow");
  EXPECT_EQ(describe_bounds(*find_row("runtime.restart.window")), "1s to 24h");
}

}  // namespace
}  // namespace servery
