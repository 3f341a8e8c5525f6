// The configuration names methods without knowing the worker: both lists must be one.
#include <gtest/gtest.h>

#include "config/syntax.h"
#include "worker/http/message.h"

namespace servery {
namespace {

TEST(MethodNames, EveryMethodOfARequestMayBeConfigured) {
  for (auto i = 0; i < static_cast<int>(http::Method::kUnknown); ++i) {
    const std::string_view name = http::method_name(static_cast<http::Method>(i));
    EXPECT_FALSE(check_method(name)) << name;
  }
}

TEST(MethodNames, WhatIsConfiguredMayBeAMethodOfARequest) {
  for (const char* name : {"GET", "M-SEARCH", "UNSUBSCRIBE", "BREW", "get", "QUERY"}) {
    EXPECT_EQ(check_method(name).has_value(), !http::parse_method(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace servery
