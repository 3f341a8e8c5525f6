// HTTP/1 responses to bytes (RFC 9112 4-7). Pure: writes into room that the caller bounds, whole or
// not at all. Worker thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "worker/http/message.h"

namespace servery::codec {

// A bounded piece of an output buffer, filled from the front.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<char> room) : room_(room) {}
  std::size_t size() const { return used_; }
  std::size_t room() const { return room_.size() - used_; }
  std::string_view written() const { return {room_.data(), used_}; }
  // False and unchanged if it does not fit.
  bool append(std::string_view text) {
    if (text.size() > room()) return false;
    put(text);
    return true;
  }
  // The caller has compared with room().
  void put(std::string_view text) {
    if (text.empty()) return;  // its data() may be null, which memcpy does not take
    std::memcpy(room_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }

 private:
  std::span<char> room_;
  std::size_t used_ = 0;
};

enum class ConnectionField : std::uint8_t {
  kNone,       // HTTP/1.1, persistent
  kKeepAlive,  // HTTP/1.0 that asked for it
  kClose,
};

// What only the connection knows of a response head.
struct HeadContext {
  std::string_view date_line;  // DateCache::line
  ConnectionField connection = ConnectionField::kNone;
  bool chunked = false;                         // adds Transfer-Encoding: chunked
  const http::ResponseFields* extra = nullptr;  // beside a prepared response's; may be null
};

// Status line, fields, Date, Connection, empty line. False and unchanged if it does not fit.
bool write_head(ByteWriter& out, const http::ResponseHead& head, const HeadContext& context);
// The same from a prepared response's wire form, made at first use. Without the body.
bool write_prepared_head(ByteWriter& out, const http::PreparedResponse& response,
                         const HeadContext& context);
// Head and, unless `head_only`, body in one piece.
bool write_prepared(ByteWriter& out, const http::PreparedResponse& response,
                    const HeadContext& context, bool head_only);

// Chunk framing: size line, the bytes, kChunkEnd; at last kLastChunk.
bool write_chunk_size(ByteWriter& out, std::uint64_t bytes);
inline constexpr std::size_t kMaxChunkSizeLine = 18;  // 16 digits, CR, LF
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace servery::codec
