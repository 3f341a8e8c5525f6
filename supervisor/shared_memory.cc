#include "supervisor/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace servery {
namespace {

constexpr std::uint32_t kMinSlots = 64;
constexpr std::uint32_t kPagesPerSlot = 4;
static_assert(kMaxWorkerPages % kPagesPerSlot == 0);

SharedHeader make_header(std::size_t bytes) {
  SharedHeader header;
  header.bytes = static_cast<std::uint32_t>(bytes);
  return header;
}

// A memfd of `bytes` with `T` constructed at its start and its size sealed.
template <typename T>
Result<UniqueFd> make_shared_memory(const char* name, std::size_t bytes) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno("memfd_create", errno);
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) return fail_errno("ftruncate", errno);
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return fail_errno("map shared memory", errno);
  (new (data) T)->header = make_header(bytes);
  munmap(data, bytes);
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return fail_errno("seal shared memory", errno);
  }
  return fd;
}

bool is_gauge(Metric metric) { return metric_info(metric).type == MetricType::kGauge; }

}  // namespace

PageLease::PageLease(PageLease&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), index_(other.index_) {}

PageLease& PageLease::operator=(PageLease&& other) noexcept {
  if (this != &other) {
    if (memory_ != nullptr) memory_->reap(index_);
    memory_ = std::exchange(other.memory_, nullptr);
    index_ = other.index_;
  }
  return *this;
}

PageLease::~PageLease() {
  if (memory_ != nullptr) memory_->reap(index_);
}

int PageLease::fd() const { return memory_->pages_[index_]->fd.get(); }

std::uint64_t PageLease::heartbeat() const {
  return memory_->pages_[index_]->view.page().heartbeat.load(std::memory_order_relaxed);
}

std::uint64_t PageLease::request_hash() const {
  return memory_->pages_[index_]->view.page().request_hash.load(std::memory_order_relaxed);
}

std::uint64_t PageLease::connections() const {
  return std::min(memory_->connections_.open(index_).load(), ConnectionTable::kMaxOpenPerWorker);
}

std::uint64_t PageLease::counter(Metric metric) const {
  return memory_->read(*memory_->pages_[index_], metric);
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::create(std::uint32_t workers) {
  const std::uint32_t slots = std::max(kMinSlots, workers);
  if (slots > kMaxWorkerPages / kPagesPerSlot) return fail(Errc::kTooLarge, "too many workers");
  std::unique_ptr<SharedMemory> memory(new SharedMemory);
  memory->bases_.resize(slots);
  memory->pages_.resize(std::size_t{slots} * kPagesPerSlot);
  const std::uint32_t capacity = memory->page_capacity();
  memory->rate_table_fd_ =
      SERVERY_TRY(make_shared_memory<RateTable>("servery-rates", rate_table_bytes(capacity)));
  // The capacity is part of what map() checks, so it is written through a mapping of its own.
  const std::uint32_t value = capacity;
  if (pwrite(memory->rate_table_fd_.get(), &value, sizeof value,
             offsetof(RateTable, page_capacity)) != sizeof value) {
    return fail_errno("write rate table", errno);
  }
  memory->connections_ = SERVERY_TRY(ConnectionTable::map(memory->rate_table_fd_.get()));
  return memory;
}

Result<PageLease> SharedMemory::acquire(std::uint32_t slot) {
  if (slot >= bases_.size()) return fail(Errc::kInvalid, "no such slot");
  const auto free = std::find(pages_.begin(), pages_.end(), nullptr);
  if (free == pages_.end()) return fail(Errc::kExhausted, "every worker page is in use");
  const auto index = static_cast<std::uint32_t>(free - pages_.begin());
  SERVERY_TRY(make_base(slot));
  auto page = std::make_unique<Page>();
  page->slot = slot;
  page->fd = SERVERY_TRY(make_shared_memory<WorkerPage>("servery-page", kSharedPageBytes));
  page->view = SERVERY_TRY(WorkerPageView::map(page->fd.get()));
  page->view.page().page_index = index;
  page->view.page().slot = slot;
  *free = std::move(page);
  auto& used = connections_.header().pages_used;
  if (used.load() <= index) used.store(index + 1);
  return PageLease(this, index);
}

Status SharedMemory::make_base(std::uint32_t slot) {
  Base& base = bases_[slot];
  if (base.mapping) return {};
  const UniqueFd fd = SERVERY_TRY(make_shared_memory<BasePage>("servery-base", kSharedPageBytes));
  base.mapping = SERVERY_TRY(SharedMapping::map(fd.get(), kSharedPageBytes));
  return {};
}

// A worker that writes nonsense spoils only its own share: never lower than before, never absurd.
std::uint64_t SharedMemory::read(Page& page, Metric metric) const {
  const auto i = static_cast<std::size_t>(metric);
  const std::uint64_t now =
      std::min(page.view.page().counters[i].load(std::memory_order_relaxed), kMaxCounter);
  if (is_gauge(metric)) return now;
  page.seen[i] = std::max(page.seen[i], now);
  return page.seen[i];
}

void SharedMemory::reap(std::uint32_t index) {
  Page& page = *pages_[index];
  BasePage& base = bases_[page.slot].page();
  base.sequence.fetch_add(1);
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const auto metric = static_cast<Metric>(i);
    if (!is_gauge(metric)) bump(base.counters[i], read(page, metric));
  }
  pages_[index].reset();
  connections_.open(index).store(0);
  base.sequence.fetch_add(1);
}

void SharedMemory::add(Metric metric, std::uint64_t by) {
  own_[static_cast<std::size_t>(metric)] += by;
}

void SharedMemory::set(Metric metric, std::uint64_t value) {
  own_[static_cast<std::size_t>(metric)] = value;
}

std::uint64_t SharedMemory::slot_total(std::uint32_t slot, Metric metric) const {
  std::uint64_t sum = 0;
  if (bases_[slot].mapping) {
    sum += bases_[slot].page().counters[static_cast<std::size_t>(metric)].load();
  }
  for (const auto& page : pages_) {
    if (page != nullptr && page->slot == slot) sum += read(*page, metric);
  }
  return sum;
}

std::uint64_t SharedMemory::total(Metric metric) const {
  const auto i = static_cast<std::size_t>(metric);
  std::uint64_t sum = own_[i];
  for (const Base& base : bases_) {
    if (base.mapping) sum += base.page().counters[i].load();
  }
  for (const auto& page : pages_) {
    if (page != nullptr) sum += read(*page, metric);
  }
  return sum;
}

Json SharedMemory::counters() const {
  Json counters = Json::object();
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const auto metric = static_cast<Metric>(i);
    counters[metric_key(metric)] = total(metric);
  }
  return counters;
}

}  // namespace servery
