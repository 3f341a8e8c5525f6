// Adds the digests a request wants (RFC 9530) to the fields of an answer before it is sent. Worker
// thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/unique_fd.h"
#include "worker/body/content_digester.h"
#include "worker/body/range_answer.h"
#include "worker/files/file_identity.h"
#include "worker/http/exchange.h"

namespace servery::features {

// Where the bytes of a representation come from: for the answer, and for its digests.
struct RepresentationBytes {
  body::RangeOpener open;
  std::function<std::shared_ptr<body::Producer>(std::uint64_t offset, std::uint64_t size)> produce;
  std::function<bool()> may_keep;  // see ContentDigester::Input
  std::string key;                 // see bytes_key(); set where digests are wanted
};

// The key of a part of what has `key`.
std::string span_key(std::string key, std::uint64_t offset, std::uint64_t size);
// Whether the file is still in that state, for ContentDigester::Input::may_keep.
std::function<bool()> still_is(std::shared_ptr<const UniqueFd> file,
                               const files::FileIdentity& identity);

// The answer where the bytes end too early.
inline constexpr http::Refusal kDigestUnreadable{500, "digest_unreadable"};

bool wants_digest(const http::RequestHead& request);

// Answers as body::answer_range does, now or when the digests are there: Repr-Digest over the whole
// representation with its coding, Content-Digest over what this message holds: the one part of a
// 206, nothing for HEAD. Of several parts there is none; neither where there is no room for the
// work. What cannot be read to its end is a 500.
void answer_with_digests(http::Exchange& exchange, body::ContentDigester& digester,
                         http::RangeChoice choice, http::ResponseFields fields, std::uint64_t size,
                         RepresentationBytes bytes);

}  // namespace servery::features
