// SPDX-License-Identifier: MIT
#include "corpora/nested_data.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compress/encode/byte_encoder.h"
#include "corpora/random.h"
#include "presso/archive_writer.h"
#include "presso/checksum.h"

namespace presso::corpora {
namespace {

// Three disjoint sets of bytes.
constexpr std::uint32_t kBodyValues = 40;
constexpr std::uint32_t kSeparators = 31;
constexpr std::uint32_t kFirstSeparator = kBodyValues;
constexpr std::uint32_t kFirstChanging = kFirstSeparator + kSeparators + 1;
constexpr std::uint32_t kChangingValues = 256 - kFirstChanging;

/// Where in their cycle the changing bytes of a string begin.
constexpr std::uint32_t kPhase = 37;
constexpr std::uint32_t kLastPhase = 90;

Byte changing(std::uint64_t count) {
  return static_cast<Byte>(kFirstChanging + count % kChangingValues);
}

}  // namespace

NestedData::NestedData(std::uint32_t strings) : strings_(strings) {
  Random random(79);
  std::set<std::uint32_t> seen;  // threes of inner bytes
  for (auto& body : bodies_) {
    for (std::uint32_t at = 1; at + 1 < kStringBytes;) {
      body[at] = static_cast<Byte>(random.below(kBodyValues));
      const bool whole = at >= 3;
      if (!whole || seen.insert(body[at - 2] << 16 | body[at - 1] << 8 | body[at]).second) ++at;
    }
  }
}

Byte NestedData::byte_at(std::uint64_t record, std::uint32_t place) const {
  if (place == kStringBytes) return static_cast<Byte>(kFirstSeparator + record % kSeparators);
  const auto string = static_cast<std::uint32_t>(record % strings_);
  const std::uint64_t repetition = record / strings_;
  if (place == 0) return changing(kPhase * string + repetition / 2);
  if (place == kStringBytes - 1) {
    return changing(kPhase * string + kLastPhase + (repetition + 1) / 2);
  }
  return bodies_[string][place];
}

void NestedData::render(std::uint64_t offset, MutableBytes to) const {
  std::uint64_t record = offset / kRecordBytes;
  auto place = static_cast<std::uint32_t>(offset % kRecordBytes);
  for (Byte& byte : to) {
    byte = byte_at(record, place);
    if (++place == kRecordBytes) place = 0, ++record;
  }
}

Sequences NestedData::sequences(std::uint64_t offset, std::uint32_t bytes) const {
  Sequences sequences;
  const std::uint64_t end = offset + bytes;
  std::uint64_t record = (offset + kRecordBytes - 1) / kRecordBytes + strings_;
  std::uint64_t at = offset;
  for (; (record + 1) * kRecordBytes <= end; ++record) {
    const bool last_changed = record / strings_ % 2 != 0;
    const std::uint64_t match = record * kRecordBytes + (last_changed ? 0 : 1);
    sequences.push_back(
        {static_cast<std::uint32_t>(match - at), kMatchBytes, kRecordBytes * strings_});
    at = match + kMatchBytes;
  }
  sequences.resize(sequences.size() / kGroup * kGroup);
  return sequences;
}

namespace {

/// A stored block: header, payload, padding.
void encode_block(const NestedData& data, std::uint64_t offset, std::uint32_t number,
                  std::vector<Byte>& plain, Buffer& scratch, Buffer& to) {
  data.render(offset, plain);
  const Sequences sequences = data.sequences(offset, static_cast<std::uint32_t>(plain.size()));
  BlockHeader header;
  header.number = number;
  header.coding = Coding::kByte;
  header.rule = DependencyRule::kNone;
  header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  header.content_checksum = content_checksum(plain);
  const TokenLayout layout;
  plan_byte_payload(sequences, gather_statistics(sequences, layout.min_match), layout, header);
  to.resize_discarding(kBlockHeaderBytes);
  write_byte_payload(plain, sequences, header, scratch, to);
  write_block_header(header, to.data());
  const std::size_t used = to.size();
  to.grow(header.stored_bytes());
  std::fill(to.data() + used, to.data() + to.size(), Byte{0});
}

}  // namespace

Status write_nested_file(const NestedData& data, std::uint64_t plain_bytes,
                         std::uint32_t block_bytes, ByteSink& sink) {
  ArchiveWriter writer(sink);
  FileHeader header;
  header.block_bytes = block_bytes;
  if (Status status = writer.begin(header, {}); !status.ok()) return status;
  std::vector<Byte> plain;
  Buffer scratch, stored;
  for (std::uint64_t offset = 0; offset < plain_bytes; offset += plain.size()) {
    plain.resize(std::min<std::uint64_t>(block_bytes, plain_bytes - offset));
    const auto number = static_cast<std::uint32_t>(writer.block_count());
    encode_block(data, offset, number, plain, scratch, stored);
    const auto size = static_cast<std::uint32_t>(plain.size());
    if (Status status = writer.add_block(stored.bytes(), size); !status.ok()) return status;
  }
  return writer.finish();
}

}  // namespace presso::corpora
