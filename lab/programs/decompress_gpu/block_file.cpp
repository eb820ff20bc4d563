// SPDX-License-Identifier: MIT
#include "lab/programs/decompress_gpu/block_file.h"

#include "corpora/nested_data.h"
#include "lab/harness/files.h"

namespace presso::gpu::bench {
namespace {

Status take_dictionaries(const ArchiveMember& member, BlockFile& into) {
  into.dictionaries.resize(kMaxDictionaries + 1);
  for (const StoredSection& section : member.dictionaries) {
    PRESSO_ASSIGN(into.dictionaries[section.header.parameter],
                  Dictionary::decode(section.payload.bytes()));
  }
  return {};
}

Status take_block(const RandomAccess& file, const ArchiveIndex& index, std::uint64_t number,
                  BlockFile& into) {
  PRESSO_ASSIGN(const BlockHeader header, index.read_block_header(number));
  if (number == 0) into.rule = header.rule;
  into.has_bit_blocks |= header.coding == Coding::kBit;
  const std::size_t begin = into.stored.size();
  into.stored.resize(begin + header.stored_bytes());
  into.spans.push_back({begin, index.block_plain_offset(number),
                        static_cast<std::uint32_t>(header.stored_bytes()), header.plain_bytes});
  return file.read_at(index.block_offset(number), MutableBytes(into.stored).subspan(begin));
}

}  // namespace

Result<BlockFile> load_block_file(std::string name, const RandomAccess& file) {
  PRESSO_ASSIGN(const CompressedFile opened, CompressedFile::open(file));
  const ArchiveIndex& index = opened.index();
  if (index.members().size() != 1 || index.block_count() == 0) {
    return make_error(ErrorCode::kUnsupported, name + ": must be one file with blocks");
  }
  BlockFile loaded;
  loaded.name = std::move(name);
  loaded.file_bytes = file.size();
  loaded.block_bytes = index.members()[0].header.block_bytes;
  loaded.plain.resize(opened.plain_bytes());
  PRESSO_TRY(opened.read(0, loaded.plain));
  PRESSO_TRY(take_dictionaries(index.members()[0], loaded));
  for (std::uint64_t block = 0; block < index.block_count(); ++block) {
    PRESSO_TRY(take_block(file, index, block, loaded));
  }
  return loaded;
}

Result<BlockFile> load_block_file(const std::string& path) {
  PRESSO_ASSIGN(const FdRandomAccess file, harness::open_file(path));
  return load_block_file(harness::base_name(path), file);
}

const std::uint32_t kDeepestNesting = corpora::NestedData::kGroup;

Result<BlockFile> make_nested_file(std::uint32_t depth) {
  constexpr std::uint64_t kPlainBytes = 16u << 20;
  const corpora::NestedData data(corpora::NestedData::kGroup / depth);
  std::vector<Byte> file;
  VectorSink sink(file);
  PRESSO_TRY(corpora::write_nested_file(data, kPlainBytes, kDefaultBlockBytes, sink));
  return load_block_file("nested-depth-" + std::to_string(depth), MemoryRandomAccess(file));
}

}  // namespace presso::gpu::bench
