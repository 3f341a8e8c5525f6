#include "worker/body/content_coder.h"

#include <algorithm>
#include <utility>

#include "worker/body/coded_producer.h"

namespace servery::body {
namespace {

// Each holds a coder's window and two pieces: some megabytes.
constexpr unsigned kMostStreams = 16;
// Between two looks at whether anybody still waits.
constexpr std::size_t kStep = std::size_t{256} * 1024;

void code_all(http::Coding coding, int level, std::string_view plain, CodedBytes& coded,
              const std::atomic<bool>& is_cancelled) {
  const auto coder = Coder::create(coding, level);
  if (!coder) return;
  do {
    const std::size_t size = std::min(plain.size(), kStep);
    const Coder::Then then = size == plain.size() ? Coder::Then::kEnd : Coder::Then::kMore;
    if (is_cancelled || !(*coder)->code(plain.substr(0, size), then, coded.bytes)) return;
    plain.remove_prefix(size);
  } while (!plain.empty());
  coded.bytes.shrink_to_fit();
  coded.is_complete = true;
}

}  // namespace

Result<std::unique_ptr<ContentCoder>> ContentCoder::create(Loop& loop, const Options& options) {
  BlockingPool::Options threads;
  threads.threads = options.threads;
  threads.queue = options.queue;
  threads.lane_threads.fill(options.threads);
  auto pool = SERVERY_TRY(BlockingPool::create(loop, threads));
  return std::unique_ptr<ContentCoder>(new ContentCoder(loop, options, std::move(pool)));
}

ContentCoder::ContentCoder(Loop& loop, const Options& options, std::unique_ptr<BlockingPool> pool)
    : loop_(loop),
      options_(options),
      pool_(std::move(pool)),
      flights_(*pool_, Lane::kBulk),
      streams_(kMostStreams) {
  for (std::size_t i = 1; i < http::kCodingCount; ++i) {
    marks_[i] = coding_mark(static_cast<http::Coding>(i), options_.levels[i]);
  }
}

bool ContentCoder::code_whole(http::Exchange& exchange, const std::string& key, http::Coding coding,
                              Read read, Done done) {
  const int level = options_.levels[static_cast<std::size_t>(coding)];
  auto waiter = flights_.join(
      key,
      [coding, level, read = std::move(read)](CodedBytes& coded,
                                              const std::atomic<bool>& is_cancelled) {
        std::string plain;
        if (!is_cancelled && read(plain)) code_all(coding, level, plain, coded, is_cancelled);
      },
      std::move(done));
  if (!waiter) {
    ++saturated_;
    return false;
  }
  exchange.set_task(std::move(*waiter));
  return true;
}

bool ContentCoder::has_place() {
  if (streams_.taken() < kMostStreams) return true;
  ++saturated_;
  return false;
}

std::unique_ptr<http::BodySource> ContentCoder::stream(std::shared_ptr<Producer> plain,
                                                       http::Coding coding) {
  auto coder = Coder::create(coding, options_.levels[static_cast<std::size_t>(coding)]);
  if (!coder) return nullptr;
  ++streamed_;
  auto coded = std::make_shared<CodedProducer>(std::move(plain), std::move(*coder), true);
  return std::make_unique<ProducedSource>(loop_, *pool_, std::move(coded), std::nullopt,
                                          streams_.take());
}

ContentCoder::Counts ContentCoder::counts() const {
  return {.encoded = flights_.started(),
          .joined = flights_.joined(),
          .streamed = streamed_,
          .saturated = saturated_,
          .in_flight = flights_.size() + streams_.taken()};
}

}  // namespace servery::body
