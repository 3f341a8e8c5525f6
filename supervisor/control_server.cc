#include "supervisor/control_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/exit_code.h"
#include "common/base/log.h"
#include "supervisor/control_connection.h"

namespace servery {
namespace {

constexpr std::uint32_t kSocketMode = 0600;
constexpr mode_t kDirectoryMode = 0700;
constexpr int kBacklog = 64;
constexpr int kAcceptsPerWake = 16;
constexpr Milliseconds kIdleCheck{1000};

// Nobody else may put another socket in ours' place.
Result<MadeDirectory> make_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  MadeDirectory made;
  if (mkdir(directory.c_str(), kDirectoryMode) == 0) {
    made = MadeDirectory(directory);
  } else if (errno != EEXIST) {
    return fail_errno(directory, errno);
  }
  struct stat info {};
  const auto is_ours = [&info] { return info.st_uid == geteuid() || info.st_uid == 0; };
  // Without its slash: who owns a link there decides where it leads.
  const std::string name = directory.substr(0, directory.find_last_not_of('/') + 1);
  bool ours = lstat(name.empty() ? "/" : name.c_str(), &info) == 0 && is_ours();
  if (stat(directory.c_str(), &info) != 0) return fail_errno(directory, errno);
  ours = ours && is_ours();
  const bool writable_by_others = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!S_ISDIR(info.st_mode)) return fail(Errc::kForbidden, directory + " is not a directory");
  if (!ours) return fail(Errc::kForbidden, directory + " belongs to another user");
  if (writable_by_others && (info.st_mode & S_ISVTX) == 0) {
    return fail(Errc::kForbidden, directory + " may be written by others");
  }
  return made;
}

std::string neighbour_of(const std::string& path) {
  return fmt::format("{}control-{}.sock", path.substr(0, path.rfind('/') + 1), ::getpid());
}

bool is_permitted(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == geteuid();
}

}  // namespace

MadeDirectory::~MadeDirectory() {
  if (!path_.empty()) rmdir(path_.c_str());
}

ControlReply& ControlReply::operator=(ControlReply&& other) noexcept {
  if (this != &other) {
    abandon();
    client_ = std::exchange(other.client_, {});
  }
  return *this;
}

ControlReply::~ControlReply() { abandon(); }

void ControlReply::abandon() { fail(kExitFailed, "the server gave no answer"); }

void ControlReply::progress(std::string_view sentence) {
  if (const auto client = client_.lock()) client->progress(sentence);
}

void ControlReply::finish(int exit_code, const Json& result) {
  if (const auto client = std::exchange(client_, {}).lock()) {
    client->finish({{"exit", exit_code}, {"result", result}});
  }
}

void ControlReply::fail(int exit_code, std::string_view error) {
  if (const auto client = std::exchange(client_, {}).lock()) {
    client->finish({{"exit", exit_code}, {"error", error}});
  }
}

ControlServer::ControlServer(Loop& loop, Options options, ControlHandler& handler)
    : loop_(loop),
      options_(std::move(options)),
      handler_(handler),
      idle_check_(loop, [this] { close_idle(); }) {}

Result<std::unique_ptr<ControlServer>> ControlServer::create(Loop& loop, const Options& options,
                                                             ControlHandler& handler) {
  std::unique_ptr<ControlServer> server(new ControlServer(loop, options, handler));
  Status opened = server->open();
  if (!opened && opened.error().code == Errc::kExists && options.may_move) {
    server->options_.path = neighbour_of(options.path);
    opened = server->open();
  }
  if (!opened) return tl::unexpected<Error>(std::move(opened).error());
  return server;
}

Status ControlServer::open() {
  directory_ = SERVERY_TRY(make_directory(options_.path));
  auto listener = UnixListener::bind(options_.path, kSocketMode);
  if (!listener && listener.error().code == Errc::kExists) {
    listener.error().text +=
        "; `servery stop` ends that one, --control gives this one a path of its own";
  }
  listener_ = SERVERY_TRY(std::move(listener));
  SERVERY_TRY(listener_.publish(kBacklog));
  watch_ = SERVERY_TRY(FdWatch::create(loop_, listener_.fd(), *this));
  return watch_.set_events(FdWatch::kReadable);
}

Result<bool> ControlServer::restore() {
  if (listener_.is_in_place()) return false;
  watch_.reset();
  listener_.reset();
  directory_ = MadeDirectory();  // first, or it would take its successor with it
  SERVERY_TRY(open());
  return true;
}

ControlServer::~ControlServer() { watch_.reset(); }

void ControlServer::on_ready(int) {
  for (int i = 0; i < kAcceptsPerWake; ++i) {
    UniqueFd fd(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd) {
      accept_client(std::move(fd));
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN) return;
    // Out of descriptors: the next idle check tries again, instead of spinning here.
    log::error("control_accept_failed", {{"cause", strerrordesc_np(errno)}});
    if (!watch_.set_events(0)) watch_.reset();
    return idle_check_.start_repeating(kIdleCheck);
  }
}

void ControlServer::accept_client(UniqueFd fd) {
  const bool permitted = is_permitted(fd.get());
  const bool room = clients_.size() < options_.max_clients;
  // A few more than there is room for may be told so; beyond that they are just closed.
  if (clients_.size() >= 2 * options_.max_clients) {
    ++counts_.refused;
    return;
  }
  auto client = std::make_shared<ControlClient>(*this, std::move(fd));
  if (!client->start(loop_)) return;
  clients_.push_back(client);
  if (!idle_check_.is_active()) idle_check_.start_repeating(kIdleCheck);
  if (!permitted) return client->refuse(kExitFailed, "not permitted on the control socket");
  if (!room) client->refuse(kExitFailed, "too many clients on the control socket");
}

void ControlServer::remove(ControlClient& client) {
  std::erase_if(clients_, [&client](const auto& other) { return other.get() == &client; });
}

void ControlServer::close_idle() {
  const SteadyTime limit = loop_.now() - options_.idle_timeout;
  std::erase_if(clients_, [limit](const auto& client) { return client->is_idle_since(limit); });
  if (watch_ && watch_.events() == 0) {
    if (!watch_.set_events(FdWatch::kReadable)) watch_.reset();
  } else if (clients_.empty()) {
    idle_check_.stop();
  }
}

}  // namespace servery
