#include "worker/features/static/representation.h"

#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"

namespace servery::features {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

void append_bytes(std::string& key, const auto& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string bytes_key(const files::FileIdentity& identity, http::Coding coding, bool settled) {
  static thread_local std::uint64_t unsettled = 0;
  const std::uint64_t apart = settled ? 0 : ++unsettled;
  std::string key;
  append_bytes(key, coding);
  append_bytes(key, identity);
  append_bytes(key, apart);
  return key;
}

RepresentationMaker::RepresentationMaker(const Clock& clock, const Options& options)
    : clock_(clock),
      etag_(options.etag),
      has_variants_(options.has_variants),
      cache_rules_(options.cache_control, options.cache_rules),
      mime_types_(options.mime_types),
      attachments_(options.attachments) {}

files::CachedFile RepresentationMaker::describe(const StaticLookup& lookup, http::Coding coding,
                                                std::string_view mark,
                                                bool chosen_by_accept) const {
  files::CachedFile file;
  file.identity = lookup.identity;
  file.name = lookup.named().substr(lookup.named().rfind('/') + 1);
  file.content_digest = lookup.content_digest;
  file.content_type = mime_types_.type_of(lookup.named());
  file.cache_control = cache_rules_.value_for(lookup.named());
  file.is_attachment = attachments_.match(file.content_type);
  file.varies = has_variants_ && http::may_be_coded(file.content_type);
  file.chosen_by_accept = chosen_by_accept;
  file.coding = coding;
  file.opened = lookup.opened;
  file.missing = lookup.missing;
  file.unchanged = lookup.unchanged;
  file.etag = make_etag(etag_, facts_of(file, lookup.settled));
  if (coding != http::Coding::kIdentity && !file.etag.empty()) {
    file.etag = http::coded_etag(file.etag, mark.empty() ? http::coding_token(coding) : mark);
  }
  return file;
}

void RepresentationMaker::prepare(const http::Exchange& exchange, files::CachedFile& file,
                                  bool settled, std::string content) const {
  const FileFacts facts = facts_of(file, settled);
  const http::Validators validators = static_validators(facts, file.etag, unix_now());
  http::ResponseFields fields = static_fields(facts, validators);
  file.not_modified =
      http::make_prepared({304, http::not_modified_fields(fields)}, {}, exchange.header_policy());
  file.ok =
      http::make_prepared({200, std::move(fields)}, std::move(content), exchange.header_policy());
}

FileFacts RepresentationMaker::facts_of(const files::CachedFile& file, bool settled) {
  const files::FileIdentity& identity = file.identity;
  return {.size = identity.size,
          .inode = identity.inode,
          .mtime_s = identity.mtime_ns / kNanoseconds,
          .mtime_ns = static_cast<std::uint32_t>(identity.mtime_ns % kNanoseconds),
          .ctime_s = identity.ctime_ns / kNanoseconds,
          .ctime_ns = static_cast<std::uint32_t>(identity.ctime_ns % kNanoseconds),
          .settled = settled,
          .content_digest = file.content_digest,
          .content_type = file.content_type,
          .cache_control = file.cache_control,
          .attachment = file.is_attachment ? std::string_view(file.name) : std::string_view(),
          .coding = file.coding,
          .varies = file.varies,
          .chosen_by_accept = file.chosen_by_accept};
}

}  // namespace servery::features
