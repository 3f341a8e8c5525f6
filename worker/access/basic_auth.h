// `auth` of a route: who may do what, by Basic credentials (RFC 7617). The stage stands before the
// handler and decides what the method tells; what only the handler finds out (the names in a
// directory) the guard decides. Built once per route; worker thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "worker/access/realm.h"
#include "worker/access/verifier.h"
#include "worker/http/message.h"
#include "worker/routing/directory_answer.h"
#include "worker/routing/handler.h"

namespace servery::access {

// The answers of a route to those it does not let in.
struct AuthAnswers {
  http::PreparedRef challenge;  // 401
  http::PreparedRef throttled;  // 429
  http::PreparedRef busy;       // 429
};
// `realm`: the text shown to the user, printable ASCII.
AuthAnswers make_auth_answers(std::string_view realm, const http::HeaderPolicy* policy);

class BasicAuth final : public routing::Stage, private Verifier::Listener {
 public:
  BasicAuth(Verifier& verifier, std::shared_ptr<const Realm> realm,
            std::shared_ptr<const AuthAnswers> answers);
  // Credentials that are sent are checked, also where anyone may: who claims to be somebody is that
  // or gets 401.
  Verdict check(http::Exchange& exchange, const routing::RouteMatch& match) override;

 private:
  Verdict admit(http::Exchange& exchange, const http::Access& access) const;
  void on_checked(http::Exchange& exchange, bool is_right) override;

  Verifier& verifier_;
  std::shared_ptr<const Realm> realm_;
  std::shared_ptr<const AuthAnswers> answers_;
};

// A listing or an archive for those who may list.
class GuardedDirectory final : public routing::DirectoryAnswer {
 public:
  // `policy`: of its answers; null: the route's.
  GuardedDirectory(std::shared_ptr<routing::DirectoryAnswer> inner,
                   std::shared_ptr<const AuthAnswers> answers,
                   std::shared_ptr<const http::HeaderPolicy> policy);
  bool claims(const http::RequestHead& request) const override { return inner_->claims(request); }
  void answer(http::Exchange& exchange, std::string_view path) override;

 private:
  std::shared_ptr<routing::DirectoryAnswer> inner_;
  std::shared_ptr<const AuthAnswers> answers_;
  std::shared_ptr<const http::HeaderPolicy> policy_;
};

}  // namespace servery::access
