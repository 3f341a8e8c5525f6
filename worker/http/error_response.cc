#include "worker/http/error_response.h"

#include <algorithm>
#include <array>
#include <utility>

namespace servery::http {
namespace {

// Every status that the server itself answers an error with.
constexpr std::array<int, 20> kStatuses = {400, 401, 403, 404, 405, 408, 409, 412, 413, 414,
                                           416, 417, 421, 429, 431, 500, 501, 503, 504, 505};

std::size_t status_index(int status) {
  const auto found = std::find(kStatuses.begin(), kStatuses.end(), status);
  if (found != kStatuses.end()) return static_cast<std::size_t>(found - kStatuses.begin());
  return status_index(500);
}

const ErrorPage* find_page(int status, const HeaderPolicy* policy) {
  if (policy == nullptr) return nullptr;
  const auto found = std::find_if(
      policy->error_pages.begin(), policy->error_pages.end(), [status](const ErrorPage& page) {
        return page.first_status <= status && status <= page.last_status;
      });
  return found == policy->error_pages.end() ? nullptr : &*found;
}

// `page` stands for `body` where it is there.
PreparedRef prepare(ResponseHead head, std::string body, std::shared_ptr<const std::string> page,
                    const HeaderPolicy* policy) {
  auto response = std::make_shared<PreparedResponse>();
  response->status = head.status;
  response->body = std::move(body);
  response->page = std::move(page);
  if (policy != nullptr) policy->apply(head.fields);
  if (status_has_body(head.status)) {
    head.fields.set(FieldId::kContentLength, std::to_string(response->content().size()));
  } else {
    head.fields.remove(field_name(FieldId::kContentLength));
    response->body.clear();
  }
  response->fields = std::move(head.fields);
  return response;
}

PreparedRef make_table_error(int status, const HeaderPolicy* policy) {
  ResponseFields fields;
  if (status == 503) fields.add(FieldId::kRetryAfter, "1");
  return make_error(status, std::move(fields), policy);
}

}  // namespace

Refusal refusal_for(Errc code) {
  switch (code) {
    case Errc::kInvalid:
      return {400, "invalid"};
    case Errc::kNotFound:
      return {404, "not_found"};
    case Errc::kForbidden:
      return {403, "forbidden"};
    case Errc::kExists:
      return {409, "exists"};
    case Errc::kTooLarge:
      return {413, "too_large"};
    case Errc::kUnsupported:
      return {501, "unsupported"};
    case Errc::kBusy:
      return {503, "busy"};
    case Errc::kTimeout:
      return {503, "timeout"};
    case Errc::kClosed:
      return {500, "closed"};
    case Errc::kExhausted:
      return {503, "exhausted"};
    case Errc::kIo:
      return {500, "io"};
    case Errc::kInternal:
      break;
  }
  return {500, "internal"};
}

const PreparedRef& error_response(int status, const HeaderPolicy* policy) {
  // For answers before any route is known to have a policy; a worker is one thread.
  static thread_local const HeaderPolicy kNoPolicy;
  const HeaderPolicy& owner = policy != nullptr ? *policy : kNoPolicy;
  if (owner.prepared_errors.empty()) owner.prepared_errors.resize(kStatuses.size());
  const std::size_t index = status_index(status);
  PreparedRef& response = owner.prepared_errors[index];
  if (!response) response = make_table_error(kStatuses[index], policy);
  return response;
}

PreparedRef make_error(int status, ResponseFields fields, const HeaderPolicy* policy) {
  if (const ErrorPage* page = find_page(status, policy)) {
    fields.add(FieldId::kContentType, page->content_type);
    return prepare({status, std::move(fields)}, {}, page->content, policy);
  }
  fields.add(FieldId::kContentType, "text/plain; charset=utf-8");
  std::string body = std::to_string(status);
  body.append(" ").append(reason_phrase(status)).append("\n");
  return prepare({status, std::move(fields)}, std::move(body), nullptr, policy);
}

std::string allow_value(MethodSet allow) {
  allow.add(Method::kOptions);
  std::string value;
  for (unsigned i = 0; i < static_cast<unsigned>(Method::kUnknown); ++i) {
    const auto method = static_cast<Method>(i);
    if (!allow.contains(method)) continue;
    if (!value.empty()) value += ", ";
    value += method_name(method);
  }
  return value;
}

PreparedRef make_method_not_allowed(MethodSet allow, const HeaderPolicy* policy) {
  ResponseFields fields;
  fields.add(FieldId::kAllow, allow_value(allow));
  return make_error(405, std::move(fields), policy);
}

PreparedRef make_options(MethodSet allow, const HeaderPolicy* policy) {
  ResponseHead head;
  head.status = 204;
  head.fields.add(FieldId::kAllow, allow_value(allow));
  return make_prepared(std::move(head), std::string(), policy);
}

PreparedRef make_prepared(ResponseHead head, std::string body, const HeaderPolicy* policy) {
  return prepare(std::move(head), std::move(body), nullptr, policy);
}

}  // namespace servery::http
