// Answers a file coded where its client and its route want that: whole from memory or once for all
// who ask meanwhile, long ones piece by piece. One per route; worker thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "worker/body/content_coder.h"
#include "worker/features/static/representation.h"
#include "worker/features/static/static_answers.h"
#include "worker/features/static/static_lookup.h"
#include "worker/files/hot_cache.h"
#include "worker/http/exchange.h"

namespace servery::features {

class StaticCoding {
 public:
  struct Parts {
    body::ContentCoder& coder;
    files::HotCache& kept;  // what was coded
    const RepresentationMaker& maker;
    const StaticAnswers& answers;
  };
  // Looks the path up anew and answers it uncoded.
  using LookAgain = std::function<void(http::Exchange& exchange, std::string_view rest)>;

  StaticCoding(const Parts& parts, std::uint32_t route, LookAgain look_again)
      : parts_(parts), route_(route), look_again_(std::move(look_again)) {}

  // The coded answer that was kept and holds now, or null.
  const files::CachedFile* find(const Wish& wish, const files::Root& root,
                                const files::Moment& moment) const;
  // True if the answer is on its way; else `lookup` is to be answered as it is. `read_at`: since
  // when the look-up is known to hold.
  bool answer(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
              const files::Moment& read_at) const;

 private:
  bool code_whole(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                  const files::CachedFile& file, const files::Moment& read_at) const;
  bool stream(http::Exchange& exchange, StaticLookup& lookup, http::ResponseFields fields,
              http::Coding coding) const;

  Parts parts_;
  std::uint32_t route_;
  LookAgain look_again_;
};

}  // namespace servery::features
