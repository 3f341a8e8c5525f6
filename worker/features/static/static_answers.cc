#include "worker/features/static/static_answers.h"

#include <memory>
#include <optional>
#include <utility>

#include "worker/body/file_source.h"
#include "worker/body/memory_source.h"
#include "worker/body/producers.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/disposition.h"
#include "worker/http/query.h"

namespace servery::features {
namespace {

// nullopt: no download is asked for. Empty: by the file's own name.
std::optional<std::string> asked_download(const http::RequestHead& request) {
  if (!request.has_query) return std::nullopt;
  http::QueryCursor pairs(request.query);
  for (std::string_view key, value; pairs.next(key, value);) {
    if (key != "download") continue;
    if (value == "1") return std::string();  // a plain yes
    return http::decode_query_value(value).value_or(std::string());
  }
  return std::nullopt;
}

RepresentationBytes bytes_of(const http::PreparedRef& made, bool settled) {
  RepresentationBytes bytes;
  bytes.open = [made](const http::ByteRange& part) {
    const auto view =
        std::string_view(made->body)
            .substr(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.length()));
    return std::make_unique<body::MemorySource>(made, view);
  };
  bytes.produce = [made](std::uint64_t offset, std::uint64_t size) {
    const auto view = std::string_view(made->body)
                          .substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    return std::make_shared<body::MemoryProducer>(made, view);
  };
  if (settled) bytes.may_keep = [] { return true; };
  return bytes;
}

}  // namespace

bool StaticAnswers::wants_own_answer(const http::RequestHead& request) const {
  if (gives_digest(request)) return true;
  return request.has_query && asked_download(request).has_value();
}

void StaticAnswers::add_download(const http::RequestHead& request, std::string_view name,
                                 http::ResponseFields& fields) {
  const auto asked = asked_download(request);
  if (!asked) return;
  fields.set(http::kContentDisposition, http::attachment(http::download_name(*asked, name)));
}

void StaticAnswers::answer_kept(http::Exchange& exchange, const files::CachedFile& file,
                                bool settled) const {
  const std::int64_t now = maker_.unix_now();
  const http::Validators validators =
      static_validators(RepresentationMaker::facts_of(file, settled), file.etag, now);
  // Ranges are those of the coded bytes (RFC 9110 14.2).
  const std::uint64_t size = file.ok->body.size();
  const StaticDecision decision = decide_static(exchange.request(), validators, size, now);
  if (decision.status == 304) {
    exchange.respond(file.not_modified);
  } else if (decision.status == 200 && !wants_own_answer(exchange.request())) {
    exchange.respond(file.ok);
  } else {
    answer(exchange, decision, file, settled, size, bytes_of(file.ok, settled));
  }
}

void StaticAnswers::answer_file(http::Exchange& exchange, const files::CachedFile& file,
                                bool settled, UniqueFd fd) const {
  const std::int64_t now = maker_.unix_now();
  const FileFacts facts = RepresentationMaker::facts_of(file, settled);
  const http::Validators validators = static_validators(facts, file.etag, now);
  const StaticDecision decision = decide_static(exchange.request(), validators, facts.size, now);
  const auto shared = std::make_shared<const UniqueFd>(std::move(fd));
  RepresentationBytes bytes;
  bytes.open = [&loop = loop_, &pool = pool_, shared](const http::ByteRange& part) {
    return std::make_unique<body::FileSource>(loop, pool, shared, part.first, part.length());
  };
  if (gives_digest(exchange.request())) {
    bytes.produce = [shared](std::uint64_t offset, std::uint64_t size) {
      return std::make_shared<body::FileProducer>(shared, offset, size);
    };
    if (settled) bytes.may_keep = still_is(shared, file.identity);
  }
  answer(exchange, decision, file, settled, facts.size, std::move(bytes));
}

void StaticAnswers::answer(http::Exchange& exchange, const StaticDecision& decision,
                           const files::CachedFile& file, bool settled, std::uint64_t size,
                           RepresentationBytes bytes) const {
  if (decision.status == 412) {
    exchange.respond_error(http::kPreconditionFailed);
    return;
  }
  const FileFacts facts = RepresentationMaker::facts_of(file, settled);
  http::ResponseFields fields =
      static_fields(facts, static_validators(facts, file.etag, maker_.unix_now()));
  if (decision.status == 304) {
    exchange.respond({304, http::not_modified_fields(fields)}, nullptr);
    return;
  }
  add_download(exchange.request(), file.name, fields);
  if (decision.status == 416 || !gives_digest(exchange.request())) {
    body::answer_range(exchange, decision.range, std::move(fields), size, std::move(bytes.open));
    return;
  }
  bytes.key = bytes_key(file.identity, file.coding, settled);
  answer_with_digests(exchange, *digester_, decision.range, std::move(fields), size,
                      std::move(bytes));
}

}  // namespace servery::features
