#include "bench/load/client.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "bench/load/run_time.h"

namespace servery::bench {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

std::uint64_t clock_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

}  // namespace

Result<Client> Client::create(const Options& options, TargetList targets) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail_errno("epoll_create1", errno);
  return Client(options, std::move(targets), std::move(epoll));
}

Client::Client(const Options& options, TargetList targets, UniqueFd epoll)
    : options_(options),
      targets_(std::move(targets)),
      epoll_(std::move(epoll)),
      buffer_(kBufferBytes),
      random_(options.seed),
      gap_ns_(options.rate > 0 ? options.rate / 1e9 : 1) {
  connections_.reserve(options.connections);
  for (std::size_t i = 0; i < options.connections; ++i) connections_.emplace_back(options.depth);
  idle_.reserve(options.connections);
}

const Results& Client::run() {
  now_ns_ = due_ns_ = clock_ns();
  if (options_.requests > 0) {
    start_window();
    turn_until(kNever);
  } else {
    turn_until(now_ns_ + nanoseconds(options_.warmup));
    start_window();
    turn_until(now_ns_ + nanoseconds(options_.seconds));
  }
  end_window();
  finish_answers();
  return results_;
}

bool Client::hold() {
  now_ns_ = clock_ns();
  options_.requests = options_.connections;
  turn_until(kNever);
  return idle_.size() == connections_.size() && results_.errors.total() == 0;
}

const Results& Client::ask_held() {
  options_.requests += idle_.size();
  start_window();
  const std::vector<Connection*> held = idle_;
  idle_.clear();
  for (Connection* connection : held) ask(*connection, now_ns_);
  turn_until(now_ns_ + kLastAnswersNs);
  end_window();
  finish_answers();
  return results_;
}

bool Client::finished() const {
  if (results_.errors.total() >= kEnoughErrors || dead_ == connections_.size()) return true;
  return options_.requests > 0 && answered_ + lost_ >= options_.requests;
}

void Client::turn_until(std::uint64_t end_ns) {
  std::array<epoll_event, 512> events;
  while (!finished() && now_ns_ < end_ns) {
    open_more();
    if (options_.rate > 0) send_due();
    const std::uint64_t wake = next_wake(end_ns);
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(wake / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(wake % 1'000'000'000);
    const int count = ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                     &timeout, nullptr);
    now_ns_ = clock_ns();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      on_event(*static_cast<Connection*>(event.data.ptr), event.events);
    }
  }
}

// How long to wait for events.
std::uint64_t Client::next_wake(std::uint64_t end_ns) const {
  std::uint64_t until = std::min(end_ns, now_ns_ + 1'000'000'000);
  if (options_.rate > 0 && !idle_.empty() && !stopping_) until = std::min(until, due_ns_);
  return until > now_ns_ ? until - now_ns_ : 0;
}

void Client::open_more() {
  while (opened_ < connections_.size() && opening_ < kMaxOpening && may_ask()) {
    open(connections_[opened_++]);
  }
}

void Client::open(Connection& connection) {
  ++results_.connects;
  if (!connection.open(options_.port)) {
    ++results_.errors.connect;
    ++dead_;
    connection.close();
    return;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.fd(), &event);
  if (options_.rate > 0) {
    idle_.push_back(&connection);  // its first answer may be long in coming
  } else {
    ++opening_;
    ask_next(connection);
  }
}

bool Client::may_ask() const {
  return !stopping_ && (options_.requests == 0 || asked_ < options_.requests);
}

// Closed loop: as many requests as fit.
void Client::ask_next(Connection& connection) {
  for (std::size_t i = 0; i < options_.depth && may_ask(); ++i) ask(connection, now_ns_);
}

void Client::ask(Connection& connection, std::uint64_t start_ns) {
  ++asked_;
  Pending pending;
  pending.target = &next_target();
  pending.start_ns = start_ns;
  pending.compare = options_.compare == 1 || asked_ % options_.compare == 0;
  pending.last = options_.per_connection > 0 && connection.asked() + 1 == options_.per_connection;
  connection.ask(pending);
  const bool batch_complete = connection.under_way() == options_.depth || !may_ask();
  if (batch_complete || options_.hold) send(connection);
}

void Client::send(Connection& connection) {
  const Connection::Io result = connection.flush();
  if (result == Connection::Io::kDone) return;
  if (result == Connection::Io::kReset) return;  // the read side will tell
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd(), &event);
}

Target& Client::next_target() {
  std::vector<Target>& all = targets_.targets();
  if (all.size() == 1) return all.front();
  if (options_.random) return all[random_() % all.size()];
  Target& target = all[next_target_];
  next_target_ = (next_target_ + 1) % all.size();
  return target;
}

void Client::on_event(Connection& connection, std::uint32_t events) {
  if (!connection.is_open()) return;
  if ((events & EPOLLOUT) != 0 && connection.flush() == Connection::Io::kDone) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd(), &event);
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) on_readable(connection);
}

void Client::on_readable(Connection& connection) {
  const bool was_opening = !connection.answered();
  Connection::Io result = connection.receive(buffer_.data(), buffer_.size(), *this);
  if (was_opening && (connection.answered() || result != Connection::Io::kDone) && opening_ > 0) {
    --opening_;
  }
  // After the last answer the end is usually there already.
  if (result == Connection::Io::kDone && connection.under_way() == 0 && connection.ends()) {
    result = connection.receive(buffer_.data(), buffer_.size(), *this);
  }
  switch (result) {
    case Connection::Io::kDone:
      if (connection.under_way() == 0 && !connection.ends()) on_idle(connection);
      break;
    case Connection::Io::kBlocked:
      break;
    case Connection::Io::kEnd:
      on_end(connection, connection.under_way() == 0);
      break;
    case Connection::Io::kReset:
      on_end(connection, false);
      break;
    case Connection::Io::kMalformed:
      ++results_.errors.malformed;
      on_end(connection, true);
      break;
  }
}

// All answers are there and the connection stays.
void Client::on_idle(Connection& connection) {
  if (options_.hold) {
    idle_.push_back(&connection);
  } else if (options_.rate > 0) {
    if (due_ns_ <= now_ns_ && idle_.empty()) ++results_.late;
    idle_.push_back(&connection);
    send_due();
  } else {
    ask_next(connection);
  }
}

void Client::on_end(Connection& connection, bool clean) {
  lost_ += connection.under_way();
  if (!clean) results_.errors.closed += std::max<std::size_t>(connection.under_way(), 1);
  connection.close();
  std::erase(idle_, &connection);
  if (may_ask() && results_.errors.total() < kEnoughErrors) open(connection);
}

// Open loop: a request is sent when it is due and a connection is free; its latency counts from
// when it was due. So a slow server cannot slow the load down.
void Client::send_due() {
  while (!stopping_ && due_ns_ <= now_ns_ && !idle_.empty()) {
    Connection& connection = *idle_.back();
    idle_.pop_back();
    ask(connection, due_ns_);
    due_ns_ += static_cast<std::uint64_t>(gap_ns_(random_));
  }
}

void Client::on_answer(const Pending& pending, const AnswerReader& reader) {
  ++answered_;
  results_.errors.status += reader.wrong_status();
  results_.errors.length += reader.wrong_length();
  results_.errors.body += reader.wrong_body();
  ++results_.answers;
  results_.non_2xx += reader.status() / 100 != 2;
  results_.head_bytes += reader.head_bytes();
  results_.body_bytes += reader.body_bytes();
  now_ns_ = clock_ns();
  Histogram& latencies = pending.target->large ? results_.large : results_.small;
  latencies.add(now_ns_ > pending.start_ns ? now_ns_ - pending.start_ns : 0);
}

void Client::start_window() {
  results_.start_window();
  now_ns_ = window_start_ns_ = clock_ns();
  results_.server_cpu_seconds = -static_cast<double>(run_time_ns(options_.watch)) / 1e9;
  results_.client_cpu_seconds = -own_cpu_seconds();
}

void Client::end_window() {
  now_ns_ = clock_ns();
  results_.seconds = static_cast<double>(now_ns_ - window_start_ns_) / 1e9;
  results_.server_cpu_seconds += static_cast<double>(run_time_ns(options_.watch)) / 1e9;
  results_.client_cpu_seconds += own_cpu_seconds();
}

// What is under way must still come, whole and right; it is checked, not counted.
void Client::finish_answers() {
  stopping_ = true;
  const Results window = results_;
  const auto waiting = [this] {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection& c) { return c.is_open() && c.under_way() > 0; });
  };
  options_.requests = 0;
  const std::uint64_t end = now_ns_ + kLastAnswersNs;
  while (waiting() && now_ns_ < end) turn_until(std::min(end, now_ns_ + 10'000'000));
  const Errors errors = results_.errors;
  results_ = window;
  results_.errors = errors;
  for (const Connection& c : connections_) {
    if (c.is_open()) results_.errors.stalled += c.under_way();
  }
}

}  // namespace servery::bench
