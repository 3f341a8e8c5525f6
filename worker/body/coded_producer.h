// A producer's bytes, coded. Pool threads, one call at a time.
#pragma once

#include <memory>
#include <string>

#include "worker/body/coder.h"
#include "worker/body/produced_source.h"

namespace servery::body {

class CodedProducer final : public Producer {
 public:
  // `flushes_first`: the first bytes go out as soon as they are made, at the cost of a few bytes.
  CodedProducer(std::shared_ptr<Producer> plain, std::unique_ptr<Coder> coder, bool flushes_first)
      : source_(std::move(plain)), coder_(std::move(coder)), flushes_(flushes_first) {}

  Outcome produce(std::string& into) override {
    plain_.clear();
    const Outcome outcome = source_->produce(plain_);
    if (outcome == Outcome::kFailed) return outcome;
    Coder::Then then = outcome == Outcome::kEnd ? Coder::Then::kEnd : Coder::Then::kMore;
    if (flushes_ && then == Coder::Then::kMore && !plain_.empty()) {
      then = Coder::Then::kFlush;
      flushes_ = false;
    }
    return coder_->code(plain_, then, into) ? outcome : Outcome::kFailed;
  }

 private:
  std::shared_ptr<Producer> source_;
  std::unique_ptr<Coder> coder_;
  bool flushes_;
  std::string plain_;
};

}  // namespace servery::body
