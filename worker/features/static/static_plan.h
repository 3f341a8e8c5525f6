// What to answer for a static file: facts in, status, fields and byte range out. Pure, so that the
// slow path, the hot cache and tests decide alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "worker/http/conditional.h"
#include "worker/http/message.h"
#include "worker/http/negotiate.h"
#include "worker/http/range.h"

namespace servery::features {

// From fstat of the opened file, and from its name.
struct FileFacts {
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_s = 0;
  std::uint32_t mtime_ns = 0;
  std::int64_t ctime_s = 0;
  std::uint32_t ctime_ns = 0;
  // False while the ctime is so young that a second write in the same clock tick could hide
  // (20 ms): the validator is then weak.
  bool settled = true;
  std::string_view content_digest;  // SHA-256, where the tag is made of it
  std::string_view content_type;
  std::string_view cache_control;                 // empty: the field is not sent
  std::string_view attachment;                    // the name of a download; empty: none
  http::Coding coding = http::Coding::kIdentity;  // of the representation
  bool varies = false;                            // may have coded variants
  bool chosen_by_accept = false;                  // another Accept would have found nothing here
};

// What an entity tag is made of. W/ while the file is not settled, whatever it is made of.
enum class EtagKind : std::uint8_t {
  // Inode, size, mtime and ctime in nanoseconds: any change of the file is seen, also one that puts
  // the old mtime back.
  kInode,
  // Size and mtime: the same for copies that keep the mtime, on any host. Weak for an mtime of
  // whole seconds: an archive or a build may have given it to other contents too.
  kMtime,
  // The content (128 bits of its SHA-256): the same for the same bytes, wherever and whenever.
  kContent,
};
// In hex, fields apart. Empty for kContent without a digest.
std::string make_etag(EtagKind kind, const FileFacts& file);

// The decision alone, without allocation: what the hot path needs to choose a prepared answer.
struct StaticDecision {
  int status = 200;         // 200, 206, 304, 412, 416
  http::RangeChoice range;  // for 206 and 416
};
// `now`: Unix seconds.
StaticDecision decide_static(const http::RequestHead& request, const http::Validators& validators,
                             std::uint64_t size, std::int64_t now);
// Last-Modified never lies in the future (RFC 9110 8.8.2.1).
http::Validators static_validators(const FileFacts& file, std::string_view etag, std::int64_t now);

// The fields of a 200, without Content-Length (the exchange knows the length) and without the
// route's policy.
http::ResponseFields static_fields(const FileFacts& file, const http::Validators& validators);

// Whether a browser asks for a page: Accept names text/html (a wildcard is no page) and the last
// segment has no dot, which would make it a file.
bool is_navigation(const http::RequestHead& request);

// The Location for a directory asked for without its slash: the path as sent with "/" behind it and
// the query kept. Always a path of this server: never "//host", whatever the client sent.
std::string directory_location(const http::RequestHead& request);

}  // namespace servery::features
