#include "worker/http/rights.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

RightSet set_of(std::initializer_list<Right> rights) {
  RightSet set;
  for (const Right right : rights) set.add(right);
  return set;
}

TEST(Rights, EveryMethodHasItsRow) {
  const auto needs = [](Method method) { return required_rights(method, RightTarget::kResource); };
  for (const Method method :
       {Method::kGet, Method::kHead, Method::kPropfind, Method::kReport, Method::kSearch}) {
    EXPECT_EQ(needs(method), RightSet::of(Right::kRead)) << method_name(method);
    EXPECT_EQ(required_rights(method, RightTarget::kNames), RightSet::of(Right::kList));
  }
  for (const Method method : {Method::kPost, Method::kMkcol, Method::kCopy}) {
    EXPECT_EQ(needs(method), RightSet::of(Right::kCreate)) << method_name(method);
  }
  for (const Method method : {Method::kPut, Method::kLock, Method::kUnlock}) {
    EXPECT_EQ(needs(method), set_of({Right::kCreate, Right::kOverwrite})) << method_name(method);
  }
  for (const Method method : {Method::kPatch, Method::kProppatch, Method::kAcl}) {
    EXPECT_EQ(needs(method), RightSet::of(Right::kOverwrite)) << method_name(method);
  }
  EXPECT_EQ(needs(Method::kDelete), RightSet::of(Right::kDelete));
  EXPECT_EQ(needs(Method::kPurge), RightSet::of(Right::kDelete));
  EXPECT_EQ(needs(Method::kMove), RightSet::of(Right::kMove));
}

TEST(Rights, OnlyOptionsNeedsNone) {
  for (unsigned i = 0; i < static_cast<unsigned>(Method::kUnknown); ++i) {
    const auto method = static_cast<Method>(i);
    for (const RightTarget target : {RightTarget::kResource, RightTarget::kNames}) {
      EXPECT_EQ(required_rights(method, target).empty(), method == Method::kOptions)
          << method_name(method);
    }
  }
}

TEST(Rights, Sets) {
  EXPECT_TRUE(RightSet().empty());
  EXPECT_FALSE(RightSet::all().empty());
  EXPECT_TRUE(RightSet::all().has(Right::kMove));
  EXPECT_FALSE(RightSet::of(Right::kRead).has(Right::kList));
  EXPECT_TRUE(set_of({Right::kRead, Right::kMove}).overlaps(RightSet::of(Right::kMove)));
  EXPECT_FALSE(set_of({Right::kRead, Right::kMove}).overlaps(RightSet::of(Right::kList)));
  EXPECT_EQ(Access().rights, RightSet::all()) << "a route without auth";
}

}  // namespace
}  // namespace servery::http
