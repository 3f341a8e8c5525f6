#include "ipc/wire.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace servery::ipc {
namespace {

// A packet is the index of its type in the direction's variant (one byte), then the members in the
// order of fields(): integers little-endian, bool one byte 0 or 1, a text or list behind a 16-bit
// count, a descriptor as nothing at all (it is the next one of the ancillary data).
class Encoder {
 public:
  template <std::unsigned_integral T>
  void operator()(T& value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      packet_.bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
  }
  void operator()(bool& value) { packet_.bytes += value ? '\1' : '\0'; }
  void operator()(UniqueFd& fd) {
    if (!fd) ok_ = false;
    packet_.fds.push_back(std::move(fd));
  }
  void text(std::string& value, std::size_t max) {
    if (!count(value.size(), max)) return;
    packet_.bytes += value;
  }
  template <typename T>
  void list(std::vector<T>& values, std::size_t max) {
    if (!count(values.size(), max)) return;
    for (T& value : values) element(value);
  }
  template <typename T>
  void element(T& value) {
    if constexpr (std::is_integral_v<T>) {
      (*this)(value);
    } else {
      fields(*this, value);
    }
  }

  Result<Packet> finish() {
    if (!ok_ || packet_.bytes.size() > kMaxMessageBytes || packet_.fds.size() > kMaxMessageFds) {
      return fail(Errc::kTooLarge, "ipc message over its bounds");
    }
    return std::move(packet_);
  }

 private:
  bool count(std::size_t size, std::size_t max) {
    ok_ = ok_ && size <= max;
    if (!ok_) return false;
    auto prefix = static_cast<std::uint16_t>(size);
    (*this)(prefix);
    return true;
  }

  Packet packet_;
  bool ok_ = true;
};

// Reads members in order. After the first broken rule every further read does nothing.
class Decoder {
 public:
  explicit Decoder(Packet& packet) : packet_(packet) {}

  template <std::unsigned_integral T>
  void operator()(T& value) {
    std::uint64_t result = 0;
    if (!need(sizeof(T))) return;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      result |= static_cast<std::uint64_t>(static_cast<unsigned char>(packet_.bytes[at_ + i]))
                << (8 * i);
    }
    at_ += sizeof(T);
    value = static_cast<T>(result);
  }
  void operator()(bool& value) {
    std::uint8_t byte = 0;
    (*this)(byte);
    if (byte > 1) ok_ = false;
    value = byte == 1;
  }
  void operator()(UniqueFd& fd) {
    if (fd_at_ < packet_.fds.size()) {
      fd = std::move(packet_.fds[fd_at_++]);
    } else {
      ok_ = ok_ && packet_.lost_fds;
    }
  }
  void text(std::string& value, std::size_t max) {
    const std::size_t size = count(max);
    if (!need(size)) return;
    value = packet_.bytes.substr(at_, size);
    at_ += size;
  }
  template <typename T>
  void list(std::vector<T>& values, std::size_t max) {
    const std::size_t size = count(max);
    for (std::size_t i = 0; ok_ && i < size; ++i) {
      T value{};
      if constexpr (std::is_integral_v<T>) {
        (*this)(value);
      } else {
        fields(*this, value);
      }
      values.push_back(std::move(value));
    }
  }
  bool complete() const {
    return ok_ && at_ == packet_.bytes.size() && fd_at_ == packet_.fds.size();
  }

 private:
  bool need(std::size_t size) {
    ok_ = ok_ && packet_.bytes.size() - at_ >= size;
    return ok_;
  }
  std::size_t count(std::size_t max) {
    std::uint16_t size = 0;
    (*this)(size);
    if (size > max) ok_ = false;
    return ok_ ? size : 0;
  }

  Packet& packet_;
  std::size_t at_ = 0;
  std::size_t fd_at_ = 0;
  bool ok_ = true;
};

template <typename Variant>
Result<Packet> encode_variant(Variant& message) {
  Encoder encoder;
  auto type = static_cast<std::uint8_t>(message.index());
  encoder(type);
  std::visit([&encoder](auto& m) { fields(encoder, m); }, message);
  return encoder.finish();
}

template <typename Message>
inline constexpr bool kMayLoseDescriptors =
    std::is_same_v<Message, HandOver> || std::is_same_v<Message, TakeOver>;

// Reads alternative I into `message` when the packet's type is I.
template <typename Variant, std::size_t I>
bool decode_alternative(std::size_t type, Decoder& decoder, Variant& message) {
  if (type != I) return false;
  fields(decoder, message.template emplace<I>());
  return true;
}

template <typename Variant, std::size_t... I>
Result<Variant> decode_variant(Packet& packet, std::index_sequence<I...>) {
  if (packet.bytes.size() > kMaxMessageBytes || packet.fds.size() > kMaxMessageFds) {
    return fail(Errc::kTooLarge, "ipc message over its bounds");
  }
  Decoder decoder(packet);
  std::uint8_t type = 0;
  decoder(type);
  Variant message;
  const bool known = (decode_alternative<Variant, I>(type, decoder, message) || ...);
  if (!known || !decoder.complete()) return fail(Errc::kInvalid, "malformed ipc message");
  const bool may_lose = std::visit(
      [](const auto& m) { return kMayLoseDescriptors<std::decay_t<decltype(m)>>; }, message);
  if (packet.lost_fds && !may_lose) {
    return fail(Errc::kExhausted, "out of descriptors for an ipc message");
  }
  return message;
}

template <typename Variant>
Result<Variant> decode_any(Packet& packet) {
  return decode_variant<Variant>(packet, std::make_index_sequence<std::variant_size_v<Variant>>());
}

}  // namespace

Result<Packet> encode(ToWorker message) { return encode_variant(message); }
Result<Packet> encode(ToSupervisor message) { return encode_variant(message); }

Result<ToWorker> decode_to_worker(Packet packet) { return decode_any<ToWorker>(packet); }
Result<ToSupervisor> decode_to_supervisor(Packet packet) {
  return decode_any<ToSupervisor>(packet);
}

std::uint32_t common_protocol(std::uint32_t min, std::uint32_t max) {
  const std::uint32_t low = std::max(min, kProtocolMin);
  const std::uint32_t high = std::min(max, kProtocolMax);
  return low <= high ? high : 0;
}

}  // namespace servery::ipc
