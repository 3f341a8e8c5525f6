// Reading request heads: H1HeadParser, then the rules all transports share.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "worker/codec/h1_parser.h"
#include "worker/http/request_rules.h"

namespace servery {
namespace {

constexpr std::string_view kShort = "GET /1k.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view kBrowser =
    "GET /images/logo%20large.png?v=3 HTTP/1.1\r\nHost: www.example.org\r\n"
    "Connection: keep-alive\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) "
    "Gecko/20100101\r\n"
    "Accept: image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5\r\n"
    "Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
    "Referer: https://www.example.org/index.html\r\nSec-Fetch-Dest: image\r\n"
    "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Site: same-origin\r\nPriority: u=5\r\n\r\n";

// The parser lowercases names in place: each round needs the text as it came.
void parse(benchmark::State& state, std::string_view text, bool rules) {
  codec::H1HeadParser parser{http::HeadLimits{}};
  http::RawHead raw;
  http::RequestHead head;
  std::string buffer, scratch;
  for (auto _ : state) {
    buffer.assign(text);
    const auto outcome = parser.parse({buffer.data(), buffer.size()}, raw);
    if (outcome.state != codec::H1HeadParser::State::kHead) state.SkipWithError("not parsed");
    if (rules && http::finish_request_head(raw, head, scratch)) state.SkipWithError("refused");
    benchmark::DoNotOptimize(head);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK_CAPTURE(parse, short_head, kShort, false);
BENCHMARK_CAPTURE(parse, short_head_and_rules, kShort, true);
BENCHMARK_CAPTURE(parse, browser_head, kBrowser, false);
BENCHMARK_CAPTURE(parse, browser_head_and_rules, kBrowser, true);

}  // namespace
}  // namespace servery
