// SHA-256 and SHA-512 of bytes that come piece by piece. A value; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace servery {

class Digest {
 public:
  enum class Algorithm : std::uint8_t { kSha256, kSha512 };

  explicit Digest(Algorithm algorithm);
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view bytes);
  // The raw bytes, 32 or 64; the last call. Empty: out of memory.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace servery
