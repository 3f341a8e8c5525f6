#include "worker/features/static/static_coding.h"

#include <memory>
#include <string>
#include <utility>

#include "worker/body/producers.h"
#include "worker/files/content.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"

namespace servery::features {
namespace {

// What tells one coding of a file from another, to be waited for together with its answers.
std::string flight_key(const files::CachedFile& file, std::uint32_t route, bool settled) {
  std::string key = bytes_key(file.identity, file.coding, settled);
  key.append(reinterpret_cast<const char*>(&route), sizeof route);
  return key + file.opened;
}

}  // namespace

const files::CachedFile* StaticCoding::find(const Wish& wish, const files::Root& root,
                                            const files::Moment& moment) const {
  if (wish.codings.empty()) return nullptr;
  return parts_.kept.find(wish.cache_key(route_), root, moment);
}

bool StaticCoding::answer(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                          const files::Moment& read_at) const {
  if (wish.codings.empty() || lookup.coding != http::Coding::kIdentity) return false;
  const body::ContentCoder::Options& limits = parts_.coder.options();
  const std::uint64_t size = lookup.identity.size;
  if (size < limits.min_size || !http::may_be_coded(parts_.maker.type_of(lookup.opened))) {
    return false;
  }
  const bool is_whole = size <= limits.max_input;
  // The offsets of what is not held are known of the plain bytes only.
  if (!is_whole && exchange.request().fields.has(http::FieldId::kRange)) return false;
  const http::Coding coding = *wish.codings.begin();
  const files::CachedFile file =
      parts_.maker.describe(lookup, coding, parts_.coder.mark(coding), wish.chosen_by_accept());
  if (lookup.settled && is_whole) {
    if (const auto* made = parts_.kept.confirm(wish.cache_key(route_), file, read_at)) {
      parts_.answers.answer_kept(exchange, *made, true);
      return true;
    }
  }
  const std::int64_t now = parts_.maker.unix_now();
  const FileFacts facts = RepresentationMaker::facts_of(file, lookup.settled);
  const http::Validators validators = static_validators(facts, file.etag, now);
  http::ResponseFields fields = static_fields(facts, validators);
  if (http::answer_conditional(exchange, validators, fields, now)) return true;
  StaticAnswers::add_download(exchange.request(), file.name, fields);
  const bool is_started = is_whole ? code_whole(exchange, wish, lookup, file, read_at)
                                   : stream(exchange, lookup, std::move(fields), coding);
  if (is_started) return true;
  lookup.may_keep = false;  // with room it would have been coded
  if (!limits.refuses_saturated) return false;
  exchange.respond_error(body::kCodingSaturated);
  return true;
}

bool StaticCoding::code_whole(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                              const files::CachedFile& file, const files::Moment& read_at) const {
  const std::string key = flight_key(file, route_, lookup.settled);
  const bool settled = lookup.settled;
  const bool may_keep = settled && lookup.may_keep;
  auto source = std::make_shared<StaticLookup>(std::move(lookup));
  const bool is_started = parts_.coder.code_whole(
      exchange, key, file.coding,
      [source](std::string& into) {
        if (source->has_content) {
          into = std::move(source->content);
          return true;
        }
        return files::read_content(source->fd.get(), source->identity, files::Access::kBlocking,
                                   into) == files::ReadOutcome::kComplete;
      },
      [this, &exchange, file, settled, may_keep, rest = std::string(wish.rest),
       codings = wish.codings, at = read_at.now](body::CodedBytes& coded) {
        if (!coded.is_complete) {  // changed meanwhile
          look_again_(exchange, rest);
          return;
        }
        files::CachedFile made = file;
        if (coded.made == nullptr) {  // the first to hear of it makes the answer of all
          parts_.maker.prepare(exchange, made, settled, std::move(coded.bytes));
          coded.made = std::make_shared<files::CachedFile>(made);
        }
        made = *std::static_pointer_cast<const files::CachedFile>(coded.made);
        if (may_keep) parts_.kept.keep(Wish{rest, codings}.cache_key(route_), made, {0, at});
        parts_.answers.answer_kept(exchange, made, settled);
      });
  if (!is_started) lookup = std::move(*source);
  return is_started;
}

bool StaticCoding::stream(http::Exchange& exchange, StaticLookup& lookup,
                          http::ResponseFields fields, http::Coding coding) const {
  if (!parts_.coder.has_place()) return false;
  std::shared_ptr<body::Producer> plain;
  if (lookup.has_content) {
    plain = std::make_shared<body::MemoryProducer>(std::move(lookup.content));
  } else {
    plain = std::make_shared<body::FileProducer>(
        std::make_shared<const UniqueFd>(std::move(lookup.fd)), 0, lookup.identity.size);
  }
  fields.remove(http::field_name(http::FieldId::kAcceptRanges));
  auto coded = parts_.coder.stream(std::move(plain), coding);
  if (coded == nullptr) {
    exchange.respond_error(http::refusal_for(Errc::kExhausted));
  } else {
    exchange.respond({200, std::move(fields)}, std::move(coded));
  }
  return true;
}

}  // namespace servery::features
