// SPDX-License-Identifier: MIT
// Byte decoder for any CPU: scalar expansion, copies that the compiler makes as wide as it may.
#include "decompress/cpu/byte_decoder.h"

namespace presso {
namespace portable {

struct Cursor;
struct Group;

struct Isa {
  static bool expand(Cursor& cursor, Group& group);
  static void copy16(std::uint8_t* to, const std::uint8_t* from) { __builtin_memcpy(to, from, 16); }
  static void copy32(std::uint8_t* to, const std::uint8_t* from) {
    std::uint8_t chunk[32];  // load all before storing: source and target may overlap
    __builtin_memcpy(chunk, from, 32);
    __builtin_memcpy(to, chunk, 32);
  }
};

#include "decompress/cpu/byte_decoder_loop.h"

/// Without vectors there is nothing to gain from expanding a group first.
bool Isa::expand(Cursor&, Group&) {
  return false;
}

}  // namespace portable

bool decode_byte_block_portable(const ByteBlockJob& job) {
  return portable::decode_block_loop(job);
}

}  // namespace presso
