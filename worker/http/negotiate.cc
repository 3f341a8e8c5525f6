#include "worker/http/negotiate.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::http {
namespace {

constexpr int kFullWeight = 1000;
constexpr std::array<std::string_view, kCodingCount> kTokens = {"", "zstd", "br", "gzip"};

// RFC 9110 12.4.2, in thousandths; nullopt: not a qvalue.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return {};
  int weight = (text[0] - '0') * kFullWeight;
  if (text.size() > 1 && text[1] != '.') return {};
  int unit = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') return {};
    weight += (digit - '0') * unit;
    unit /= 10;
  }
  if (weight > kFullWeight) return {};
  return weight;
}

struct Member {
  std::string_view name;
  std::optional<int> weight;  // nullopt: it breaks the syntax
};

Member parse_member(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  Member member{trim_ows(text.substr(0, semicolon)), kFullWeight};
  if (semicolon == std::string_view::npos) return member;
  const std::string_view parameter = trim_ows(text.substr(semicolon + 1));
  const bool is_weight = parameter.starts_with("q=") || parameter.starts_with("Q=");
  member.weight = is_weight ? parse_weight(parameter.substr(2)) : std::nullopt;
  return member;
}

// What the fields say of each coding and of all others; the first word counts.
struct Wishes {
  std::array<std::optional<int>, kCodingCount> of{};
  std::optional<int> others;

  void note(const Member& member) {
    if (member.name == "*") {
      if (!others) others = member.weight;
      return;
    }
    const bool is_identity = equals_ignore_case(member.name, "identity");
    const std::optional<Coding> coding = is_identity ? Coding::kIdentity : named(member.name);
    if (!coding) return;
    std::optional<int>& wish = of[static_cast<std::size_t>(*coding)];
    if (!wish) wish = is_identity ? member.weight : member.weight.value_or(0);
  }

  int weight(Coding coding) const {
    return of[static_cast<std::size_t>(coding)].value_or(others.value_or(0));
  }

 private:
  static std::optional<Coding> named(std::string_view name) {
    if (equals_ignore_case(name, "x-gzip")) return Coding::kGzip;
    for (std::size_t i = 1; i < kCodingCount; ++i) {
      if (equals_ignore_case(name, kTokens[i])) return static_cast<Coding>(i);
    }
    return {};
  }
};

constexpr std::array<std::string_view, 15> kTextLikeTypes = {
    "application/ecmascript",
    "application/javascript",
    "application/json",
    "application/manifest+json",
    "application/rtf",
    "application/toml",
    "application/vnd.apple.mpegurl",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-ndjson",
    "application/xml",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
};

}  // namespace

std::string_view coding_token(Coding coding) { return kTokens[static_cast<std::size_t>(coding)]; }

std::uint8_t CodingPreference::signature() const {
  unsigned signature = 0;
  for (const Coding coding : *this) signature = signature << 2 | static_cast<unsigned>(coding);
  return static_cast<std::uint8_t>(signature);
}

CodingPreference preferred_codings(const RequestFields& fields) {
  CodingPreference preference;
  if (!fields.has(FieldId::kAcceptEncoding)) return preference;
  Wishes wishes;
  for (const FieldView& field : fields) {
    if (field.id != FieldId::kAcceptEncoding) continue;
    ListCursor list(field.value);
    for (std::string_view text; list.next(text);) wishes.note(parse_member(text));
  }
  // Plain bytes that nobody spoke of are taken, but after every coding that is.
  const int least = std::max(1, wishes.weight(Coding::kIdentity));
  const auto before = [&wishes](Coding a, Coding b) { return wishes.weight(a) > wishes.weight(b); };
  for (std::size_t i = 1; i < kCodingCount; ++i) {
    const auto coding = static_cast<Coding>(i);
    if (wishes.weight(coding) >= least) preference.add(coding, before);
  }
  return preference;
}

bool may_be_coded(std::string_view content_type) {
  const std::string_view type = trim_ows(content_type.substr(0, content_type.find(';')));
  if (type.starts_with("text/") || type.ends_with("+xml") || type.ends_with("+json")) return true;
  return std::binary_search(kTextLikeTypes.begin(), kTextLikeTypes.end(), type);
}

std::string coded_etag(std::string_view etag, std::string_view mark) {
  std::string coded(etag.substr(0, etag.size() - 1));
  coded.append("-").append(mark).append("\"");
  return coded;
}

void vary_on(ResponseFields& fields, std::string_view name) {
  const std::string* const old = fields.find(FieldId::kVary);
  if (old == nullptr) {
    fields.add(FieldId::kVary, name);
    return;
  }
  ListCursor list(*old);
  for (std::string_view member; list.next(member);) {
    if (member == "*" || equals_ignore_case(member, name)) return;
  }
  std::string both = *old;
  both.append(", ").append(name);
  fields.set(FieldId::kVary, both);
}

}  // namespace servery::http
