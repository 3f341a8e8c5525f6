// A worker without a supervisor, for figures and profiles: serves a directory on one loopback port.
//   solo_worker DIR [PORT [REVALIDATE_MS]]
// The interval is for valgrind, which does not know openat2: without it every request is a miss.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

#include "common/loop/loop.h"
#include "common/loop/watch.h"
#include "worker/worker.h"
#include "worker_memory.h"

namespace servery {
namespace {

class Solo final : public WorkerEvents, public SignalWatcher {
 public:
  explicit Solo(Loop& loop) : loop_(loop) {}
  void on_socket_empty(const std::string&, unsigned, std::uint32_t) override {}
  void on_hand_over(std::vector<HandedConnection>) override {}
  void on_drained() override { loop_.stop(); }
  void on_recycle_wanted(std::string_view) override {}
  void on_signal(int, pid_t) override { worker->drain(loop_.now() + Milliseconds(1000), false); }

  std::unique_ptr<Worker> worker;

 private:
  Loop& loop_;
};

Result<ListenSocket> listen_on(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int one = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), 4096) != 0) {
    return fail_errno("listen", errno);
  }
  socklen_t size = sizeof address;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("127.0.0.1:%u\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return ListenSocket{"solo", 0, std::move(fd), false, false};
}

Status serve(const std::string& directory, std::uint16_t port, Milliseconds interval) {
  ::signal(SIGPIPE, SIG_IGN);
  auto loop = SERVERY_TRY(Loop::create());
  Solo solo(*loop);
  auto signals = SERVERY_TRY(SignalWatch::create(*loop, {SIGINT, SIGTERM}, solo));
  auto memory = SERVERY_TRY(test::WorkerMemory::create());
  WorkerInputs inputs;
  StaticSettings files;
  files.root = directory;
  RouteSettings route;
  route.methods.names = {"GET"};
  route.handler = files;
  inputs.settings.runtime.workers = 1;
  if (interval.count() > 0) {
    inputs.settings.cache.revalidate = {Revalidate::Mode::kInterval, interval};
  }
  inputs.settings.routes.push_back(route);
  inputs.roots[directory] = UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  inputs.page = &memory.page();
  inputs.connections = &memory.connections();
  solo.worker = SERVERY_TRY(Worker::build(*loop, std::move(inputs), solo));
  std::vector<ListenSocket> sockets;
  sockets.push_back(SERVERY_TRY(listen_on(port)));
  solo.worker->serve(std::move(sockets));
  loop->run();
  solo.worker.reset();
  return {};
}

}  // namespace
}  // namespace servery

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto port = static_cast<std::uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  const servery::Milliseconds interval(argc > 3 ? std::atoi(argv[3]) : 0);
  const servery::Status served = servery::serve(argv[1], port, interval);
  if (!served) std::fprintf(stderr, "solo_worker: %s\n", served.error().text.c_str());
  return served ? 0 : 1;
}
