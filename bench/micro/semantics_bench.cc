// The pure rules a static answer may pass: range, preconditions, dates.
#include <benchmark/benchmark.h>

#include "worker/http/conditional.h"
#include "worker/http/date.h"
#include "worker/http/range.h"

namespace servery {
namespace {

void choose_range(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(http::choose_range("bytes=1048576-1049599", 8 << 20));
  }
}
BENCHMARK(choose_range);

void if_none_match(benchmark::State& state) {
  constexpr std::string_view kTag = "\"18f0c9d2a1b3c4d5-400\"";
  http::RequestFields fields;
  fields.add({http::FieldId::kIfNoneMatch, "if-none-match", kTag});
  http::Validators validators;
  validators.etag = kTag;
  for (auto _ : state) {
    const auto found = http::evaluate_preconditions(fields, true, true, validators, 1'796'000'000);
    if (found != http::Precondition::kNotModified) state.SkipWithError("not 304");
  }
}
BENCHMARK(if_none_match);

void parse_date(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(http::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", 1'796'000'000));
  }
}
BENCHMARK(parse_date);

}  // namespace
}  // namespace servery
