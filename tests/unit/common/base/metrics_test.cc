#include "common/base/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace servery {
namespace {

TEST(Metrics, EveryKeyIsUniqueAndPrefixed) {
  std::set<std::string> keys;
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const std::string key = metric_key(static_cast<Metric>(i));
    EXPECT_TRUE(key.starts_with("servery_")) << key;
    EXPECT_TRUE(keys.insert(key).second) << "twice: " << key;
  }
  EXPECT_EQ(keys.size(), kMetricCount);
}

TEST(Metrics, OnlyCountersEndInTotal) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const MetricInfo& info = metric_info(i);
    EXPECT_EQ(info.name.ends_with("_total"), info.type == MetricType::kCounter) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
  }
}

TEST(Metrics, LabelsArePartOfTheKey) {
  EXPECT_EQ(metric_key(Metric::kTimeoutHeader), "servery_timeouts_total{phase=\"header\"}");
  EXPECT_EQ(metric_key(Metric::kConnections), "servery_connections");
}

// One name has one type and one help text, whatever its labels (Prometheus exposition format).
TEST(Metrics, RowsOfOneNameAgree) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (metric_info(i).name != metric_info(j).name) continue;
      EXPECT_EQ(metric_info(i).type, metric_info(j).type) << metric_info(i).name;
      EXPECT_EQ(metric_info(i).help, metric_info(j).help) << metric_info(i).name;
    }
  }
}

}  // namespace
}  // namespace servery
