// Writing response heads: a prepared one (hot cache) and one made from its fields, and the date.
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "worker/codec/h1_writer.h"
#include "worker/http/date.h"

namespace servery {
namespace {

constexpr std::string_view kDateLine = "Date: Mon, 30 Nov 2026 00:00:00 GMT\r\n";

template <typename Response>
void fill(Response& response) {
  response.fields.add("content-type", "application/octet-stream");
  response.fields.add("etag", "\"18f0c9d2a1b3c4d5-400\"");
  response.fields.add("last-modified", "Mon, 30 Nov 2026 00:00:00 GMT");
  response.fields.add("accept-ranges", "bytes");
  response.fields.add("content-length", "1024");
}

void write_prepared_1k(benchmark::State& state) {
  http::PreparedResponse response;
  fill(response);
  response.body.assign(1024, 'x');
  std::array<char, 2048> room;
  for (auto _ : state) {
    codec::ByteWriter out(room);
    if (!codec::write_prepared(out, response, {kDateLine}, false)) state.SkipWithError("no room");
    benchmark::DoNotOptimize(room);
  }
}
BENCHMARK(write_prepared_1k);

void write_fields(benchmark::State& state) {
  http::ResponseHead head;
  fill(head);
  std::array<char, 2048> room;
  for (auto _ : state) {
    codec::ByteWriter out(room);
    if (!codec::write_head(out, head, {kDateLine})) state.SkipWithError("no room");
    benchmark::DoNotOptimize(room);
  }
}
BENCHMARK(write_fields);

void date_line(benchmark::State& state) {
  http::DateCache dates;
  const WallTime start(std::chrono::seconds(1'796'000'000));
  const auto step = std::chrono::nanoseconds(state.range(0));
  WallTime now = start;
  for (auto _ : state) {
    now += step;
    benchmark::DoNotOptimize(dates.line(now));
  }
}
BENCHMARK(date_line)->ArgName("ns")->Arg(1000)->Arg(1'000'000'000);

}  // namespace
}  // namespace servery
