// SPDX-License-Identifier: MIT
// lay_out_planes(): turns each byte of the literals into a mask for each of the eight planes, where
// plane k holds bit k of each byte of the text. A mask is all ones where the byte's bit is 0, so
// that plane XOR mask has ones where the text fits. Declines an empty list, an empty literal, one
// with a '\n', and literals of more than kMostPlanePlaces (8) bytes together (kInvalidArgument).
#include "scan/gpu/literals/plane_table.h"

#include "presso/bytes.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kCaseBit = 0x20;

bool is_letter(std::uint32_t byte) {
  return (byte | kCaseBit) >= 'a' && (byte | kCaseBit) <= 'z';
}

/// The masks for one byte with `to_end` bytes of its literal after it. Without regard to case,
/// plane 5 is left out for letters: their cases differ in that bit alone.
PlanePlace place_of(Byte byte, std::size_t to_end, bool ignore_case) {
  PlanePlace place;
  for (std::uint32_t plane = 0; plane < 8; ++plane) {
    place.flips[plane] = (byte >> plane & 1) != 0 ? 0 : ~0u;
  }
  if (ignore_case && is_letter(byte)) {
    place.any_case = ~0u;
    place.flips[5] = 0;
  }
  place.to_end = static_cast<std::uint32_t>(to_end);
  place.ends = to_end == 0 ? ~0u : 0;
  return place;
}

}  // namespace

Result<PlaneTableView> lay_out_planes(const std::vector<std::string>& literals,
                                      bool ignore_ascii_case) {
  PlaneTableView view;
  for (const std::string& literal : literals) {
    if (literal.empty() || literal.find('\n') != std::string::npos) {
      return make_error(ErrorCode::kInvalidArgument, "a literal is empty or has a line's end");
    }
    if (view.count + literal.size() > kMostPlanePlaces) {
      return make_error(ErrorCode::kInvalidArgument, "too many literals, or too long ones");
    }
    for (std::size_t i = 0; i < literal.size(); ++i) {
      view.places[view.count++] =
          place_of(static_cast<Byte>(literal[i]), literal.size() - 1 - i, ignore_ascii_case);
    }
  }
  if (view.count == 0) return make_error(ErrorCode::kInvalidArgument, "there are no literals");
  return view;
}

}  // namespace presso::gpu
