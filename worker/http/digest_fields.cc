#include "worker/http/digest_fields.h"

#include <array>

#include "common/base/base64.h"
#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::http {
namespace {

constexpr int kMaxWeight = 10;
// In the order of DigestAlgorithm.
constexpr std::array<std::string_view, 2> kAlgorithmNames = {"sha-256", "sha-512"};

bool is_key_char(char c) {  // RFC 8941 3.1.2
  return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
}

bool is_key(std::string_view text) {
  if (text.empty() || is_digit(text[0]) || text[0] == '-' || text[0] == '.') return false;
  for (const char c : text) {
    if (!is_key_char(c)) return false;
  }
  return true;
}

using Weights = std::array<int, kAlgorithmNames.size()>;

// One member, "KEY=INTEGER"; a repeated key is that of the last. False: not one.
bool take_member(std::string_view member, Weights& weights) {
  const std::size_t equals = member.find('=');
  if (equals == std::string_view::npos || !is_key(member.substr(0, equals))) return false;
  // A parameter has no meaning here (RFC 9530 section 4).
  const std::string_view value = member.substr(equals + 1, member.find(';') - equals - 1);
  const auto weight = parse_unsigned<unsigned>(trim_ows(value));
  if (!weight || *weight > kMaxWeight) return false;
  for (std::size_t i = 0; i < kAlgorithmNames.size(); ++i) {
    if (member.substr(0, equals) == kAlgorithmNames[i]) weights[i] = static_cast<int>(*weight);
  }
  return true;
}

}  // namespace

std::optional<DigestAlgorithm> wanted_digest(const RequestFields& fields, FieldId want) {
  if (!fields.has(want)) return std::nullopt;
  Weights weights{};
  for (const FieldView& field : fields) {
    if (field.id != want) continue;
    ListCursor members(field.value);
    for (std::string_view member; members.next(member);) {
      if (!take_member(member, weights)) return std::nullopt;
    }
  }
  if (weights[0] == 0 && weights[1] == 0) return std::nullopt;
  return weights[1] > weights[0] ? DigestAlgorithm::kSha512 : DigestAlgorithm::kSha256;
}

std::string digest_value(DigestAlgorithm algorithm, std::string_view digest) {
  std::string value(kAlgorithmNames[static_cast<std::size_t>(algorithm)]);
  value += "=:";
  append_base64(value, digest, Base64::kStandard);
  value += ':';
  return value;
}

}  // namespace servery::http
