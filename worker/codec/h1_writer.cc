#include "worker/codec/h1_writer.h"

#include <charconv>
#include <string>

#include "common/base/text.h"

namespace servery::codec {
namespace {

constexpr std::string_view kCrLf = "\r\n";
constexpr std::string_view kChunkedLine = "Transfer-Encoding: chunked\r\n";

std::string_view connection_line(ConnectionField field) {
  switch (field) {
    case ConnectionField::kNone:
      return {};
    case ConnectionField::kKeepAlive:
      return "Connection: keep-alive\r\n";
    case ConnectionField::kClose:
      break;
  }
  return "Connection: close\r\n";
}

std::size_t fields_size(const http::ResponseFields& fields) {
  std::size_t size = 0;
  for (const http::ResponseField& field : fields) {
    size += field.name.size() + field.value.size() + 4;
  }
  return size;
}

std::size_t tail_size(const HeadContext& context) {
  return context.date_line.size() + connection_line(context.connection).size() +
         (context.chunked ? kChunkedLine.size() : 0) + kCrLf.size() +
         (context.extra != nullptr ? fields_size(*context.extra) : 0);
}

// "content-type" as Content-Type: people read HTTP/1 heads.
void put_name(ByteWriter& out, std::string_view name) {
  bool is_first = true;
  for (char c : name) {
    const char shown = is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    out.put({&shown, 1});
    is_first = c == '-';
  }
}

void put_fields(ByteWriter& out, const http::ResponseFields& fields) {
  for (const http::ResponseField& field : fields) {
    put_name(out, field.name);
    out.put(": ");
    out.put(field.value);
    out.put(kCrLf);
  }
}

// What follows the fields of a response; the room was checked.
void put_tail(ByteWriter& out, const HeadContext& context) {
  if (context.extra != nullptr) put_fields(out, *context.extra);
  out.put(context.date_line);
  out.put(connection_line(context.connection));
  if (context.chunked) out.put(kChunkedLine);
  out.put(kCrLf);
}

std::size_t head_size(int status, const http::ResponseFields& fields) {
  return 9 + 4 + http::reason_phrase(status).size() + kCrLf.size() + fields_size(fields);
}

// Status line (RFC 9112 4) and fields; the room was checked.
void put_head(ByteWriter& out, int status, const http::ResponseFields& fields) {
  char digits[3] = {static_cast<char>('0' + status / 100 % 10),
                    static_cast<char>('0' + status / 10 % 10),
                    static_cast<char>('0' + status % 10)};
  out.put("HTTP/1.1 ");
  out.put({digits, sizeof digits});
  out.put(" ");
  out.put(http::reason_phrase(status));
  out.put(kCrLf);
  put_fields(out, fields);
}

const std::string& wire_of(const http::PreparedResponse& response) {
  std::string& wire = response.wire.h1;
  if (wire.empty()) {
    wire.resize(head_size(response.status, response.fields));
    ByteWriter writer(wire);
    put_head(writer, response.status, response.fields);
  }
  return wire;
}

}  // namespace

bool write_head(ByteWriter& out, const http::ResponseHead& head, const HeadContext& context) {
  if (head_size(head.status, head.fields) + tail_size(context) > out.room()) return false;
  put_head(out, head.status, head.fields);
  put_tail(out, context);
  return true;
}

bool write_prepared_head(ByteWriter& out, const http::PreparedResponse& response,
                         const HeadContext& context) {
  const std::string& wire = wire_of(response);
  if (wire.size() + tail_size(context) > out.room()) return false;
  out.put(wire);
  put_tail(out, context);
  return true;
}

bool write_prepared(ByteWriter& out, const http::PreparedResponse& response,
                    const HeadContext& context, bool head_only) {
  const std::string& wire = wire_of(response);
  const std::size_t body = head_only ? 0 : response.content().size();
  if (wire.size() + tail_size(context) + body > out.room()) return false;
  out.put(wire);
  put_tail(out, context);
  if (body > 0) out.put(response.content());
  return true;
}

bool write_chunk_size(ByteWriter& out, std::uint64_t bytes) {
  char line[kMaxChunkSizeLine];
  char* const end = std::to_chars(line, line + sizeof line, bytes, 16).ptr;
  std::memcpy(end, kCrLf.data(), kCrLf.size());
  return out.append({line, static_cast<std::size_t>(end - line) + kCrLf.size()});
}

}  // namespace servery::codec
