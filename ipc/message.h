// Every message between the supervisor and a worker, as a struct, grouped by direction; one
// std::variant per direction. A descriptor travels as a member with a name, never by position in an
// anonymous list. `fields()` names the members in wire order once, for encoding and decoding
// (ipc/wire.h). Both roles. The conversation is drawn in docs/ipc.md.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/unique_fd.h"

namespace servery::ipc {

// The protocol versions this binary speaks. Each side states its range in Hello and uses the
// highest that both have; without one the channel ends.
inline constexpr std::uint32_t kProtocolMin = 1;
inline constexpr std::uint32_t kProtocolMax = 1;

inline constexpr std::size_t kMaxMessageBytes = 60 * 1024;  // under 64 KiB with any header
inline constexpr std::size_t kMaxMessageFds = 64;
inline constexpr std::size_t kMaxGroups = 256;
inline constexpr std::size_t kMaxName = 512;           // a listener, a reason
inline constexpr std::size_t kMaxPeer = 64;            // a numeric address
inline constexpr std::size_t kMaxPath = 4096;          // PATH_MAX
inline constexpr std::size_t kMaxText = 8 * 1024;      // a problem text
inline constexpr std::size_t kMaxRootsPerMessage = 8;  // 8 longest paths fit one message

// Whom the worker becomes before it parses anything else.
struct Identity {
  bool drop = false;  // false: keep the supervisor's ids (it is not root, or stays root)
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
};

// A listening socket; see ListenSocket in worker/worker.h.
struct Socket {
  std::string listener;
  std::string configured;  // the address of the configuration that it serves
  std::uint32_t slot = 0;
  bool shared = false;
  bool is_unix = false;
  UniqueFd fd;
};

struct Root {
  std::string path;
  UniqueFd fd;  // O_PATH
};

// An idle connection on its way from one worker to another.
struct Connection {
  std::uint64_t id = 0;  // the giving worker's
  std::string listener;
  std::string peer;
  std::uint16_t peer_port = 0;
  std::uint64_t requests = 0;
  UniqueFd fd;
};

// ---- supervisor to worker, in the order of a worker's life ----

// First. Acted on (privileges dropped and verified) before the next message is read.
struct WorkerHello {
  std::uint32_t protocol_min = kProtocolMin;
  std::uint32_t protocol_max = kProtocolMax;
  std::uint32_t slot = 0;  // kSpareSlot: no socket of its own
  std::uint64_t generation = 0;
  std::uint64_t descriptors = 0;  // RLIMIT_NOFILE the limits need
  Identity identity;
};
inline constexpr std::uint32_t kSpareSlot = 0xffffffff;

// Route roots; any number of these before Configure.
struct Roots {
  std::vector<Root> roots;
};
// Everything to build from. Answered by Prepared or Failed.
struct Configure {
  std::uint64_t stop_timeout_ms = 0;  // what a worker that lost its supervisor may take
  std::uint32_t page_index = 0;
  UniqueFd inputs;      // sealed memfd: config Inputs
  UniqueFd files;       // sealed memfd: the files they name (passwords, error pages)
  UniqueFd page;        // this worker's metrics page
  UniqueFd rate_table;  // shared by all workers
};
// Sockets to poll: kept until Serve, polled at once after it (a slot lent to this worker).
struct Listen {
  std::vector<Socket> sockets;
};
struct Serve {};  // answered by Ready
// Stop polling a lent slot; its owner polls it again.
struct GiveBack {
  std::uint32_t slot = 0;
};
// Accept from this socket until it is empty (rule 6 c). Answered by SocketEmpty.
struct Leave {
  std::string listener;
  std::uint32_t slot = 0;
  std::uint64_t limit_ms = 0;
};
// Close every socket that is not leaving. Answered by StoppedAccepting.
struct StopAccepting {};
struct Drain {
  std::uint64_t deadline_ns = 0;  // CLOCK_MONOTONIC
  bool hand_over = false;
};
// Which of the connections of one or more HandOver messages the successor has.
struct HandOverDone {
  std::vector<std::uint64_t> offered;
  std::vector<std::uint64_t> taken;
};
struct TakeOver {
  std::vector<Connection> connections;
};
struct Quit {};  // exit now; nothing was served

using ToWorker = std::variant<WorkerHello, Roots, Configure, Listen, Serve, GiveBack, Leave,
                              StopAccepting, Drain, HandOverDone, TakeOver, Quit>;

// ---- worker to supervisor ----

// Privileges are dropped and verified.
struct SupervisorHello {
  std::uint32_t protocol_min = kProtocolMin;
  std::uint32_t protocol_max = kProtocolMax;
};
struct Prepared {};
// The worker cannot become ready; it exits. The text is the reload's verdict.
struct Failed {
  std::string text;
};
struct Ready {};
struct StoppedAccepting {};
struct SocketEmpty {
  std::string listener;
  std::uint32_t slot = 0;
  std::uint32_t leftover = 0;  // handshakes given up at the limit
};
struct HandOver {
  std::vector<Connection> connections;
};
struct TakenOver {
  std::vector<std::uint64_t> ids;
};
// What a draining worker still waits for; sent when it changes, at most four times a second.
struct OpenWorkReport {
  std::uint32_t keepalive = 0;
  std::uint32_t response = 0;
  std::uint32_t request = 0;
  std::uint32_t pool = 0;
};
struct RecycleWanted {
  std::string reason;
};
struct Drained {};  // the last message; the worker exits 0

using ToSupervisor =
    std::variant<SupervisorHello, Prepared, Failed, Ready, StoppedAccepting, SocketEmpty, HandOver,
                 TakenOver, OpenWorkReport, RecycleWanted, Drained>;

// ---- members in wire order: V is an encoder or a decoder ----

template <typename V>
void fields(V& v, Identity& m) {
  v(m.drop);
  v(m.uid);
  v(m.gid);
  v.list(m.groups, kMaxGroups);
}
template <typename V>
void fields(V& v, Socket& m) {
  v.text(m.listener, kMaxName);
  v.text(m.configured, kMaxName);
  v(m.slot);
  v(m.shared);
  v(m.is_unix);
  v(m.fd);
}
template <typename V>
void fields(V& v, Root& m) {
  v.text(m.path, kMaxPath);
  v(m.fd);
}
template <typename V>
void fields(V& v, Connection& m) {
  v(m.id);
  v.text(m.listener, kMaxName);
  v.text(m.peer, kMaxPeer);
  v(m.peer_port);
  v(m.requests);
  v(m.fd);
}
template <typename V>
void fields(V& v, WorkerHello& m) {
  v(m.protocol_min);
  v(m.protocol_max);
  v(m.slot);
  v(m.generation);
  v(m.descriptors);
  fields(v, m.identity);
}
template <typename V>
void fields(V& v, Roots& m) {
  v.list(m.roots, kMaxRootsPerMessage);
}
template <typename V>
void fields(V& v, Configure& m) {
  v(m.stop_timeout_ms);
  v(m.page_index);
  v(m.inputs);
  v(m.files);
  v(m.page);
  v(m.rate_table);
}
template <typename V>
void fields(V& v, Listen& m) {
  v.list(m.sockets, kMaxMessageFds);
}
template <typename V>
void fields(V&, Serve&) {}
template <typename V>
void fields(V& v, GiveBack& m) {
  v(m.slot);
}
template <typename V>
void fields(V& v, Leave& m) {
  v.text(m.listener, kMaxName);
  v(m.slot);
  v(m.limit_ms);
}
template <typename V>
void fields(V&, StopAccepting&) {}
template <typename V>
void fields(V& v, Drain& m) {
  v(m.deadline_ns);
  v(m.hand_over);
}
template <typename V>
void fields(V& v, HandOverDone& m) {
  v.list(m.offered, kMaxMessageFds);
  v.list(m.taken, kMaxMessageFds);
}
template <typename V>
void fields(V& v, TakeOver& m) {
  v.list(m.connections, kMaxMessageFds);
}
template <typename V>
void fields(V&, Quit&) {}
template <typename V>
void fields(V& v, SupervisorHello& m) {
  v(m.protocol_min);
  v(m.protocol_max);
}
template <typename V>
void fields(V&, Prepared&) {}
template <typename V>
void fields(V& v, Failed& m) {
  v.text(m.text, kMaxText);
}
template <typename V>
void fields(V&, Ready&) {}
template <typename V>
void fields(V&, StoppedAccepting&) {}
template <typename V>
void fields(V& v, SocketEmpty& m) {
  v.text(m.listener, kMaxName);
  v(m.slot);
  v(m.leftover);
}
template <typename V>
void fields(V& v, HandOver& m) {
  v.list(m.connections, kMaxMessageFds);
}
template <typename V>
void fields(V& v, TakenOver& m) {
  v.list(m.ids, kMaxMessageFds);
}
template <typename V>
void fields(V& v, OpenWorkReport& m) {
  v(m.keepalive);
  v(m.response);
  v(m.request);
  v(m.pool);
}
template <typename V>
void fields(V& v, RecycleWanted& m) {
  v.text(m.reason, kMaxName);
}
template <typename V>
void fields(V&, Drained&) {}

}  // namespace servery::ipc
