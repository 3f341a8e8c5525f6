#include "ipc/shared_view.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace servery {

Result<SharedMapping> SharedMapping::map(int fd, std::size_t bytes) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return fail_errno("shared memory", errno);
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return fail(Errc::kInvalid, "shared memory is not sealed");
  }
  if (info.st_size < 0 || static_cast<std::size_t>(info.st_size) != bytes ||
      bytes < sizeof(SharedHeader)) {
    return fail(Errc::kInvalid, "shared memory has the wrong size");
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return fail_errno("map shared memory", errno);
  SharedMapping mapping(data, bytes);
  const SharedHeader header = *static_cast<const SharedHeader*>(data);
  if (header.magic != kSharedMagic || header.layout != kSharedLayout || header.bytes != bytes) {
    return fail(Errc::kInvalid, "shared memory has an unknown layout");
  }
  return mapping;
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) munmap(data_, bytes_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Result<WorkerPageView> WorkerPageView::map(int fd) {
  return WorkerPageView(SERVERY_TRY(SharedMapping::map(fd, kSharedPageBytes)));
}

Result<ConnectionTable> ConnectionTable::map(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return fail_errno("rate table", errno);
  const auto bytes = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0));
  if (bytes < kRateTableWords || bytes > rate_table_bytes(kMaxWorkerPages)) {
    return fail(Errc::kInvalid, "rate table has the wrong size");
  }
  SharedMapping mapping = SERVERY_TRY(SharedMapping::map(fd, bytes));
  const std::uint32_t capacity = static_cast<const RateTable*>(mapping.data())->page_capacity;
  if (capacity > kMaxWorkerPages || rate_table_bytes(capacity) != bytes) {
    return fail(Errc::kInvalid, "rate table has the wrong size");
  }
  return ConnectionTable(std::move(mapping), capacity);
}

std::atomic<std::uint32_t>& ConnectionTable::open(std::uint32_t index) const {
  auto* words =
      reinterpret_cast<ConnectionWord*>(static_cast<std::byte*>(mapping_.data()) + kRateTableWords);
  return words[index].open;
}

std::uint64_t ConnectionTable::service_connections() const {
  const std::uint32_t used = std::min(header().pages_used.load(), capacity_);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < used; ++i) sum += std::min(open(i).load(), kMaxOpenPerWorker);
  return sum;
}

bool ConnectionTable::try_add(std::uint32_t index, std::uint64_t limit) const {
  // Sequentially consistent: of two workers that add and then sum, one at least sees both.
  open(index).fetch_add(1);
  if (limit == 0 || service_connections() <= limit) return true;
  open(index).fetch_sub(1);
  return false;
}

void ConnectionTable::remove(std::uint32_t index) const { open(index).fetch_sub(1); }

}  // namespace servery
