// SPDX-License-Identifier: MIT
// The first stage of the Bit coding in the emulator against the reference decoder: literals and
// sequences of every sound payload, the error code of every other, and the places of units.
#include "decompress/gpu/bit/bit_unpack.cuh"

#include <map>
#include <random>

#include "compress/encode/bit_encoder.h"
#include "compress/encode/bit_writer.h"
#include "decompress/cpu/bit_symbols.h"
#include "tests/fuzz/bit_payload_maker.h"
#include "tests/simt/golden_blocks.h"
#include "tests/simt/test_batch.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test::bit_unpack_test {
namespace {

using presso::test::log_lines;

/// One warp, so that most blocks take several rounds of lanes; or more warps than alphabets.
template <u32 kWarps>
struct Warps : FewBlocks {
  static constexpr UnpackTuning unpack_tuning(Unpacking which) {
    return {FewBlocks::unpack_tuning(which).limits, kWarps, 1, kWarps > 1 ? kWarp : 16};
  }
};

BitSequence sequence_of(const BlockPlan& plan, u32 index) {
  const UnpackedBlock block(plan);
  const u32 record = block.records[index];
  if (is_wide_record(record)) {
    const WideSequence& wide = block.wide[record_distance(record)];
    return {wide.literals, wide.match, wide.distance};
  }
  const u32 high = plan.far != 0 ? u32{block.high[index]} << 16 : 0;
  return {record_literals(record), record_match(record), record_distance(record) | high};
}

/// A block is kFailed where this is not so.
bool fits(const BlockHeader& header, const BitSymbols& symbols) {
  std::uint64_t plain = 0, literals = 0;
  for (const BitSequence& sequence : symbols.sequences) {
    if (sequence.distance == 0 && sequence.match != 0) return false;
    literals += sequence.literals;
    plain += sequence.literals;
    plain += sequence.distance != 0 ? sequence.match + header.layout.min_match : 0;
  }
  return literals <= header.literals && plain + header.literals - literals == header.plain_bytes;
}

/// Up to the sequence in which the block's bytes are exceeded.
void expect_sequences(const BlockPlan& plan, const BitSymbols& symbols) {
  std::uint64_t plain = 0;
  for (u32 i = 0; i < symbols.sequences.size() && plain <= plan.plain_bytes; ++i) {
    const BitSequence& expected = symbols.sequences[i];
    const BitSequence found = sequence_of(plan, i);
    ASSERT_EQ(found.literals, expected.literals) << i;
    ASSERT_EQ(found.match, expected.match) << i;
    ASSERT_EQ(found.distance, expected.distance) << i;
    plain += expected.literals + expected.match;
  }
  const Byte* const literals = UnpackedBlock(plan).literals;
  EXPECT_TRUE(std::equal(symbols.literals.begin(), symbols.literals.end(), literals));
}

void expect_units(const BlockPlan& plan, const BitSymbols& symbols) {
  UnitRecord at;
  for (u32 i = 0; i <= symbols.sequences.size(); ++i) {
    if (i % kUnitSequences == 0) {
      const UnitRecord& unit = unit_records(plan)[i / kUnitSequences];
      ASSERT_EQ(unit.plain, at.plain) << i;
      ASSERT_EQ(unit.literals, at.literals) << i;
      ASSERT_EQ(unit.segments, at.segments) << i;
    }
    if (i == symbols.sequences.size()) break;
    const BitSequence& sequence = symbols.sequences[i];
    at.literals += sequence.literals;
    at.plain += sequence.literals;
    at.plain += sequence.distance != 0 ? sequence.match + plan.min_match : 0;
    at.segments += u32{sequence.literals != 0} + u32{sequence.distance != 0};
  }
}

/// One stored block, alone in memory of exactly its size; returns the reference decoder's code.
template <class Tuning>
ErrorCode compare(const std::vector<Byte>& stored, const Dictionaries& dictionaries, u32 seed) {
  const BlockHeader header = *parse_block_header(stored.data());
  TestBatch batch;
  batch.options.seed = seed;
  if (seed % 3 == 0) batch.options.order = simt::Order::kReverse;
  for (const auto& [id, dictionary] : dictionaries) batch.set_dictionary(id, dictionary->content());
  batch.add(stored, header.plain_bytes);
  batch.run_plan(simt::kWarpSize);
  if (batch.status(0) != kPlanned) return static_cast<ErrorCode>(batch.status(0));
  batch.run_unpack<Tuning>();
  const auto symbols = reference_decode_symbols(header, stored.data() + kBlockHeaderBytes);
  if (!symbols.ok()) {
    EXPECT_EQ(batch.status(0), status_of(symbols.error().code));
    return symbols.error().code;
  }
  const BlockPlan& plan = batch.plan(0);
  expect_sequences(plan, *symbols);
  if (!fits(header, *symbols)) {
    EXPECT_EQ(batch.status(0), kFailed);
  } else {
    EXPECT_TRUE(batch.status(0) == kPlanned || batch.status(0) == kSurveyed);
    expect_units(plan, *symbols);
  }
  return ErrorCode::kOk;
}

ErrorCode compare_all(const std::vector<Byte>& stored, const Dictionaries& dictionaries,
                      u32 seed = 1) {
  const auto header = parse_block_header(stored.data());
  if (!header.ok() || header->coding != Coding::kBit) return ErrorCode::kUnsupported;
  compare<Warps<1>>(stored, dictionaries, seed);
  compare<Warps<bit::kAlphabets + 1>>(stored, dictionaries, seed);
  return compare<ManyBlocks>(stored, dictionaries, seed);
}

TEST(BitUnpack, AgreesOnGoldenFiles) {
  std::map<ErrorCode, int> seen;
  for_each_golden_file([&](const std::string& name, const Frames& frames) {
    SCOPED_TRACE(name);
    for (const auto& block : frames.blocks) ++seen[compare_all(block, frames.dictionaries)];
  });
  EXPECT_GT(seen[ErrorCode::kOk], 10);
  EXPECT_GT(seen[ErrorCode::kBadPayloadSize], 1);
  EXPECT_GT(seen[ErrorCode::kBadTree], 10);
  EXPECT_GT(seen[ErrorCode::kBadBits], 5);
}

TEST(BitUnpack, AgreesOnWhatTheEncoderWrites) {
  int compared = 0;
  for (const std::uint32_t size : {1u, 300u, 5000u, 70000u, 400000u}) {
    for (const int level : {2, 9}) {
      SCOPED_TRACE(size);
      CompressOptions options;
      options.coding = Coding::kBit;
      options.level = level;
      options.threads = 1;
      options.dictionary.mode = DictionaryChoice::Mode::kNone;
      std::vector<Byte> plain = log_lines(size / 2, size);
      const std::vector<Byte> letters = presso::test::few_letters(size / 2, 20, size);
      plain.insert(plain.end(), letters.begin(), letters.end());
      plain.resize(size);
      for (const auto& block : find_frames(*compress_buffer(plain, options)).blocks) {
        const ErrorCode code = compare_all(block, {}, size);
        EXPECT_TRUE(code == ErrorCode::kOk || code == ErrorCode::kUnsupported);
        compared += code == ErrorCode::kOk;
      }
    }
  }
  EXPECT_GT(compared, 6);
}

/// As many bits as a sequence can have, one after another, in one lane that begins anywhere in its
/// first words: the most that a ring of words has to keep up with.
class LongestSequences {
 public:
  explicit LongestSequences(u32 zeros_apart) {
    BitWriter list(payload_);
    write_list(list, zeros_apart);
    list.finish();
    header_.bit.head_bytes = static_cast<u32>(payload_.size());
    BitWriter lane(payload_);
    std::mt19937 random(5);
    for (u32 i = 0; i < kSequences; ++i) {
      lane.put((1u << kMaxCommandLimit) - 1, kMaxCommandLimit);
      for (const u32 extra_bits : {18u, 18u, 21u}) {
        lane.put((1u << kMaxSequenceLimit) - 1, kMaxSequenceLimit);
        lane.put(random() & ((1u << extra_bits) - 1), extra_bits);
      }
    }
    header_.bit.least_bits = static_cast<u32>(lane.bits());
    lane.finish();
  }

  std::vector<Byte> stored() {
    header_.coding = Coding::kBit;
    header_.layout = {0, false, 4};
    header_.plain_bytes = header_.literals = kMaxBlockBytes;
    header_.sequences = kSequences;
    header_.bit.command_limit = kMaxCommandLimit;
    header_.bit.sequence_limit = kMaxSequenceLimit;
    header_.payload_bytes = static_cast<u32>(payload_.size());
    return stored_block(header_, {payload_.data(), payload_.size()});
  }
  u32 begins_at() const { return header_.bit.head_bytes % sizeof(simt::Vec4); }

 private:
  static constexpr u32 kSequences = 12;
  /// One literal; of the other alphabets a word of each length for the first symbols, and two of
  /// the greatest for the last ones. The last command without a distance has both lengths long.
  static std::vector<Byte> code_lengths() {
    std::vector<Byte> lengths(bit::kListedSymbols, 0);
    lengths['A'] = 1;
    for (u32 alphabet = bit::kCommands; alphabet < bit::kAlphabets; ++alphabet) {
      const bool commands = alphabet == bit::kCommands;
      const Byte limit = commands ? kMaxCommandLimit : kMaxSequenceLimit;
      const u32 first = bit::first_symbol(alphabet);
      const u32 end = first + bit::symbols_of(alphabet) / (commands ? 2 : 1);
      for (Byte i = 1; i < limit; ++i) lengths[first + i - 1] = i;
      lengths[end - 1] = lengths[end - 2] = limit;
    }
    return lengths;
  }

  /// `zeros_apart` of the zeros have a symbol each.
  static void write_list(BitWriter& writer, u32 zeros_apart) {
    for (u32 symbol = 0; symbol < bit::kListSymbols; ++symbol) {
      writer.put(4, bit::kListLengthBits);
    }
    const std::vector<Byte> lengths = code_lengths();
    for (std::size_t i = 0; i < lengths.size();) {
      std::size_t zeros = 0;
      while (i + zeros < lengths.size() && lengths[i + zeros] == 0 && zeros < 138) ++zeros;
      const bool runs = zeros >= 11 && zeros_apart == 0;
      writer.put(bit::reversed(runs ? bit::kManyZeros : lengths[i], 4), 4);
      if (runs) writer.put(static_cast<u32>(zeros - 11), 7);
      if (!runs && lengths[i] == 0 && zeros_apart > 0) --zeros_apart;
      i += runs ? zeros : 1;
    }
  }

  Buffer payload_;
  BlockHeader header_;
};

TEST(BitUnpack, AgreesOnTheLongestSequences) {
  std::map<u32, int> beginnings;
  for (u32 zeros_apart = 0; zeros_apart < 60; ++zeros_apart) {
    LongestSequences sequences(zeros_apart);
    SCOPED_TRACE(sequences.begins_at());
    if (++beginnings[sequences.begins_at()] > 1) continue;
    EXPECT_EQ(compare_all(sequences.stored(), {}), ErrorCode::kOk);
  }
  EXPECT_EQ(beginnings.size(), 16u);
}

TEST(BitUnpack, AgreesOnPayloadsThatNoEncoderWrites) {
  std::map<ErrorCode, int> seen;
  std::map<Unpacking, int> kernels;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Byte bytes[sizeof seed];
    store<std::uint32_t>(bytes, seed);
    const auto made = fuzz::make_bit_payload_case(fuzz::Choices(bytes, sizeof bytes));
    if (!made) continue;
    Dictionaries dictionaries;
    if (made->header.dictionary_id != 0) {
      dictionaries[made->header.dictionary_id] = Dictionary::from_plain(made->dictionary);
    }
    ++seen[compare_all(stored_block(made->header, made->payload), dictionaries, seed)];
    if (made->header.bit.layout == kLaneLayout) ++kernels[ManyBlocks::unpacking(made->header.bit)];
    if (HasFailure()) return;
  }
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kBadPayloadSize, ErrorCode::kBadTree, ErrorCode::kBadBits}) {
    EXPECT_GT(seen[code], 20) << describe(code);
  }
  for (const Unpacking kernel :
       {Unpacking::kFewLanes, Unpacking::kManyLanes, Unpacking::kLargeTables}) {
    EXPECT_GT(kernels[kernel], 20);
  }
}

}  // namespace
}  // namespace presso::gpu::test::bit_unpack_test
