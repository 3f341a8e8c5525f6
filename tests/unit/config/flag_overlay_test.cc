#include "config/flag_overlay.h"

#include <gtest/gtest.h>

#include "config/document.h"

namespace servery {
namespace {

Overlay overlay(std::string_view key, std::vector<std::string> values) {
  return overlay_of(*find_row(key), values);
}

TEST(FlagOverlay, AWordStaysTheWordItIs) {
  for (const char* word : {"a b", "12", "true", "a: b", "[", "#", "\"", "", "\xc3\xa9"}) {
    const Overlay out = overlay("routes[].static.root", {word});
    EXPECT_EQ(out.name, "--root");
    EXPECT_EQ(out.key, "routes[0].static.root");
    const Document document = parse_document(out.value);
    ASSERT_TRUE(document.problems.empty()) << word;
    EXPECT_EQ(document.root.text, word);
  }
}

TEST(FlagOverlay, RepeatedFlagsAreLists) {
  EXPECT_EQ(overlay("routes[].static.index", {"a", "b"}),
            (Overlay{"--index", "routes[0].static.index", "[\"a\", \"b\"]"}));
  EXPECT_EQ(
      overlay("listeners[].address", {"8000", ":80"}),
      (Overlay{"--listen", "listeners", "[{address: \"127.0.0.1:8000\"}, {address: \":80\"}]"}));
}

TEST(FlagOverlay, OtherValuesAreYamlForTheSchemaToJudge) {
  EXPECT_EQ(overlay("runtime.workers", {"4"}), (Overlay{"--workers", "runtime.workers", "4"}));
}

TEST(FlagOverlay, BytesThatAreNoTextAreLeftForTheLoaderToRefuse) {
  EXPECT_EQ(overlay("routes[].static.root", {"\xff"}).value, "\xff");
}

}  // namespace
}  // namespace servery
