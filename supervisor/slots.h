// The worker places of one generation: who is in each, who is to follow, and the sockets that
// belong to it. Answers questions about all of them together; changes come from the Generation,
// which owns it. Supervisor's loop.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "supervisor/worker_process.h"

namespace servery {

struct Slot {
  WorkerProcess* worker = nullptr;     // owned by the generation's list of processes
  WorkerProcess* successor = nullptr;  // of a worker that is recycled
  std::vector<SlotSocket> sockets;
};

class Slots {
 public:
  explicit Slots(std::uint32_t count) : slots_(count) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  Slot& operator[](std::uint32_t slot) { return slots_[slot]; }
  const Slot& operator[](std::uint32_t slot) const { return slots_[slot]; }

  // The slot's worker, if it accepts and beats.
  WorkerProcess* healthy(std::uint32_t slot) const;
  std::size_t healthy_count() const;
  bool all_healthy() const { return healthy_count() == slots_.size(); }
  bool all_prepared() const;
  // Some worker is on its way to become ready.
  bool is_any_booting() const;
  // The slot's worker was told to serve less than a turn of its loop ago.
  bool is_about_to_accept(std::uint32_t slot, SteadyTime now) const;
  // The configured address of one of the sockets; empty: not one of these.
  std::string_view configured_of(std::string_view socket) const;

 private:
  std::vector<Slot> slots_;
};

}  // namespace servery
