#include "worker/access/keyed_digest.h"

#include <sys/random.h>

#include <cstdlib>

namespace servery::access {

KeyedDigest::KeyedDigest() {
  if (::getrandom(key_.data(), sizeof key_, 0) != static_cast<ssize_t>(sizeof key_)) std::abort();
}

Digest KeyedDigest::of(std::initializer_list<std::string_view> parts) const {
  ContentHash hash(key_);
  for (const std::string_view part : parts) {
    hash.add_number(part.size());
    hash.add(part);
  }
  return hash.finish_words();
}

}  // namespace servery::access
