// SPDX-License-Identifier: MIT
// Where a pipeline's batches come from: the stored blocks of a file or stream, in order, with their
// dictionaries, already checked as parts of the container. Two ways to read:
//
//   FrameFeed    front to back through BlockStream, exactly as the CPU's decompress_stream() does.
//                Reads pipes, damaged files, and whatever the other one does not understand.
//   IndexedFeed  straight from the index into pinned memory, by several threads at once, many times
//                faster. It accepts only what is exactly as it should be; at the first thing that
//                is not, FileFeed reads again with FrameFeed and passes over the blocks it has had.
//                So what is odd is found, named and salvaged in one place only.
#pragma once

#include <memory>
#include <optional>

#include "decompress/gpu/pipeline/opened_file.h"
#include "decompress/gpu/pipeline/slot_batch.h"
#include "decompress/gpu/runtime/team.h"

namespace presso::gpu {

/// A source of batches. One caller at a time. A feed owns no input: source, file, index and team
/// must outlive it.
class BlockFeed {
 public:
  virtual ~BlockFeed() = default;

  /// Fills an empty `batch` with the next blocks, as many as fit. Stored blocks are read into its
  /// staging memory, unless they lie in pinned memory already and not in small pieces; then the
  /// batch points to them. False if nothing follows. An error belongs after the blocks that the
  /// batch then holds.
  virtual Result<bool> fill(SlotBatch& batch) = 0;
  /// The compressed bytes that were read, and the metadata of the first member. Known after the
  /// last fill().
  virtual std::uint64_t compressed_bytes() const = 0;
  virtual const Metadata& metadata() const = 0;
};

/// How a feed treats what it reads.
struct FeedOptions {
  bool salvage = false;
  std::size_t most_dictionaries = kMaxDictionaries;  ///< that one batch may use
  KnownDictionaries known = {};                      ///< for members that name theirs
};

/// For pipes: front to back, with no way back. `source` is kept by reference.
std::unique_ptr<BlockFeed> make_stream_feed(ByteSource& source, const FeedOptions& options);

/// A file whose bytes may also be in pinned memory, at `pinned`.
struct FeedFile {
  const RandomAccess& file;
  const Byte* pinned = nullptr;
};
/// A feed of all of the file, by its index if there is one. `team` is kept by reference.
std::unique_ptr<BlockFeed> make_file_feed(FeedFile file, std::optional<ArchiveIndex> index,
                                          Team& team, const FeedOptions& options);

/// Which blocks of a file are wanted, by number.
struct BlockSelection {
  std::uint64_t first = 0;  ///< blocks [first, first + count)
  std::uint64_t count = 0;
  std::span<const std::uint64_t> list = {};  ///< if not empty, these instead

  std::uint64_t size() const { return list.empty() ? count : list.size(); }
  std::uint64_t operator[](std::uint64_t i) const {
    return list.empty() ? first + i : list[static_cast<std::size_t>(i)];
  }
};
/// A feed of these blocks. `opened` belongs to that file and is kept by reference. Errors are those
/// of CompressedFile for the same blocks.
std::unique_ptr<BlockFeed> make_selection_feed(FeedFile file, OpenedFile& opened,
                                               BlockSelection selection, Team& team,
                                               const FeedOptions& options);

}  // namespace presso::gpu
