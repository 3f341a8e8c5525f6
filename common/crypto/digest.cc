#include "common/crypto/digest.h"

#include <openssl/evp.h>

#include <array>

namespace servery {

struct Digest::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool is_good = false;

  State() = default;
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Digest::Digest(Algorithm algorithm) : state_(std::make_unique<State>()) {
  const EVP_MD* const kind = algorithm == Algorithm::kSha256 ? EVP_sha256() : EVP_sha512();
  state_->is_good =
      state_->context != nullptr && EVP_DigestInit_ex(state_->context, kind, nullptr) == 1;
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  state_->is_good =
      state_->is_good && EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1;
}

std::string Digest::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (!state_->is_good || EVP_DigestFinal_ex(state_->context, bytes.data(), &size) != 1) return {};
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace servery
