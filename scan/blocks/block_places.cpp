// SPDX-License-Identifier: MIT
// BlockPlaces: reads the header of each wanted block and compares it with the index; at the first
// difference it is in doubt and gives no more places.
#include "scan/blocks/block_places.h"

#include <algorithm>
#include <utility>

namespace presso::scan_detail {
namespace {

/// The least mean size of a member for which places are used: finding a member takes some ten small
/// reads, as long as reading 30 KB, which is 3 % of this size.
constexpr std::uint64_t kMeanMemberBytes = 1u << 20;

}  // namespace

/// Opens the places of a file's blocks, by its index or by its members' trailers. Returns nullptr
/// if the file has to be read in order: because damage has to be met first, or the file does not
/// agree with its index.
std::unique_ptr<BlockPlaces> BlockPlaces::open(const RandomAccess& file,
                                               std::optional<ArchiveIndex> opened,
                                               const ScanOptions& options) {
  // With fail_fast the scan ends at the first damaged block of the file, even if it lies before the
  // wanted ones, so all blocks must be read in order.
  if (options.fail_fast && options.first_block > 0) return nullptr;
  if (!opened) {
    auto index =
        without_bad_alloc([&] { return ArchiveIndex::open_as_written(file, kMeanMemberBytes); });
    if (!index.ok()) return nullptr;
    opened = std::move(*index);
  }
  // The reader in order reports that the wanted blocks lie after the end.
  if (options.first_block > 0 && options.first_block >= opened->block_count()) return nullptr;
  std::unique_ptr<BlockPlaces> places(new BlockPlaces(std::move(*opened), options));
  if (!places->pass_members()) return nullptr;
  return places;
}

/// Passes by the members before the first wanted block. Returns false if the tail of one is not as
/// it should be.
bool BlockPlaces::pass_members() {
  while (next_ > 0 && member_ < index_.members().size() && member_end() <= next_) {
    if (!index_.check_tail(member()).ok()) return false;
    ++member_;
  }
  return true;
}

/// The next block's place. Nothing at the end, or when something is in doubt; then the reader in
/// order goes on from there.
std::optional<BlockItem> BlockPlaces::next() {
  while (!in_doubt_ && next_ <= options_.last_block && member_ < index_.members().size()) {
    if (!entered_ && !enter_member()) return doubt();
    if (next_ < member_end()) return place_next();
    if (!index_.check_tail(member()).ok()) return doubt();
    entered_ = false;
    ++member_;
  }
  return std::nullopt;
}

/// Decodes the dictionaries of the current member. Returns false if one is damaged or missing.
bool BlockPlaces::enter_member() {
  dictionaries_.fill(nullptr);
  for (const StoredSection& section : member().dictionaries) {
    auto dictionary = Dictionary::decode(section.payload.bytes(), options_.decode.dictionaries);
    if (!dictionary.ok()) return false;
    dictionaries_[section.header.parameter] = std::move(*dictionary);
  }
  entered_ = true;
  return true;
}

/// Reads the header of the next block and compares it with the index.
std::optional<BlockItem> BlockPlaces::place_next() {
  const auto header = index_.read_block_header(next_);
  if (!header.ok() || !index_.agrees_with(*header, next_)) return doubt();
  BlockItem item;
  item.block.header = *header;
  item.block.number = next_;
  item.block.file_offset = index_.block_offset(next_);
  item.block.plain_offset = index_.block_plain_offset(next_);
  item.block.member = static_cast<std::uint32_t>(member_);
  item.dictionary = dictionaries_[header->dictionary_id];
  ++next_;
  return item;
}

std::nullopt_t BlockPlaces::doubt() {
  in_doubt_ = true;
  return std::nullopt;
}

}  // namespace presso::scan_detail
