// One client connection: a non-blocking socket, requests on their way, answers read in order. Owned
// by the client; knows no epoll and no clock. Allocates nothing once it has been used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/load/answer.h"
#include "bench/load/target.h"
#include "common/base/unique_fd.h"

namespace servery::bench {

// A request under way.
struct Pending {
  Target* target = nullptr;
  std::uint64_t start_ns = 0;  // when it was sent, or due
  bool compare = true;
  bool last = false;  // it said `Connection: close`
};

class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // A complete answer, in order.
  virtual void on_answer(const Pending& pending, const AnswerReader& reader) = 0;
};

class Connection {
 public:
  enum class Io { kDone, kBlocked, kEnd, kReset, kMalformed };

  // At most `depth` requests at once.
  explicit Connection(std::size_t depth) : ring_(depth) {}

  // To 127.0.0.1. Drops what an earlier connection left. False: errno says why.
  bool open(std::uint16_t port);
  void close() { fd_.reset(); }
  bool is_open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }

  // Puts a request behind those under way; flush() sends it.
  void ask(const Pending& pending);
  // kDone, kBlocked (wait for EPOLLOUT) or kReset.
  Io flush();
  // One read into `buffer`, answers to `sink`. kDone: more may be there.
  Io receive(char* buffer, std::size_t size, AnswerSink& sink);

  std::size_t under_way() const { return under_way_; }
  std::uint64_t asked() const { return asked_; }
  bool answered() const { return answered_; }  // at least once since open()
  // The server will close after what it has answered: said so, or was asked to.
  bool ends() const { return ends_; }

 private:
  Io take(std::string_view bytes, AnswerSink& sink);

  UniqueFd fd_;
  std::vector<Pending> ring_;
  std::size_t first_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t asked_ = 0;
  bool answered_ = false;
  bool ends_ = false;
  std::string unsent_;
  AnswerReader reader_;
};

}  // namespace servery::bench
