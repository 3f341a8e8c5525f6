#include "worker/supervisor_link.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "common/base/exit_code.h"
#include "common/base/listen_socket.h"
#include "common/base/log.h"
#include "config/load.h"
#include "config/named_files.h"
#include "ipc/memfd.h"
#include "worker/crash_report.h"

namespace servery {
namespace {

constexpr Milliseconds kHeartbeat{250};
constexpr Milliseconds kOrphanLeaveLimit{500};  // rule 6 (c) without a supervisor: free in 1 s
constexpr int kMessagesPerWake = 32;
constexpr int kLastWordsMs = 1'000;

std::string_view bounded(std::string_view text) { return text.substr(0, ipc::kMaxText); }

}  // namespace

SupervisorLink::SupervisorLink(Loop& loop, ipc::Channel channel, std::uint32_t slot,
                               std::uint64_t generation)
    : loop_(loop),
      channel_(std::move(channel)),
      slot_(slot),
      generation_(generation),
      heartbeat_(loop, [this] { beat(); }) {}

SupervisorLink::~SupervisorLink() { set_crash_report_page(nullptr); }

Status SupervisorLink::start() {
  watch_ = SERVERY_TRY(FdWatch::create(loop_, channel_.fd(), *this));
  SERVERY_TRY(watch_.set_events(FdWatch::kReadable));
  send(ipc::SupervisorHello{});
  return {};
}

int SupervisorLink::finish() {
  worker_.reset();
  watch_.reset();
  pollfd writable{channel_.fd(), POLLOUT, 0};
  while (!supervisor_gone_ && channel_.wants_write()) {
    if (::poll(&writable, 1, kLastWordsMs) <= 0 || !channel_.flush()) break;
  }
  return exit_code_;
}

void SupervisorLink::enter(State state) {
  static constexpr const char* kNames[] = {"starting", "prepared", "serving", "draining", "left"};
  log::debug("worker_state", {{"from", kNames[static_cast<int>(state_)]},
                              {"to", kNames[static_cast<int>(state)]},
                              {"generation", generation_}});
  state_ = state;
}

void SupervisorLink::leave_process(int exit_code) {
  if (state_ == State::kLeft) return;
  enter(State::kLeft);
  exit_code_ = exit_code;
  loop_.stop();
}

// ---- receiving ----

void SupervisorLink::on_ready(int events) {
  if (events & FdWatch::kWritable) {
    if (!channel_.flush()) return on_supervisor_gone();
    update_watch();
  }
  for (int i = 0; i < kMessagesPerWake && state_ != State::kLeft; ++i) {
    auto packet = channel_.receive();
    if (!packet) {
      if (packet.error().code == Errc::kClosed) return on_supervisor_gone();
      return on_protocol_error(packet.error());
    }
    if (!*packet) return;
    auto message = ipc::decode_to_worker(std::move(**packet));
    if (!message) return on_protocol_error(message.error());
    std::visit([this](auto&& m) { on(std::move(m)); }, std::move(*message));
  }
}

void SupervisorLink::on(ipc::WorkerHello) { on_protocol_error({Errc::kInvalid, "a second hello"}); }

void SupervisorLink::on(ipc::Roots message) {
  for (ipc::Root& root : message.roots) roots_[std::move(root.path)] = std::move(root.fd);
}

void SupervisorLink::on(ipc::Configure message) {
  if (state_ != State::kStarting) return on_protocol_error({Errc::kInvalid, "a second configure"});
  if (const Status built = build(message); !built) {
    send(ipc::Failed{std::string(bounded(built.error().text))});
    return leave_process(kExitFailed);
  }
  enter(State::kPrepared);
  heartbeat_.start_repeating(kHeartbeat);
  send(ipc::Prepared{});
}

Status SupervisorLink::build(ipc::Configure& message) {
  stop_timeout_ = Milliseconds(message.stop_timeout_ms);
  page_ = SERVERY_TRY(WorkerPageView::map(message.page.get()));
  connections_ = SERVERY_TRY(ConnectionTable::map(message.rate_table.get()));
  if (message.page_index >= connections_.capacity()) return fail(Errc::kInvalid, "page index");
  set_crash_report_page(&page_.page());
  const std::string text =
      SERVERY_TRY(ipc::read_sealed_text(message.inputs.get(), kMaxInputsBytes));
  const Inputs inputs = SERVERY_TRY(Inputs::decode(text));
  const std::string files =
      SERVERY_TRY(ipc::read_sealed_text(message.files.get(), kMaxNamedFilesBytes));
  Loaded loaded = load(inputs);
  if (!loaded.ok()) return fail(Errc::kInvalid, format_problem(loaded.problems.front()));
  if (const auto level = log::parse_level(loaded.settings.logging.level)) log::set_level(*level);
  WorkerInputs worker_inputs;
  worker_inputs.settings = std::move(loaded.settings);
  worker_inputs.slot = slot_;
  worker_inputs.generation = generation_;
  worker_inputs.files = SERVERY_TRY(decode_named_files(files));
  worker_inputs.roots = std::move(roots_);
  worker_inputs.page = &page_.page();
  worker_inputs.connections = &connections_;
  worker_inputs.page_index = message.page_index;
  worker_ = SERVERY_TRY(Worker::build(loop_, std::move(worker_inputs), *this));
  return {};
}

void SupervisorLink::on(ipc::Listen message) {
  if (state_ == State::kServing) {
    worker_->serve(to_listen_sockets(std::move(message.sockets)));
    return;
  }
  if (state_ != State::kPrepared && state_ != State::kStarting) return;
  for (ipc::Socket& socket : message.sockets) held_.push_back(std::move(socket));
}

void SupervisorLink::on(ipc::Serve) {
  if (state_ != State::kPrepared) return on_protocol_error({Errc::kInvalid, "serve unprepared"});
  enter(State::kServing);
  worker_->serve(to_listen_sockets(std::exchange(held_, {})));
  send(ipc::Ready{});
}

void SupervisorLink::on(ipc::GiveBack message) {
  if (!worker_) return;
  std::erase_if(polled_, [&](const auto& entry) { return entry.second.slot == message.slot; });
  worker_->give_back(message.slot);
}

void SupervisorLink::on(ipc::Leave message) {
  if (!worker_) return;
  polled_.erase(message.listener);
  worker_->leave(message.listener, message.slot, Milliseconds(message.limit_ms));
}

void SupervisorLink::on(ipc::StopAccepting) {
  if (!worker_) return;
  polled_.clear();
  worker_->stop_accepting();
  send(ipc::StoppedAccepting{});
}

void SupervisorLink::on(ipc::Drain message) {
  if (state_ != State::kServing && state_ != State::kDraining) return leave_process(0);
  if (state_ == State::kServing) enter(State::kDraining);
  deadline_ = SteadyTime(std::chrono::nanoseconds(message.deadline_ns));
  worker_->drain(deadline_, message.hand_over);
}

void SupervisorLink::on(ipc::HandOverDone message) {
  if (!worker_) return;
  for (std::uint64_t id : message.offered) std::erase(offered_, id);
  worker_->hand_over_done(message.offered, message.taken);
}

void SupervisorLink::on(ipc::TakeOver message) {
  // A worker that is leaving takes nothing; the giver then keeps serving them.
  ipc::TakenOver taken;
  std::vector<HandedConnection> batch;
  if (state_ == State::kServing) {
    for (ipc::Connection& c : message.connections) {
      if (!c.fd) continue;  // none left for it here: see ipc::Packet
      taken.ids.push_back(c.id);
      batch.push_back({c.id, std::move(c.fd), std::move(c.listener), std::move(c.peer), c.peer_port,
                       c.requests});
    }
    worker_->take_over(std::move(batch));
  }
  send(std::move(taken));
}

void SupervisorLink::on(ipc::Quit) { leave_process(0); }

std::vector<ListenSocket> SupervisorLink::to_listen_sockets(std::vector<ipc::Socket> sockets) {
  std::vector<ListenSocket> result;
  for (ipc::Socket& s : sockets) {
    auto copy = ipc::duplicate(s.fd.get());
    if (copy) {
      polled_.insert_or_assign(s.listener, Polled{s.slot, s.is_unix, std::move(*copy)});
    } else {
      log::warning("socket_copy_failed", {{"listener", s.listener}, {"error", copy.error().text}});
    }
    result.push_back({std::move(s.listener), s.slot, std::move(s.fd), s.shared, s.is_unix,
                      std::move(s.configured)});
  }
  return result;
}

// ---- sending ----

void SupervisorLink::send(ipc::ToSupervisor message) {
  if (supervisor_gone_) return;
  auto packet = ipc::encode(std::move(message));
  const Status sent =
      packet ? channel_.send(std::move(*packet)) : Status(fail(packet.error().code));
  if (!sent) log::warning("ipc_send_failed", {{"error", errc_name(sent.error().code)}});
  update_watch();
}

void SupervisorLink::update_watch() {
  if (!watch_) return;
  const int write = channel_.wants_write() ? FdWatch::kWritable : 0;
  if (!watch_.set_events(FdWatch::kReadable | write)) leave_process(kExitFailed);
}

void SupervisorLink::beat() {
  bump(page_.page().heartbeat);
  if (state_ == State::kDraining) report_open_work();
}

void SupervisorLink::report_open_work() {
  const OpenWork work = worker_->open_work();
  if (work == reported_) return;
  reported_ = work;
  send(ipc::OpenWorkReport{work.keepalive, work.response, work.request, work.pool});
}

// ---- the worker's events ----

void SupervisorLink::on_socket_empty(const std::string& listener, unsigned slot,
                                     std::uint32_t leftover) {
  send(ipc::SocketEmpty{listener, slot, leftover});
}

void SupervisorLink::on_hand_over(std::vector<HandedConnection> batch) {
  ipc::HandOver message;
  std::vector<std::uint64_t> ids;
  for (HandedConnection& c : batch) {
    ids.push_back(c.id);
    message.connections.push_back(
        {c.id, std::move(c.listener), std::move(c.peer), c.peer_port, c.requests, std::move(c.fd)});
  }
  auto packet = ipc::encode(ipc::ToSupervisor(std::move(message)));
  if (packet && !supervisor_gone_ && channel_.send(std::move(*packet))) {
    offered_.insert(offered_.end(), ids.begin(), ids.end());
    return update_watch();
  }
  worker_->hand_over_done(ids, {});
}

void SupervisorLink::on_drained() {
  report_open_work();
  send(ipc::Drained{});
  leave_process(0);
}

void SupervisorLink::on_recycle_wanted(std::string_view reason) {
  send(ipc::RecycleWanted{std::string(reason)});
}

// ---- the end of the supervisor ----

void SupervisorLink::on_protocol_error(const Error& error) {
  log::error("ipc_broken", {{"error", error.text}});
  on_supervisor_gone();
}

void SupervisorLink::on_supervisor_gone() {
  if (supervisor_gone_) return;
  supervisor_gone_ = true;
  watch_.reset();
  if (state_ != State::kServing && state_ != State::kDraining) return leave_process(kExitFailed);
  log::warning("supervisor_gone", {{"stop_timeout_ms", stop_timeout_.count()}});
  close_polled_in_order();
  worker_->stop_accepting();
  if (state_ == State::kServing) enter(State::kDraining);
  deadline_ = std::min(deadline_, loop_.now() + stop_timeout_);
  worker_->drain(deadline_, false);
  worker_->hand_over_done(std::exchange(offered_, {}), {});
}

// Rule 6 (a) to (c) by the worker alone; (d) is its last copy being closed.
void SupervisorLink::close_polled_in_order() {
  for (const auto& [listener, socket] : polled_) {
    if (socket.is_unix) continue;
    for (const Status& done :
         {drop_new_connections(socket.fd.get()), set_defer_accept(socket.fd.get(), 0)}) {
      if (!done)
        log::warning("listener_close", {{"listener", listener}, {"error", done.error().text}});
    }
  }
  auto polled = std::exchange(polled_, {});
  for (const auto& [listener, socket] : polled) {
    worker_->leave(listener, socket.slot, kOrphanLeaveLimit);
  }
}

}  // namespace servery
