// A real connection over a socket pair with a real loop, answered by a function of the test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/loop/loop.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "worker/http/error_response.h"
#include "worker/transport/connections.h"

namespace servery::transport {

inline http::PreparedRef text_answer(std::string body) {
  return http::make_prepared({200, {}}, std::move(body), nullptr);
}

// The other end of the socket pair.
class Client final : private FdWatcher {
 public:
  Client(Loop& loop, int fd) : fd_(fd) {
    watch_ = std::move(*FdWatch::create(loop, fd, *this));
    read(true);
  }
  void send(std::string_view text) {
    ASSERT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void finish() { ::shutdown(fd_.get(), SHUT_WR); }
  void close() {
    watch_.reset();
    fd_.reset();
  }
  void read(bool on) { ASSERT_TRUE(watch_.set_events(on ? FdWatch::kReadable : 0)); }

  std::string received;
  bool closed = false;  // FIN
  bool failed = false;  // RST

 private:
  void on_ready(int) override {
    std::array<char, 65536> buffer;
    const ssize_t n = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      received.append(buffer.data(), static_cast<std::size_t>(n));
      return;
    }
    closed = n == 0;
    failed = n < 0;
    read(false);
  }

  UniqueFd fd_;
  FdWatch watch_;
};

class H1Test : public testing::Test,
               protected http::RequestTarget,
               protected http::ExchangeObserver,
               protected ConnectionBudget,
               protected TurnHook {
 protected:
  H1Test() : loop(std::move(*Loop::create())) {
    limits.header_timeout = Milliseconds{60'000};
    limits.body_timeout = Milliseconds{60'000};
    limits.write_timeout = Milliseconds{60'000};
    limits.keepalive_timeout = Milliseconds{60'000};
    loop->add_turn_hook(*this);
  }
  ~H1Test() override { loop->remove_turn_hook(*this); }

  // Made at the first use, so that a test may change `limits` before.
  TransportContext& context() {
    if (!context_) {
      http::RequestTarget& target = *this;
      http::ExchangeObserver& observer = *this;
      ConnectionBudget& budget = *this;
      context_ = std::make_unique<TransportContext>(*loop, clock, limits, target, observer, policy,
                                                    MetricWords(words.data()));
      connections_ = std::make_unique<Connections>(*context_, budget);
    }
    return *context_;
  }
  Connections& connections() {
    context();
    return *connections_;
  }

  Client& connect(int send_buffer = 0, Connection::Start start = Connection::Start::kHttp) {
    std::array<int, 2> pair{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    UniqueFd socket(pair[0]);
    if (send_buffer > 0) {
      ::setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    }
    connection = connections().open(socket, {"192.0.2.7", 4711}, 0, start, 0, false);
    clients_.push_back(std::make_unique<Client>(*loop, pair[1]));
    connection->begin();
    return *clients_.back();
  }

  // Runs the loop until `done`, looked at after every turn.
  void run_until(const std::function<bool()>& done) {
    if (done()) return;
    done_ = done;
    Timer watchdog(*loop, [this] {
      ADD_FAILURE() << "nothing happened";
      loop->stop();
    });
    watchdog.start_once(Milliseconds{10'000});
    loop->run();
    done_ = nullptr;
  }
  void run_until_received(Client& client, std::string_view end) {
    run_until([&] { return client.received.ends_with(end) || client.closed || client.failed; });
  }
  void run_until_closed(Client& client) {
    run_until([&] { return client.closed || client.failed; });
  }
  // The answer's status codes, in order.
  static std::vector<std::string> statuses(const Client& client) {
    std::vector<std::string> found;
    const std::string mark = "HTTP/1.1 ";
    for (std::size_t at = client.received.find(mark); at != std::string::npos;
         at = client.received.find(mark, at + 1)) {
      found.push_back(client.received.substr(at + mark.size(), 3));
    }
    return found;
  }
  std::uint64_t metric(Metric m) const { return words[static_cast<std::size_t>(m)].load(); }

  std::unique_ptr<Loop> loop;
  SystemClock clock;
  TransportLimits limits;
  http::HeaderPolicy policy;
  std::array<std::atomic<std::uint64_t>, kMetricCount> words{};
  Connection* connection = nullptr;
  std::function<void(http::Exchange&)> answer = [](http::Exchange& exchange) {
    exchange.respond(text_answer(std::string(exchange.request().path)));
  };
  std::vector<std::string> targets;       // of every request, in order
  std::vector<http::Exchange::End> ends;  // of every exchange, in order
  std::uint64_t body_bytes = 0;           // sent, over all exchanges
  std::size_t open_connections = 0;
  std::size_t max_connections = 100;

 private:
  void run(http::Exchange& exchange) override {
    targets.emplace_back(exchange.request().target);
    answer(exchange);
  }
  void on_exchange_done(const http::Exchange& exchange) override {
    ends.push_back(exchange.end());
    body_bytes += exchange.body_bytes_sent();
  }
  bool try_open(bool forced) override {
    if (!forced && open_connections >= max_connections) return false;
    ++open_connections;
    return true;
  }
  void close() override { --open_connections; }
  void on_turn_end() override {
    if (done_ && done_()) loop->stop();
  }

  std::function<bool()> done_;
  std::unique_ptr<TransportContext> context_;
  std::unique_ptr<Connections> connections_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace servery::transport
