#include "supervisor/generation.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "common/base/log.h"

namespace servery {
namespace {

// Between Serve and Ready lies a turn of the worker's loop, unless it hangs.
constexpr Milliseconds kServePatience{500};

std::string describe_end(const WorkerProcess& worker, const LastExit& exit) {
  if (!worker.failure().empty()) return worker.failure();
  const std::string how = exit.signal ? fmt::format("signal {}", *exit.signal)
                                      : fmt::format("code {}", exit.code.value_or(0));
  return fmt::format("worker {} ended before it was ready ({})", worker.slot(), how);
}

std::string place_name(const WorkerProcess& worker) {
  return worker.is_spare() ? "spare" : std::to_string(worker.slot());
}

}  // namespace

std::string_view generation_state_name(Generation::State state) {
  switch (state) {
    case Generation::State::kStarting:
      return "starting";
    case Generation::State::kPrepared:
      return "prepared";
    case Generation::State::kServing:
      return "ready";
    case Generation::State::kDraining:
      return "draining";
    case Generation::State::kFailed:
      return "failed";
    case Generation::State::kGone:
      return "gone";
  }
  return "failed";
}

RestartPolicy::Settings restart_settings(const Plan& plan) {
  const RestartSettings& restart = plan.runtime.restart;
  return {restart.backoff_initial, restart.backoff_max, restart.limit, restart.window};
}

Generation::Generation(const GenerationParts& parts, std::uint64_t id, Plan plan, UniqueFd inputs,
                       bool first, GenerationEvents& events)
    : parts_(parts),
      id_(id),
      plan_(std::move(plan)),
      inputs_(std::move(inputs)),
      first_(first),
      events_(events),
      since_(parts.workers.clock.wall()),
      setup_{id_, plan_, inputs_.get(), roots_},
      slots_(plan_.workers),
      adoption_(parts.workers, *this, plan_.workers, restart_settings(plan_), parts.random) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    slots_[i].restart = std::make_unique<Timer>(parts.workers.loop, [this, i] { start_slot(i); });
  }
}

Generation::~Generation() = default;

Result<std::unique_ptr<Generation>> Generation::create(const GenerationParts& parts,
                                                       std::uint64_t id, Plan plan, UniqueFd inputs,
                                                       bool first, GenerationEvents& events) {
  std::unique_ptr<Generation> generation(
      new Generation(parts, id, std::move(plan), std::move(inputs), first, events));
  SERVERY_TRY(generation->open_roots());
  return generation;
}

// Opened with the supervisor's rights: only the tree itself must be readable for the workers.
Status Generation::open_roots() {
  for (const std::string& path : plan_.roots) {
    UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return fail_errno("open root " + path, errno);
    roots_.emplace_back(path, std::move(fd));
  }
  return {};
}

void Generation::enter(State state) {
  log::debug("generation_state", {{"generation", id_},
                                  {"from", generation_state_name(state_)},
                                  {"to", generation_state_name(state)}});
  state_ = state;
  since_ = parts_.workers.clock.wall();
}

// ---- start and end ----

void Generation::start() {
  for (std::uint32_t i = 0; i < slots_.size() && state_ == State::kStarting; ++i) {
    slots_[i].worker = start_worker(i);
    if (!slots_[i].worker) on_slot_worker_gone(i, "a worker could not be started");
  }
}

void Generation::serve() {
  enter(State::kServing);
  for (const SlotSocket& socket : parts_.listeners.sockets_of(0)) {
    if (socket.shared) shared_sockets_.push_back(socket);
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    slots_[i].sockets = parts_.listeners.sockets_of(i);
    if (slots_[i].worker) serve_worker(*slots_[i].worker);
  }
}

void Generation::serve_worker(WorkerProcess& worker) {
  worker.listen(worker.is_spare() ? shared_sockets_ : slots_[worker.slot()].sockets, worker.slot());
  worker.serve();
}

void Generation::abort() {
  if (state_ != State::kStarting && state_ != State::kPrepared) return;
  enter(State::kFailed);
  for (Slot& slot : slots_) slot.restart->stop();
  for (const auto& worker : workers_) worker->quit(plan_.runtime.force_timeout);
  settle();
}

void Generation::fail_start(const std::string& reason) {
  if (state_ != State::kStarting && state_ != State::kPrepared) return;
  enter(State::kFailed);
  for (Slot& slot : slots_) slot.restart->stop();
  for (const auto& worker : workers_) worker->quit(plan_.runtime.force_timeout);
  events_.on_failed(*this, reason);
  settle();
}

void Generation::drain(SteadyTime deadline, bool hand_over) {
  if (state_ == State::kFailed || state_ == State::kGone) return;
  if (state_ != State::kDraining) enter(State::kDraining);
  deadline_ = deadline_ ? std::min(*deadline_, deadline) : deadline;
  for (Slot& slot : slots_) slot.restart->stop();
  adoption_.stop();
  for (const auto& worker : workers_) {
    const WorkerState state = worker->state();
    if (state == WorkerState::kPrepared || state == WorkerState::kReady) worker->stop_accepting();
    worker->drain(*deadline_, hand_over, plan_.runtime.force_timeout);
  }
  settle();
}

void Generation::settle() {
  if ((state_ != State::kDraining && state_ != State::kFailed) || !workers_.empty()) return;
  enter(State::kGone);
  events_.on_gone(*this);
}

// ---- workers: start ----

WorkerProcess* Generation::start_worker(std::uint32_t slot) {
  auto worker = WorkerProcess::start(parts_.workers, setup_, slot, *this);
  if (!worker) {
    log::error("worker_start_failed", {{"generation", id_}, {"error", worker.error().text}});
    return nullptr;
  }
  workers_.push_back(std::move(*worker));
  return workers_.back().get();
}

void Generation::start_slot(std::uint32_t slot) {
  if (state_ == State::kDraining || state_ == State::kFailed || state_ == State::kGone) return;
  Slot& place = slots_[slot];
  WorkerProcess* worker = start_worker(slot);
  if (!worker) return schedule_restart(slot);
  if (place.worker) {
    place.successor = worker;
  } else {
    place.worker = worker;
    ++parts_.histories[slot].restarts;
  }
}

void Generation::schedule_restart(std::uint32_t slot) {
  const SteadyTime now = parts_.workers.clock.steady();
  RestartPolicy& policy = parts_.histories[slot].policy;
  const bool was_looping = policy.in_crash_loop(now);
  const Milliseconds delay = policy.on_end(now, parts_.random());
  if (!was_looping && policy.in_crash_loop(now)) {
    parts_.workers.memory.add(Metric::kCrashLoops);
    log::error("crash_loop", {{"slot", slot}, {"retry_ms", delay.count()}});
  }
  log::info("worker_restart", {{"slot", slot}, {"delay_ms", delay.count()}});
  if (delay.count() == 0) return start_slot(slot);
  slots_[slot].restart->start_once(delay);
}

// ---- workers: messages ----

void Generation::on_worker_message(WorkerProcess& worker, ipc::ToSupervisor message) {
  if (auto* hello = std::get_if<ipc::SupervisorHello>(&message)) {
    if (ipc::common_protocol(hello->protocol_min, hello->protocol_max) == 0) {
      worker.set_failure("the worker speaks no common ipc protocol");
    }
  } else if (std::holds_alternative<ipc::Prepared>(message)) {
    on_worker_prepared(worker);
  } else if (auto* failed = std::get_if<ipc::Failed>(&message)) {
    worker.set_failure(failed->text);
    worker.enter(WorkerState::kFailed);
  } else if (std::holds_alternative<ipc::Ready>(message)) {
    on_worker_ready(worker);
  } else if (std::holds_alternative<ipc::StoppedAccepting>(message)) {
    worker.set_stopped_accepting();
    events_.on_workers_changed(*this);
  } else if (auto* empty = std::get_if<ipc::SocketEmpty>(&message)) {
    events_.on_socket_empty(worker, *empty);
  } else if (auto* hand_over = std::get_if<ipc::HandOver>(&message)) {
    events_.on_hand_over(worker, std::move(*hand_over));
  } else if (auto* taken = std::get_if<ipc::TakenOver>(&message)) {
    events_.on_taken_over(worker, *taken);
  } else if (auto* open_work = std::get_if<ipc::OpenWorkReport>(&message)) {
    worker.set_open_work(*open_work);
  } else if (auto* recycle = std::get_if<ipc::RecycleWanted>(&message)) {
    want_recycle(worker, recycle->reason);
  }
}

void Generation::on_worker_prepared(WorkerProcess& worker) {
  if (worker.state() != WorkerState::kStarting) return;
  worker.enter(WorkerState::kPrepared);
  if (state_ == State::kServing) return serve_worker(worker);
  if (state_ != State::kStarting) return;
  const bool all = std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.worker && slot.worker->state() == WorkerState::kPrepared;
  });
  if (!all) return;
  enter(State::kPrepared);
  events_.on_prepared(*this);
}

void Generation::on_worker_ready(WorkerProcess& worker) {
  if (worker.state() != WorkerState::kPrepared || state_ != State::kServing) return;
  worker.enter(WorkerState::kReady);
  const auto took = parts_.workers.clock.steady() - worker.started();
  log::info("worker_ready", {{"slot", place_name(worker)},
                             {"pid", worker.pid()},
                             {"generation", id_},
                             {"ms", std::chrono::duration_cast<Milliseconds>(took).count()}});
  if (worker.is_spare()) {
    adoption_.on_spare_ready();
  } else {
    parts_.histories[worker.slot()].policy.on_ready(parts_.workers.clock.steady());
    if (slots_[worker.slot()].successor == &worker) promote(slots_[worker.slot()]);
  }
  adoption_.reconcile();
  events_.on_workers_changed(*this);
}

// ---- workers: end ----

bool Generation::on_child_exit(pid_t pid, int wait_status, bool oom_kill_counted) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [pid](const auto& worker) { return worker->pid() == pid; });
  if (found == workers_.end()) return false;
  WorkerProcess& worker = **found;
  worker.drain_channel();  // may add workers: `found` is not valid any more
  on_worker_end(worker, worker.classify(wait_status, oom_kill_counted), wait_status);
  return true;
}

void Generation::on_worker_end(WorkerProcess& worker, ExitReason reason, int wait_status) {
  const auto entry = std::find_if(workers_.begin(), workers_.end(),
                                  [&worker](const auto& w) { return w.get() == &worker; });
  const std::unique_ptr<WorkerProcess> dead = std::move(*entry);
  workers_.erase(entry);
  const LastExit exit = make_last_exit(reason, wait_status, parts_.workers.clock.wall());
  record_end(*dead, reason, exit);
  events_.on_worker_gone(*dead);
  if (!adoption_.on_gone(*dead) && !dead->is_spare()) {
    Slot& slot = slots_[dead->slot()];
    if (slot.successor == dead.get()) {
      slot.successor = nullptr;
      if (state_ == State::kServing) schedule_restart(dead->slot());
    } else if (slot.worker == dead.get()) {
      slot.worker = nullptr;
      adoption_.lend();  // before anything that takes time
      on_slot_worker_gone(dead->slot(), describe_end(*dead, exit));
    }
  }
  adoption_.reconcile();
  events_.on_workers_changed(*this);
  settle();
}

void Generation::record_end(const WorkerProcess& worker, ExitReason reason, const LastExit& exit) {
  const log::Level level =
      reason == ExitReason::kDrained ? log::Level::kInfo : log::Level::kWarning;
  log::write(level, "worker_exit",
             {{"slot", place_name(worker)},
              {"pid", worker.pid()},
              {"generation", id_},
              {"reason", exit_reason_name(reason)},
              {"signal", exit.signal.value_or(0)},
              {"code", exit.code.value_or(0)}});
  parts_.workers.memory.add(exit_reason_metric(reason));
  if (state_ == State::kDraining && reason != ExitReason::kDrained) forced_ = true;
  const bool counts = state_ == State::kServing || state_ == State::kDraining || first_;
  if (counts && !worker.is_spare()) parts_.histories[worker.slot()].last_exit = exit;
}

void Generation::on_slot_worker_gone(std::uint32_t slot, const std::string& why) {
  Slot& place = slots_[slot];
  if (place.successor) {  // it was being recycled: its replacement is on the way already
    place.worker = std::exchange(place.successor, nullptr);
    std::erase(recycling_, slot);
    return recycle_next();
  }
  std::erase(recycling_, slot);
  if (state_ == State::kServing) {
    place.restart->stop();
    return schedule_restart(slot);
  }
  if (state_ != State::kStarting && state_ != State::kPrepared) return;
  if (!first_) return fail_start(why);
  log::error("worker_boot_failed", {{"slot", slot}, {"error", why}});
  if (state_ == State::kPrepared) enter(State::kStarting);
  schedule_restart(slot);
  if (parts_.histories[slot].policy.first_start_failed()) fail_start(why);
}

// ---- recycling ----

void Generation::want_recycle(WorkerProcess& worker, const std::string& reason) {
  if (state_ != State::kServing || worker.is_spare()) return;
  if (slots_[worker.slot()].worker != &worker) return;
  if (std::find(recycling_.begin(), recycling_.end(), worker.slot()) != recycling_.end()) return;
  log::info("worker_recycle", {{"slot", worker.slot()}, {"pid", worker.pid()}, {"reason", reason}});
  recycling_.push_back(worker.slot());
  if (recycling_.size() == 1) recycle_next();
}

// Starts the replacement of the slot in front, unless it is under way.
void Generation::recycle_next() {
  if (recycling_.empty() || state_ != State::kServing) return;
  const std::uint32_t slot = recycling_.front();
  if (slots_[slot].successor || slots_[slot].restart->is_active()) return;
  start_slot(slot);
}

// The successor is ready: the old worker may go.
void Generation::promote(Slot& slot) {
  WorkerProcess& old = *slot.worker;
  slot.worker = std::exchange(slot.successor, nullptr);
  const SteadyTime deadline = parts_.workers.clock.steady() + plan_.runtime.drain_timeout;
  old.stop_accepting();
  old.drain(deadline, true, plan_.runtime.force_timeout);
  std::erase(recycling_, slot.worker->slot());
  recycle_next();
}

// ---- heartbeats ----

void Generation::tick(SteadyTime now, Milliseconds own_gap) {
  const HeartbeatSettings& heartbeat = plan_.runtime.heartbeat;
  const HangWatch::Limits limits{heartbeat.suspect, heartbeat.warn, heartbeat.abort};
  bool changed = false;
  for (const auto& worker : workers_) {
    const HangWatch::Verdict verdict = worker->observe(now, limits, own_gap);
    if (verdict == HangWatch::Verdict::kNone) continue;
    changed = true;
    const auto report = [&worker](log::Level level, std::string_view event) {
      log::write(level, event, {{"pid", worker->pid()}, {"slot", worker->slot()}});
    };
    if (verdict == HangWatch::Verdict::kSuspect) {
      parts_.workers.memory.add(Metric::kSuspects);
      report(log::Level::kInfo, "worker_suspect");
    } else if (verdict == HangWatch::Verdict::kWarn) {
      report(log::Level::kWarning, "worker_silent");
    } else if (verdict == HangWatch::Verdict::kRecovered) {
      report(log::Level::kInfo, "worker_recovered");
    } else {
      worker->condemn(plan_.runtime.force_timeout);
    }
  }
  if (state_ == State::kServing) adoption_.reconcile();
  if (changed) events_.on_workers_changed(*this);
}

// ---- for the adoption ----

WorkerProcess* Generation::healthy_owner(std::uint32_t slot) const {
  WorkerProcess* worker = slots_[slot].worker;
  return worker && worker->is_healthy() ? worker : nullptr;
}

bool Generation::is_about_to_accept(std::uint32_t slot) const {
  const WorkerProcess* worker = slots_[slot].worker;
  return worker && worker->state() == WorkerState::kPrepared && worker->told_to_serve() &&
         parts_.workers.clock.steady() - *worker->told_to_serve() < kServePatience;
}

bool Generation::is_booting() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    const WorkerProcess* worker = slot.worker;
    return worker &&
           (worker->state() == WorkerState::kStarting || worker->state() == WorkerState::kPrepared);
  });
}

WorkerProcess* Generation::find(std::uint64_t worker_id) const {
  for (const auto& worker : workers_) {
    if (worker->id() == worker_id) return worker.get();
  }
  return nullptr;
}

WorkerProcess* Generation::start_spare() { return start_worker(ipc::kSpareSlot); }

void Generation::dismiss_spare(WorkerProcess& spare) {
  if (spare.state() == WorkerState::kReady) spare.stop_accepting();
  spare.drain(parts_.workers.clock.steady() + plan_.runtime.drain_timeout, true,
              plan_.runtime.force_timeout);
}

// ---- queries ----

WorkerProcess* Generation::worker_of(std::uint32_t slot) const {
  return slot < slots_.size() ? slots_[slot].worker : nullptr;
}

WorkerProcess* Generation::acceptor_of(std::uint32_t slot) const {
  if (slot >= slots_.size()) return nullptr;
  if (WorkerProcess* owner = healthy_owner(slot)) return owner;
  WorkerProcess* borrower = adoption_.borrower_of(slot);
  return borrower && borrower->is_healthy() ? borrower : nullptr;
}

WorkerProcess* Generation::any_healthy() const {
  for (const auto& worker : workers_) {
    if (worker->is_healthy()) return worker.get();
  }
  return nullptr;
}

std::optional<std::uint32_t> Generation::borrower_slot(std::uint32_t slot) const {
  const WorkerProcess* borrower = adoption_.borrower_of(slot);
  if (!borrower) return std::nullopt;
  return borrower->slot();
}

const std::vector<SlotSocket>& Generation::sockets_of(std::uint32_t slot) const {
  static const std::vector<SlotSocket> none;
  return slot < slots_.size() ? slots_[slot].sockets : none;
}

std::string_view Generation::configured_of(std::string_view socket) const {
  for (const Slot& slot : slots_) {
    for (const SlotSocket& own : slot.sockets) {
      if (own.name == socket) return own.configured;
    }
  }
  return {};
}

std::size_t Generation::ready_workers() const {
  std::size_t count = adoption_.spare() && adoption_.spare()->is_healthy() ? 1 : 0;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) count += healthy_owner(slot) ? 1 : 0;
  return count;
}

bool Generation::all_slots_ready() const {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (!healthy_owner(slot)) return false;
  }
  return true;
}

bool Generation::all_stopped_accepting() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    return worker->has_stopped_accepting() || worker->is_suspect();
  });
}

bool Generation::in_crash_loop(SteadyTime now) const {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (parts_.histories[i].policy.in_crash_loop(now)) return true;
  }
  return false;
}

}  // namespace servery
