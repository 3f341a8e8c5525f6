#include "supervisor/fleet.h"

#include <algorithm>

namespace servery {

Generation& Fleet::add(std::unique_ptr<Generation> generation) {
  generations_.push_back(std::move(generation));
  return *generations_.back();
}

std::unique_ptr<Generation> Fleet::remove(Generation& generation) {
  const auto entry = std::find_if(generations_.begin(), generations_.end(),
                                  [&generation](const auto& g) { return g.get() == &generation; });
  std::unique_ptr<Generation> removed = std::move(*entry);
  generations_.erase(entry);
  if (current_ == removed.get()) current_ = nullptr;
  return removed;
}

std::vector<Generation*> Fleet::old() const {
  std::vector<Generation*> result;
  for (const auto& generation : generations_) {
    if (generation->state() == Generation::State::kDraining) result.push_back(generation.get());
  }
  return result;
}

std::vector<Generation*> Fleet::list() const {
  std::vector<Generation*> result;
  for (const auto& generation : generations_) result.push_back(generation.get());
  return result;
}

bool Fleet::old_stopped_accepting() const {
  const std::vector<Generation*> draining = old();
  return std::all_of(draining.begin(), draining.end(),
                     [](const Generation* g) { return g->all_stopped_accepting(); });
}

WorkerProcess* Fleet::find_worker(std::uint64_t worker_id) const {
  for (const auto& generation : generations_) {
    for (const auto& worker : generation->workers()) {
      if (worker->id() == worker_id) return worker.get();
    }
  }
  return nullptr;
}

}  // namespace servery
