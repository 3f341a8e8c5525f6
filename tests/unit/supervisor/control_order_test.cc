#include "supervisor/control_order.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

using Kind = ControlOrder::Kind;

Result<ControlOrder> parse(std::string_view text) {
  return parse_control_order(*parse_json(text, 1 << 16));
}

std::string error_of(std::string_view text) {
  const auto order = parse(text);
  return order ? "understood" : order.error().text;
}

TEST(ControlOrder, EachCommandHasItsMembers) {
  EXPECT_EQ(parse(R"({"command":"status"})")->kind, Kind::kStatus);
  EXPECT_EQ(parse(R"({"command":"plan","config":"/etc/s.yaml"})")->config, "/etc/s.yaml");
  const auto reload = parse(R"({"command":"reload","config":"/a","wait_drained":true})");
  ASSERT_TRUE(reload);
  EXPECT_EQ(reload->kind, Kind::kReload);
  EXPECT_TRUE(reload->wait_drained);
  const auto stop = parse(R"({"command":"stop","timeout_ms":1500})");
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->timeout, Milliseconds(1500));
  EXPECT_FALSE(parse(R"({"command":"stop"})")->timeout);
}

TEST(ControlOrder, WhatItDoesNotKnowIsSaid) {
  EXPECT_EQ(error_of(R"({"command":"explode"})"), "unknown command");
  EXPECT_EQ(error_of(R"({"command":"status","verbose":true})"),
            "status: `verbose` is not understood");
  for (const char* text :
       {R"({"command":"status","config":"/a"})", R"({"command":"stop","wait_drained":true})",
        R"({"command":"plan","wait_drained":true})", R"({"command":"reload","timeout_ms":1})",
        R"({"command":"reload","config":7})", R"({"command":"reload","config":"a.yaml"})",
        R"({"command":"reload","wait_drained":1})", R"({"command":"stop","timeout_ms":-1})",
        R"({"command":"stop","timeout_ms":"1s"})", R"({"command":"stop","timeout_ms":86400001})"}) {
    EXPECT_NE(error_of(text).find("is not understood"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace servery
