// Small files as ready-made answers: content, 200 and 304 heads, validators; no descriptors. Owned
// by the worker, shared by its static routes; worker thread only.
//
// An entry is used only after a proof that its path still leads to the very state of the file that
// was read: at most once per entry and turn (or every time, or per interval, see Revalidate). So
// no answer is older than the turn its request was read in, and nothing outside the root is given:
// the proof is a contained open, not a stat (a directory moved out and replaced by a link keeps
// every field of its files).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/clock.h"
#include "worker/files/file_identity.h"
#include "worker/files/resource.h"
#include "worker/http/message.h"
#include "worker/http/negotiate.h"

namespace servery::files {

// When an entry must be proved before use.
struct ProofPolicy {
  enum class Mode : std::uint8_t { kTurn, kRequest, kInterval };
  Mode mode = Mode::kTurn;
  Milliseconds interval{0};
};

// The present, as the loop sees it.
struct Moment {
  std::uint64_t turn = 0;
  SteadyTime now{};
};

// Another file that an answer stands on, as it was seen.
struct SeenFile {
  std::string path;  // below the root
  FileIdentity identity;

  friend bool operator==(const SeenFile&, const SeenFile&) = default;
};

struct CachedFile {
  FileIdentity identity;
  std::string opened;                // below the root; differs from the key's path for an index
  std::vector<std::string> missing;  // names that would have been chosen before `opened`
  std::vector<SeenFile> unchanged;   // the file that `opened` is a variant of, refused variants
  std::string name;                  // what a download of it is called
  std::string content_digest;        // SHA-256 of the file, where its tag is made of it
  std::string content_type;
  std::string cache_control;
  bool is_attachment = false;
  http::Coding coding = http::Coding::kIdentity;  // of the body
  bool varies = false;                            // with Accept-Encoding
  bool chosen_by_accept = false;                  // varies with Accept too
  std::string etag;                               // strong, with quotes
  http::PreparedRef ok;                           // 200 with the body
  http::PreparedRef not_modified;                 // 304

  // Made of the same state of the same files, for the same client: its answers are the other's.
  bool stands_on_same(const CachedFile& other) const {
    return coding == other.coding && identity == other.identity && opened == other.opened &&
           missing == other.missing && unchanged == other.unchanged;
  }
};

class HotCache {
 public:
  struct Limits {
    std::uint64_t bytes = 0;  // 0: nothing is kept
    std::uint64_t entries = 0;
    ProofPolicy proof;
  };
  struct Key {
    std::uint32_t route = 0;
    std::uint8_t codings = 0;  // what the client takes: CodingPreference::signature()
    std::string_view path;     // as the route sees it

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t proofs = 0;
    std::uint64_t stale = 0;  // proofs that failed
    std::uint64_t evictions = 0;
  };

  explicit HotCache(const Limits& limits) : limits_(limits) {}
  HotCache(const HotCache&) = delete;
  HotCache& operator=(const HotCache&) = delete;

  // The entry, proved for this moment, or nullptr. Valid until the next call.
  const CachedFile* find(const Key& key, const Root& root, const Moment& moment);
  // The entry, if it stands on what was just found by other means, at `seen_at` or later and old
  // enough to be trusted: a proof that does not ask the file system again.
  const CachedFile* confirm(const Key& key, const CachedFile& seen, const Moment& seen_at);
  // Keeps `file`, which was read at `read_at` or later (turn 0: not in a turn of now), unless it is
  // larger than the cache may be.
  void keep(const Key& key, CachedFile file, const Moment& read_at);

  const Counts& counts() const { return counts_; }
  std::uint64_t bytes() const { return bytes_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string path;
    Key key;  // its path is a view of `path`
    CachedFile file;
    std::uint64_t cost = 0;
    std::uint64_t proved_turn = 0;
    SteadyTime proved_at{};
    bool was_used = false;  // since the hand passed

    void note_proof(const Moment& moment) {
      proved_turn = moment.turn;
      proved_at = moment.now;
    }
  };
  using Entries = std::list<Entry>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  bool is_proved(const Entry& entry, const Moment& moment) const;
  Proof prove(Entry& entry, const Root& root, const Moment& moment);
  const CachedFile* use(Entry& entry);
  void evict_for(std::uint64_t cost);
  void erase(Entries::iterator entry);

  Limits limits_;
  Entries entries_;  // second chance: new ones in front, the hand at the back
  std::unordered_map<Key, Entries::iterator, KeyHash> index_;
  std::uint64_t bytes_ = 0;
  Counts counts_;
};

}  // namespace servery::files
