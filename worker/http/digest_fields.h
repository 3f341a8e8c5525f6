// Integrity fields (RFC 9530): what a request wants, and how a digest is written. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/crypto/digest.h"
#include "worker/http/fields.h"

namespace servery::http {

// Those whose status is "Active" (RFC 9530 section 5); no other is ever used.
using DigestAlgorithm = Digest::Algorithm;

// The algorithm that a Want-Repr-Digest or Want-Content-Digest field prefers: the highest weight
// from 1 to 10, sha-256 among equals. nullopt: none that is known, or no such field, or one that is
// no dictionary of integers (RFC 9530 section 4), which is then as if it were not there.
std::optional<DigestAlgorithm> wanted_digest(const RequestFields& fields, FieldId want);

// "sha-256=:BASE64:", the value of Repr-Digest and Content-Digest. `digest`: the raw bytes.
std::string digest_value(DigestAlgorithm algorithm, std::string_view digest);

}  // namespace servery::http
