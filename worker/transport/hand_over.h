// Idle plain connections on their way to the successor (architecture section 8, rule 9): collected
// while draining, offered in batches of at most 64, one batch under way at a time. An offered
// connection is not polled here, so that its next request is read once. Owned by the worker; worker
// thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/unique_fd.h"
#include "worker/transport/connections.h"

namespace servery::transport {

struct HandedConnection {
  std::uint64_t id = 0;  // the giving worker's
  UniqueFd fd;           // a duplicate: the giving worker keeps its own until it is acked
  std::string listener;
  std::string peer;
  std::uint16_t peer_port = 0;
  std::uint64_t requests = 0;  // already answered on it
};

class HandOverSink {
 public:
  // Later than any call of HandOver.
  virtual void on_hand_over(std::vector<HandedConnection> batch) = 0;

 protected:
  ~HandOverSink() = default;
};

class HandOver final : public DrainListener {
 public:
  // `names`: listeners by the number a Connection carries.
  HandOver(TransportContext& context, HandOverSink& sink, const std::vector<std::string>& names);
  ~HandOver();
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  // The answer to a batch: of `offered`, those in `taken` live elsewhere now.
  void on_done(const std::vector<std::uint64_t>& offered, const std::vector<std::uint64_t>& taken);
  // Nobody will answer any more: what is under way is served here again.
  void cancel();

 private:
  static constexpr std::size_t kMaxBatch = 64;

  void on_idle_connection(Connection& connection) override;
  void on_connection_closed(Connection& connection) override;
  void schedule();
  void offer_batch();

  TransportContext& context_;
  HandOverSink& sink_;
  const std::vector<std::string>& names_;
  std::vector<Connection*> waiting_;                        // idle, not yet offered
  std::unordered_set<Connection*> seen_;                    // waiting or offered once
  std::unordered_map<std::uint64_t, Connection*> offered_;  // by id
  std::uint64_t next_id_ = 1;
  bool is_scheduled_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what was posted
};

}  // namespace servery::transport
