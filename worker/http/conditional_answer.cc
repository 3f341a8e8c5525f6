#include "worker/http/conditional_answer.h"

#include <array>
#include <utility>

namespace servery::http {
namespace {

constexpr std::array<std::string_view, 5> kContentFields = {
    "accept-ranges", "content-disposition", "content-encoding", "content-type", "last-modified"};

}  // namespace

ResponseFields not_modified_fields(const ResponseFields& fields) {
  ResponseFields kept = fields;
  for (const std::string_view name : kContentFields) kept.remove(name);
  return kept;
}

bool answer_conditional(Exchange& exchange, const Validators& validators,
                        const ResponseFields& fields, std::int64_t now) {
  switch (evaluate_preconditions(exchange.request().fields, true, true, validators, now)) {
    case Precondition::kFailed:
      exchange.respond_error(kPreconditionFailed);
      return true;
    case Precondition::kNotModified:
      exchange.respond({304, not_modified_fields(fields)}, nullptr);
      return true;
    case Precondition::kProceed:
      break;
  }
  return false;
}

}  // namespace servery::http
