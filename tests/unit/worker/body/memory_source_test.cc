#include "worker/body/memory_source.h"

#include <gtest/gtest.h>

namespace servery::body {
namespace {

using State = http::BodySource::State;

TEST(MemorySource, GivesItsBytesAndEnds) {
  MemorySource source(std::string("hello"));
  EXPECT_EQ(source.length(), 5U);
  char buffer[3];
  EXPECT_EQ(source.pull(buffer).bytes, 3U);
  EXPECT_EQ(std::string_view(buffer, 3), "hel");
  EXPECT_EQ(source.pull(buffer).bytes, 2U);
  EXPECT_EQ(std::string_view(buffer, 2), "lo");
  EXPECT_EQ(source.pull(buffer).state, State::kEnd);
}

TEST(MemorySource, TakesBytesBack) {
  MemorySource source(std::string("hello"));
  char buffer[5];
  ASSERT_EQ(source.pull(buffer).bytes, 5U);
  ASSERT_TRUE(source.take_back(2));
  EXPECT_EQ(source.pull(buffer).bytes, 2U);
  EXPECT_EQ(std::string_view(buffer, 2), "lo");
}

TEST(MemorySource, KeepsTheOwnerOfItsBytesAlive) {
  auto owner = std::make_shared<std::string>("0123456789");
  const std::weak_ptr<std::string> watch = owner;
  auto source = std::make_unique<MemorySource>(owner, std::string_view(*owner).substr(2, 3));
  owner.reset();
  char buffer[10];
  ASSERT_EQ(source->pull(buffer).bytes, 3U);
  EXPECT_EQ(std::string_view(buffer, 3), "234");
  source.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace servery::body
