// The children of a supervisor under test: the test binary itself, executed by Executable in the
// roles of a check child and of a worker (spawn_test.cc has the main that comes here). They speak
// the real protocols and do what words in their inputs say, so generations, reloads and hand-overs
// are tested with real processes and without a configuration or a request.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ipc/channel.h"
#include "ipc/memfd.h"
#include "ipc/shared_view.h"
#include "supervisor/config_check.h"
#include "supervisor/spawn.h"

namespace servery::test {

inline constexpr std::size_t kMaxScript = 1 << 20;

// Answers with its inputs, which are the plan; "crash" and "garbage" are answered as they say.
inline int run_scripted_check() {
  const auto text = ipc::read_sealed_text(kCheckInputsFd, kMaxScript);
  if (!text) return 1;
  if (*text == "crash") std::abort();
  return ::write(kCheckAnswerFd, text->data(), text->size()) < 0 ? 1 : 0;
}

// One worker. Words: "refuse" fails in prepare, "die" ends there, "silent" has no heartbeat and
// "busy" never drains.
class ScriptedWorker {
 public:
  int run() {
    send(ipc::SupervisorHello{});
    for (;;) {
      pollfd ready{channel_.fd(), POLLIN, 0};
      ::poll(&ready, 1, kBeatMs);
      if (page_ && !says("silent")) bump(page_.page().heartbeat);
      for (;;) {
        auto packet = channel_.receive();
        if (!packet) return 1;  // the supervisor is gone
        if (!*packet) break;
        auto message = ipc::decode_to_worker(std::move(**packet));
        if (!message) return 1;
        if (!std::visit([this](auto& m) { return on(m); }, *message)) return exit_code_;
      }
    }
  }

 private:
  static constexpr int kBeatMs = 20;

  bool says(std::string_view word) const { return script_.find(word) != std::string::npos; }
  void send(ipc::ToSupervisor message) {
    if (auto packet = ipc::encode(std::move(message))) {
      static_cast<void>(channel_.send(std::move(*packet)));
    }
  }

  // False: it leaves.
  template <typename Message>
  bool on(Message&) {
    return true;
  }
  bool on(ipc::Configure& message) {
    script_ = ipc::read_sealed_text(message.inputs.get(), kMaxScript).value_or("");
    page_ = std::move(*WorkerPageView::map(message.page.get()));
    if (says("die")) return false;
    if (says("refuse")) {
      send(ipc::Failed{"refused as told"});
      exit_code_ = 1;
      return false;
    }
    send(ipc::Prepared{});
    return true;
  }
  bool on(ipc::Serve&) {
    send(ipc::Ready{});
    return true;
  }
  bool on(ipc::StopAccepting&) {
    send(ipc::StoppedAccepting{});
    return true;
  }
  bool on(ipc::Leave& message) {
    send(ipc::SocketEmpty{message.listener, message.slot, 0});
    return true;
  }
  bool on(ipc::TakeOver& message) {
    ipc::TakenOver taken;
    for (const ipc::Connection& connection : message.connections) {
      taken.ids.push_back(connection.id);
    }
    send(std::move(taken));
    return true;
  }
  // What it was told shows as its open work.
  bool on(ipc::HandOverDone& message) {
    send(ipc::OpenWorkReport{static_cast<std::uint32_t>(message.offered.size()),
                             static_cast<std::uint32_t>(message.taken.size()), 0, 0});
    return true;
  }
  bool on(ipc::Drain&) {
    if (says("busy")) return true;
    send(ipc::Drained{});
    return false;
  }
  bool on(ipc::Quit&) { return false; }

  ipc::Channel channel_{UniqueFd(kFirstChildFd)};
  WorkerPageView page_;
  std::string script_;
  int exit_code_ = 0;
};

}  // namespace servery::test
