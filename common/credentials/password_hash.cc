#include "common/credentials/password_hash.h"

#include <argon2.h>
#include <crypt.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/base/text.h"

namespace servery {
namespace {

constexpr std::uint32_t kMaxArgonMemory = 256 * 1024;  // KiB
constexpr std::uint32_t kMaxArgonPasses = 16;
constexpr std::uint32_t kMaxArgonLanes = 4;
constexpr std::uint32_t kMinBcrypt = 4;
constexpr std::uint32_t kMaxBcrypt = 14;
constexpr std::uint32_t kMinRounds = 1'000;
constexpr std::uint32_t kMaxRounds = 1'000'000;
constexpr std::uint32_t kDefaultRounds = 5'000;  // of a hash that names none

// OWASP's least memory for argon2id; about 20 ms.
constexpr std::uint32_t kNewArgonMemory = 19 * 1024;
constexpr std::uint32_t kNewArgonPasses = 2;
constexpr unsigned long kNewBcrypt = 11;
constexpr unsigned long kNewRounds = 100'000;

// What other servers take and this one does not: a stolen file of these is a file of passwords.
constexpr std::pair<std::string_view, std::string_view> kWeakKinds[] = {
    {"$apr1$", "MD5"},   {"$1$", "MD5"},           {"{SHA}", "SHA-1"},
    {"{SSHA}", "SHA-1"}, {"$argon2i$", "argon2i"}, {"$argon2d$", "argon2d"}};

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kCryptBase64 =
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_of(std::string_view text, std::string_view alphabet) {
  return text.find_first_not_of(alphabet) == std::string_view::npos;
}

// The part of `text` up to `mark`, which is taken off with it.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view name) {
  const std::string_view part = take(text, ',');
  if (!part.starts_with(name)) return std::nullopt;
  return parse_unsigned<std::uint32_t>(part.substr(name.size()));
}

// "v=19$m=19456,t=2,p=1$SALT$HASH"
Result<HashCost> inspect_argon2id(std::string_view rest) {
  if (take(rest, '$') != "v=19") return fail(Errc::kInvalid, "argon2id: version 19 is expected");
  std::string_view numbers = take(rest, '$');
  const auto memory = take_number(numbers, "m=");
  const auto passes = take_number(numbers, "t=");
  const auto lanes = take_number(numbers, "p=");
  if (!memory || !passes || !lanes || !numbers.empty()) {
    return fail(Errc::kInvalid, "argon2id: m=N,t=N,p=N is expected");
  }
  if (*memory > kMaxArgonMemory || *passes > kMaxArgonPasses || *lanes > kMaxArgonLanes ||
      *passes == 0 || *lanes == 0 || *memory < 8 * *lanes) {
    return fail(Errc::kInvalid, "argon2id: costs more than m=262144,t=16,p=4, or nothing");
  }
  const std::string_view salt = take(rest, '$');
  const bool sound = salt.size() >= 11 && salt.size() <= 86 && rest.size() >= 16 &&
                     rest.size() <= 86 && is_of(salt, kBase64) && is_of(rest, kBase64);
  if (!sound) return fail(Errc::kInvalid, "argon2id: salt or hash is broken");
  return HashCost{HashKind::kArgon2id, std::uint64_t{*memory} * *passes / 2};
}

// "11$" and 22 characters of salt, 31 of hash.
Result<HashCost> inspect_bcrypt(std::string_view rest) {
  const std::string_view digits = take(rest, '$');
  const auto cost = digits.size() == 2
                        ? parse_unsigned<std::uint32_t>(digits.substr(digits[0] == '0' ? 1 : 0))
                        : std::nullopt;
  if (!cost || rest.size() != 53 || !is_of(rest, kCryptBase64)) {
    return fail(Errc::kInvalid, "bcrypt: salt or hash is broken");
  }
  if (*cost < kMinBcrypt || *cost > kMaxBcrypt) {
    return fail(Errc::kInvalid, "bcrypt: a cost of 4 to 14 is expected");
  }
  return HashCost{HashKind::kBcrypt, std::uint64_t{50} << *cost};
}

// "rounds=N$SALT$HASH", the rounds may be absent.
Result<HashCost> inspect_sha(HashKind kind, std::string_view rest) {
  constexpr std::string_view kName = "rounds=";
  std::uint32_t rounds = kDefaultRounds;
  if (rest.starts_with(kName)) {
    const auto given = parse_unsigned<std::uint32_t>(take(rest, '$').substr(kName.size()));
    if (!given || *given < kMinRounds || *given > kMaxRounds) {
      return fail(Errc::kInvalid, "sha-crypt: 1000 to 1000000 rounds are expected");
    }
    rounds = *given;
  }
  const std::string_view salt = take(rest, '$');
  const std::size_t size = kind == HashKind::kSha256 ? 43 : 86;
  if (salt.empty() || salt.size() > 16 || rest.size() != size || !is_of(salt, kCryptBase64) ||
      !is_of(rest, kCryptBase64)) {
    return fail(Errc::kInvalid, "sha-crypt: salt or hash is broken");
  }
  return HashCost{kind, std::uint64_t{rounds} * 6 / 10};
}

bool is_equal(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

// crypt(3) in its thread-safe form; its 32 KiB hold parts of the password afterwards.
std::string run_crypt(const std::string& password, const std::string& setting) {
  const auto data = std::make_unique<crypt_data>();
  const char* const result = ::crypt_r(password.c_str(), setting.c_str(), data.get());
  std::string text = result != nullptr && result[0] != '*' ? result : "";
  ::explicit_bzero(data.get(), sizeof *data);
  return text;
}

Result<std::string> hash_argon2id(std::string_view password) {
  std::array<unsigned char, 16> salt;
  if (::getrandom(salt.data(), salt.size(), 0) != static_cast<ssize_t>(salt.size())) {
    return fail(Errc::kInternal, "no random bytes");
  }
  std::array<char, 256> encoded{};
  const int done =
      argon2id_hash_encoded(kNewArgonPasses, kNewArgonMemory, 1, password.data(), password.size(),
                            salt.data(), salt.size(), 32, encoded.data(), encoded.size());
  if (done != ARGON2_OK) return fail(Errc::kInternal, argon2_error_message(done));
  return std::string(encoded.data());
}

Result<std::string> hash_crypt(const char* prefix, unsigned long cost, std::string_view password) {
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
  if (::crypt_gensalt_rn(prefix, cost, nullptr, 0, setting.data(), setting.size()) == nullptr) {
    return fail(Errc::kInternal, "no salt for this kind of hash");
  }
  std::string hash = run_crypt(std::string(password), setting.data());
  if (hash.empty()) return fail(Errc::kInternal, "this kind of hash is not offered here");
  return hash;
}

}  // namespace

Result<HashCost> inspect_hash(std::string_view hash) {
  for (const std::string_view prefix : {"$2a$", "$2b$", "$2y$"}) {
    if (hash.starts_with(prefix)) return inspect_bcrypt(hash.substr(prefix.size()));
  }
  constexpr std::string_view kArgon = "$argon2id$";
  if (hash.starts_with(kArgon)) return inspect_argon2id(hash.substr(kArgon.size()));
  if (hash.starts_with("$5$")) return inspect_sha(HashKind::kSha256, hash.substr(3));
  if (hash.starts_with("$6$")) return inspect_sha(HashKind::kSha512, hash.substr(3));
  const auto weak = std::find_if(std::begin(kWeakKinds), std::end(kWeakKinds),
                                 [hash](const auto& kind) { return hash.starts_with(kind.first); });
  return fail(
      Errc::kUnsupported,
      std::string(weak == std::end(kWeakKinds) ? "plain text or an unknown hash" : weak->second) +
          " is not taken; make the line anew by `servery passwd`");
}

bool verify_password(const std::string& hash, std::string_view password) {
  if (password.size() > kMaxPassword || password.find('\0') != std::string_view::npos) return false;
  if (hash.starts_with("$argon2id$")) {
    return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK;
  }
  std::string copy(password);  // with a NUL behind it
  const std::string made = run_crypt(copy, hash);
  ::explicit_bzero(copy.data(), copy.size());
  return !made.empty() && is_equal(made, hash);
}

Result<std::string> hash_password(HashKind kind, std::string_view password) {
  constexpr std::size_t kMaxBcryptPassword = 72;  // what stands behind would count for nothing
  if (password.empty()) return fail(Errc::kInvalid, "the password is empty");
  if (password.size() > (kind == HashKind::kBcrypt ? kMaxBcryptPassword : kMaxPassword)) {
    return fail(Errc::kInvalid, "the password is too long");
  }
  if (password.find('\0') != std::string_view::npos) {
    return fail(Errc::kInvalid, "the password holds a NUL");
  }
  switch (kind) {
    case HashKind::kArgon2id:
      return hash_argon2id(password);
    case HashKind::kBcrypt:
      return hash_crypt("$2b$", kNewBcrypt, password);
    case HashKind::kSha256:
      return hash_crypt("$5$", kNewRounds, password);
    case HashKind::kSha512:
      break;
  }
  return hash_crypt("$6$", kNewRounds, password);
}

Result<std::string> make_password() {
  constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";  // 32, each 5 bits
  constexpr std::size_t kGroup = 5;
  std::array<unsigned char, 20> random;
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return fail(Errc::kInternal, "no random bytes");
  }
  std::string password;
  for (std::size_t i = 0; i < random.size(); ++i) {
    if (i > 0 && i % kGroup == 0) password += '-';
    password += kLetters[random[i] % kLetters.size()];
  }
  return password;
}

std::optional<HashKind> parse_hash_kind(std::string_view name) {
  if (name == "argon2id") return HashKind::kArgon2id;
  if (name == "bcrypt") return HashKind::kBcrypt;
  if (name == "sha512") return HashKind::kSha512;
  return std::nullopt;
}

}  // namespace servery
