// SPDX-License-Identifier: MIT
#include "tests/simt/batch_case.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "presso/checksum.h"
#include "tests/fuzz/bit_payload_maker.h"
#include "tests/fuzz/payload_maker.h"
#include "tests/support/frame_map.h"

namespace presso::gpu::test {
namespace {

/// Payloads for the CPU's decoders need slack after them.
std::vector<Byte> payload_with_slack(const std::vector<Byte>& stored) {
  std::vector<Byte> payload(stored.begin() + kBlockHeaderBytes, stored.end());
  payload.resize(payload.size() + Buffer::kSlack);
  return payload;
}

/// Replaces a made block's checksum by the right one, where it has one.
void set_content_checksum(BlockHeader& header, const std::vector<Byte>& stored,
                          const Dictionary* dictionary) {
  const std::vector<Byte> payload = payload_with_slack(stored);
  std::vector<Byte> out(header.plain_bytes + Buffer::kSlack);
  const Status status =
      decode_block(header, payload.data(), dictionary, {CpuLevel::kPortable, false}, out.data());
  if (status.ok()) header.content_checksum = content_checksum({out.data(), header.plain_bytes});
}

std::uint32_t next_id(const BatchCase& batch) {
  return static_cast<std::uint32_t>(batch.dictionaries.size() + 1);
}

std::uint32_t add_dictionary(BatchCase& batch, std::shared_ptr<const Dictionary> dictionary) {
  const std::uint32_t id = next_id(batch);
  batch.dictionaries[id] = std::move(dictionary);
  return id;
}

}  // namespace

// --- BatchCase

CpuAnswer BatchCase::cpu_answer(std::size_t block) const {
  const BatchItem& item = blocks[block];
  const auto header = parse_block_header(item.stored.data());
  if (!header.ok()) return {header.error().code, {}};
  if (header->plain_bytes != item.plain_bytes || header->stored_bytes() != item.stored.size()) {
    return {ErrorCode::kBadIndex, {}};
  }
  if (header->has_sub_blocks()) return {ErrorCode::kUnsupported, {}};
  const auto found = dictionaries.find(header->dictionary_id);
  const Dictionary* dictionary = found == dictionaries.end() ? nullptr : found->second.get();
  const std::vector<Byte> payload = payload_with_slack(item.stored);
  CpuAnswer answer;
  answer.plain.resize(header->plain_bytes + Buffer::kSlack);
  const Status status = decode_block(*header, payload.data(), dictionary,
                                     {CpuLevel::kPortable, false}, answer.plain.data());
  answer.plain.resize(header->plain_bytes);
  if (!status.ok()) return {status.error().code, {}};
  answer.checksum_is_right = content_checksum(answer.plain) == header->content_checksum;
  std::vector<Byte> again(header->plain_bytes);
  answer.breaks_its_rule =
      !reference_decode_block(*header, payload.data(), dictionary, false, again.data()).ok();
  return answer;
}

std::uint64_t BatchCase::plain_bytes() const {
  std::uint64_t sum = 0;
  for (const BatchItem& item : blocks) sum += item.plain_bytes;
  return sum;
}

std::uint32_t BatchCase::largest_plain_bytes() const {
  std::uint32_t largest = 0;
  for (const BatchItem& item : blocks) largest = std::max(largest, item.plain_bytes);
  return largest;
}

// --- making them

std::vector<Byte> stored_block(const BlockHeader& header, Bytes payload) {
  std::vector<Byte> stored(round_up(kBlockHeaderBytes + payload.size(), kFrameAlignment));
  write_block_header(header, stored.data());
  std::copy(payload.begin(), payload.end(), stored.begin() + kBlockHeaderBytes);
  return stored;
}

void seal_header(std::vector<Byte>& stored) {
  const std::size_t covered = kBlockHeaderBytes - 4;
  store<std::uint32_t>(stored.data() + covered, checksum32({stored.data(), covered}));
}

void add_compressed(BatchCase& batch, const std::vector<Byte>& plain, CompressOptions options) {
  options.threads = 1;
  const auto compressed = compress_buffer(plain, options);
  if (!compressed.ok()) throw std::invalid_argument(compressed.error().message());
  const std::vector<Byte>& file = *compressed;
  std::uint32_t id = 0;
  for (const presso::test::FrameSpan& frame : presso::test::map_frames(file)) {
    const Bytes payload = Bytes(file).subspan(frame.payload(), frame.payload_bytes);
    if (frame.kind == 'D') id = add_dictionary(batch, *Dictionary::decode(payload));
    if (frame.kind != 'B') continue;
    BlockHeader header = *parse_block_header(file.data() + frame.offset);
    if (header.dictionary_id != 0) header.dictionary_id = static_cast<Byte>(id);
    batch.blocks.push_back({stored_block(header, payload), header.plain_bytes});
  }
}

void add_both_codings(BatchCase& batch, const std::vector<Byte>& plain, CompressOptions options) {
  for (const Coding coding : {Coding::kByte, Coding::kBit}) {
    options.coding = coding;
    add_compressed(batch, plain, options);
  }
}

namespace {

/// Unless it is too large, or there are too many dictionaries.
void add_payload_case(BatchCase& batch, std::optional<fuzz::PayloadCase> made,
                      std::uint32_t largest, std::uint32_t seed) {
  if (!made || made->header.plain_bytes > largest) return;
  std::shared_ptr<const Dictionary> dictionary;
  if (made->header.dictionary_id != 0) {
    if (next_id(batch) > kMaxDictionaries) return;
    dictionary = Dictionary::from_plain(made->dictionary);
    made->header.dictionary_id = static_cast<Byte>(add_dictionary(batch, dictionary));
  }
  if (seed % 3 == 0 && dictionary == nullptr && !made->header.layout.far) {
    made->header.rule = DependencyRule::kTile;  // for the relay decoder; most of these break it
    made->header.group_log2 = 11;
  }
  const std::vector<Byte> stored = stored_block(made->header, made->payload);
  set_content_checksum(made->header, stored, dictionary.get());
  batch.blocks.push_back({stored_block(made->header, made->payload), made->header.plain_bytes});
}

}  // namespace

void add_made(BatchCase& batch, std::uint32_t seed, std::uint32_t count, std::uint32_t largest,
              bool sound) {
  for (const std::uint32_t end = seed + count; seed < end; ++seed) {
    Byte bytes[5] = {};  // the first byte of choices says what sort of payload
    bytes[0] = sound ? 1 : static_cast<Byte>(2 + 6 * (seed % 40));
    store<std::uint32_t>(bytes + 1, seed);
    add_payload_case(batch, fuzz::make_payload_case(fuzz::Choices(bytes, sizeof bytes)), largest,
                     seed);
  }
}

void add_made_bit(BatchCase& batch, std::uint32_t seed, std::uint32_t count, std::uint32_t largest,
                  bool sound) {
  for (const std::uint32_t end = seed + count; seed < end; ++seed) {
    Byte bytes[5] = {};
    bytes[0] = static_cast<Byte>(sound ? 0 : 2 + seed % 2);
    store<std::uint32_t>(bytes + 1, seed);
    const auto made = fuzz::make_bit_payload_case(fuzz::Choices(bytes, sizeof bytes));
    // Sub-blocks are the CPU's.
    if (sound && made && made->header.has_sub_blocks()) continue;
    add_payload_case(batch, made, largest, seed);
  }
}

namespace {

void forge_fields(std::vector<Byte>& stored, std::mt19937_64& random) {
  for (std::uint64_t fields = 1 + random() % 2; fields > 0; --fields) {
    const std::size_t field_bytes = std::size_t{1} << (random() % 4);
    const std::size_t at = 4 + random() % (kBlockHeaderBytes - 4 - 4 - field_bytes + 1);
    const std::uint64_t extremes[] = {0,          1,          0x7F,       0xFF,
                                      0xFFFF,     0xFFFFFF,   0x400000,   ~std::uint64_t{0},
                                      1ull << 60, 1ull << 63, 1ull << 31, random()};
    std::memcpy(stored.data() + at, &extremes[random() % std::size(extremes)], field_bytes);
  }
}

/// Moves a byte or a few between the streams, so that the header still is in its limits.
void forge_counts(std::vector<Byte>& stored, std::mt19937_64& random) {
  const std::size_t fields[] = {16, 20, 24, 28, 32};  // allow(bare-32): bytes
  Byte* const from = stored.data() + fields[random() % 5];
  Byte* const to = stored.data() + fields[random() % 5];
  const auto step = static_cast<Byte>(1 + random() % 4);
  if (*from >= step) *from = static_cast<Byte>(*from - step);
  if (*to + step < 256 && random() % 2 == 0) *to = static_cast<Byte>(*to + step);
}

void forge_payload(std::vector<Byte>& stored, std::mt19937_64& random) {
  if (stored.size() <= kBlockHeaderBytes) return;
  const std::size_t payload = stored.size() - kBlockHeaderBytes;
  const std::size_t reach = random() % 2 == 0 ? payload : std::min<std::size_t>(payload, 600);
  for (std::uint64_t bytes = 1 + random() % 16; bytes > 0; --bytes) {
    const Byte extremes[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<Byte>(random())};
    stored[kBlockHeaderBytes + random() % reach] = extremes[random() % 6];
  }
}

void flip_header_bit(std::vector<Byte>& stored, std::mt19937_64& random) {
  const std::uint64_t bit = random() % (8 * kBlockHeaderBytes);
  stored[bit / 8] = static_cast<Byte>(stored[bit / 8] ^ (1u << (bit % 8)));
}

}  // namespace

BatchItem damaged(BatchItem item, std::mt19937_64& random, std::uint32_t largest) {
  std::vector<Byte>& stored = item.stored;
  const std::uint64_t way = random() % 8;
  if (way == 0) {
    flip_header_bit(stored, random);
    return item;
  }
  if (way < 3) forge_fields(stored, random);
  if (way == 3) forge_counts(stored, random);
  if (way >= 3) forge_payload(stored, random);
  seal_header(stored);
  const auto header = parse_block_header(stored.data());
  // Mostly the index knows: the span says what the header says.
  if (header.ok() && header->plain_bytes <= largest && random() % 4 != 0) {
    stored.resize(header->stored_bytes());
    item.plain_bytes = header->plain_bytes;
  }
  return item;
}

// --- how they lie

BatchLayout::BatchLayout(const BatchCase& batch, std::size_t remainder) {
  for (const BatchItem& item : batch.blocks) {
    spans.push_back({stored.size(), plain_bytes + kGapBytes + remainder,
                     static_cast<std::uint32_t>(item.stored.size()), item.plain_bytes});
    stored.insert(stored.end(), item.stored.begin(), item.stored.end());
    plain_bytes = round_up(spans.back().plain_offset + item.plain_bytes, 16);
  }
  plain_bytes += kGapBytes;
}

std::vector<Byte> BatchLayout::part(const std::vector<Byte>& plain, std::size_t block) const {
  const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(spans[block].plain_offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(spans[block].plain_bytes)};
}

bool BatchLayout::gaps_are_intact(const std::vector<Byte>& plain) const {
  std::size_t at = 0;
  for (const BlockSpan& span : spans) {
    for (; at < span.plain_offset; ++at) {
      if (plain[at] != kPoison) return false;
    }
    at += span.plain_bytes;
  }
  return std::all_of(plain.begin() + static_cast<std::ptrdiff_t>(at), plain.end(),
                     [](Byte byte) { return byte == kPoison; });
}

}  // namespace presso::gpu::test
