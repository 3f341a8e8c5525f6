// The listening sockets of the service: binds or inherits them, keeps them over reloads and worker
// deaths, and closes them without losing a client. Owned by the supervisor for its whole life; its
// loop's thread; calls block only for system calls.
//
//   prepare(plan) -> commit() -> retire() -> close_leaving(name) for each
//        \-> abort()
//
// prepare binds what is new and takes no traffic; commit listens; retire stops new connections on
// what the plan no longer has; a leaving socket is closed once its worker has emptied it. Between
// prepare and commit everything that asks for sockets sees the prepared set. An address is known by
// its configured text; ":PORT" is two groups of sockets under one text.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "config/plan.h"
#include "supervisor/member_orders.h"
#include "supervisor/notify.h"

namespace servery {

// One socket as a worker gets it. The descriptor is the supervisor's; it stays open until
// close_leaving or abort.
struct SlotSocket {
  std::string name;  // "l-HASH-SLOT": unique, also its name in the service manager's store
  int fd = -1;
  std::string configured;  // which listener of the configuration it serves
  bool shared = false;     // every worker polls it: few accepts a wake, EAGAIN expected
  bool tcp = true;         // only these belong into the service manager's store
};

struct LeavingSocket {
  std::string name;
  int fd = -1;
  std::uint32_t slot = 0;  // whose worker empties it; of a shared socket 0
  bool shared = false;
};

struct ListenerStatus {
  std::string address;  // as bound: "127.0.0.1:8000", "unix:/run/x.sock"
  std::string configured;
  std::string kind;  // "tcp", "unix", "inherited"
  std::string mode;  // "per_slot", "shared"
  std::uint32_t sockets = 0;
  std::uint32_t leaving = 0;
};

// What prepare would do, by configured text.
struct ListenerChanges {
  std::vector<std::string> opened;
  std::vector<std::string> kept;
  std::vector<std::string> closed;
};

struct ListenerGroup;
struct ListenSocket;
class TcpAddress;

class Listeners {
 public:
  // `inherited`: what the service manager passed; "fd:" listeners and stored sockets are found
  // there.
  explicit Listeners(std::vector<InheritedFd> inherited);
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  // Binds what `plan.listeners` needs for `slots` workers (0: nothing is wanted any more) and is
  // not there yet. On failure nothing has changed; kInvalid: the address cannot be used as written
  // (exit 2), any other code: it could not be had now (kExists: in use, naming the owner where
  // known).
  Status prepare(const Plan& plan, std::uint32_t slots);
  // Listens on what was bound and publishes Unix sockets. On failure call abort().
  Status commit();
  // Closes what was bound; the sockets in service stay as they were.
  void abort();
  // Takes what the committed plan does not have out of selection and lets its half-open connections
  // complete. Each leaving socket is named until close_leaving.
  std::vector<LeavingSocket> retire();
  // Its worker (or adopter) has accepted everything and closed its copy. Unknown names, and sockets
  // a later plan has taken back, are left alone.
  void close_leaving(std::string_view name);
  // False once it is closed or a committed plan has taken it back.
  bool is_leaving(std::string_view name) const;

  std::vector<SlotSocket> sockets_of(std::uint32_t slot) const;
  // The name of the committed socket that would accept `connection` if it came now, the specific
  // address before the wildcard, any slot's; empty: nobody listens there any more.
  std::string socket_for(int connection) const;
  std::vector<ListenerStatus> status() const;
  ListenerChanges changes(const Plan& plan) const;
  // Why prepare could not have what `changes` calls opened, as far as looking tells; changes
  // nothing.
  std::vector<Error> obstacles(const Plan& plan) const;
  // Sentences for the log since the last call (no IPv6, backlog clipped).
  std::vector<std::string> take_warnings();
  // Closes sockets of the manager's store that no listener has claimed; after the first commit.
  // Their names, for FDSTOREREMOVE.
  std::vector<std::string> close_unclaimed();

 private:
  // listeners_prepare.cc
  Status prepare_all(const Plan& plan, std::uint32_t slots);
  Status prepare_tcp(const PlanListener& listener, std::uint32_t slots);
  Status prepare_scanned(const PlanListener& listener, std::uint32_t slots);
  Status prepare_both_families(const PlanListener& listener, std::uint32_t slots);
  Status prepare_unix(const PlanListener& listener);
  // Whether it was passed to this process.
  Status find_inherited(const PlanListener& listener) const;
  Status prepare_inherited(const PlanListener& listener, std::uint32_t slots);
  Status adopt_inherited(const PlanListener& listener, std::size_t index, std::uint32_t slots);
  Result<ListenerGroup*> prepare_group(const std::string& identity, const PlanListener& listener,
                                       const TcpAddress& address, std::uint32_t slots);
  Status prepare_slot(ListenerGroup& group, std::uint32_t slot);
  bool take_stored(ListenerGroup& group, std::uint32_t slot);
  void bind_siblings(ListenerGroup& group, std::uint32_t slots);
  ListenerGroup& add_group(std::string identity, const PlanListener& listener);

  // listeners.cc
  Status listen_group(ListenerGroup& group);
  void take_back(ListenerGroup& group, ListenSocket& socket);
  void settle();
  void retire_socket(ListenerGroup& group, ListenSocket& socket);
  void close_socket(ListenerGroup& group, ListenSocket& socket);
  void remove_gone();
  void select_survivors(const std::string& address, int except = -1);
  bool is_leaving(int fd) const;
  bool is_committed(const ListenSocket& socket) const;
  bool serves(const PlanListener& listener) const;
  ListenerGroup* find_group(std::string_view identity);
  std::set<ino_t> own_inodes() const;

  std::vector<InheritedFd> inherited_;  // not claimed by a group
  std::vector<std::unique_ptr<ListenerGroup>> groups_;
  MemberOrders orders_;
  std::vector<std::string> warnings_;
  int backlog_ = 0;
  bool preparing_ = false;
};

}  // namespace servery
