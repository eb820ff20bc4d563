// SPDX-License-Identifier: MIT
// Bit-coded payloads that no parser would lead to, made from a fuzzer's bytes: random sequences,
// written by the encoder, sound except for some changed bytes or header fields.
#pragma once

#include "compress/encode/bit_encoder.h"
#include "tests/fuzz/payload_maker.h"

namespace presso::fuzz {

/// Sequences that fit into the block and lead nowhere but into block and dictionary.
class BitSequenceMaker {
 public:
  BitSequenceMaker(Choices& choices, const BlockHeader& header, std::uint32_t dictionary_bytes)
      : choices_(choices), header_(header), dictionary_bytes_(dictionary_bytes) {}

  Sequences make() {
    Sequences sequences;
    const std::uint32_t most = std::min(choices_.below(900), (header_.plain_bytes + 2) / 3);
    std::uint32_t at = 0;
    while (sequences.size() < most && at < header_.plain_bytes) {
      Sequence sequence;
      sequence.literals = pick_length(header_.plain_bytes - at);
      at += sequence.literals;
      add_match(at, sequence);
      at += sequence.match;
      sequences.push_back(sequence);
    }
    return sequences;
  }

 private:
  std::uint32_t pick_length(std::uint32_t room) {
    const Byte kind = choices_.byte();
    std::uint32_t length = choices_.below(6);
    if (kind % 8 == 0) length = choices_.below(60);
    if (kind % 64 == 1) length = choices_.below(3000);
    return std::min(length, room);
  }

  void add_match(std::uint32_t at, Sequence& sequence) {
    const std::uint32_t least = header_.layout.min_match;
    const std::uint32_t room = header_.plain_bytes - at;
    if (room < least || choices_.one_in(40)) return;
    const std::uint32_t length = least + pick_length(room - least);
    std::uint32_t distance = last_;
    if (distance == 0 || distance > at || choices_.one_in(2)) {
      if (dictionary_bytes_ >= length && choices_.one_in(4)) {
        distance = at + length + choices_.below(dictionary_bytes_ - length + 1);
      } else if (at > 0) {
        distance = 1 + choices_.below(choices_.one_in(3) ? std::min(at, 40u) : at);
      } else {
        return;
      }
    }
    sequence.match = length;
    sequence.distance = distance;
    if (choices_.one_in(3)) last_ = distance;
  }

  Choices& choices_;
  const BlockHeader& header_;
  std::uint32_t dictionary_bytes_;
  std::uint32_t last_ = 0;
};

/// One field a little off, or anything.
inline void change_field(Choices& choices, BlockHeader& header) {
  const std::uint32_t by = choices.one_in(2) ? 1 : choices.below(64);
  switch (choices.byte() % 9) {
    case 0:
      header.sequences += by;
      break;
    case 1:
      header.sequences -= std::min(header.sequences, by);
      break;
    case 2:
      header.literals += by;
      break;
    case 3:
      header.literals -= std::min(header.literals, by);
      break;
    case 4:
      header.bit.least_bits += by;
      break;
    case 5:
      header.bit.head_bytes += by;
      break;
    case 6:
      header.bit.lanes_log2 = choices.byte() % 11;
      break;
    case 7:
      header.bit.count_bits = choices.byte() % 12;
      break;
    default:
      header.bit.size_bits = choices.byte() % 25;
  }
}

/// nullopt where the choices led to a header that is not valid.
inline std::optional<PayloadCase> make_bit_payload_case(Choices choices) {
  PayloadCase made;
  const Byte mode = choices.byte();
  made.header = make_header(choices);
  made.header.layout = {0, false, made.header.layout.min_match};
  if (choices.one_in(2)) {
    made.dictionary.assign(1 + choices.below(choices.one_in(2) ? 60 : 100000), 'D');
    made.header.dictionary_id = 1;
  }
  const auto dictionary_bytes = static_cast<std::uint32_t>(made.dictionary.size());
  const Sequences sequences = BitSequenceMaker(choices, made.header, dictionary_bytes).make();
  std::vector<Byte> plain(made.header.plain_bytes);  // its literals are what counts
  const Byte letters = static_cast<Byte>(1 + choices.byte() % 100);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i] = static_cast<Byte>(i * i / 7 % letters);
  }
  BitParameters parameters;
  if (choices.one_in(3)) parameters.sub_block_log2 = 2 + choices.below(7);
  if (choices.one_in(2)) {
    parameters.literal_limit = static_cast<Byte>(8 + choices.below(kMaxLiteralLimit - 7));
    parameters.command_limit = static_cast<Byte>(7 + choices.below(kMaxCommandLimit - 6));
    parameters.sequence_limit = static_cast<Byte>(8 + choices.below(kMaxSequenceLimit - 7));
  }
  BitEncoder encoder(parameters);
  encoder.encode(plain, sequences, made.header);
  made.payload.assign(encoder.payload().begin(), encoder.payload().end());
  if (mode % 4 == 2) change_field(choices, made.header);
  if (mode % 4 == 3) wound(choices, made.header, made.payload);
  if (!is_valid(made.header)) return std::nullopt;
  return made;
}

}  // namespace presso::fuzz
