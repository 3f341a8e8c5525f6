// The memory workers share with the supervisor, made and owned by it: a metrics page per worker, a
// base page per slot for what reaped workers had counted, and the rate table with the connection
// counts. Each worker gets its own page and the rate table, nothing else. Everything read here may
// have been written by a broken worker: values are clamped and never go back. Supervisor's thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/json.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "ipc/shared_view.h"

namespace servery {

class SharedMemory;

// One worker's page, from before its start until it is reaped: the destructor folds its counters
// into its slot's base page and clears its connection count. Must die before the SharedMemory.
class PageLease {
 public:
  PageLease() = default;
  PageLease(PageLease&& other) noexcept;
  PageLease& operator=(PageLease&& other) noexcept;
  ~PageLease();

  explicit operator bool() const { return memory_ != nullptr; }
  std::uint32_t index() const { return index_; }
  int fd() const;  // to be passed to the worker
  std::uint64_t heartbeat() const;
  std::uint64_t request_hash() const;
  std::uint64_t connections() const;
  std::uint64_t counter(Metric metric) const;

 private:
  friend class SharedMemory;
  PageLease(SharedMemory* memory, std::uint32_t index) : memory_(memory), index_(index) {}
  SharedMemory* memory_ = nullptr;
  std::uint32_t index_ = 0;
};

class SharedMemory {
 public:
  // For max(64, workers) slots; more need a restart.
  static Result<std::unique_ptr<SharedMemory>> create(std::uint32_t workers);

  std::uint32_t max_slots() const { return static_cast<std::uint32_t>(bases_.size()); }
  // Three generations, replacements and spares: four pages a slot.
  std::uint32_t page_capacity() const { return static_cast<std::uint32_t>(pages_.size()); }

  // A fresh page for the next worker of `slot`. kExhausted when every page is in use, kInvalid for
  // a slot beyond max_slots().
  Result<PageLease> acquire(std::uint32_t slot);
  int rate_table_fd() const { return rate_table_fd_.get(); }

  // The supervisor's own metrics.
  void add(Metric metric, std::uint64_t by = 1);
  void set(Metric metric, std::uint64_t value);

  // Over all slots, running and reaped; a gauge over running workers only.
  std::uint64_t total(Metric metric) const;
  std::uint64_t slot_total(std::uint32_t slot, Metric metric) const;
  std::uint64_t service_connections() const { return connections_.service_connections(); }
  // Every metric by its key.
  Json counters() const;

  // A counter beyond this is a broken worker's.
  static constexpr std::uint64_t kMaxCounter = std::uint64_t{1} << 50;

 private:
  friend class PageLease;
  struct Page {
    UniqueFd fd;
    WorkerPageView view;
    std::uint32_t slot = 0;
    std::array<std::uint64_t, kMetricCount> seen{};  // the highest values read so far
  };
  struct Base {
    SharedMapping mapping;  // kept while the service lives: its counters never go back
    BasePage& page() const { return *static_cast<BasePage*>(mapping.data()); }
  };

  SharedMemory() = default;
  std::uint64_t read(Page& page, Metric metric) const;
  Status make_base(std::uint32_t slot);
  void reap(std::uint32_t index);

  std::vector<Base> bases_;                           // by slot
  mutable std::vector<std::unique_ptr<Page>> pages_;  // by index; null: free
  UniqueFd rate_table_fd_;
  ConnectionTable connections_;
  std::array<std::uint64_t, kMetricCount> own_{};
};

}  // namespace servery
