#include "worker/run.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "common/base/exit_code.h"
#include "common/base/log.h"
#include "common/base/privileges.h"
#include "common/loop/loop.h"
#include "ipc/channel.h"
#include "worker/crash_report.h"
#include "worker/supervisor_link.h"

namespace servery {
namespace {

constexpr int kHelloTimeoutMs = 10'000;

// Only the channel, SIGABRT and SIGKILL steer a worker (a terminal's ^C reaches the supervisor).
void ignore_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE}) ::signal(signal, SIG_IGN);
}

Result<ipc::WorkerHello> receive_hello(ipc::Channel& channel) {
  pollfd ready{channel.fd(), POLLIN, 0};
  int count;
  do {
    count = ::poll(&ready, 1, kHelloTimeoutMs);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return fail(Errc::kTimeout, "no word from the supervisor");
  std::optional<ipc::Packet> packet = SERVERY_TRY(channel.receive());
  if (!packet) return fail(Errc::kInvalid, "no message from the supervisor");
  ipc::ToWorker message = SERVERY_TRY(ipc::decode_to_worker(std::move(*packet)));
  if (!std::holds_alternative<ipc::WorkerHello>(message)) {
    return fail(Errc::kInvalid, "the supervisor did not begin with hello");
  }
  ipc::WorkerHello hello = std::get<ipc::WorkerHello>(std::move(message));
  if (ipc::common_protocol(hello.protocol_min, hello.protocol_max) == 0) {
    return fail(Errc::kUnsupported, "no common ipc protocol with the supervisor");
  }
  return hello;
}

Result<Identity> identity_to_be(const ipc::Identity& wanted) {
  if (wanted.drop)
    return Identity{wanted.uid, wanted.gid, {wanted.groups.begin(), wanted.groups.end()}};
  Identity present{::getuid(), ::getgid(), {}};
  const int count = ::getgroups(0, nullptr);
  if (count < 0) return fail_errno("getgroups", errno);
  present.groups.resize(static_cast<std::size_t>(count));
  if (::getgroups(count, present.groups.data()) < 0) return fail_errno("getgroups", errno);
  return present;
}

// The descriptor limit first: raising the hard one is a privilege.
Status become(const ipc::WorkerHello& hello) {
  const std::uint64_t limit = SERVERY_TRY(raise_descriptor_limit(hello.descriptors));
  // Half of them are for files that are being sent; few connections need one at a time.
  if (limit < hello.descriptors / 2) {
    log::warning("descriptor_limit", {{"wanted", hello.descriptors}, {"limit", limit}});
  }
  const Identity identity = SERVERY_TRY(identity_to_be(hello.identity));
  SERVERY_TRY(drop_privileges(identity));
  return verify_privileges(identity);
}

int serve(ipc::Channel channel, const ipc::WorkerHello& hello) {
  auto loop = Loop::create();
  if (!loop) {
    log::error("worker_failed", {{"error", loop.error().text}});
    return kExitFailed;
  }
  SupervisorLink link(**loop, std::move(channel), hello.slot, hello.generation);
  if (const Status started = link.start(); !started) {
    log::error("worker_failed", {{"error", started.error().text}});
    return kExitFailed;
  }
  (*loop)->run();
  return link.finish();
}

}  // namespace

int run_worker(int channel_fd) {
  ::prctl(PR_SET_NAME, "servery");  // executed from a descriptor, it would be named by its number
  ignore_signals();
  log::set_role("worker");
  install_crash_report();
  ipc::Channel channel{UniqueFd(channel_fd)};
  auto hello = receive_hello(channel);
  if (!hello) {
    if (hello.error().code != Errc::kClosed) {
      log::error("worker_failed", {{"error", hello.error().text}});
    }
    return kExitFailed;
  }
  log::set_role(hello->slot == ipc::kSpareSlot ? "worker spare"
                                               : fmt::format("worker {}", hello->slot));
  if (const Status done = become(*hello); !done) {
    if (auto packet = ipc::encode(ipc::ToSupervisor(ipc::Failed{done.error().text}))) {
      static_cast<void>(channel.send(std::move(*packet)));
    }
    return kExitFailed;
  }
  return serve(std::move(channel), *hello);
}

}  // namespace servery
