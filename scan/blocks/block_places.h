// SPDX-License-Identifier: MIT
// Finds where the blocks of a compressed file lie, so that threads that take turns in asking read
// only a block's header in their turn, and read its payload while others have theirs. The turns of
// a log with 16,013 blocks take 11.1 ms in all in place of 13.5 (scan/NOTES.md).
//
// A scan must give what it gives for the same bytes in a pipe, damage included. So the index is
// believed only as long as the file agrees with it: each block's header must give the number, the
// size and, through its own size, the place of the next block that the index gives, and after the
// last block must come what may come there. Then a reader in order, which also compares the index
// with the blocks, would have come to the same place with the same blocks and no damage of the
// container. At the first contradiction the places end, and a reader in order has to begin anew and
// pass by the blocks that were given. Payloads are not looked at here; their damage is found when
// they are decoded.
//
// Declined, and so read in order from the start, are files without an index, cut off or with bytes
// after their end, and files of many small members (compressed files that stand one after another,
// FORMAT.md 3) unless a search for filters has already opened the index. Tested by
// tests/unit/scan/blocks/block_places_test.cpp.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "presso/archive_reader.h"
#include "presso/decompress.h"
#include "presso/lines.h"

namespace presso::scan_detail {

/// Gives out the wanted blocks of one file in order. The file and the options must outlive it.
class BlockPlaces {
 public:
  /// Opens a file. Returns nullptr if it has to be read in order. `opened` is its index as it was
  /// written, if that is already there. `file` and `options` are kept by reference.
  static std::unique_ptr<BlockPlaces> open(const RandomAccess& file,
                                           std::optional<ArchiveIndex> opened,
                                           const ScanOptions& options);

  /// The next wanted block, without its payload. Returns nullopt at their end, and if the file is
  /// not what its index says. Called by one thread at a time.
  std::optional<BlockItem> next();
  /// To be asked after nullopt: whether the file goes on, but not as its index says.
  bool in_doubt() const { return in_doubt_; }
  /// How many blocks are before the next one, all of them counted: as many a reader in order has to
  /// pass by.
  std::uint64_t passed() const { return next_; }

 private:
  using DictionaryTable = std::array<std::shared_ptr<const Dictionary>, 256>;

  BlockPlaces(ArchiveIndex index, const ScanOptions& options)
      : index_(std::move(index)), options_(options), next_(options.first_block) {}
  bool pass_members();
  /// Decodes the dictionaries of the member at hand; false if one is damaged or missing.
  bool enter_member();
  /// The place of the block at hand, without its payload, which a thread reads later.
  std::optional<BlockItem> place_next();
  /// Gives up on the places.
  std::nullopt_t doubt();
  const ArchiveMember& member() const { return index_.members()[member_]; }
  std::uint64_t member_end() const { return member().first_block + member().block_count; }

  ArchiveIndex index_;
  const ScanOptions& options_;
  std::uint64_t next_;
  std::size_t member_ = 0;
  bool entered_ = false;  ///< the member's dictionaries are there
  bool in_doubt_ = false;
  DictionaryTable dictionaries_{};
};

}  // namespace presso::scan_detail
