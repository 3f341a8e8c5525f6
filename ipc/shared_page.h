// Layouts of the memory the supervisor shares with workers, as sealed memfds: one metrics page per
// worker (single writer: that worker), one base page per slot (single writer: the supervisor) and
// the rate table, whose header holds the connection counts. Fixed offsets and sizes; every reader
// treats the contents as hostile and clamps them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/base/metrics.h"

namespace servery {

inline constexpr std::uint64_t kSharedMagic = 0x5345525645525931;  // "SERVERY1"
inline constexpr std::uint32_t kSharedLayout = 1;
inline constexpr std::size_t kSharedPageBytes = 4096;
inline constexpr std::uint32_t kMaxWorkerPages = 8192;

// An unknown layout is never used.
struct SharedHeader {
  std::uint64_t magic = kSharedMagic;
  std::uint32_t layout = kSharedLayout;
  std::uint32_t bytes = 0;  // of the whole memfd
};

using SharedWord = std::atomic<std::uint64_t>;
static_assert(SharedWord::is_always_lock_free);

// The worker adds with a plain load and store: it is the only writer.
inline void bump(SharedWord& word, std::uint64_t by = 1) {
  word.store(word.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

struct WorkerPage {
  SharedHeader header;
  std::uint32_t page_index = 0;  // its word in the rate table
  std::uint32_t slot = 0;
  SharedWord heartbeat{0};     // bumped by the worker's loop every 250 ms
  SharedWord request_hash{0};  // of the request being handled, 0 between requests
  alignas(64) SharedWord counters[kMetricCount]{};

  SharedWord& operator[](Metric metric) { return counters[static_cast<std::size_t>(metric)]; }
};
static_assert(sizeof(WorkerPage) <= kSharedPageBytes);

// What the reaped workers of a slot have counted. `sequence` is odd while a fold is under way: a
// reader that adds live pages to it repeats when the number was odd or has changed.
struct BasePage {
  SharedHeader header;
  SharedWord sequence{0};
  alignas(64) SharedWord counters[kMetricCount]{};
};
static_assert(sizeof(BasePage) <= kSharedPageBytes);

// One worker's open connections; a cache line each, so that workers do not share one.
struct alignas(64) ConnectionWord {
  std::atomic<std::uint32_t> open{0};
};

struct RateTable {
  SharedHeader header;
  std::uint32_t page_capacity = 0;           // how many words follow
  std::atomic<std::uint32_t> pages_used{0};  // words beyond this one have never been used
  // ConnectionWord words[page_capacity] follow at kRateTableWords.
};
inline constexpr std::size_t kRateTableWords = 64;
static_assert(sizeof(RateTable) <= kRateTableWords);

constexpr std::size_t rate_table_bytes(std::uint32_t page_capacity) {
  return kRateTableWords + std::size_t{page_capacity} * sizeof(ConnectionWord);
}

}  // namespace servery
