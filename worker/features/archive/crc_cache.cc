#include "worker/features/archive/crc_cache.h"

namespace servery::archive {

std::size_t CrcCache::Hash::operator()(const files::FileIdentity& identity) const {
  std::uint64_t hash = identity.device;
  for (const std::uint64_t part :
       {identity.inode, identity.size, static_cast<std::uint64_t>(identity.mtime_ns),
        static_cast<std::uint64_t>(identity.ctime_ns)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

std::optional<std::uint32_t> CrcCache::find(const files::FileIdentity& identity) const {
  const std::lock_guard lock(mutex_);
  const auto found = crcs_.find(identity);
  return found == crcs_.end() ? std::nullopt : std::optional(found->second);
}

void CrcCache::keep(const files::FileIdentity& identity, std::uint32_t crc) {
  const std::lock_guard lock(mutex_);
  if (!crcs_.emplace(identity, crc).second) return;
  order_.push_back(identity);
  if (order_.size() <= most_) return;
  crcs_.erase(order_.front());
  order_.pop_front();
}

}  // namespace servery::archive
