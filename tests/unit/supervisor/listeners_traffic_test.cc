// Listeners under load: clients connect all the time, some of them silent for a while, and the set
// of sockets changes beneath them. One thread serves the sockets as workers do.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/base/socket_diag.h"
#include "supervisor/listeners.h"
#include "supervisor/tcp_address.h"

namespace servery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

PlanListener tcp(const std::string& ip, std::uint16_t port) {
  PlanListener listener;
  listener.family = AddressFamily::kIpv4;
  listener.ip = ip;
  listener.port = port;
  listener.configured = ip + ":" + std::to_string(port);
  return listener;
}

UniqueFd connect_to(const TcpAddress& address) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), address.data(), address.size()) != 0) fd.reset();
  return fd;
}

// One request is one byte, answered by one byte.
bool is_answered(const UniqueFd& fd) {
  char byte = 'q';
  if (send(fd.get(), &byte, 1, MSG_NOSIGNAL) != 1) return false;
  return recv(fd.get(), &byte, 1, 0) == 1 && byte == 'a';
}

// Opens connections at a steady rate; every fifth keeps silent for up to 1.5 s before it asks.
class Clients {
 public:
  explicit Clients(TcpAddress address) : address_(address) {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this, i] { talk(i); });
    silent_ = std::thread([this] { keep_silent(); });
  }
  // Stops opening, waits for every answer.
  void finish() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    silent_.join();
  }
  // Until so many more have asked: by then some of each kind are on their way.
  void wait_for_more(int count) {
    for (int seen = asked_, end = seen + count; seen < end; seen = asked_) asked_.wait(seen);
  }
  int asked() const { return asked_; }
  int lost() const { return lost_; }

 private:
  void count(bool answered) {
    if (!answered) ++lost_;
    ++asked_;
    asked_.notify_all();
  }
  void talk(int id) {
    auto next = Clock::now() + milliseconds(5 * id);
    while (!stopping_) {
      std::this_thread::sleep_until(next);  // the rate is the load, not a wait
      next += milliseconds(20);
      const UniqueFd fd = connect_to(address_);
      count(fd && is_answered(fd));
    }
  }
  void keep_silent() {
    std::vector<std::pair<Clock::time_point, UniqueFd>> waiting;
    int opened = 0;
    while (!stopping_ || !waiting.empty()) {
      const auto now = Clock::now();
      if (!stopping_ && waiting.size() < 40) {
        waiting.emplace_back(now + milliseconds(100 * (++opened % 16)), connect_to(address_));
      }
      std::erase_if(waiting, [this, now](const auto& entry) {
        if (entry.first > now) return false;
        count(entry.second && is_answered(entry.second));
        return true;
      });
      std::this_thread::sleep_until(now + milliseconds(5));
    }
  }

  TcpAddress address_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> asked_{0};
  std::atomic<int> lost_{0};
  std::vector<std::thread> threads_;
  std::thread silent_;
};

// All workers in one thread: polls a copy of each socket, accepts, answers each byte.
class Workers {
 public:
  Workers() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}
  ~Workers() {
    stopping_ = true;
    wake();
    thread_.join();
  }
  void serve(const SlotSocket& socket) {
    {
      const std::lock_guard lock(mutex_);
      if (listening_.contains(socket.name)) return;
      listening_[socket.name].reset(fcntl(socket.fd, F_DUPFD_CLOEXEC, 0));
    }
    wake();
  }
  // Rule 6 (c): accepts until nothing is left, then closes the copy. No client gives up: a
  // handshake that ends is a connection to accept, so there is a turn after each.
  void empty(const LeavingSocket& socket) {
    auto half_open = *HalfOpenWatch::begin(socket.fd);
    pollfd quiet{socket.fd, POLLIN, 0};
    {
      std::unique_lock lock(mutex_);
      turned_.wait_for(lock, std::chrono::seconds(5), [&half_open, &quiet] {
        return *half_open.remaining() == 0 && poll(&quiet, 1, 0) == 0;
      });
    }
    forget(socket.name);
  }
  // Returns when the serving thread polls it no more.
  void forget(const std::string& name) {
    std::unique_lock lock(mutex_);
    listening_.erase(name);
    wake();
    turned_.wait(lock, [this, before = turns_] { return turns_ != before; });
  }

 private:
  void wake() { eventfd_write(wake_.get(), 1); }
  void run() {
    while (!stopping_) {
      std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}};
      {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, fd] : listening_) polls.push_back({fd.get(), POLLIN, 0});
      }
      for (const UniqueFd& fd : connections_) polls.push_back({fd.get(), POLLIN, 0});
      poll(polls.data(), polls.size(), -1);
      eventfd_t wakes = 0;
      eventfd_read(wake_.get(), &wakes);
      {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, fd] : listening_) accept_all(fd.get());
        ++turns_;
      }
      turned_.notify_all();
      std::erase_if(connections_, [](const UniqueFd& fd) {
        char byte;
        const ssize_t size = recv(fd.get(), &byte, 1, MSG_DONTWAIT);
        if (size == 1) return send(fd.get(), "a", 1, MSG_NOSIGNAL) != 1;
        return size == 0;
      });
    }
  }
  void accept_all(int listener) {
    while (true) {
      UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) return;
      connections_.push_back(std::move(fd));
    }
  }

  std::atomic<bool> stopping_{false};
  const UniqueFd wake_;
  std::mutex mutex_;
  std::condition_variable turned_;
  std::uint64_t turns_ = 0;                    // guarded by mutex_, as are
  std::map<std::string, UniqueFd> listening_;  // the sockets
  std::vector<UniqueFd> connections_;
  std::thread thread_;
};

class ListenersTrafficTest : public testing::Test {
 protected:
  void change_to(std::vector<PlanListener> wanted, std::uint32_t slots) {
    Plan plan;
    plan.listeners = std::move(wanted);
    const Status prepared = listeners_.prepare(plan, slots);
    ASSERT_TRUE(prepared) << prepared.error().text;
    ASSERT_TRUE(listeners_.commit());
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      for (const SlotSocket& socket : listeners_.sockets_of(slot)) workers_.serve(socket);
    }
    for (const LeavingSocket& socket : listeners_.retire()) {
      workers_.empty(socket);
      listeners_.close_leaving(socket.name);
    }
    EXPECT_TRUE(listeners_.take_warnings().empty());
  }
  TcpAddress loopback() const {
    const auto bound = *TcpAddress::of_socket(listeners_.sockets_of(0)[0].fd);
    return *TcpAddress::parse(AddressFamily::kIpv4, "127.0.0.1", bound.port());
  }
  static void expect_none_lost(Clients& clients) {
    clients.finish();
    EXPECT_GT(clients.asked(), 100);
    EXPECT_EQ(clients.lost(), 0) << "of " << clients.asked();
  }

  Listeners listeners_{{}};
  Workers workers_;
};

TEST_F(ListenersTrafficTest, NoClientIsLostWhileSlotsComeAndGo) {
  change_to({tcp("127.0.0.1", 0)}, 4);
  Clients clients(loopback());
  for (const std::uint32_t slots : {1U, 3U, 2U, 4U}) {
    clients.wait_for_more(50);
    change_to({tcp("127.0.0.1", 0)}, slots);
  }
  expect_none_lost(clients);
}

TEST_F(ListenersTrafficTest, NoClientIsLostBetweenWildcardAndSpecificAddress) {
  change_to({tcp("127.0.0.1", 0)}, 2);
  const TcpAddress address = loopback();
  Clients clients(address);
  for (const char* ip : {"0.0.0.0", "127.0.0.1", "0.0.0.0"}) {
    clients.wait_for_more(50);
    change_to({tcp(ip, address.port())}, 2);
  }
  expect_none_lost(clients);
}

// The load would notice a loss: a socket closed without being emptied resets its silent clients.
TEST_F(ListenersTrafficTest, ClosingWithoutEmptyingLosesClients) {
  change_to({tcp("127.0.0.1", 0)}, 2);
  const TcpAddress address = loopback();
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 64; ++i) silent.push_back(connect_to(address));
  Plan plan;
  plan.listeners = {tcp("127.0.0.1", 0)};
  ASSERT_TRUE(listeners_.prepare(plan, 1));
  ASSERT_TRUE(listeners_.commit());
  const auto leaving = listeners_.retire();
  ASSERT_EQ(leaving.size(), 1U);
  workers_.forget(leaving[0].name);
  listeners_.close_leaving(leaving[0].name);
  int lost = 0;
  for (const UniqueFd& fd : silent) lost += is_answered(fd) ? 0 : 1;
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 64) << "the other slot's clients are answered";
}

}  // namespace
}  // namespace servery
