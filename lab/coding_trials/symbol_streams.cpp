// SPDX-License-Identifier: MIT
#include "lab/coding_trials/symbol_streams.h"

#include <algorithm>
#include <numeric>

#include "compress/encode/block_encoder.h"
#include "compress/encode/huffman_lengths.h"
#include "compress/parse/last_distances.h"

namespace presso::trials {
namespace {

class Gatherer {
 public:
  explicit Gatherer(SymbolStreams& to) : to_(to) {}

  void add(std::uint32_t alphabet, std::uint32_t value) {
    const bit::ClassOf value_class = bit::class_of(value, bit::mantissa_of(alphabet));
    add_symbol(bit::first_symbol(alphabet) + value_class.symbol);
    to_.extra_bits += value_class.extra_bits;
  }
  void add_symbol(std::uint32_t symbol) {
    to_.symbols.push_back(static_cast<std::uint16_t>(symbol));
    ++to_.counts[symbol];
  }
  void add_literals(Bytes literals) {
    for (const Byte literal : literals) add_symbol(literal);
  }

 private:
  SymbolStreams& to_;
};

void gather(Bytes plain, const Sequences& sequences, const BlockHeader& header, SymbolStreams& to) {
  Gatherer gatherer(to);
  const std::uint32_t run = bit::run_length(header.sequences, header.bit.lanes_log2);
  LastDistances last{};
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& sequence = sequences[i];
    if (i % run == 0) last = std::to_array(bit::kFirstDistances);
    const bool matches = sequence.distance != 0;
    const std::uint32_t offset = matches ? offset_value(sequence.distance, last) : 0;
    if (matches) last = moved(last, offset, sequence.distance);
    const std::uint32_t match = matches ? sequence.match - header.layout.min_match : 0;
    const std::uint32_t command = bit::command_symbol(sequence.literals, match, offset);
    gatherer.add_symbol(bit::first_symbol(bit::kCommands) + command);
    if (sequence.literals >= bit::kLongLiterals) {
      gatherer.add(bit::kLiteralLengths, sequence.literals - bit::kLongLiterals);
    }
    if (match >= bit::kLongMatch) gatherer.add(bit::kMatchLengths, match - bit::kLongMatch);
    if (offset != bit::kCommandOffset) gatherer.add(bit::kOffsets, offset);
  }
  for (const Sequence& sequence : sequences) {
    gatherer.add_literals(plain.first(sequence.literals));
    plain = plain.subspan(sequence.literals + sequence.match);
  }
  gatherer.add_literals(plain);
}

std::uint64_t bits_of(std::span<const std::uint32_t> counts, std::span<const Byte> lengths) {
  // A single symbol's word is not written.
  const auto present = std::count_if(lengths.begin(), lengths.end(), [](Byte n) { return n != 0; });
  if (present < 2) return 0;
  return std::inner_product(counts.begin(), counts.end(), lengths.begin(), std::uint64_t{0});
}

}  // namespace

SymbolStreams streams_of(Bytes plain, const EncoderParameters& parameters, Parser& parser) {
  Sequences sequences;
  parser.parse(plain, nullptr, sequences);
  BlockHeader header;
  header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  header.layout.min_match = parameters.parser.min_match;
  BitEncoder encoder(bit_parameters_of(parameters));
  encoder.encode(plain, sequences, header);
  SymbolStreams streams;
  streams.sequences = header.sequences;
  streams.stored_bytes = header.stored_bytes();
  streams.list_bits = 8 * std::uint64_t{header.bit.head_bytes} -
                      std::uint64_t{header.bit.lanes()} * header.bit.size_bits;
  gather(plain, sequences, header, streams);
  return streams;
}

std::uint64_t huffman_bits_under(const Counts& counts, const Counts& model, unsigned limit) {
  std::uint64_t bits = 0;
  for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
    std::vector<Byte> lengths(bit::symbols_of(alphabet));
    limited_code_lengths(counts_of(model, alphabet), limit, lengths);
    bits += bits_of(counts_of(counts, alphabet), lengths);
  }
  return bits;
}

std::uint64_t huffman_bits(const Counts& counts, unsigned limit) {
  return huffman_bits_under(counts, counts, limit);
}

}  // namespace presso::trials
