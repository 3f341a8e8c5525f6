#include "worker/transport/proxy_header_protocol.h"

#include <string_view>

#include "worker/codec/proxy_header.h"
#include "worker/transport/connection.h"

namespace servery::transport {

void ProxyHeaderProtocol::on_bytes(std::span<char> bytes) {
  const bool is_whole = kept_.empty();
  if (!is_whole) kept_.append(bytes.data(), bytes.size());
  const std::span<char> in = is_whole ? bytes : std::span<char>(kept_);
  codec::ProxyHeader header;
  switch (codec::parse_proxy_header({in.data(), in.size()}, header)) {
    case codec::ProxyHeaderState::kNeedMore:
      if (is_whole) kept_.assign(in.data(), in.size());
      connection_.settle();
      return;
    case codec::ProxyHeaderState::kMalformed:
      refuse();
      return;
    case codec::ProxyHeaderState::kDone:
      break;
  }
  PeerAddress client = connection_.peer();
  if (header.source) client = PeerAddress(header.source->text(), header.port);
  connection_.become_http(client, in.subspan(header.size));
}

// Who connects and closes without a word only looks whether somebody listens.
void ProxyHeaderProtocol::on_peer_closed() {
  if (!kept_.empty()) {
    refuse();
  } else {
    connection_.close();
  }
}

void ProxyHeaderProtocol::on_deadline(Waiting what) {
  context_.metrics.add(what == Waiting::kGrace ? Metric::kDrainClosedIdle : Metric::kTimeoutHeader);
  connection_.close();
}

void ProxyHeaderProtocol::on_drain() {
  if (context_.drain == Drain::kAtOnce) connection_.wait_for(Waiting::kGrace, true);
}

void ProxyHeaderProtocol::refuse() {
  context_.metrics.add(Metric::kProxyHeaderMalformed);
  connection_.close();
}

}  // namespace servery::transport
