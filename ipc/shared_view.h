// A process's mappings of shared memory: checked before use, unmapped by their owner. The
// supervisor maps what it made, a worker what it was sent. ConnectionTable is the view both have on
// the counts of open connections over all workers and generations.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "ipc/shared_page.h"

namespace servery {

// Owns one shared mapping of a memfd.
class SharedMapping {
 public:
  SharedMapping() = default;
  // Maps exactly `bytes` of `fd`; kInvalid unless it is a memfd of that size whose header fits and
  // which is sealed against shrinking (a truncated mapping would be a SIGBUS).
  static Result<SharedMapping> map(int fd, std::size_t bytes);
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  ~SharedMapping();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  SharedMapping(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The worker's own page.
class WorkerPageView {
 public:
  WorkerPageView() = default;
  static Result<WorkerPageView> map(int fd);
  WorkerPage& page() const { return *static_cast<WorkerPage*>(mapping_.data()); }
  explicit operator bool() const { return static_cast<bool>(mapping_); }

 private:
  explicit WorkerPageView(SharedMapping mapping) : mapping_(std::move(mapping)) {}
  SharedMapping mapping_;
};

class ConnectionTable {
 public:
  ConnectionTable() = default;
  // The size comes from the descriptor, the capacity from the header, and both must agree.
  static Result<ConnectionTable> map(int fd);

  std::uint32_t capacity() const { return capacity_; }
  RateTable& header() const { return *static_cast<RateTable*>(mapping_.data()); }
  // Precondition: index < capacity().
  std::atomic<std::uint32_t>& open(std::uint32_t index) const;

  // Open connections of the whole service; words beyond reason count as kMaxOpenPerWorker.
  std::uint64_t service_connections() const;
  // Adds one to `index` unless the service would then exceed `limit` (0: none). Workers that race
  // for the last places may all be refused, but the limit is never exceeded.
  bool try_add(std::uint32_t index, std::uint64_t limit) const;
  void remove(std::uint32_t index) const;

  static constexpr std::uint32_t kMaxOpenPerWorker = 4'000'000;

 private:
  ConnectionTable(SharedMapping mapping, std::uint32_t capacity)
      : mapping_(std::move(mapping)), capacity_(capacity) {}
  SharedMapping mapping_;
  std::uint32_t capacity_ = 0;
};

}  // namespace servery
