// SPDX-License-Identifier: MIT
// Bad input: a small file with everything in it (metadata, dictionary, coded and raw blocks), once
// with each coding, is cut, flipped, mutated and forged, and read in every way there is. No reader
// may crash, hang, return wrong bytes, or allocate more than the format's limits; every error says
// what and where.
#include <gtest/gtest.h>

#include <random>

#include "presso/compress.h"
#include "tests/support/every_reader.h"
#include "tests/support/frame_map.h"
#include "tests/support/test_data.h"

namespace presso::test::corruption_test {
namespace {

struct Sample {
  std::vector<Byte> plain;
  std::vector<Byte> file;
  std::vector<FrameSpan> frames;

  Expectation sealed() const { return {&plain, true}; }
  Expectation forged() const { return {&plain, false}; }
};

/// Three blocks, the last of them short and raw, below 10 KB in all.
Sample make_sample(Coding coding) {
  Sample sample;
  const std::vector<Byte> page = log_lines(6000, 1);
  while (sample.plain.size() < 2 * kMinBlockBytes) {
    sample.plain.insert(sample.plain.end(), page.begin(), page.end());
  }
  sample.plain.resize(2 * kMinBlockBytes);
  const std::vector<Byte> noise = random_bytes(300, 2);
  sample.plain.insert(sample.plain.end(), noise.begin(), noise.end());
  CompressOptions options;
  options.level = 6;
  options.coding = coding;
  options.block_bytes = kMinBlockBytes;
  options.dictionary = {DictionaryChoice::Mode::kSize, 2048};
  options.metadata.entries = {{"name", "sample.log"}, {"user.note", "for tests"}};
  options.threads = 1;
  sample.file = *compress_buffer(sample.plain, options);
  sample.frames = map_frames(sample.file);
  return sample;
}

const Sample& sample(Coding coding = Coding::kByte) {
  static const Sample byte = make_sample(Coding::kByte);
  static const Sample bit = make_sample(Coding::kBit);
  return coding == Coding::kBit ? bit : byte;
}

class Corruption : public ::testing::TestWithParam<Coding> {
 protected:
  const Sample& sample() const { return corruption_test::sample(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Codings, Corruption, ::testing::Values(Coding::kByte, Coding::kBit));

TEST_P(Corruption, TheSampleHoldsEveryKindOfFrame) {
  for (const char kind : {'H', 'M', 'D', 'd', 'B', 'I', 'T'}) {
    EXPECT_FALSE(frames_of_kind(sample().frames, kind).empty()) << kind;
  }
  const std::vector<FrameSpan> blocks = frames_of_kind(sample().frames, 'B');
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(parse_block_header(&sample().file[blocks[0].offset])->coding, GetParam());
  EXPECT_EQ(parse_block_header(&sample().file[blocks[0].offset])->dictionary_id, 1);
  EXPECT_EQ(parse_block_header(&sample().file[blocks[2].offset])->coding, Coding::kRaw);
  expect_every_reader_is_safe(sample().file, sample().sealed());
}

TEST_P(Corruption, CutAtEveryByteIsAnErrorOfTheStream) {
  for (std::size_t size = 0; size < sample().file.size(); ++size) {
    SCOPED_TRACE(size);
    const std::vector<Byte> cut(sample().file.begin(), sample().file.begin() + size);
    const auto decoded = decompress_buffer(cut);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code,
              size < sizeof kFileMagic ? ErrorCode::kNotPresso : ErrorCode::kTruncated);
    expect_every_reader_is_safe(cut, sample().sealed());
    if (HasFailure()) return;
  }
}

TEST_P(Corruption, AnyFlippedBitOfAHeaderIsAnError) {
  for (const FrameSpan& frame : sample().frames) {
    for (std::size_t bit = 0; bit < 8 * frame.header_bytes; ++bit) {
      SCOPED_TRACE(std::string(1, frame.kind) + " bit " + std::to_string(bit));
      std::vector<Byte> file = sample().file;
      Byte& byte = file[frame.offset + bit / 8];
      byte = static_cast<Byte>(byte ^ (1u << (bit % 8)));
      EXPECT_FALSE(decompress_buffer(file).ok());
      expect_every_reader_is_safe(file, sample().sealed());
      if (HasFailure()) return;
    }
  }
}

/// Several small wounds at random places.
std::vector<Byte> mutate(std::vector<Byte> file, std::mt19937_64& random) {
  const auto somewhere = [&] { return static_cast<std::ptrdiff_t>(random() % file.size()); };
  for (std::uint64_t wounds = 1 + random() % 4; wounds > 0; --wounds) {
    const std::ptrdiff_t at = somewhere();
    const auto length = static_cast<std::ptrdiff_t>(
        std::min<std::uint64_t>(1 + random() % 64, file.size() - static_cast<std::size_t>(at)));
    switch (random() % 5) {
      case 0:
        file[at] = static_cast<Byte>(random());
        break;
      case 1:
        for (std::ptrdiff_t i = 0; i < length; ++i) file[at + i] = static_cast<Byte>(random());
        break;
      case 2:
        std::swap(file[at], file[somewhere()]);
        break;
      case 3: {
        const std::vector<Byte> inserted = random_bytes(static_cast<std::size_t>(length), random());
        file.insert(file.begin() + at, inserted.begin(), inserted.end());
        break;
      }
      default:
        if (static_cast<std::size_t>(length) < file.size()) {
          file.erase(file.begin() + at, file.begin() + at + length);
        }
    }
  }
  return file;
}

/// Frames taken out, doubled or exchanged as a whole: every header is sound, the order is not.
std::vector<Byte> reorder(const Sample& from, std::mt19937_64& random) {
  std::vector<FrameSpan> frames;
  for (const FrameSpan& frame : from.frames) {
    if (frame.parent == FrameSpan::kNoParent) frames.push_back(frame);
  }
  for (std::uint64_t steps = 1 + random() % 3; steps > 0; --steps) {
    const std::size_t one = random() % frames.size();
    const std::size_t other = random() % frames.size();
    switch (random() % 3) {
      case 0:
        std::swap(frames[one], frames[other]);
        break;
      case 1:
        frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(one), frames[other]);
        break;
      default:
        if (frames.size() > 1) frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(one));
    }
  }
  std::vector<Byte> file;
  for (const FrameSpan& frame : frames) {
    file.insert(file.end(), from.file.begin() + static_cast<std::ptrdiff_t>(frame.offset),
                from.file.begin() + static_cast<std::ptrdiff_t>(frame.end));
  }
  return file;
}

class Mutations : public ::testing::TestWithParam<std::tuple<std::uint64_t, Coding>> {
 protected:
  const Sample& sample() const { return corruption_test::sample(std::get<1>(GetParam())); }
  static std::uint64_t seed(int round) {
    return std::get<0>(GetParam()) * kRounds + static_cast<std::uint64_t>(round);
  }

  static constexpr int kRounds = 1000;  // ten shards: 10,000 in all for each coding
};

TEST_P(Mutations, AreErrorsOrChangeNothing) {
  for (int round = 0; round < kRounds; ++round) {
    std::mt19937_64 random(seed(round));
    SCOPED_TRACE("seed " + std::to_string(seed(round)));
    const std::vector<Byte> file =
        round % 5 == 4 ? reorder(sample(), random) : mutate(sample().file, random);
    expect_every_reader_is_safe(file, sample().sealed());
    if (HasFailure()) return;
  }
}

/// One field of one header set to something extreme, all checksums over it made right.
std::vector<Byte> forge_header(const Sample& from, std::mt19937_64& random) {
  std::vector<Byte> file = from.file;
  const std::size_t number = random() % from.frames.size();
  const FrameSpan& frame = from.frames[number];
  for (std::uint64_t fields = 1 + random() % 2; fields > 0; --fields) {
    const std::size_t field_bytes = std::size_t{1} << (random() % 4);
    const std::size_t at = 4 + random() % (frame.header_bytes - 4 - 4 - field_bytes + 1);
    const std::uint64_t extremes[] = {0,          1,          0x7F,       0xFF,
                                      0xFFFF,     0xFFFFFF,   0x400000,   ~std::uint64_t{0},
                                      1ull << 60, 1ull << 63, 1ull << 31, random()};
    const std::uint64_t value = extremes[random() % std::size(extremes)];
    std::memcpy(file.data() + frame.offset + at, &value, field_bytes);
  }
  seal(file, from.frames, number);
  return file;
}

/// Random bytes in a payload, the section's checksum over it made right; a block's content checksum
/// is looked at only once the decoders have seen the payload.
std::vector<Byte> forge_payload(const Sample& from, std::mt19937_64& random) {
  std::vector<Byte> file = from.file;
  std::size_t number = random() % from.frames.size();
  while (from.frames[number].payload_bytes == 0) number = (number + 1) % from.frames.size();
  const FrameSpan& frame = from.frames[number];
  for (std::uint64_t bytes = 1 + random() % 16; bytes > 0; --bytes) {
    const Byte extremes[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<Byte>(random())};
    file[frame.payload() + random() % frame.payload_bytes] = extremes[random() % 6];
  }
  seal(file, from.frames, number);
  return file;
}

TEST_P(Mutations, WithForgedChecksumsDoNoHarm) {
  for (int round = 0; round < kRounds; ++round) {
    std::mt19937_64 random(seed(round));
    SCOPED_TRACE("seed " + std::to_string(seed(round)));
    const std::vector<Byte> file =
        round % 2 == 0 ? forge_header(sample(), random) : forge_payload(sample(), random);
    expect_every_reader_is_safe(file, sample().forged());
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mutations,
                         ::testing::Combine(::testing::Range<std::uint64_t>(0, 10),
                                            ::testing::Values(Coding::kByte, Coding::kBit)));

// --- Hostile sizes
// --------------------------------------------------------------------------------

/// The sample with one value stored at `at` of the only frame of `kind`, or of its payload.
std::vector<Byte> forged(char kind, std::size_t at, std::uint64_t value, std::size_t bytes,
                         bool in_payload) {
  std::vector<Byte> file = sample().file;
  for (std::size_t number = 0; number < sample().frames.size(); ++number) {
    const FrameSpan& frame = sample().frames[number];
    if (frame.kind != kind) continue;
    const std::size_t begin = in_payload ? frame.payload() : frame.offset;
    std::memcpy(file.data() + begin + at, &value, bytes);
    seal(file, sample().frames, number);
    break;
  }
  return file;
}

constexpr std::uint64_t kHostile[] = {
    1ull << 60,         ~0ull,         1ull << 63, (1ull << 62) + 1,
    0xFFFFFFFFFFFFFFF0, 0xFFFFFFFFull, 1ull << 32, 1};

TEST(HostileSizes, InTheIndexAreRefused) {
  for (const std::uint64_t value : kHostile) {
    for (const std::size_t field : {0u, 8u, 16u}) {  // blocks, plain bytes, first block's offset
      SCOPED_TRACE(std::to_string(value) + " at " + std::to_string(field));
      const std::vector<Byte> file = forged('I', field, value, 8, true);
      EXPECT_EQ(decompress_buffer(file).error().code, ErrorCode::kBadIndex);
      expect_every_reader_is_safe(file, sample().sealed());
    }
  }
}

TEST(HostileSizes, OfSectionsAreRefused) {
  for (const char kind : {'M', 'D', 'I'}) {
    for (const std::uint64_t value : kHostile) {
      SCOPED_TRACE(std::to_string(value) + " in " + kind);
      std::vector<Byte> file = sample().file;
      const FrameSpan frame = frames_of_kind(sample().frames, kind)[0];
      store<std::uint64_t>(file.data() + frame.offset + 8, value);
      seal_header(file, frame);
      EXPECT_FALSE(decompress_buffer(file).ok());
      expect_every_reader_is_safe(file, sample().sealed());
    }
  }
}

TEST(HostileSizes, InTheTrailerAreRefused) {
  for (const std::uint64_t value : kHostile) {
    for (const std::size_t field : {8u, 16u}) {
      SCOPED_TRACE(std::to_string(value) + " at " + std::to_string(field));
      const std::vector<Byte> file = forged('T', field, value, 8, false);
      EXPECT_FALSE(decompress_buffer(file).ok());
      expect_every_reader_is_safe(file, sample().sealed());
    }
  }
}

TEST(HostileSizes, OfMetadataEntriesAreRefused) {
  for (const std::uint64_t value : {0xFFFFFFFFull, 0x80000000ull, 0x10000ull}) {
    const std::vector<Byte> file = forged('M', 2, value, 4, true);
    const auto decoded = decompress_buffer(file);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code, ErrorCode::kBadMetadata);
    EXPECT_EQ(decoded.error().byte_offset, kFileHeaderBytes);
  }
}

/// An empty member whose index claims 2^64 - 1 plain bytes in no block.
TEST(HostileSizes, PlainBytesWithoutBlocksAreRefused) {
  std::vector<Byte> file = *compress_buffer({}, {});
  const std::vector<FrameSpan> frames = map_frames(file);
  ASSERT_EQ(frames.size(), 3u);
  store<std::uint64_t>(file.data() + frames[1].payload() + 8, ~std::uint64_t{0});
  seal(file, frames, 1);
  const std::vector<Byte> nothing;
  expect_every_reader_is_safe(file, {&nothing, true});
  file.insert(file.end(), sample().file.begin(), sample().file.end());
  const MemoryRandomAccess access(file);
  const auto opened = CompressedFile::open(access);
  EXPECT_TRUE(!opened.ok() || opened->plain_bytes() <= sample().plain.size());
}

/// Blocks larger than their file header declares, before another member: byte offsets must not
/// lead into the wrong one.
TEST(HostileSizes, BlocksLargerThanDeclaredAreRefused) {
  CompressOptions options;
  options.coding = Coding::kByte;
  options.block_bytes = 64 << 10;
  options.threads = 1;
  const std::vector<Byte> plain = log_lines(60000, 3);
  std::vector<Byte> file = *compress_buffer(plain, options);
  std::vector<FrameSpan> frames = map_frames(file);
  store<std::uint32_t>(file.data() + 12, kMinBlockBytes);
  seal(file, frames, 0);
  file.insert(file.end(), sample().file.begin(), sample().file.end());
  expect_every_reader_is_safe(file, {&plain, false});
  file.resize(file.size() - 8);  // without a trailer the blocks are walked
  expect_every_reader_is_safe(file, {&plain, false});
  const MemoryRandomAccess access(file);
  const auto opened = CompressedFile::open(access);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kBadHeader);
  EXPECT_EQ(opened.error().block, 0u);
}

}  // namespace
}  // namespace presso::test::corruption_test
