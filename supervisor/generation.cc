#include "supervisor/generation.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/base/log.h"
#include "ipc/memfd.h"
#include "supervisor/heartbeats.h"

namespace servery {
namespace {

// No process could be made: whatever the restart policy says, not in a tight loop.
constexpr Milliseconds kSpawnRetry{100};

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

Generation::Generation(const GenerationParts& parts, std::uint64_t id, Plan plan, UniqueFd inputs,
                       bool first, GenerationEvents& events)
    : parts_(parts),
      id_(id),
      plan_(std::move(plan)),
      inputs_(std::move(inputs)),
      first_(first),
      events_(events),
      since_(parts.workers.clock.wall()),
      setup_{id_, plan_, inputs_.get(), -1, roots_},
      slots_(plan_.workers),
      restarts_(parts.workers, parts.histories, parts.random, plan_.workers,
                [this](std::uint32_t slot) { start_slot(slot); }),
      recycler_(parts.workers, plan_.runtime, slots_, restarts_,
                [this](std::uint32_t slot) { start_slot(slot); }),
      adoption_(parts.workers, *this, plan_.workers, restart_settings(plan_), parts.random) {}

Generation::~Generation() = default;

Result<std::unique_ptr<Generation>> Generation::create(const GenerationParts& parts,
                                                       std::uint64_t id, Plan plan, UniqueFd inputs,
                                                       bool first, GenerationEvents& events) {
  // The hashes leave this process's memory with it.
  UniqueFd files =
      SERVERY_TRY(ipc::seal_text("servery-files", std::exchange(plan.named_files, {})));
  std::unique_ptr<Generation> generation(
      new Generation(parts, id, std::move(plan), std::move(inputs), first, events));
  generation->files_ = std::move(files);
  generation->setup_.files = generation->files_.get();
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
    auto worker = start_worker(i);
    if (!worker) {
      on_slot_worker_gone(i, worker.error().text);
    } else {
      slots_[i].worker = *worker;
    }
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
  if (leave_unserved()) settle();
}

void Generation::fail_start(const std::string& reason) {
  if (!leave_unserved()) return;
  events_.on_failed(*this, reason);
  settle();
}

// False: it serves, or has failed already.
bool Generation::leave_unserved() {
  if (state_ != State::kStarting && state_ != State::kPrepared) return false;
  enter(State::kFailed);
  restarts_.stop_all();
  for (const auto& worker : workers_) worker->quit(plan_.runtime.force_timeout);
  return true;
}

void Generation::drain(SteadyTime deadline, bool hand_over) {
  if (state_ == State::kFailed || state_ == State::kGone) return;
  if (state_ != State::kDraining) enter(State::kDraining);
  deadline_ = deadline_ ? std::min(*deadline_, deadline) : deadline;
  restarts_.stop_all();
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

Result<WorkerProcess*> Generation::start_worker(std::uint32_t slot) {
  auto worker = WorkerProcess::start(parts_.workers, setup_, slot, *this);
  if (!worker) {
    log::write(boot_level(log::Level::kError), "worker_start_failed",
               {{"generation", id_}, {"error", worker.error().text}});
    return fail(worker.error().code, "start a worker: " + worker.error().text);
  }
  workers_.push_back(std::move(*worker));
  return workers_.back().get();
}

void Generation::start_slot(std::uint32_t slot) {
  if (state_ == State::kDraining || state_ == State::kFailed || state_ == State::kGone) return;
  Slot& place = slots_[slot];
  const auto worker = start_worker(slot);
  if (!worker && is_first_boot()) return retry_boot(slot, worker.error().text, kSpawnRetry);
  if (!worker) return restart(slot, kSpawnRetry);
  if (place.worker) {
    place.successor = *worker;
  } else {
    place.worker = *worker;
    ++parts_.histories[slot].restarts;
  }
}

void Generation::restart(std::uint32_t slot, Milliseconds at_least) {
  restarts_.schedule(slot, at_least, boot_level(log::Level::kInfo));
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
    if (state_ == State::kServing) recycler_.want(worker, recycle->reason);
  }
}

void Generation::on_worker_prepared(WorkerProcess& worker) {
  if (worker.state() != WorkerState::kStarting) return;
  worker.enter(WorkerState::kPrepared);
  if (state_ == State::kServing) return serve_worker(worker);
  if (state_ != State::kStarting || !slots_.all_prepared()) return;
  enter(State::kPrepared);
  events_.on_prepared(*this);
}

void Generation::on_worker_ready(WorkerProcess& worker) {
  if (worker.state() != WorkerState::kPrepared || state_ != State::kServing) return;
  worker.enter(WorkerState::kReady);
  const auto took = parts_.workers.clock.steady() - worker.started();
  log::info("worker_ready", {{"slot", worker.place()},
                             {"pid", worker.pid()},
                             {"generation", id_},
                             {"ms", std::chrono::duration_cast<Milliseconds>(took).count()}});
  if (worker.is_spare()) {
    adoption_.on_spare_ready();
  } else {
    parts_.histories[worker.slot()].policy.on_ready(parts_.workers.clock.steady());
    if (slots_[worker.slot()].successor == &worker) recycler_.promote(slots_[worker.slot()]);
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
      if (state_ == State::kServing) restart(dead->slot());
    } else if (slot.worker == dead.get()) {
      slot.worker = nullptr;
      adoption_.lend();  // before anything that takes time
      on_slot_worker_gone(dead->slot(), dead->describe_end(exit));
    }
  }
  if (state_ == State::kServing) adoption_.reconcile();  // before, there is nothing to accept for
  events_.on_workers_changed(*this);
  settle();
}

void Generation::record_end(const WorkerProcess& worker, ExitReason reason, const LastExit& exit) {
  const log::Level level =
      reason == ExitReason::kDrained ? log::Level::kInfo : log::Level::kWarning;
  log::write(boot_level(level), "worker_exit",
             {{"slot", worker.place()},
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
  const bool is_followed = recycler_.on_worker_gone(slot);
  if (state_ == State::kServing) recycler_.start_next();
  if (is_followed) return;
  if (state_ == State::kServing) return restart(slot);
  if (state_ != State::kStarting && state_ != State::kPrepared) return;
  if (!first_) return fail_start(why);
  retry_boot(slot, why, Milliseconds(0));
}

void Generation::retry_boot(std::uint32_t slot, const std::string& why, Milliseconds at_least) {
  log::debug("worker_boot_failed", {{"slot", slot}, {"error", why}});
  if (state_ == State::kPrepared) enter(State::kStarting);
  restart(slot, at_least);
  if (!parts_.histories[slot].policy.first_start_failed()) return;
  fail_start(fmt::format("{} (worker {}, {} attempts)", why, slot, plan_.runtime.restart.limit));
}

bool Generation::is_first_boot() const {
  return first_ &&
         (state_ == State::kStarting || state_ == State::kPrepared || state_ == State::kFailed);
}

// The verdict of a first start is its one error: what led to it is for whoever debugs.
log::Level Generation::boot_level(log::Level level) const {
  return is_first_boot() ? log::Level::kDebug : level;
}

// ---- heartbeats ----

void Generation::tick(SteadyTime now, Milliseconds own_gap) {
  const bool changed =
      watch_heartbeats(workers_, plan_.runtime, parts_.workers.memory, now, own_gap);
  if (state_ == State::kServing) adoption_.reconcile();
  if (changed) events_.on_workers_changed(*this);
}

// ---- for the adoption ----

bool Generation::is_about_to_accept(std::uint32_t slot) const {
  return slots_.is_about_to_accept(slot, parts_.workers.clock.steady());
}

WorkerProcess* Generation::find(std::uint64_t worker_id) const {
  for (const auto& worker : workers_) {
    if (worker->id() == worker_id) return worker.get();
  }
  return nullptr;
}

WorkerProcess* Generation::start_spare() { return start_worker(ipc::kSpareSlot).value_or(nullptr); }

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

std::size_t Generation::ready_workers() const {
  const bool spare = adoption_.spare() && adoption_.spare()->is_healthy();
  return slots_.healthy_count() + (spare ? 1 : 0);
}

bool Generation::all_stopped_accepting() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    return worker->has_stopped_accepting() || worker->is_suspect();
  });
}

}  // namespace servery
