// bench_load: closed-loop load for measuring what a request costs. Keeps CONNECTIONS busy with GETs
// of one path until REQUESTS are answered; every answer must be a 200 of the length of the first
// one. Prints one JSON object. Exit 0, or 1 when an answer was wrong.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Plan {
  std::uint16_t port = 0;
  std::string path;
  unsigned connections = 1;
  std::uint64_t requests = 0;
};

struct Connection {
  int fd = -1;
  std::size_t received = 0;  // of the answer that is awaited
};

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "bench_load: %s\n", what);
  std::exit(1);
}

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    give_up("cannot connect");
  }
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return fd;
}

class Load {
 public:
  explicit Load(const Plan& plan) : plan_(plan), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    request_ = "GET " + plan.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    answer_bytes_ = measure_answer();
    connections_.resize(plan.connections);
    for (Connection& connection : connections_) {
      connection.fd = connect_to(plan.port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &connection;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
    }
  }

  // Seconds that it took.
  double run() {
    const auto start = std::chrono::steady_clock::now();
    for (Connection& connection : connections_) send_request(connection);
    std::array<epoll_event, 256> events;
    while (answered_ < plan_.requests) {
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10000);
      if (count == 0) give_up("no answer for 10 s");
      for (int i = 0; i < count; ++i) {
        receive(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
      }
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::size_t answer_bytes() const { return answer_bytes_; }

 private:
  void send_request(Connection& connection) {
    if (sent_ == plan_.requests) return;
    ++sent_;
    connection.received = 0;
    const ssize_t n = ::send(connection.fd, request_.data(), request_.size(), MSG_NOSIGNAL);
    if (n != static_cast<ssize_t>(request_.size())) give_up("cannot send");
  }

  void receive(Connection& connection) {
    const ssize_t n = ::recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (n <= 0) give_up("connection closed");
    if (connection.received == 0 && !is_success({buffer_.data(), static_cast<std::size_t>(n)})) {
      give_up("answer is not 200");
    }
    connection.received += static_cast<std::size_t>(n);
    if (connection.received > answer_bytes_) give_up("answer of another length");
    if (connection.received < answer_bytes_) return;
    ++answered_;
    send_request(connection);
  }

  static bool is_success(std::string_view bytes) { return bytes.starts_with("HTTP/1.1 200 "); }

  // The bytes of one whole answer, head included.
  std::size_t measure_answer() {
    const int fd = connect_to(plan_.port);
    ::send(fd, request_.data(), request_.size(), MSG_NOSIGNAL);
    std::string answer;
    std::size_t whole = 0;
    while (whole == 0 || answer.size() < whole) {
      const ssize_t n = ::recv(fd, buffer_.data(), buffer_.size(), 0);
      if (n <= 0) give_up("closed within the first answer");
      answer.append(buffer_.data(), static_cast<std::size_t>(n));
      const auto head = answer.find("\r\n\r\n");
      if (head != answer.npos) whole = head + 4 + content_length(answer);
    }
    ::close(fd);
    return whole;
  }

  static std::size_t content_length(std::string_view head) {
    static constexpr std::string_view kName = "Content-Length: ";
    const auto at = head.find(kName);
    std::size_t length = 0;
    if (at == head.npos) give_up("no Content-Length");
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
    return length;
  }

  const Plan& plan_;
  int epoll_;
  std::string request_;
  std::size_t answer_bytes_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
  std::vector<Connection> connections_;
  std::array<char, 65536> buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_load PORT PATH CONNECTIONS REQUESTS\n");
    return 2;
  }
  const Plan plan{static_cast<std::uint16_t>(std::atoi(argv[1])), argv[2],
                  static_cast<unsigned>(std::atoi(argv[3])),
                  static_cast<std::uint64_t>(std::atoll(argv[4]))};
  Load load(plan);
  const double seconds = load.run();
  std::printf("{\"requests\":%llu,\"seconds\":%.4f,\"per_second\":%.0f,\"answer_bytes\":%zu}\n",
              static_cast<unsigned long long>(plan.requests), seconds,
              static_cast<double>(plan.requests) / seconds, load.answer_bytes());
  return 0;
}
