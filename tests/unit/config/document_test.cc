#include "config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Document, KeepsValuesOrderAndPositions) {
  const Document document = parse_document("a: 1\nb:\n  - \"two\"\n  - {c: ~}\n");
  ASSERT_THAT(brief(document.problems), IsEmpty());
  EXPECT_FALSE(document.empty);
  ASSERT_EQ(document.root.kind, Node::Kind::kMap);
  ASSERT_EQ(document.root.entries.size(), 2u);
  const Entry& a = document.root.entries[0];
  EXPECT_EQ(a.key, "a");
  EXPECT_EQ(a.value.text, "1");
  EXPECT_FALSE(a.value.quoted);
  EXPECT_EQ(a.value.position.line, 1u);
  EXPECT_EQ(a.value.position.column, 4u);
  const Node& list = document.root.entries[1].value;
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(list.items[0].position.line, 3u);
  EXPECT_EQ(list.items[1].entries[0].value.kind, Node::Kind::kNull);
}

TEST(Document, AnAbsentValueStandsAtItsKey) {
  const Document document = parse_document("a:\nb: 1\n");
  EXPECT_EQ(document.root.entries[0].value.position.line, 1u);
}

TEST(Document, TellsEmptyFromNothingButAValue) {
  EXPECT_TRUE(parse_document("").empty);
  EXPECT_TRUE(parse_document("# only a comment\n").empty);
  EXPECT_FALSE(parse_document("---\n").empty);
}

struct Refusal {
  const char* text;
  std::vector<std::string> problems;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithPositionAndReason) {
  EXPECT_EQ(brief(parse_document(GetParam().text).problems), GetParam().problems);
}

INSTANTIATE_TEST_SUITE_P(
    Document, Refused,
    ::testing::Values(Refusal{"a: 1\na: 2\n", {"2:1 a duplicate_key"}},
                      Refusal{"a: {b: 1, b: 2}\n", {"1:11 a.b duplicate_key"}},
                      Refusal{"a: &x 1\nb: *x\n", {"1:4 a anchor", "2:4 b alias"}},
                      Refusal{"a: !!str 1\nb: !t {}\n", {"1:4 a tag", "2:4 b tag"}},
                      Refusal{"a: {<<: {b: 1}}\n", {"1:5 a.<< merge_key"}},
                      Refusal{"a: 1\n---\nb: 2\n", {"2:1 - multiple_documents"}},
                      Refusal{"? [a]\n: 1\n", {"1:3 - invalid_key"}},
                      Refusal{"a: [1\n", {"2:1 - syntax"}},
                      Refusal{"a: 1\n b: 2\n", {"2:3 - syntax"}},
                      Refusal{"a: 1\n\tb: 2\n", {"2:1 - syntax"}},
                      Refusal{"a: \xff\n", {"1:4 - invalid_utf8"}},
                      Refusal{"a: 1\n\xc3\x28\n", {"2:1 - invalid_utf8"}},
                      Refusal{"a: \x01\n", {"1:4 - invalid_character"}},
                      // All of them, not the first.
                      Refusal{"a: 1\na: 2\nb: !!x 1\n", {"2:1 a duplicate_key", "3:4 b tag"}}));

TEST(Document, NulIsRefused) {
  EXPECT_THAT(brief(parse_document(std::string_view("a: 1\0", 5)).problems),
              ElementsAre("1:5 - invalid_character"));
}

TEST(Document, Takes32LevelsAndNotOneMore) {
  const auto nested = [](std::size_t levels) { return repeat("- ", levels) + "x"; };
  EXPECT_THAT(brief(parse_document(nested(32)).problems), IsEmpty());
  const Document deep = parse_document(nested(33));
  ASSERT_EQ(deep.problems.size(), 1u);
  EXPECT_EQ(deep.problems[0].reason, "too_deep");
}

TEST(Document, BoundsBytesAndNodes) {
  EXPECT_THAT(brief(parse_document(std::string(1024 * 1024 + 1, ' ')).problems),
              ElementsAre("0:0 - too_large"));
  EXPECT_THAT(brief(parse_document("[" + repeat("a,", 49'999) + "]").problems), IsEmpty());
  const Document many = parse_document("[" + repeat("a,", 50'000) + "]");
  ASSERT_EQ(many.problems.size(), 1u);
  EXPECT_EQ(many.problems[0].reason, "too_many_nodes");
}

TEST(Document, StopsCollectingProblems) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "a: 1\n";
  EXPECT_EQ(parse_document(text).problems.size(), kMaxProblems);
}

// What overflowed stacks or took quadratic time in YAML readers: ends, whatever it says.
TEST(Document, HostileTextsEnd) {
  for (const char* part : {"[", "{", "- ", "? ", "[[],", "{a: ", "!a ", "&a ", "*a ", "a: ", "- - ",
                           "{? ", "!<", "\"\\", "a:\n ", "|\n", "]", "%\n", "--- "}) {
    const std::string text = repeat(part, 60'000 / std::string_view(part).size());
    const Document document = parse_document(text);
    EXPECT_LE(document.problems.size(), kMaxProblems) << part;
    EXPECT_TRUE(!document.problems.empty() || document.empty || document.root.entries.empty())
        << part;
  }
}

TEST(Document, SaysWhatIsUsuallyWrongWithWhatIsNoYaml) {
  const auto message = [](std::string_view text) {
    const Document document = parse_document(text);
    return document.problems.empty() ? std::string() : document.problems.front().message;
  };
  EXPECT_NE(message("a:\n\tb: 1\n").find("line 2 is indented by a tab"), std::string::npos);
  EXPECT_NE(message("schema:1\nroutes: []\n").find("line 1 has no space behind the colon"),
            std::string::npos);
  EXPECT_EQ(message("a: [1\n").find("; line"), std::string::npos);
}

}  // namespace
}  // namespace servery
