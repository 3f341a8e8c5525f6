// The written form of numbers, durations and sizes, both ways. Decimal, no sign, no leading zero,
// no underscore. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"

namespace servery {

std::optional<std::uint64_t> parse_integer(std::string_view text);  // "0", "42"
std::optional<double> parse_decimal(std::string_view text);         // "1", "0.25"
std::optional<Duration> parse_duration(std::string_view text);   // "0", "250ms", "30s", "5m", "1h"
std::optional<std::uint64_t> parse_size(std::string_view text);  // "0", "512", "64KiB", "1GiB"

std::string format_decimal(double value);
std::string format_duration(Duration value);   // in the largest unit that is exact
std::string format_size(std::uint64_t value);  // likewise

// What was probably meant: "30" -> "30s", "10MB" -> "10MiB", "007" -> "7". Empty: no idea.
std::string suggest_duration(std::string_view text);
std::string suggest_size(std::string_view text);
std::string suggest_integer(std::string_view text);

}  // namespace servery
