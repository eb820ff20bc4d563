// SPDX-License-Identifier: MIT
// Where the blocks of a compressed file lie, so that threads which take turns in asking need read
// nothing but a block's header in theirs, and read its payload when others have their turn.
//
// A scan must give what it gives for the same bytes in a pipe, damage included. So the index is
// believed only as long as the file bears it out: each block's header says the number, the size and
// by its own size the place of the next block that the index says, and after the last block stands
// what may stand there. Then a reader in order, who compares the index with the blocks as well,
// would have come to the same place with the same blocks and no damage of the container. At the
// first contradiction the places end, and a reader in order has to begin anew and pass by the
// blocks that were given. (Payloads are not looked at here; their damage is found in decoding.)
//
// A file without an index, cut off or with bytes after it is read in order from the start, and so
// is one of many small members, unless a search for filters has opened its index already.
// Tested by tests/unit/scan/blocks/block_places_test.cpp.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "presso/archive_reader.h"
#include "presso/decompress.h"
#include "presso/lines.h"

namespace presso::scan_detail {

class BlockPlaces {
 public:
  /// nullptr where the file has to be read in order. `opened`: its index as it was written, if that
  /// is there already. `file` and `options` are kept.
  static std::unique_ptr<BlockPlaces> open(const RandomAccess& file,
                                           std::optional<ArchiveIndex> opened,
                                           const ScanOptions& options);

  /// The next block of those that are wanted, without its payload; nullopt at their end and where
  /// the file is not what its index says. One caller at a time.
  std::optional<BlockItem> next();
  /// After nullopt: whether the file goes on, but not as its index says.
  bool in_doubt() const { return in_doubt_; }
  /// Blocks in front of the next, all of them: how many a reader in order has to pass by.
  std::uint64_t passed() const { return next_; }

 private:
  using DictionaryTable = std::array<std::shared_ptr<const Dictionary>, 256>;

  BlockPlaces(ArchiveIndex index, const ScanOptions& options)
      : index_(std::move(index)), options_(options), next_(options.first_block) {}
  bool pass_members();
  bool enter_member();
  std::optional<BlockItem> place_next();
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
