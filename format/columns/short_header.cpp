// SPDX-License-Identifier: MIT
// A block header consists of words of 32 bits: a number of 24 bits and a byte each. Short headers
// have the words 3 to 8, each as a number of a varying size and a byte; raw blocks have none of
// them.
#include "format/columns/short_header.h"

#include <algorithm>

#include "presso/byte_stream.h"
#include "presso/checksum.h"

namespace presso {
namespace {

constexpr std::size_t kFirstShortByte = 12;
constexpr std::size_t kEndOfShortBytes = 36;

}  // namespace

void append_short_header(const Byte* header, Buffer& to) {
  const Byte coding = header[11];
  to.append({&coding, 1});
  if (static_cast<Coding>(coding) == Coding::kRaw) return;
  for (std::size_t at = kFirstShortByte; at < kEndOfShortBytes; at += 4) {
    append_varint(to, load_u24(header + at));
    to.append({header + at + 3, 1});
  }
}

void expand_short_header(WireReader& from, const BlockPlace& place, Byte* to) {
  std::fill_n(to, kBlockHeaderBytes, Byte{0});
  std::copy_n(kFrameSync, sizeof kFrameSync, to);
  to[3] = static_cast<Byte>(FrameKind::kBlock);
  store<std::uint32_t>(to + 4, place.number);
  const auto coding = from.value<Byte>();
  store_u24(to + 8, place.plain_bytes, coding);
  if (static_cast<Coding>(coding) == Coding::kRaw) {
    store_u24(to + kFirstShortByte, place.plain_bytes, 0);
  } else {
    for (std::size_t at = kFirstShortByte; at < kEndOfShortBytes; at += 4) {
      const auto number = static_cast<std::uint32_t>(from.varint());
      store_u24(to + at, number & 0xFFFFFF, from.value<Byte>());
    }
  }
  store<std::uint64_t>(to + 36, place.checksum);
  store<std::uint32_t>(to + 44, checksum32({to, 44}));
}

}  // namespace presso
