// SPDX-License-Identifier: MIT
// Byte-coded payloads that no encoder would write: a valid header around streams that are sound but
// for a few bytes, or entirely random. Every fast decoder must agree with the reference decoder on
// the outcome and the bytes, touching nothing outside the slack it was promised: payload, output
// and dictionary are allocated with exactly that, for the address sanitizer to watch.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "decompress/cpu/reference_decoder.h"
#include "decompress/payload.h"
#include "presso/decompress.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

struct FreeMemory {
  void operator()(Byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<Byte, FreeMemory>;

Memory allocate(std::size_t bytes, int fill) {
  Memory memory(static_cast<Byte*>(std::malloc(bytes)));
  std::memset(memory.get(), fill, bytes);
  return memory;
}

/// The streams of a payload, not yet behind one another.
struct Streams {
  std::vector<Byte> offsets, tokens, far, literal_escapes, match_escapes, longs, literals;
};

class PayloadMaker {
 public:
  PayloadMaker(Choices& choices, BlockHeader& header, std::uint32_t dictionary_bytes)
      : choices_(choices), header_(header), dictionary_bytes_(dictionary_bytes) {}

  /// Sequences that fill the block, each within its limits.
  Streams sound() {
    std::uint32_t at = 0;
    const std::uint32_t sequences = choices_.below(400);
    for (std::uint32_t i = 0; i < sequences && at < header_.plain_bytes; ++i) at = add_sequence(at);
    add_literals(header_.plain_bytes - at);
    return std::move(streams_);
  }

  /// Streams of any size that the header's limits allow, of any bytes.
  Streams random() {
    const std::uint32_t sequences = choices_.below(std::min(header_.plain_bytes, 300u) + 1);
    fill(streams_.tokens, sequences);
    fill(streams_.offsets, 2 * sequences);
    if (header_.layout.far) fill(streams_.far, choices_.below(sequences + 1));
    fill(streams_.literal_escapes, choices_.below(sequences + 1));
    fill(streams_.match_escapes, choices_.below(sequences + 1));
    fill(streams_.longs, 2 * choices_.below(8));
    fill(streams_.literals, choices_.below(header_.plain_bytes + 1));
    return std::move(streams_);
  }

 private:
  void fill(std::vector<Byte>& stream, std::uint32_t bytes) {
    const Byte style = choices_.byte();  // all small values make lengths add up now and then
    const Byte mask = style % 3 == 0 ? 0xFF : style % 3 == 1 ? 0x1F : 0x11;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      stream.push_back(static_cast<Byte>(choices_.byte() & mask));
    }
  }

  void add_literals(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      streams_.literals.push_back(static_cast<Byte>('a' + i % 26));
    }
  }

  /// Mostly short, sometimes around the limits of token and escape byte, rarely longer.
  std::uint32_t pick_length(std::uint32_t limit, std::uint32_t room) {
    const Byte kind = choices_.byte();
    std::uint32_t length = choices_.below(8);
    if (kind % 8 == 0) length = limit + choices_.below(4);
    if (kind % 32 == 1) length = limit + 253 + choices_.below(4);
    if (kind % 64 == 2) length = limit + 255 + choices_.below(2000);
    return std::min(length, room);
  }

  std::uint32_t put_length(std::uint32_t length, std::uint32_t limit, std::vector<Byte>& escapes) {
    if (length < limit) return length;
    const std::uint32_t rest = length - limit;
    escapes.push_back(static_cast<Byte>(std::min(rest, 255u)));
    if (rest >= 255) put16(streams_.longs, rest - 255);
    return limit;
  }

  static void put16(std::vector<Byte>& stream, std::uint32_t value) {
    stream.push_back(static_cast<Byte>(value));
    stream.push_back(static_cast<Byte>(value >> 8));
  }

  std::uint32_t pick_distance(std::uint32_t at, std::uint32_t length) {
    std::uint32_t furthest = at;
    const bool into_dictionary = dictionary_bytes_ >= length && choices_.one_in(4);
    if (into_dictionary) return at + length + choices_.below(dictionary_bytes_ - length + 1);
    if (!header_.layout.far) furthest = std::min(furthest, 65535u);
    if (furthest == 0) return 0;
    if (choices_.one_in(3)) furthest = std::min(furthest, 40u);  // overlapping
    return 1 + choices_.below(furthest);
  }

  std::uint32_t add_sequence(std::uint32_t at) {
    const TokenLayout& layout = header_.layout;
    const std::uint32_t literals = pick_length(layout.literal_limit(), header_.plain_bytes - at);
    add_literals(literals);
    at += literals;
    std::uint32_t token = put_length(literals, layout.literal_limit(), streams_.literal_escapes);
    const std::uint32_t room = header_.plain_bytes - at;
    std::uint32_t distance = 0;
    if (room >= layout.min_match && !choices_.one_in(50)) {
      const std::uint32_t extra = pick_length(layout.match_limit(), room - layout.min_match);
      distance = pick_distance(at, layout.min_match + extra);
      if (!layout.far && distance > 65535) distance = 0;
      if (distance != 0) {
        const std::uint32_t code = put_length(extra, layout.match_limit(), streams_.match_escapes);
        token |= code << layout.literal_bits;
        at += layout.min_match + extra;
      }
    }
    if (distance > 65535 || (layout.far && distance != 0 && choices_.one_in(20))) {
      token |= 0x80;
      streams_.far.push_back(static_cast<Byte>(distance >> 16));
    }
    streams_.tokens.push_back(static_cast<Byte>(token));
    put16(streams_.offsets, distance);
    return at;
  }

  Choices& choices_;
  BlockHeader& header_;
  std::uint32_t dictionary_bytes_;
  Streams streams_;
};

BlockHeader make_header(Choices& choices) {
  BlockHeader header;
  header.coding = Coding::kByte;
  header.layout.literal_bits = static_cast<Byte>(2 + choices.byte() % 3);
  header.layout.far = choices.one_in(2);
  header.layout.min_match = static_cast<Byte>(3 + choices.byte() % 13);
  header.rule = DependencyRule::kNone;
  const std::uint32_t largest[] = {40, 1000, 9000, 150000};
  header.plain_bytes = 1 + choices.below(largest[choices.byte() % 4]);
  return header;
}

/// The payload as it stands in a file; sets the header's counts.
std::vector<Byte> join(const Streams& streams, BlockHeader& header) {
  std::vector<Byte> payload;
  for (const auto* stream :
       {&streams.offsets, &streams.tokens, &streams.far, &streams.literal_escapes,
        &streams.match_escapes, &streams.longs, &streams.literals}) {
    payload.insert(payload.end(), stream->begin(), stream->end());
  }
  header.sequences = static_cast<std::uint32_t>(streams.tokens.size());
  header.far_offsets = static_cast<std::uint32_t>(streams.far.size());
  header.literal_escapes = static_cast<std::uint32_t>(streams.literal_escapes.size());
  header.match_escapes = static_cast<std::uint32_t>(streams.match_escapes.size());
  header.literals = static_cast<std::uint32_t>(streams.literals.size());
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  return payload;
}

/// Moves a border between streams, or takes one byte more or less for one.
void shift_counts(Choices& choices, BlockHeader& header) {
  std::uint32_t* const counts[] = {&header.far_offsets, &header.literal_escapes,
                                   &header.match_escapes, &header.literals, &header.sequences};
  std::uint32_t& one = *counts[choices.byte() % 5];
  std::uint32_t& other = *counts[choices.byte() % 5];
  if (one > 0) --one;
  if (choices.one_in(2)) ++other;
}

/// What the file's reader has checked before any decoder sees a block.
bool is_valid(const BlockHeader& header) {
  Byte bytes[kBlockHeaderBytes];
  write_block_header(header, bytes);
  return parse_block_header(bytes).ok();
}

void decode_everywhere(const BlockHeader& header, const std::vector<Byte>& payload,
                       const Dictionary* dictionary) {
  const auto view = view_payload(header, payload.data());
  const Bytes content = dictionary != nullptr ? dictionary->content() : Bytes{};
  std::vector<Byte> expected(header.plain_bytes);
  const Status reference =
      view.ok() ? reference_decode_payload(header, *view, content, false, expected.data())
                : Status(view.error());
  const ErrorCode code = reference.ok() ? ErrorCode::kOk : reference.error().code;
  for (const CpuLevel level : supported_cpu_levels()) {
    const Memory in = allocate(payload.size() + Buffer::kSlack, 0xA5);
    std::copy(payload.begin(), payload.end(), in.get());
    const Memory out = allocate(header.plain_bytes + Buffer::kSlack, 0x5A);
    const Status status = decode_block(header, in.get(), dictionary, {level, false}, out.get());
    PRESSO_FUZZ_CHECK((status.ok() ? ErrorCode::kOk : status.error().code) == code);
    if (status.ok()) {
      PRESSO_FUZZ_CHECK(std::equal(expected.begin(), expected.end(), out.get()));
    }
  }
}

}  // namespace

void fuzz_payload(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const Byte mode = choices.byte();
  BlockHeader header = make_header(choices);
  std::shared_ptr<const Dictionary> dictionary;
  std::uint32_t dictionary_bytes = 0;
  if (choices.one_in(2)) {
    dictionary_bytes = 1 + choices.below(choices.one_in(2) ? 60 : 100000);
    const std::vector<Byte> content(dictionary_bytes, 'D');
    dictionary = Dictionary::from_plain(content);
    header.dictionary_id = 1;
  }
  PayloadMaker maker(choices, header, dictionary_bytes);
  std::vector<Byte> payload = join(mode % 4 == 0 ? maker.random() : maker.sound(), header);
  const bool as_made = mode % 4 == 1;
  if (!as_made && mode % 16 == 2) shift_counts(choices, header);
  if (!as_made && !payload.empty()) {
    for (std::uint32_t wounds = choices.byte() % 4; wounds > 0; --wounds) {
      // Most of a large payload is literals, which nothing depends on: wound what comes before.
      const std::uint32_t lengths =
          header.payload_bytes - std::min<std::uint32_t>(header.payload_bytes, header.literals);
      payload[choices.below(std::max(lengths, 1u))] = choices.byte();
    }
  }
  if (!is_valid(header)) return;
  decode_everywhere(header, payload, dictionary.get());
}

}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_payload(data, size);
  return 0;
}
