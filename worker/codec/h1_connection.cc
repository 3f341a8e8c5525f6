#include "worker/codec/h1_connection.h"

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::codec {

H1Persistence h1_persistence(std::uint8_t version_minor, const http::RequestFields& fields) {
  H1Persistence result;
  result.is_http10 = version_minor == 0;
  result.keep_alive = !result.is_http10;
  if (!fields.has(http::FieldId::kConnection)) return result;
  bool close = false;
  for (const http::FieldView& field : fields) {
    if (field.id != http::FieldId::kConnection) continue;
    http::ListCursor options(field.value);
    for (std::string_view option; options.next(option);) {
      close |= equals_ignore_case(option, "close");
      result.keep_alive |= equals_ignore_case(option, "keep-alive");
    }
  }
  result.keep_alive &= !close;
  return result;
}

}  // namespace servery::codec
