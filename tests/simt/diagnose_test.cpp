// SPDX-License-Identifier: MIT
// For any payload with an error in it, diagnose() names the one that the CPU's decoders name:
// blocks of all golden files, sound and bad, blocks of a compressed file with changed payloads, and
// payloads that no encoder would write.
#include <map>
#include <random>

#include "presso/compress.h"
#include "presso/decompress.h"
#include "tests/fuzz/payload_maker.h"
#include "tests/simt/golden_blocks.h"
#include "tests/simt/test_batch.h"
#include "tests/support/frame_map.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test::diagnose_test {
namespace {

/// What the CPU says of a stored block on its own; the content checksum is not compared.
ErrorCode cpu_code(Bytes stored, const Dictionaries& dictionaries) {
  const auto header = parse_block_header(stored.data());
  if (!header.ok()) return header.error().code;
  std::vector<Byte> payload(stored.begin() + kBlockHeaderBytes, stored.end());
  payload.resize(payload.size() + Buffer::kSlack);
  std::vector<Byte> out(header->plain_bytes + Buffer::kSlack);
  const auto found = dictionaries.find(header->dictionary_id);
  const Dictionary* dictionary = found == dictionaries.end() ? nullptr : found->second.get();
  const Status status =
      decode_block(*header, payload.data(), dictionary, {CpuLevel::kPortable, false}, out.data());
  return status.ok() ? ErrorCode::kOk : status.error().code;
}

/// Compares one stored block, alone in memory of exactly its size; returns the CPU's code. A sound
/// one must be planned, and diagnosed as not faulty.
ErrorCode compare(const std::vector<Byte>& stored, const Dictionaries& dictionaries = {}) {
  ErrorCode expected = cpu_code(stored, dictionaries);
  const auto header = parse_block_header(stored.data());
  if (header.ok() && header->has_sub_blocks()) expected = ErrorCode::kUnsupported;
  TestBatch batch;
  for (const auto& [id, dictionary] : dictionaries) batch.set_dictionary(id, dictionary->content());
  batch.add(stored, header.ok() ? header->plain_bytes : 1);
  batch.run_plan(simt::kWarpSize);
  batch.run_unpack<ManyBlocks>();
  if (batch.status(0) >= kPlanned && header->coding != Coding::kRaw) {
    batch.status(0) = kFailed;
    batch.run_finish(1, simt::kWarpSize);
    const ErrorCode code = expected == ErrorCode::kOk ? ErrorCode::kUnsupported : expected;
    EXPECT_EQ(batch.status(0), status_of(code));
  } else {
    const bool raw = expected == ErrorCode::kOk;
    EXPECT_EQ(batch.status(0), raw ? std::uint32_t{kPlanned} : status_of(expected));
  }
  return expected;
}

// --- golden files

TEST(Diagnose, NamesTheErrorsOfGoldenFiles) {
  std::map<ErrorCode, int> seen;
  for_each_golden_file([&](const std::string& name, const Frames& frames) {
    SCOPED_TRACE(name);
    for (const auto& block : frames.blocks) ++seen[compare(block, frames.dictionaries)];
  });
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kHeaderChecksum, ErrorCode::kBadHeader,
        ErrorCode::kUnknownCoding, ErrorCode::kMissingDictionary, ErrorCode::kBadPayloadSize,
        ErrorCode::kBadLength, ErrorCode::kBadOffset, ErrorCode::kBadLiterals,
        ErrorCode::kBadEscapes, ErrorCode::kBadTree, ErrorCode::kBadBits}) {
    EXPECT_GT(seen[code], 0) << describe(code);
  }
}

// --- changed payloads

/// Blocks of a file that our encoder wrote, with and without a dictionary.
Frames compressed_blocks(std::uint32_t dictionary_bytes) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.block_bytes = kMinBlockBytes;
  options.threads = 1;
  if (dictionary_bytes > 0) {
    options.dictionary = {DictionaryChoice::Mode::kSize, dictionary_bytes};
  }
  return find_frames(*compress_buffer(presso::test::log_lines(3 * kMinBlockBytes, 1), options));
}

TEST(Diagnose, NamesTheErrorsOfChangedPayloads) {
  std::mt19937_64 random(1);
  std::map<ErrorCode, int> seen;
  for (const std::uint32_t dictionary_bytes : {0u, 2048u}) {
    const Frames frames = compressed_blocks(dictionary_bytes);
    for (int round = 0; round < 1500; ++round) {
      SCOPED_TRACE(round);
      std::vector<Byte> block = frames.blocks[random() % frames.blocks.size()];
      const auto payload_bytes = parse_block_header(block.data())->payload_bytes;
      for (std::uint64_t bytes = 1 + random() % 4; bytes > 0; --bytes) {
        const Byte extremes[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<Byte>(random())};
        block[kBlockHeaderBytes + random() % payload_bytes] = extremes[random() % 6];
      }
      ++seen[compare(block, frames.dictionaries)];
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(seen[ErrorCode::kOk], 100);  // literals may be anything
  EXPECT_GT(seen[ErrorCode::kBadLength] + seen[ErrorCode::kBadLiterals], 100);
  EXPECT_GT(seen[ErrorCode::kBadOffset], 100);
  EXPECT_GT(seen[ErrorCode::kBadEscapes], 100);
}

TEST(Diagnose, NamesTheErrorsOfPayloadsThatNoEncoderWrites) {
  std::map<ErrorCode, int> seen;
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    Byte bytes[sizeof seed];
    store<std::uint32_t>(bytes, seed);
    const auto made = fuzz::make_payload_case(fuzz::Choices(bytes, sizeof bytes));
    if (!made) continue;
    Dictionaries dictionaries;
    if (made->header.dictionary_id != 0) {
      dictionaries[made->header.dictionary_id] = Dictionary::from_plain(made->dictionary);
    }
    ++seen[compare(stored_block(made->header, made->payload), dictionaries)];
    if (HasFailure()) return;
  }
  for (const ErrorCode code : {ErrorCode::kOk, ErrorCode::kBadLength, ErrorCode::kBadOffset,
                               ErrorCode::kBadLiterals, ErrorCode::kBadEscapes}) {
    EXPECT_GT(seen[code], 100) << describe(code);
  }
}

TEST(Diagnose, LeavesFinalStatesAlone) {
  const Frames frames = compressed_blocks(0);
  TestBatch batch;
  for (int block = 0; block < 5; ++block) {
    std::vector<Byte> stored = frames.blocks[0];
    stored[kBlockHeaderBytes] = stored[kBlockHeaderBytes + 1] = 0xFF;  // the first distance
    batch.add(stored, kMinBlockBytes);
  }
  batch.run_plan();
  batch.status(0) = status_of(ErrorCode::kOk);
  batch.status(1) = status_of(ErrorCode::kContentChecksum);
  batch.status(3) = batch.status(4) = kFailed;
  batch.run_finish(2, simt::kWarpSize);
  EXPECT_EQ(batch.status(0), status_of(ErrorCode::kOk));
  EXPECT_EQ(batch.status(1), status_of(ErrorCode::kContentChecksum));
  EXPECT_EQ(batch.status(2), status_of(ErrorCode::kBadOffset)) << "planned, but not decoded";
  EXPECT_EQ(batch.status(3), status_of(ErrorCode::kBadOffset));
  EXPECT_EQ(batch.status(4), status_of(ErrorCode::kBadOffset));
}

}  // namespace
}  // namespace presso::gpu::test::diagnose_test
