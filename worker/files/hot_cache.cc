#include "worker/files/hot_cache.h"

#include <iterator>
#include <utility>

#include "common/base/fast_hash.h"

namespace servery::files {
namespace {

// What an entry costs beside its texts: nodes, two prepared responses, their wire forms.
constexpr std::uint64_t kEntryOverhead = 1024;

std::uint64_t cost_of(const HotCache::Key& key, const CachedFile& file) {
  return kEntryOverhead + 2 * key.path.size() + file.opened.size() + file.ok->body.size();
}

}  // namespace

std::size_t HotCache::KeyHash::operator()(const Key& key) const {
  return fast_hash(key.path) ^ (std::size_t{key.route} << 8 | key.codings);
}

bool HotCache::is_proved(const Entry& entry, const Moment& moment) const {
  switch (limits_.proof.mode) {
    case ProofPolicy::Mode::kTurn:
      return entry.proved_turn == moment.turn;
    case ProofPolicy::Mode::kRequest:
      return false;
    case ProofPolicy::Mode::kInterval:
      return moment.now - entry.proved_at < limits_.proof.interval;
  }
  return false;
}

Proof HotCache::prove(Entry& entry, const Root& root, const Moment& moment) {
  ++counts_.proofs;
  for (const std::string& name : entry.file.missing) {
    if (const Proof proof = prove_missing(root, name.c_str()); proof != Proof::kSame) return proof;
  }
  for (const SeenFile& seen : entry.file.unchanged) {
    const Proof proof = prove_file(root, seen.path.c_str(), seen.identity);
    if (proof != Proof::kSame) return proof;
  }
  const Proof proof = prove_file(root, entry.file.opened.c_str(), entry.file.identity);
  if (proof == Proof::kSame) entry.note_proof(moment);
  return proof;
}

const CachedFile* HotCache::find(const Key& key, const Root& root, const Moment& moment) {
  const auto found = index_.find(key);
  if (found == index_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  Entry& entry = *found->second;
  const Proof proof = is_proved(entry, moment) ? Proof::kSame : prove(entry, root, moment);
  if (proof == Proof::kSame) return use(entry);
  ++counts_.misses;
  // What would block tells nothing of the file: who looks it up on the pool may confirm the entry.
  if (proof == Proof::kChanged) {
    ++counts_.stale;
    erase(found->second);
  }
  return nullptr;
}

const CachedFile* HotCache::confirm(const Key& key, const CachedFile& seen, const Moment& seen_at) {
  const auto found = index_.find(key);
  if (found == index_.end() || !found->second->file.stands_on_same(seen)) return nullptr;
  found->second->note_proof(seen_at);
  return use(*found->second);
}

const CachedFile* HotCache::use(Entry& entry) {
  ++counts_.hits;
  entry.was_used = true;
  return &entry.file;
}

void HotCache::keep(const Key& key, CachedFile file, const Moment& read_at) {
  if (const auto old = index_.find(key); old != index_.end()) erase(old->second);
  const std::uint64_t cost = cost_of(key, file);
  if (cost > limits_.bytes || limits_.entries == 0) return;
  evict_for(cost);
  entries_.push_front({.path = std::string(key.path),
                       .key = key,
                       .file = std::move(file),
                       .cost = cost,
                       .proved_turn = read_at.turn,
                       .proved_at = read_at.now,
                       .was_used = false});
  Entry& entry = entries_.front();
  entry.key.path = entry.path;
  bytes_ += cost;
  index_.emplace(entry.key, entries_.begin());
}

// The hand: an entry used since it last passed goes to the front once more.
void HotCache::evict_for(std::uint64_t cost) {
  while (!entries_.empty() &&
         (bytes_ + cost > limits_.bytes || entries_.size() >= limits_.entries)) {
    const auto last = std::prev(entries_.end());
    if (std::exchange(last->was_used, false)) {
      entries_.splice(entries_.begin(), entries_, last);
      continue;
    }
    ++counts_.evictions;
    erase(last);
  }
}

void HotCache::erase(Entries::iterator entry) {
  bytes_ -= entry->cost;
  index_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace servery::files
