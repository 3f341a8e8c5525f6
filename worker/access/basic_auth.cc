#include "worker/access/basic_auth.h"

#include <optional>
#include <utility>

#include "worker/http/error_response.h"

namespace servery::access {
namespace {

constexpr http::Refusal kNoRight{403, "no_right"};

http::PreparedRef make_answer(int status, http::FieldId field, std::string_view value,
                              const http::HeaderPolicy* policy) {
  http::ResponseFields fields;
  fields.add(field, value);
  return http::make_error(status, std::move(fields), policy);
}

// RFC 9110 5.6.4.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Known users are told that it is not theirs, others asked who they are.
void refuse(http::Exchange& exchange, const AuthAnswers& answers) {
  if (exchange.access().is_known_user) {
    exchange.respond_error(kNoRight);
  } else {
    exchange.respond(answers.challenge);
  }
}

}  // namespace

AuthAnswers make_auth_answers(std::string_view realm, const http::HeaderPolicy* policy) {
  using enum http::FieldId;
  const auto wait = std::to_string(FailureThrottle::kRefill.count() / 1000);
  const std::string challenge = "Basic realm=" + quoted(realm) + ", charset=\"UTF-8\"";
  return {make_answer(401, kWwwAuthenticate, challenge, policy),
          make_answer(429, kRetryAfter, wait, policy), make_answer(429, kRetryAfter, "1", policy)};
}

BasicAuth::BasicAuth(Verifier& verifier, std::shared_ptr<const Realm> realm,
                     std::shared_ptr<const AuthAnswers> answers)
    : verifier_(verifier), realm_(std::move(realm)), answers_(std::move(answers)) {}

BasicAuth::Verdict BasicAuth::check(http::Exchange& exchange, const routing::RouteMatch&) {
  const http::RequestFields& fields = exchange.request().fields;
  const http::FieldView* const field = fields.find(http::FieldId::kAuthorization);
  // Another scheme's credentials are not this server's to judge.
  if (field == nullptr || !is_basic(field->value)) return admit(exchange, realm_->anonymous());
  std::optional<Credentials> credentials = parse_basic(field->value);
  if (!credentials || fields.count(http::FieldId::kAuthorization) > 1) {
    exchange.respond(answers_->challenge);
    return Verdict::kAnswered;
  }
  const Digest digest = verifier_.digest_of(*realm_, *credentials);
  if (const auto user = verifier_.find(digest)) return admit(exchange, realm_->access_of(*user));
  const auto begun = verifier_.begin(exchange, *realm_, digest, std::move(*credentials), *this);
  if (begun == Verifier::Begun::kThrottled) exchange.respond(answers_->throttled);
  if (begun == Verifier::Begun::kBusy) exchange.respond(answers_->busy);
  return Verdict::kAnswered;
}

BasicAuth::Verdict BasicAuth::admit(http::Exchange& exchange, const http::Access& access) const {
  exchange.set_access(access);
  const http::RightSet needed =
      http::required_rights(exchange.request().method, http::RightTarget::kResource);
  if (needed.empty() || access.rights.overlaps(needed)) return Verdict::kContinue;
  refuse(exchange, *answers_);
  return Verdict::kAnswered;
}

void BasicAuth::on_checked(http::Exchange& exchange, bool is_right) {
  if (is_right) {
    exchange.restart();
  } else {
    exchange.respond(answers_->challenge);
  }
}

GuardedDirectory::GuardedDirectory(std::shared_ptr<routing::DirectoryAnswer> inner,
                                   std::shared_ptr<const AuthAnswers> answers,
                                   std::shared_ptr<const http::HeaderPolicy> policy)
    : inner_(std::move(inner)), answers_(std::move(answers)), policy_(std::move(policy)) {}

void GuardedDirectory::answer(http::Exchange& exchange, std::string_view path) {
  const http::RightSet needed =
      http::required_rights(exchange.request().method, http::RightTarget::kNames);
  if (!exchange.access().rights.overlaps(needed)) {
    refuse(exchange, *answers_);
    return;
  }
  if (policy_ != nullptr) exchange.set_header_policy(policy_.get());
  inner_->answer(exchange, path);
}

}  // namespace servery::access
