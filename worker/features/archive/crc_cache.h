// Checksums of files that have been read, so that a resumed download need not read again what the
// client has already. Owned by the handler, shared by its archives; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "worker/files/file_identity.h"

namespace servery::archive {

class CrcCache {
 public:
  // The oldest of more than `most` are forgotten.
  explicit CrcCache(std::size_t most) : most_(most) {}
  CrcCache(const CrcCache&) = delete;
  CrcCache& operator=(const CrcCache&) = delete;

  std::optional<std::uint32_t> find(const files::FileIdentity& identity) const;
  void keep(const files::FileIdentity& identity, std::uint32_t crc);

 private:
  struct Hash {
    std::size_t operator()(const files::FileIdentity& identity) const;
  };

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::unordered_map<files::FileIdentity, std::uint32_t, Hash> crcs_;  // guarded by mutex_
  std::deque<files::FileIdentity> order_;                              // guarded by mutex_
};

}  // namespace servery::archive
