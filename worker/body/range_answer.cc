#include "worker/body/range_answer.h"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "worker/body/memory_source.h"
#include "worker/http/error_response.h"

namespace servery::body {
namespace {

constexpr http::Refusal kUnreadable{500, "range_unreadable"};

// 128 bits from the system: nobody can have put it into a file beforehand.
std::string make_boundary() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::random_device device;
  std::string boundary;
  for (int word = 0; word < 4; ++word) {
    std::uint32_t bits = device();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) boundary += kHex[bits & 15];
  }
  return boundary;
}

void answer_unsatisfiable(http::Exchange& exchange, const http::ResponseFields& fields,
                          std::uint64_t size) {
  http::ResponseHead head{416, {}};
  const http::PreparedRef& error = http::error_response(416, exchange.header_policy());
  if (const std::string* type = error->fields.find(http::FieldId::kContentType)) {
    head.fields.add(http::FieldId::kContentType, *type);
  }
  const std::string* const vary = fields.find(http::FieldId::kVary);
  if (vary != nullptr) head.fields.add(http::FieldId::kVary, *vary);  // the size is the variant's
  head.fields.add(http::FieldId::kAcceptRanges, "bytes");
  head.fields.add(http::FieldId::kContentRange, http::unsatisfied_range(size));
  exchange.respond(std::move(head), std::make_unique<MemorySource>(error, error->content()));
}

void answer_parts(http::Exchange& exchange, const http::RangeChoice& choice,
                  http::ResponseFields fields, std::uint64_t size, RangeOpener open) {
  const std::string* type = fields.find(http::FieldId::kContentType);
  http::MultipartRanges frame(make_boundary(), type == nullptr ? std::string() : *type, size,
                              choice.parts);
  fields.set(http::FieldId::kContentType, frame.content_type());
  exchange.respond({206, std::move(fields)},
                   std::make_unique<PartsSource>(std::move(frame), std::move(open)));
}

}  // namespace

void answer_range(http::Exchange& exchange, const http::RangeChoice& choice,
                  http::ResponseFields fields, std::uint64_t size, RangeOpener open) {
  if (choice.kind == http::RangeChoice::Kind::kUnsatisfiable) {
    answer_unsatisfiable(exchange, fields, size);
    return;
  }
  if (choice.parts.size() > 1) {
    answer_parts(exchange, choice, std::move(fields), size, std::move(open));
    return;
  }
  int status = 200;
  std::unique_ptr<http::BodySource> source;
  if (!choice.parts.empty()) {
    status = 206;
    fields.add(http::FieldId::kContentRange, http::content_range(choice.parts.front(), size));
    source = open(choice.parts.front());
  } else if (size > 0) {
    source = open({0, size - 1});
  }
  if (size > 0 && !source) {
    exchange.respond_error(kUnreadable);
    return;
  }
  exchange.respond({status, std::move(fields)}, std::move(source));
}

}  // namespace servery::body
