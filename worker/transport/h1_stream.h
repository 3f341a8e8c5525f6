// What an HTTP/1 connection needs only while a request is active: exchange, parser, body decoder,
// sender and unread input. Pooled per worker (H1StreamPool); lent to one H1Protocol at a time.
#pragma once

#include <memory>
#include <string>

#include "worker/codec/h1_parser.h"
#include "worker/http/exchange.h"
#include "worker/transport/h1_request_body.h"
#include "worker/transport/h1_sender.h"

namespace servery::transport {

class H1Protocol;

class H1Stream final : public http::ResponseTransport, public http::SourceWaiter {
 public:
  explicit H1Stream(TransportContext& context);

  // Lends the stream; nullptr takes it back, emptied, with its capacities.
  void lend(H1Protocol* owner);

  http::TransportFacts facts;
  http::RawHead raw;
  http::Exchange exchange{*this, facts};
  codec::H1HeadParser parser;
  H1RequestBody body;
  H1Sender sender;
  std::string
      input;  // read and not yet used: an incomplete head, pipelined requests, a paused body

 private:
  static constexpr std::size_t kKeptCapacity = 16 * 1024;

  void send_response(http::Exchange& exchange, http::ResponseHead head,
                     std::unique_ptr<http::BodySource> body) override;
  void send_prepared(http::Exchange& exchange, const http::PreparedRef& response) override;
  void start_body(http::Exchange& exchange) override;
  void resume_body(http::Exchange& exchange) override;
  void on_source_ready() override;

  H1Protocol* owner_ = nullptr;
};

}  // namespace servery::transport
