// Reads a request body, drops it and then gives a ready-made answer: what a fixed answer to POST
// needs. An ExchangeTask: set it on its exchange, which keeps it until the answer is out.
#pragma once

#include <memory>

#include "worker/http/exchange.h"

namespace servery::body {

class DiscardTask final : public http::ExchangeTask, private http::BodySink {
 public:
  // Answers at once when the request has no body.
  static void run(http::Exchange& exchange, http::PreparedRef answer);

 private:
  DiscardTask(http::Exchange& exchange, http::PreparedRef answer)
      : exchange_(exchange), answer_(std::move(answer)) {}
  bool on_bytes(std::span<const char>) override { return true; }
  void on_end() override { exchange_.respond(answer_); }  // may destroy this
  void on_abort(const Error&) override {}                 // the transport answers

  http::Exchange& exchange_;
  http::PreparedRef answer_;
};

}  // namespace servery::body
