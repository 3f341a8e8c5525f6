#include "worker/features/static/digest_run.h"

#include <sys/stat.h>

#include <array>
#include <optional>
#include <utility>

#include "worker/http/digest_fields.h"

namespace servery::features {
namespace {

using http::FieldId;

struct Step {
  FieldId want;
  FieldId field;
};
constexpr std::array<Step, 2> kSteps = {{{FieldId::kWantReprDigest, FieldId::kReprDigest},
                                         {FieldId::kWantContentDigest, FieldId::kContentDigest}}};

struct Span {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct Run {
  http::Exchange& exchange;
  body::ContentDigester& digester;
  http::RangeChoice choice;
  http::ResponseFields fields;
  std::uint64_t size;
  RepresentationBytes bytes;
  std::size_t step = 0;  // of kSteps
};

// What the digest of a step is of; nullopt: none is given.
std::optional<Span> span_of(const Run& run, FieldId field) {
  if (field == FieldId::kReprDigest) return Span{0, run.size};
  if (run.exchange.request().method == http::Method::kHead) return Span{0, 0};
  if (run.choice.parts.empty()) return Span{0, run.size};
  if (run.choice.parts.size() > 1) return std::nullopt;
  return Span{run.choice.parts[0].first, run.choice.parts[0].length()};
}

void take_steps(const std::shared_ptr<Run>& run);

void take_digest(const std::shared_ptr<Run>& run, http::DigestAlgorithm algorithm,
                 const std::string& digest) {
  if (digest.empty()) {
    run->exchange.respond_error(kDigestUnreadable);
    return;
  }
  run->fields.set(kSteps[run->step].field, http::digest_value(algorithm, digest));
  ++run->step;
  take_steps(run);
}

// True if the run goes on later.
bool start_step(const std::shared_ptr<Run>& run) {
  const Step& step = kSteps[run->step];
  const auto algorithm = http::wanted_digest(run->exchange.request().fields, step.want);
  if (!algorithm) return false;
  const auto span = span_of(*run, step.field);
  if (!span) return false;
  std::string key = span_key(run->bytes.key, span->offset, span->size);
  if (const std::string* const kept = run->digester.find(*algorithm, key)) {
    run->fields.set(step.field, http::digest_value(*algorithm, *kept));
    return false;
  }
  return run->digester.compute(
      run->exchange, *algorithm,
      {std::move(key), run->bytes.produce(span->offset, span->size), run->bytes.may_keep},
      [run, algorithm = *algorithm](const std::string& digest) {
        take_digest(run, algorithm, digest);
      });
}

void take_steps(const std::shared_ptr<Run>& run) {
  for (; run->step < kSteps.size(); ++run->step) {
    if (start_step(run)) return;
  }
  body::answer_range(run->exchange, run->choice, std::move(run->fields), run->size,
                     std::move(run->bytes.open));
}

}  // namespace

std::string span_key(std::string key, std::uint64_t offset, std::uint64_t size) {
  key.append(reinterpret_cast<const char*>(&offset), sizeof offset);
  key.append(reinterpret_cast<const char*>(&size), sizeof size);
  return key;
}

std::function<bool()> still_is(std::shared_ptr<const UniqueFd> file,
                               const files::FileIdentity& identity) {
  return [file = std::move(file), identity] {
    struct stat now {};
    return ::fstat(file->get(), &now) == 0 && files::FileIdentity::of(now) == identity;
  };
}

bool wants_digest(const http::RequestHead& request) {
  constexpr auto kWants = http::RequestFields::bit(FieldId::kWantReprDigest) |
                          http::RequestFields::bit(FieldId::kWantContentDigest);
  return request.fields.has_any(kWants);
}

void answer_with_digests(http::Exchange& exchange, body::ContentDigester& digester,
                         http::RangeChoice choice, http::ResponseFields fields, std::uint64_t size,
                         RepresentationBytes bytes) {
  take_steps(std::make_shared<Run>(
      Run{exchange, digester, std::move(choice), std::move(fields), size, std::move(bytes)}));
}

}  // namespace servery::features
