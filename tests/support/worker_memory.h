// What a supervisor would share with one worker, without a supervisor: a metrics page and a
// connection table with one word. For tests and figures of a worker alone.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "common/base/unique_fd.h"
#include "ipc/shared_view.h"

namespace servery::test {

class WorkerMemory {
 public:
  static Result<WorkerMemory> create() {
    UniqueFd fd(::memfd_create("servery-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return fail_errno("memfd", errno);
    RateTable table;
    table.header.bytes = static_cast<std::uint32_t>(rate_table_bytes(1));
    table.page_capacity = 1;
    table.pages_used = 1;
    if (::ftruncate(fd.get(), static_cast<off_t>(rate_table_bytes(1))) != 0 ||
        ::pwrite(fd.get(), &table, sizeof table, 0) != sizeof table ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
      return fail_errno("memfd", errno);
    }
    WorkerMemory memory;
    memory.connections_ = SERVERY_TRY(ConnectionTable::map(fd.get()));
    return memory;
  }

  WorkerPage& page() { return *page_; }
  const ConnectionTable& connections() const { return connections_; }
  std::uint64_t metric(Metric metric) const { return (*page_)[metric].load(); }

 private:
  std::unique_ptr<WorkerPage> page_ = std::make_unique<WorkerPage>();
  ConnectionTable connections_;
};

}  // namespace servery::test
