// Handle<Uv, State>: the one place that knows the uv_close contract. It owns a heap block of a
// libuv struct and what its callback needs; destroying it closes the libuv handle (no callback
// comes after that) and the block frees itself in the close callback. Owners are therefore ordinary
// members, may move, and may die inside the handle's own callback. Loop thread only; must die
// before the Loop.
#pragma once

#include <uv.h>

#include <memory>
#include <utility>

#include "common/base/result.h"

namespace servery {

// A libuv error (negative errno) as an Error.
inline tl::unexpected<Error> fail_uv(std::string_view what, int uv_error) {
  return fail_errno(what, -uv_error);
}

template <typename Uv, typename State>
class Handle {
 public:
  Handle() = default;
  // `init(Uv*)` is the uv_*_init call; when it fails there is nothing to close.
  template <typename Init>
  static Result<Handle> create(std::string_view what, State state, Init init) {
    auto block = std::make_unique<Block>(std::move(state));
    if (const int error = init(&block->uv); error < 0) return fail_uv(what, error);
    return Handle(block.release());
  }
  Handle(Handle&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      block_ = std::exchange(other.block_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  void reset() {
    if (block_ == nullptr) return;
    Block* block = std::exchange(block_, nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&block->uv),
             [](uv_handle_t* handle) { delete reinterpret_cast<Block*>(handle); });
  }

  explicit operator bool() const { return block_ != nullptr; }
  Uv* get() const { return &block_->uv; }
  State& state() const { return block_->state; }
  static State& state_of(Uv* uv) { return reinterpret_cast<Block*>(uv)->state; }

 private:
  struct Block {  // standard layout is not needed: `uv` is the first member of a final struct
    explicit Block(State initial) : state(std::move(initial)) {}
    Uv uv{};
    State state;
  };

  explicit Handle(Block* block) : block_(block) {}
  Block* block_ = nullptr;
};

}  // namespace servery
