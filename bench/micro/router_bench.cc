// Choosing a route: the cost may not grow with the number of routes.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "worker/routing/router.h"

namespace servery {
namespace {

void match(benchmark::State& state) {
  std::vector<routing::RouteKey> keys;
  const auto add = [&keys](std::string path) {
    routing::RouteKey key;
    key.path = std::move(path);
    key.methods.add(http::Method::kGet);
    keys.push_back(std::move(key));
  };
  add("/");
  for (std::int64_t i = 1; i < state.range(0); ++i) add("/service-" + std::to_string(i) + "/files");
  const auto router = routing::Router::create(keys);
  if (!router) return state.SkipWithError("no router");
  for (auto _ : state) {
    const auto found = router->match("localhost", "/images/large/1k.bin", http::Method::kGet);
    benchmark::DoNotOptimize(found);
    if (found.outcome != routing::Router::Outcome::kFound) state.SkipWithError("no route");
  }
}
BENCHMARK(match)->ArgName("routes")->Arg(1)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace servery
