// The rules of an HTTP/1 connection that depend on its version and `Connection` field (RFC 9112 9).
// Pure; worker thread only.
#pragma once

#include "worker/http/message.h"

namespace servery::codec {

struct H1Persistence {
  bool keep_alive = false;  // the client lets the connection go on after this response
  bool is_http10 = false;   // then keep-alive must be said, and there is no chunked and no 100
};

// Reads the `Connection` fields as token lists (RFC 9110 7.6.1); close wins over keep-alive.
H1Persistence h1_persistence(std::uint8_t version_minor, const http::RequestFields& fields);

}  // namespace servery::codec
