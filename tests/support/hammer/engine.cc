#include "engine.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace hammer {
namespace {

constexpr std::size_t kMaxActive = 8000;
constexpr unsigned kMeasureConnections = 32;
constexpr auto kLongestWait = std::chrono::milliseconds(20);  // a stop request is seen that soon

volatile std::sig_atomic_t stop_requested = 0;
volatile std::sig_atomic_t stages_requested = 0;

}  // namespace

void Engine::request_stop() { stop_requested = 1; }

void Engine::request_stage() { stages_requested = stages_requested + 1; }

Engine::Engine(const Options& options, Report& report)
    : options_(options),
      report_(report),
      timeout_(static_cast<std::int64_t>(options.timeout * 1000)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      random_(options.seed) {}

Engine::~Engine() { ::close(epoll_); }

const Expectation& Engine::next_expectation(Work work) {
  if (work == Work::kSlowGet) return *options_.big;
  if (work != Work::kGet) return *options_.sink;
  file_ = (file_ + 1) % options_.files.size();
  return options_.files[file_];
}

std::chrono::microseconds Engine::random_part(std::chrono::milliseconds most) {
  std::uniform_int_distribution<std::int64_t> part(0, most.count() * 1000);
  return std::chrono::microseconds(part(random_));
}

void Engine::watch(int fd, Client& client) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &client;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void Engine::arm(Client& client, Time when) {
  client.timer_ticket = ++tickets_;
  timers_.push({when, client.timer_ticket, &client});
}

void Engine::retire(Client& client) {
  client.timer_ticket = 0;
  free_.push_back(&client);
  --active_;
}

void Engine::begin_client(Mode mode, Time scheduled) {
  if (active_ >= kMaxActive) {
    ++report_.of(mode).skipped;
    return;
  }
  if (free_.empty()) free_.push_back(clients_.emplace_back(std::make_unique<Client>(*this)).get());
  Client* client = free_.back();
  free_.pop_back();
  ++active_;
  client->start(mode, scheduled);
}

void Engine::begin_connections(Mode mode, unsigned count) {
  for (unsigned i = 0; i < count; ++i) begin_client(mode, Clock::now());
}

void Engine::begin_arrivals(Time now) {
  for (Arrivals& stream : arrivals_) {
    const double elapsed = std::chrono::duration<double>(now - stream.start).count();
    const auto due = static_cast<std::uint64_t>(elapsed * stream.rate);
    while (stream.begun < due) {
      const std::chrono::duration<double> offset(static_cast<double>(++stream.begun) / stream.rate);
      begin_client(stream.mode, stream.start + std::chrono::duration_cast<Clock::duration>(offset));
    }
  }
}

void Engine::run_timers() {
  const Time now = Clock::now();
  while (!timers_.empty() && timers_.top().when <= now) {
    const Timer timer = timers_.top();
    timers_.pop();
    if (timer.client->timer_ticket == timer.ticket) timer.client->on_timer();
  }
}

void Engine::enter_stage() {
  if (stage_ == stages_requested) return;
  stage_ = stages_requested;
  std::fprintf(stderr, "hammer: stage %d\n", stage_);
}

void Engine::turn() {
  enter_stage();
  std::array<epoll_event, 512> events;
  std::chrono::milliseconds wait = arrivals_.empty() || stopping_ ? kLongestWait : 1ms;
  if (!timers_.empty()) {
    const auto until =
        std::chrono::ceil<std::chrono::milliseconds>(timers_.top().when - Clock::now());
    wait = std::clamp(until, 0ms, wait);
  }
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(wait.count()));
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    static_cast<Client*>(event.data.ptr)->on_io(event.events);
  }
  run_timers();
}

void Engine::drain() {
  stopping_ = true;
  for (const auto& client : clients_) client->stop();
  while (active_ > 0) turn();
}

double Engine::measure(std::chrono::milliseconds duration) {
  const Time start = Clock::now();
  begin_connections(Mode::kMeasure, kMeasureConnections);
  while (Clock::now() < start + duration && stop_requested == 0) turn();
  const auto completed = static_cast<double>(report_.of(Mode::kMeasure).completed);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  drain();
  stopping_ = false;
  return completed / elapsed;
}

void Engine::run(double fresh_rate) {
  const Time start = Clock::now();
  begin_connections(Mode::kKeepalive, options_.keepalive);
  begin_connections(Mode::kPost, options_.post);
  begin_connections(Mode::kPipelined, options_.pipelined);
  begin_connections(Mode::kDownload, options_.download);
  begin_connections(Mode::kUpload, options_.upload);
  if (fresh_rate > 0) arrivals_.push_back({Mode::kFresh, fresh_rate, start});
  if (options_.preconnect_rate > 0) {
    arrivals_.push_back({Mode::kPreconnect, options_.preconnect_rate, start});
  }
  const std::chrono::duration<double> limit(options_.seconds);
  while (stop_requested == 0 && (options_.seconds <= 0 || Clock::now() - start < limit)) {
    begin_arrivals(Clock::now());
    turn();
  }
  drain();
}

}  // namespace hammer
