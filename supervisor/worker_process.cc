#include "supervisor/worker_process.h"

#include <signal.h>

#include <algorithm>

#include "common/base/log.h"
#include "ipc/memfd.h"
#include "supervisor/process_stat.h"

namespace servery {
namespace {

constexpr int kMessagesPerWake = 32;
constexpr std::size_t kSocketsPerMessage = 60;
// Beside connections: channel, logs, files being read, pool, event loop, sockets, roots.
constexpr std::uint64_t kBaseDescriptors = 512;
constexpr std::uint64_t kManyDescriptors = 1'048'576;  // connections: 0 (no limit)

std::uint64_t next_id() {
  static std::uint64_t last = 0;
  return ++last;
}

// A connection may hold its socket and the file it is answered from.
std::uint64_t descriptors_for(const Plan& plan) {
  if (plan.connections == 0) return kManyDescriptors;
  return std::min(kManyDescriptors, plan.connections * 2 + kBaseDescriptors);
}

ipc::Identity identity_of(const Plan& plan) {
  ipc::Identity identity;
  if (!plan.identity) return identity;
  identity.drop = true;
  identity.uid = plan.identity->uid;
  identity.gid = plan.identity->gid;
  const std::size_t count = std::min(plan.identity->groups.size(), ipc::kMaxGroups);
  identity.groups.assign(plan.identity->groups.begin(),
                         plan.identity->groups.begin() + static_cast<std::ptrdiff_t>(count));
  return identity;
}

Milliseconds until(SteadyTime when, SteadyTime now) {
  return std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(when - now));
}

}  // namespace

std::string_view worker_state_name(WorkerState state) {
  switch (state) {
    case WorkerState::kStarting:
      return "starting";
    case WorkerState::kPrepared:
      return "prepared";
    case WorkerState::kReady:
      return "ready";
    case WorkerState::kDraining:
      return "draining";
    case WorkerState::kFailed:
      return "failed";
  }
  return "failed";
}

WorkerProcess::WorkerProcess(const WorkerParts& parts, const WorkerSetup& setup, std::uint32_t slot,
                             WorkerOwner& owner)
    : parts_(parts),
      setup_(setup),
      id_(next_id()),
      slot_(slot),
      owner_(owner),
      deadline_timer_(parts.loop, [this] { on_deadline(); }),
      started_(parts.clock.steady()),
      hang_watch_(started_) {}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerParts& parts,
                                                            const WorkerSetup& setup,
                                                            std::uint32_t slot,
                                                            WorkerOwner& owner) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(parts, setup, slot, owner));
  SERVERY_TRY(worker->spawn());
  worker->configure();
  return worker;
}

Status WorkerProcess::spawn() {
  page_ = SERVERY_TRY(parts_.memory.acquire(is_spare() ? 0 : slot_));
  auto ends = SERVERY_TRY(ipc::Channel::create_pair());
  channel_.emplace(std::move(ends.first));
  watch_ = SERVERY_TRY(FdWatch::create(parts_.loop, channel_->fd(), *this));
  SERVERY_TRY(watch_.set_events(FdWatch::kReadable));
  const std::string place = is_spare() ? "spare" : std::to_string(slot_);
  pid_ = SERVERY_TRY(parts_.executable.spawn(
      {{kWorkerRole, "slot", place, "generation", std::to_string(setup_.generation)},
       {ends.second.get()}}));
  parts_.memory.add(Metric::kWorkerStarts);
  log::debug("worker_start", {{"slot", place}, {"pid", pid_}, {"generation", setup_.generation}});
  kill_by(started_ + setup_.plan.runtime.start_timeout);
  return {};
}

void WorkerProcess::configure() {
  ipc::WorkerHello hello;
  hello.slot = slot_;
  hello.generation = setup_.generation;
  hello.descriptors = descriptors_for(setup_.plan);
  hello.identity = identity_of(setup_.plan);
  send(std::move(hello));
  ipc::Roots roots;
  for (const auto& [path, fd] : setup_.roots) {
    auto copy = ipc::duplicate(fd.get());
    if (!copy) return on_channel_broken(copy.error());
    roots.roots.push_back({path, std::move(*copy)});
    if (roots.roots.size() == ipc::kMaxRootsPerMessage) send(std::exchange(roots, {}));
  }
  if (!roots.roots.empty()) send(std::move(roots));
  auto inputs = ipc::duplicate(setup_.inputs);
  auto files = ipc::duplicate(setup_.files);
  auto page = ipc::duplicate(page_.fd());
  auto table = ipc::duplicate(parts_.memory.rate_table_fd());
  if (!inputs || !files || !page || !table)
    return on_channel_broken({Errc::kExhausted, "no descriptor left"});
  send(ipc::Configure{static_cast<std::uint64_t>(setup_.plan.runtime.stop_timeout.count()),
                      page_.index(), std::move(*inputs), std::move(*files), std::move(*page),
                      std::move(*table)});
}

std::string WorkerProcess::place() const { return is_spare() ? "spare" : std::to_string(slot_); }

std::string WorkerProcess::describe_end(const LastExit& exit) const {
  if (!failure_.empty()) return failure_;
  const std::string how = exit.signal ? fmt::format("signal {}", *exit.signal)
                                      : fmt::format("code {}", exit.code.value_or(0));
  return fmt::format("worker {} ended before it was ready ({})", slot_, how);
}

void WorkerProcess::enter(WorkerState state) {
  if (state == state_) return;
  log::debug("worker_state",
             {{"slot", static_cast<std::int64_t>(is_spare() ? -1 : std::int64_t{slot_})},
              {"pid", pid_},
              {"from", worker_state_name(state_)},
              {"to", worker_state_name(state)}});
  state_ = state;
  switch (state) {
    case WorkerState::kPrepared:
      deadline_timer_.stop();  // it waits for the others now
      kill_at_ = SteadyTime::max();
      break;
    case WorkerState::kReady:
      facts_.was_ready = true;
      deadline_timer_.stop();
      kill_at_ = SteadyTime::max();
      hang_watch_ = HangWatch(parts_.clock.steady());
      break;
    case WorkerState::kDraining:
      facts_.told_to_leave = true;
      break;
    case WorkerState::kStarting:
    case WorkerState::kFailed:
      break;
  }
}

// ---- sending ----

void WorkerProcess::send(ipc::ToWorker message) {
  if (!channel_) return;
  auto packet = ipc::encode(std::move(message));
  if (!packet) return on_channel_broken(packet.error());
  if (const Status sent = channel_->send(std::move(*packet)); !sent) {
    return on_channel_broken(sent.error());
  }
  const int write = channel_->wants_write() ? FdWatch::kWritable : 0;
  if (!watch_.set_events(FdWatch::kReadable | write)) on_channel_broken({Errc::kIo, "epoll"});
}

void WorkerProcess::listen(const std::vector<SlotSocket>& sockets, std::uint32_t slot) {
  ipc::Listen message;
  for (const SlotSocket& socket : sockets) {
    auto copy = ipc::duplicate(socket.fd);
    if (!copy) {
      log::error("socket_copy_failed", {{"socket", socket.name}, {"error", copy.error().text}});
      continue;
    }
    message.sockets.push_back(
        {socket.name, socket.configured, slot, socket.shared, !socket.tcp, std::move(*copy)});
    if (message.sockets.size() == kSocketsPerMessage) send(std::exchange(message, {}));
  }
  if (!message.sockets.empty()) send(std::move(message));
}

void WorkerProcess::serve() {
  told_to_serve_ = parts_.clock.steady();
  kill_by(*told_to_serve_ + setup_.plan.runtime.start_timeout);
  send(ipc::Serve{});
}

void WorkerProcess::give_back(std::uint32_t slot) { send(ipc::GiveBack{slot}); }

void WorkerProcess::leave(const std::string& socket, std::uint32_t slot, Milliseconds limit) {
  send(ipc::Leave{socket, slot, static_cast<std::uint64_t>(limit.count())});
}

void WorkerProcess::stop_accepting() { send(ipc::StopAccepting{}); }

void WorkerProcess::drain(SteadyTime deadline, bool hand_over, Milliseconds force) {
  if (state_ == WorkerState::kStarting || state_ == WorkerState::kFailed) return quit(force);
  enter(WorkerState::kDraining);
  send(ipc::Drain{static_cast<std::uint64_t>(deadline.time_since_epoch().count()), hand_over});
  kill_by(std::min(kill_at_, deadline + force));
}

void WorkerProcess::quit(Milliseconds force) {
  facts_.told_to_leave = true;
  send(ipc::Quit{});
  kill_by(std::min(kill_at_, parts_.clock.steady() + force));
}

void WorkerProcess::take_over(std::vector<ipc::Connection> connections) {
  send(ipc::TakeOver{std::move(connections)});
}

void WorkerProcess::hand_over_done(std::vector<std::uint64_t> offered,
                                   std::vector<std::uint64_t> taken) {
  send(ipc::HandOverDone{std::move(offered), std::move(taken)});
}

// ---- receiving ----

void WorkerProcess::on_ready(int events) {
  if (events & FdWatch::kWritable) {
    if (const Status flushed = channel_->flush(); !flushed) {
      return on_channel_broken(flushed.error());
    }
    if (!channel_->wants_write()) static_cast<void>(watch_.set_events(FdWatch::kReadable));
  }
  for (int i = 0; i < kMessagesPerWake && receive_one(); ++i) {
  }
}

bool WorkerProcess::receive_one() {
  if (!channel_) return false;
  auto packet = channel_->receive();
  if (!packet) {
    on_channel_broken(packet.error());
    return false;
  }
  if (!*packet) return false;
  auto message = ipc::decode_to_supervisor(std::move(**packet));
  if (!message) {
    on_channel_broken(message.error());
    return false;
  }
  owner_.on_worker_message(*this, std::move(*message));
  return true;
}

void WorkerProcess::drain_channel() {
  while (receive_one()) {
  }
}

// Its end of file comes with its death, which SIGCHLD reports; anything else is a broken worker.
void WorkerProcess::on_channel_broken(const Error& error) {
  watch_.reset();
  channel_.reset();
  if (error.code == Errc::kClosed) return;
  parts_.memory.add(Metric::kIpcErrors);
  log::error("ipc_broken", {{"pid", pid_}, {"slot", slot_}, {"error", error.text}});
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

// ---- deadlines ----

void WorkerProcess::kill_by(SteadyTime when) {
  kill_at_ = when;
  deadline_timer_.start_once(until(when, parts_.clock.steady()));
}

void WorkerProcess::on_deadline() {
  log::warning("worker_kill",
               {{"pid", pid_}, {"slot", slot_}, {"state", worker_state_name(state_)}});
  if (failure_.empty() && !facts_.was_ready) failure_ = "the worker did not start in time";
  ::kill(pid_, SIGKILL);
}

HangWatch::Verdict WorkerProcess::observe(SteadyTime now, const HangWatch::Limits& limits,
                                          Milliseconds own_gap) {
  if (state_ != WorkerState::kReady && state_ != WorkerState::kDraining) {
    return HangWatch::Verdict::kNone;
  }
  return hang_watch_.observe(now, page_.heartbeat(), limits, own_gap);
}

void WorkerProcess::condemn(Milliseconds force) {
  facts_.hung = true;
  const auto stat = read_process_stat(pid_);
  const bool stopped = stat && stat->state == 'T';
  log::error("worker_hung", {{"pid", pid_}, {"slot", slot_}, {"stopped", stopped}});
  ::kill(pid_, stopped ? SIGKILL : SIGABRT);
  kill_by(std::min(kill_at_, parts_.clock.steady() + force));
}

ExitReason WorkerProcess::classify(int wait_status, bool oom_kill_counted) const {
  ExitFacts facts = facts_;
  facts.wait_status = wait_status;
  facts.oom_kill_counted = oom_kill_counted;
  return classify_exit(facts);
}

}  // namespace servery
