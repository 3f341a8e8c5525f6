#include "supervisor/supervisor.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "common/base/log.h"
#include "common/base/privileges.h"
#include "common/base/stderr_text.h"
#include "supervisor/banner.h"
#include "supervisor/control_order.h"
#include "supervisor/process_stat.h"

namespace servery {
namespace {

constexpr Milliseconds kTick{100};
constexpr std::uint64_t kSupervisorDescriptors = 65'536;
// What one worker and one listener need; libuv aborts when its own first ones are refused.
constexpr std::uint64_t kMinDescriptors = 48;

void print_line(std::string_view text) { write_stderr(fmt::format("{}\n", text)); }

}  // namespace

int run_supervisor(const SuperviseOptions& options) {
  log::set_role("supervisor");
  auto supervisor = Supervisor::create(options);
  if (!supervisor) {
    print_line("servery: " + supervisor.error().text);
    return supervisor.error().code == Errc::kInvalid ? kExitInputWrong : kExitFailed;
  }
  return (*supervisor)->run();
}

Supervisor::Supervisor(const SuperviseOptions& options, std::unique_ptr<Loop> loop,
                       Executable executable, std::vector<InheritedFd> inherited, Notify notify)
    : started_(clock_.steady()),
      loop_(std::move(loop)),
      executable_(std::move(executable)),
      notify_(std::move(notify)),
      listeners_(std::move(inherited)),
      random_engine_(std::random_device{}()),
      oom_kills_(cgroup_oom_kills()),
      retirement_(listeners_, fleet_),
      relay_(fleet_, listeners_),
      reloads_(ReloadParts{*loop_, clock_, executable_, listeners_}, *this, fleet_, options.inputs,
               options.config_path),
      plans_(*loop_, executable_, fleet_, listeners_),
      tick_(*loop_, [this] { tick(); }),
      last_tick_(started_),
      watchdog_(*loop_, [this] { notify_.watchdog(); }) {}

Supervisor::~Supervisor() = default;

Result<std::unique_ptr<Supervisor>> Supervisor::create(const SuperviseOptions& options) {
  const std::uint64_t descriptors = SERVERY_TRY(raise_descriptor_limit(kSupervisorDescriptors));
  if (descriptors < kMinDescriptors) {
    return fail(Errc::kExhausted, fmt::format("the limit of open files (ulimit -n) is {}: at least "
                                              "{} are needed",
                                              descriptors, kMinDescriptors));
  }
  Executable executable = SERVERY_TRY(Executable::open_own());
  std::vector<InheritedFd> inherited = SERVERY_TRY(take_inherited_fds());
  Notify notify = SERVERY_TRY(Notify::from_environment());
  std::unique_ptr<Loop> loop = SERVERY_TRY(Loop::create());
  std::unique_ptr<Supervisor> supervisor(new Supervisor(
      options, std::move(loop), std::move(executable), std::move(inherited), std::move(notify)));
  supervisor->signals_ = SERVERY_TRY(SignalWatch::create(
      *supervisor->loop_, {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGQUIT, SIGCHLD}, *supervisor));
  return supervisor;
}

int Supervisor::run() {
  ::signal(SIGPIPE, SIG_IGN);
  if (const auto interval = notify_.watchdog_interval()) watchdog_.start_repeating(*interval);
  tick_.start_repeating(kTick);
  loop_->post([this] { reloads_.request({}, {}); });
  loop_->run();
  return exit_code_;
}

// ---- signals and children ----

void Supervisor::on_signal(int signal, pid_t sender) {
  if (signal == SIGCHLD) return reap_children();
  log::info("signal", {{"signal", signal}, {"sender", sender}});
  switch (signal) {
    case SIGTERM:
    case SIGINT:
      stop(stop_ ? Milliseconds(0) : stop_timeout());  // again: at once
      break;
    case SIGHUP:
      reloads_.request({}, {});
      break;
    case SIGUSR1:
      log::info("reopen_logs", {{"result", "no log file to reopen"}});
      break;
    case SIGQUIT:
      dump_state();
      break;
    default:
      break;
  }
}

// Every child: ours, and as PID 1 whatever was left to us.
void Supervisor::reap_children() {
  for (;;) {
    int wait_status = 0;
    const pid_t pid = ::waitpid(-1, &wait_status, WNOHANG);
    if (pid <= 0) return;
    on_child_exit(pid, wait_status);
  }
}

void Supervisor::on_child_exit(pid_t pid, int wait_status) {
  const bool killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
  const bool oom = killed && oom_kills_.explain(cgroup_oom_kills());
  for (Generation* generation : fleet_.list()) {
    if (generation->on_child_exit(pid, wait_status, oom)) return;
  }
  if (reloads_.running() && reloads_.running()->on_child_exit(pid, wait_status)) return;
  if (plans_.on_child_exit(pid, wait_status)) return;
  log::debug("child_reaped", {{"pid", pid}});
}

void Supervisor::dump_state() {
  log::info("state", {{"status", dump_json(build_status(status_sources()))}});
}

void Supervisor::tick() {
  const SteadyTime now = clock_.steady();
  const auto late = std::chrono::duration_cast<Milliseconds>(now - last_tick_) - kTick;
  const Milliseconds own_gap = std::max(Milliseconds(0), late);
  last_tick_ = now;
  if (own_gap > 10 * kTick) {
    if (memory_) memory_->add(Metric::kClockGaps);
    log::warning("supervisor_gap", {{"ms", own_gap.count()}});
  }
  for (Generation* generation : fleet_.list()) generation->tick(now, own_gap);
}

// ---- control socket ----

void Supervisor::on_request(const Json& request, ControlReply reply) {
  const auto order = parse_control_order(request);
  if (!order) return reply.fail(kExitInputWrong, order.error().text);
  switch (order->kind) {
    case ControlOrder::Kind::kStatus:
      return answer_status(std::move(reply));
    case ControlOrder::Kind::kPlan:
      if (stop_) return reply.fail(kExitFailed, "the service is stopping");
      return plans_.begin(reloads_.read_inputs(order->config), most_workers(), std::move(reply));
    case ControlOrder::Kind::kReload:
      return reloads_.request(order->config, {std::move(reply), order->wait_drained});
    case ControlOrder::Kind::kStop:
      stop(order->timeout.value_or(stop_timeout()));
      stop_->replies.push_back(std::move(reply));
  }
}

void Supervisor::answer_status(ControlReply reply) {
  if (memory_) memory_->set(Metric::kControlRequests, control_->counts().requests);
  if (memory_) memory_->set(Metric::kControlRefused, control_->counts().refused);
  const StatusSources sources = status_sources();
  reply.finish(is_service_ready(sources) ? kExitDone : kExitFailed, build_status(sources));
}

Milliseconds Supervisor::stop_timeout() const {
  const Generation* current = fleet_.current();
  return current ? current->plan().runtime.stop_timeout : Milliseconds(0);
}

Status Supervisor::open_control_socket(const Plan& plan) {
  ControlServer::Options options;
  options.path = plan.control_socket;
  options.may_move = plan.control_socket_default && plan.config_path.empty();
  control_ = SERVERY_TRY(ControlServer::create(*loop_, options, *this));
  return {};
}

StatusSources Supervisor::status_sources() const {
  return {clock_,      started_,   reloads_.config_path(), stop_.has_value(),
          fleet_,      listeners_, memory_.get(),          histories_,
          last_reload_};
}

// ---- generations ----

void Supervisor::on_prepared(Generation& generation) {
  if (reloads_.running()) reloads_.running()->on_prepared(generation);
}

void Supervisor::on_failed(Generation& generation, const std::string& reason) {
  if (reloads_.running()) reloads_.running()->on_failed(generation, reason);
}

void Supervisor::on_workers_changed(Generation&) {
  retirement_.reassign();
  if (reloads_.running()) reloads_.running()->on_workers_changed();
  if (memory_ && fleet_.current()) {
    memory_->set(Metric::kWorkersReady, fleet_.current()->ready_workers());
  }
}

void Supervisor::on_socket_empty(WorkerProcess& worker, const ipc::SocketEmpty& message) {
  for (const std::string& name : retirement_.on_socket_empty(worker, message)) {
    log::info("listener_closed", {{"socket", name}});
  }
}

void Supervisor::on_hand_over(WorkerProcess& giver, ipc::HandOver message) {
  relay_.on_hand_over(giver, std::move(message));
}

void Supervisor::on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message) {
  relay_.on_taken_over(taker, message);
}

void Supervisor::on_worker_gone(WorkerProcess& worker) {
  relay_.on_worker_gone(worker);
  retirement_.reassign();
}

void Supervisor::on_gone(Generation& generation) {
  if (is_serving_) log::info("generation_gone", {{"generation", generation.id()}});
  if (stop_ && generation.was_forced()) stop_->exit_code = kExitFailed;
  loop_->destroy_later(fleet_.remove(generation));
  if (memory_) memory_->set(Metric::kGenerations, fleet_.all().size());
  reloads_.on_generation_gone();
  leave_if_empty();
}

// ---- reloads ----

void Supervisor::on_reload_begin() {
  if (is_serving_) notify_.reloading("reloading");
  if (control_) restore_control_socket();
}

// A reload by signal is what is left to whoever has lost it.
void Supervisor::restore_control_socket() {
  const auto restored = control_->restore();
  if (!restored) {
    log::error("control_socket_lost", {{"cause", restored.error().text}});
  } else if (*restored) {
    log::warning("control_socket_restored", {{"path", control_->path()}});
  }
}

void Supervisor::on_reload_superseded() {
  if (memory_) memory_->add(verdict_metric(Verdict::Kind::kSuperseded));
}

std::uint32_t Supervisor::most_workers() const {
  return memory_ ? memory_->max_slots() : std::numeric_limits<std::uint32_t>::max();
}

Status Supervisor::admit(const Plan& plan) {
  if (!memory_) {
    if (const auto level = log::parse_level(plan.log_level)) log::set_level(*level);
    SERVERY_TRY(open_control_socket(plan));
    memory_ = SERVERY_TRY(SharedMemory::create(plan.workers));
    worker_parts_ =
        std::make_unique<WorkerParts>(WorkerParts{*loop_, clock_, executable_, *memory_});
  }
  return {};
}

Result<Generation*> Supervisor::add_generation(Plan plan, UniqueFd inputs) {
  while (histories_.size() < plan.workers) histories_.emplace_back(restart_settings(plan));
  GenerationParts parts{*worker_parts_, listeners_, histories_, [this] {
                          return std::uniform_real_distribution<double>()(random_engine_);
                        }};
  auto generation = SERVERY_TRY(Generation::create(parts, last_generation_ + 1, std::move(plan),
                                                   std::move(inputs), !is_serving_, *this));
  ++last_generation_;
  Generation& added = fleet_.add(std::move(generation));
  memory_->set(Metric::kGenerations, fleet_.all().size());
  return &added;
}

void Supervisor::replace_current(Generation& generation) {
  Generation* old = fleet_.current();
  fleet_.set_current(generation);
  for (SlotHistory& history : histories_) {
    history.policy.set_settings(restart_settings(generation.plan()));
    history.policy.forgive();
  }
  if (const auto level = log::parse_level(generation.plan().log_level)) log::set_level(*level);
  retire_sockets();
  if (!old) return;
  old->drain(clock_.steady() + old->plan().runtime.drain_timeout, true);
}

// Rule 6 (a) and (b), then (c) is somebody's job before anybody is told to stop.
void Supervisor::retire_sockets() {
  std::vector<LeavingSocket> leaving = listeners_.retire();
  for (const LeavingSocket& socket : leaving) notify_.unstore(socket.name);
  retirement_.add(std::move(leaving));
  for (const std::string& warning : listeners_.take_warnings()) {
    log::warning("listener", {{"warning", warning}});
  }
}

void Supervisor::on_reload_done(Verdict verdict) {
  // A start that is refused says so in its own words (on_first_start_done), and only there.
  if (is_serving_ || verdict.kind == Verdict::Kind::kCommitted) log_verdict(verdict);
  if (is_serving_ && memory_) memory_->add(verdict_metric(verdict.kind));
  if (!is_serving_) {
    on_first_start_done(verdict);
  } else {
    last_reload_ = verdict;
    if (!stop_) {
      notify_.ready(verdict.error.empty() ? fmt::format("generation {}", verdict.generation)
                                          : "reload refused: " + verdict.error);
    }
  }
  if (verdict.kind == Verdict::Kind::kCommitted) store_sockets(*fleet_.current());
  reloads_.on_done(verdict);
}

void Supervisor::on_first_start_done(const Verdict& verdict) {
  if (verdict.kind != Verdict::Kind::kCommitted) {
    if (!stop_) {
      for (const std::string& line : refusal_lines(verdict)) print_line(line);
      begin_stop();
      stop_->exit_code = verdict.exit_code();
    }
    return loop_->post([this] { leave_if_empty(); });
  }
  is_serving_ = true;
  for (const std::string& name : listeners_.close_unclaimed()) {
    log::info("inherited_descriptor_closed", {{"name", name}});
    notify_.unstore(name);
  }
  write_stderr(
      format_banner(fleet_.current()->plan(), urls_of(listeners_.status()), control_->path()));
  print_line("servery: ready");
  notify_.ready(fmt::format("generation {}", verdict.generation));
}

void Supervisor::store_sockets(const Generation& generation) {
  if (!notify_.is_active()) return;
  for (std::uint32_t slot = 0; slot < generation.slot_count(); ++slot) {
    for (const SlotSocket& socket : generation.sockets_of(slot)) {
      if (socket.tcp && (!socket.shared || slot == 0)) notify_.store(socket.name, socket.fd);
    }
  }
}

// ---- the end ----

// Again: sooner, never later.
void Supervisor::stop(Milliseconds within) {
  log::info("stop", {{"within_ms", within.count()}});
  notify_.stopping("stopping");
  if (!stop_) begin_stop();
  const SteadyTime deadline = clock_.steady() + within;
  for (Generation* generation : fleet_.list()) generation->drain(deadline, false);
  loop_->post([this] { leave_if_empty(); });
}

void Supervisor::begin_stop() {
  stop_.emplace();
  if (memory_) stop_->forced_before = memory_->total(Metric::kDrainForced);
  reloads_.stop();
  const Plan nothing;
  if (listeners_.prepare(nothing, 0) && listeners_.commit()) retire_sockets();
}

void Supervisor::leave_if_empty() {
  if (!stop_ || !fleet_.empty() || reloads_.running()) return;
  if (memory_ && memory_->total(Metric::kDrainForced) > stop_->forced_before) {
    stop_->exit_code = kExitFailed;
  }
  retirement_.close_all();
  const int code = stop_->exit_code;
  const Json result{{"verdict", code == kExitDone ? "stopped" : "forced"},
                    {"problems", Json::array()}};
  for (ControlReply& reply : stop_->replies) reply.finish(code, result);
  stop_->replies.clear();
  if (is_serving_) log::info("stopped", {{"code", code}});
  exit_code_ = code;
  loop_->stop();
}

}  // namespace servery
