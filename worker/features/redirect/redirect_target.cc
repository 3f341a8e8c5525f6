#include "worker/features/redirect/redirect_target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"

namespace servery::features {
namespace {

// The configured text itself: visible ASCII.
bool is_clean(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool starts_well(std::string_view to) {
  return starts_with_ignore_case(to, "http://") || starts_with_ignore_case(to, "https://") ||
         to.starts_with("{path}") || to.starts_with("{rest}") ||
         (to.starts_with('/') && !to.starts_with("//") && !to.starts_with("/\\"));
}

// Encodes a decoded path; "%2F" that the client sent stays what it is (see RequestHead).
std::string encode(std::string_view path, bool encoded_slash) {
  constexpr std::string_view kSlash = "%2F";
  std::string out;
  while (encoded_slash) {
    const std::size_t at = path.find(kSlash);
    if (at == std::string_view::npos) break;
    out.append(percent_encode_path(path.substr(0, at))).append(kSlash);
    path.remove_prefix(at + kSlash.size());
  }
  return out += percent_encode_path(path);
}

// "/a" + "/b" and "/a/" + "/b" are both "/a/b".
void append_path(std::string& out, std::string_view path, bool encoded_slash) {
  const std::string encoded = encode(path, encoded_slash);
  const bool doubled = out.ends_with('/') && encoded.starts_with('/');
  out.append(std::string_view(encoded).substr(doubled ? 1 : 0));
}

}  // namespace

Result<RedirectTarget> RedirectTarget::parse(std::string_view to) {
  struct Name {
    std::string_view text;
    Kind kind;
  };
  static constexpr std::array<Name, 4> kNames = {Name{"{host}", Kind::kHost},
                                                 {"{path}", Kind::kPath},
                                                 {"{rest}", Kind::kRest},
                                                 {"{query}", Kind::kQuery}};
  if (!starts_well(to) || !is_clean(to)) return fail(Errc::kInvalid, "not a redirect target");
  RedirectTarget target;
  bool names_path = false;
  bool names_query = false;
  const std::size_t query_begin = to.find('?');
  if (to.substr(0, query_begin).find("{query}") != std::string_view::npos) {
    return fail(Errc::kInvalid, "{query} needs a '?' before it");
  }
  while (!to.empty()) {
    const std::size_t brace = to.find('{');
    if (brace > 0) target.parts_.push_back({Kind::kText, std::string(to.substr(0, brace))});
    if (brace == std::string_view::npos) break;
    to.remove_prefix(brace);
    const auto* const name =
        std::find_if(kNames.begin(), kNames.end(),
                     [to](const Name& candidate) { return to.starts_with(candidate.text); });
    if (name == kNames.end()) return fail(Errc::kInvalid, "unknown {name} in redirect target");
    target.parts_.push_back({name->kind, {}});
    target.names_host_ |= name->kind == Kind::kHost;
    names_path |= name->kind == Kind::kPath || name->kind == Kind::kRest;
    names_query |= name->kind == Kind::kQuery;
    to.remove_prefix(name->text.size());
  }
  if (!names_path) target.insert_before("?#", Kind::kRest);
  if (!names_query) target.insert_before("#", Kind::kAddedQuery);
  return target;
}

void RedirectTarget::insert_before(std::string_view stops, Kind kind) {
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    const std::size_t at = part->text.find_first_of(stops);
    if (at == std::string::npos) continue;
    Part after{Kind::kText, part->text.substr(at)};
    part->text.resize(at);
    part = parts_.insert(part + 1, std::move(after));
    parts_.insert(part, Part{kind, {}});
    return;
  }
  parts_.push_back({kind, {}});
}

std::string RedirectTarget::expand(const http::RequestHead& request, std::string_view rest) const {
  std::string out;
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Kind::kText:
        out += part.text;
        break;
      case Kind::kHost:
        out += request.host;
        break;
      case Kind::kPath:
        append_path(out, request.path, request.encoded_slash);
        break;
      case Kind::kRest:
        append_path(out, rest, request.encoded_slash);
        break;
      case Kind::kQuery:
        out += request.query;
        break;
      case Kind::kAddedQuery:
        if (!request.has_query) break;
        out += out.find('?') == std::string::npos ? '?' : '&';
        out += request.query;
        break;
    }
  }
  if (out.empty()) out = "/";
  return out;
}

}  // namespace servery::features
