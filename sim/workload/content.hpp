// Who owns which content id: prefix groups, sessions and traces each get a range of their own.
#pragma once
#include <cstdint>

#include "spec/request.hpp"

namespace ridgepoint {

/// Bits 62..48 of a content id say whose it is, the low 48 which one; bit 63 marks unique contents.
inline constexpr int kContentBits = 48;
inline constexpr std::uint64_t kContentMask = (std::uint64_t{1} << kContentBits) - 1;
inline constexpr std::uint64_t kMaxStreams =
    16000;  ///< so that every stream finds its two owners below bit 63

inline constexpr std::uint64_t kPrefixOwner = 1;
constexpr std::uint64_t session_owner(std::uint16_t stream) { return 16 + 2 * std::uint64_t{stream}; }
constexpr std::uint64_t trace_owner(std::uint16_t stream) { return 17 + 2 * std::uint64_t{stream}; }

constexpr std::uint64_t content_id(std::uint64_t owner, std::uint64_t which) {
  return (owner << kContentBits) | (which & kContentMask);
}

/// Longest prompt plus output that is taken: token positions fit 32 bits with room to add two.
inline constexpr std::int32_t kMaxTokens = 1 << 30;

}  // namespace ridgepoint
