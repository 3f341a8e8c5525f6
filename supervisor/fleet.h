// All generations that still have a process: the current one (committed, serving), older ones that
// drain, one that a reload is starting. Owned by the Supervisor; supervisor's loop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "supervisor/generation.h"

namespace servery {

class Fleet {
 public:
  Generation& add(std::unique_ptr<Generation> generation);
  // Its last worker is gone; the caller destroys it at the end of the turn.
  std::unique_ptr<Generation> remove(Generation& generation);

  // The one that serves; nullptr before the first start.
  Generation* current() const { return current_; }
  void set_current(Generation& generation) { current_ = &generation; }
  // Oldest first.
  const std::vector<std::unique_ptr<Generation>>& all() const { return generations_; }
  // The same as a copy: what is done with them may remove some.
  std::vector<Generation*> list() const;
  // Draining ones, oldest first.
  std::vector<Generation*> old() const;
  bool old_stopped_accepting() const;
  bool empty() const { return generations_.empty(); }

  WorkerProcess* find_worker(std::uint64_t worker_id) const;

 private:
  std::vector<std::unique_ptr<Generation>> generations_;
  Generation* current_ = nullptr;
};

}  // namespace servery
