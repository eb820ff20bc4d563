// SPDX-License-Identifier: MIT
// Reads the container (FORMAT.md 3) without decoding blocks: FrameReader walks any source from
// front to back, ArchiveIndex finds block k of a file by its index. Both are safe on any input:
// sizes are checked against declared maxima before anything is allocated, so damaged or hostile
// files give an error and never much memory.
//
// A file may be several presso files one after another (members). Block numbers and plain offsets
// are counted through all of them. Tested by tests/unit/format/archive_test.cpp and
// container_rules_test.cpp, and by tests/fuzz/index_fuzzer.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/metadata.h"
#include "presso/wire.h"

namespace presso {

/// A block as it is stored, and where it stands in the file and in the plain text.
struct StoredBlock {
  BlockHeader header;
  Buffer payload;                 ///< header.payload_bytes, Buffer::kSlack readable after them
  std::uint64_t number = 0;       ///< counted through all members
  std::uint64_t file_offset = 0;  ///< of the block header
  std::uint64_t plain_offset = 0;
  std::uint32_t member = 0;  ///< which of the concatenated files; dictionaries belong to one
};

/// A section (FORMAT.md 7) as it is stored. Its payload was compared with its checksum.
struct StoredSection {
  SectionHeader header;
  Buffer payload;  ///< empty where the section was skipped
  std::uint64_t file_offset = 0;
  std::uint32_t member = 0;
};

/// The end of the source, after a complete member or of an empty source.
struct EndOfInput {};

/// What next() found. FileHeader begins a member; its trailer was read and checked before the next.
using Frame = std::variant<EndOfInput, FileHeader, StoredSection, StoredBlock>;

/// Checks that frames come in the order that FORMAT.md 3 demands. It remembers what a member has
/// shown so far; each call refuses a frame that is out of place (kBadHeader) and then leaves the
/// state as it was.
class FrameOrder {
 public:
  Status take_block();
  Status take_section(const SectionHeader& header);

 private:
  bool metadata_ = false;
  bool blocks_ = false;
  bool after_blocks_ = false;  ///< a section after the last block was seen
  bool index_ = false;
  std::uint32_t dictionaries_ = 0;  ///< bit id of each
};

/// A window that moves over a source: the unread bytes as far as they are in memory, and on request
/// the last ones before them, so that a reader can look ahead and step back. It reads up to 1 MiB
/// ahead.
class FrameWindow {
 public:
  /// `source` is kept by reference.
  explicit FrameWindow(ByteSource& source) : source_(source) {}

  /// Makes `count` bytes available at data(), fewer only at the end of the input. Returns how many
  /// are there.
  Result<std::size_t> fill(std::size_t count);
  /// As fill(), but fewer than `count` bytes are an error: kTruncated with the offset of the end.
  Status require(std::size_t count);
  const Byte* data() const { return buffer_.data() + begin_; }
  std::size_t available() const { return buffer_.size() - begin_; }
  /// Where data() lies in the source.
  std::uint64_t offset() const { return offset_; }

  /// `count` is at most available().
  void advance(std::size_t count);
  /// Reads and passes `count` bytes. Error: kTruncated.
  Status skip(std::uint64_t count);
  /// The `count` bytes before data() stay in memory, and step_back() can return to them.
  void keep(std::size_t count) { kept_ = count; }
  std::size_t kept() const { return kept_; }
  /// Moves data() back by `count` bytes. Returns false, without effect, if they are no longer in
  /// memory.
  bool step_back(std::size_t count);

 private:
  ByteSource& source_;
  Buffer buffer_;
  std::size_t begin_ = 0;  ///< where the unread bytes begin in buffer_
  std::size_t kept_ = 0;
  bool source_ended_ = false;
  std::uint64_t offset_ = 0;
};

/// Reads frames in order from a pipe or file; holds one frame at a time. Not thread-safe.
class FrameReader {
 public:
  /// `source` is kept by reference; `pool`, if given, provides the payload buffers. With
  /// `keep_last_block`, resync() also finds a header inside what was taken for the last block's
  /// payload: where bytes are missing from that, the next block begins earlier than it seems.
  explicit FrameReader(ByteSource& source, BufferPool* pool = nullptr, bool keep_last_block = false)
      : window_(source), pool_(pool), keep_last_block_(keep_last_block) {}

  /// The next frame. Section payloads are checked against their checksum; index and trailer against
  /// what was read. On an error (with compressed offset, and block number where known) the reader
  /// stands where the bad frame begins: next() would fail again, resync() looks further.
  Result<Frame> next();

  /// After an error: looks for the next header whose checksum is right and that continues the file,
  /// so that next() goes on there. Returns false at the end of the input. For salvage: from now on
  /// index and trailer need not match, but a gap in the block numbers is still an error of next().
  Result<bool> resync();
  /// How many blocks the last resync() passed over, as far as numbers tell; a damaged block at the
  /// end of the input counts as one.
  std::uint64_t lost_blocks() const { return lost_blocks_; }

  /// Compressed bytes passed so far.
  std::uint64_t offset() const { return window_.offset(); }
  /// Number and plain offset of the block that is expected next, counted through all members.
  std::uint64_t block_number() const { return blocks_before_ + member_.blocks; }
  std::uint64_t plain_offset() const {
    return plain_before_ + member_.blocks * member_.block_bytes;
  }

 private:
  /// The frames of the current member so far, to be compared with its index and trailer.
  struct Member {
    std::uint64_t offset = 0;              ///< in the input
    std::uint64_t blocks = 0;              ///< number of the next block
    std::uint64_t first_block_offset = 0;  ///< from the member's start
    std::uint64_t index_offset = 0;        ///< from the member's start; 0: not seen yet
    std::uint32_t block_bytes = 0;         ///< 0: not known, the file header was lost
    FrameOrder order;
    bool short_block_seen = false;  ///< only the last block may be shorter
    std::vector<std::uint32_t> stored_bytes;
    std::uint64_t plain_bytes = 0;
  };

  Result<Frame> next_frame();
  Result<Frame> read_file_header();
  Result<Frame> read_block();
  Result<Frame> read_section(FrameKind kind);
  Status read_trailer();
  Status check_index(Bytes payload) const;
  void begin_member(std::uint32_t block_bytes);
  void end_member();
  bool is_sound_header_here() const;
  void go_back();
  Result<bool> try_resync_here();
  bool accept_block(const BlockHeader& header);
  Result<bool> accept_section(const SectionHeader& header);
  Result<bool> index_tells_of_more_blocks(const SectionHeader& header);

  FrameWindow window_;  ///< keeps the last block
  BufferPool* pool_;
  bool keep_last_block_;
  bool inside_ = false;  ///< a member
  Member member_;
  std::uint32_t members_ = 0;        ///< begun so far
  std::uint64_t blocks_before_ = 0;  ///< in all members before the current one
  std::uint64_t plain_before_ = 0;   ///< plain bytes of all members before the current one
  bool block_due_ = false;           ///< the current frame is a block or cannot be recognised

  // Salvage.
  bool salvaging_ = false;   ///< index and trailer are not compared
  bool retry_here_ = false;  ///< the current frame is sound, only not what was expected
  std::uint64_t lost_blocks_ = 0;
  std::uint64_t went_back_bytes_ = 0;  ///< in all: limited, so that salvage takes linear time
};

/// One of the concatenated files, as its header, sections and index describe it.
struct ArchiveMember {
  FileHeader header;
  Metadata metadata;
  std::uint64_t file_offset = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t first_block = 0;  ///< counted through all members
  std::uint64_t block_count = 0;
  std::vector<StoredSection> dictionaries;
  std::uint64_t blocks_end = 0;    ///< in the file; sections of other kinds stand from here on
  std::uint64_t index_offset = 0;  ///< in the file; both 0 where the index was rebuilt
};

/// Consecutive blocks of one member, as the index describes them. It is a plain value that can be
/// sent to another process, which then reads these blocks without reading the index again.
struct ArchiveExcerpt {
  // As in ArchiveMember.
  std::uint64_t file_offset = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t first_block = 0;
  std::uint64_t first = 0;                  ///< number of the excerpt's first block
  std::uint64_t offset = 0;                 ///< where that block begins in the file
  std::vector<std::uint32_t> stored_bytes;  ///< stored size of each block of the excerpt

  friend bool operator==(const ArchiveExcerpt&, const ArchiveExcerpt&) = default;
};

/// The table of all blocks of a file. It comes from the index of each member or, if one is damaged
/// or missing (`rebuilt()`), from walking all block headers. It may also describe an excerpt only,
/// and then knows no other blocks. Immutable after opening and thread-safe; takes 8 bytes a block.
/// `file` is kept by reference and must outlive it.
class ArchiveIndex {
 public:
  /// Reads the trailers and indexes, or walks the headers. Errors are those of the headers, with
  /// offsets; a damaged or missing index is no error.
  static Result<ArchiveIndex> open(const RandomAccess& file);
  /// As open(), but never walks, for readers that go through the whole file anyway. Where open()
  /// would walk, this is an error. Where more than 16 members take less than `mean_member_bytes` on
  /// average, it soon returns kUnsupported: finding them would cost more than it saves.
  static Result<ArchiveIndex> open_as_written(const RandomAccess& file,
                                              std::uint64_t mean_member_bytes);
  /// Opens an excerpt of the index of the same file. Only the file header and the sections before
  /// the member's blocks are read. Errors: kInvalidArgument for an excerpt that contradicts itself
  /// or the file; those of the header and the sections.
  static Result<ArchiveIndex> open_excerpt(const RandomAccess& file, const ArchiveExcerpt& excerpt);

  /// Returns an excerpt with the blocks `first` to `end` - 1, at least one; nullopt if they lie in
  /// several members or the index was rebuilt.
  std::optional<ArchiveExcerpt> excerpt(std::uint64_t first, std::uint64_t end) const;
  bool rebuilt() const { return rebuilt_; }
  const std::vector<ArchiveMember>& members() const { return members_; }
  std::uint64_t block_count() const {
    return members_.back().first_block + members_.back().block_count;
  }
  std::uint64_t plain_bytes() const;

  /// Returns the number of the block that holds byte `plain_offset`, which is less than
  /// plain_bytes(). Takes logarithmic time in the number of members.
  std::uint64_t block_at(std::uint64_t plain_offset) const;
  /// Reads header and payload of block `number` with two reads of the file and nothing else. `into`
  /// is a buffer to use again.
  Result<StoredBlock> read_block(std::uint64_t number, Buffer into = {}) const;
  Result<BlockHeader> read_block_header(std::uint64_t number) const;
  /// Checks what stands between a member's blocks and its index and is mentioned nowhere in the
  /// index: only sound headers of sections that a reader may ignore, which FrameReader skips. Not
  /// for a rebuilt index.
  Status check_tail(const ArchiveMember& member) const;
  std::uint64_t block_offset(std::uint64_t number) const {
    return block_offsets_[static_cast<std::size_t>(number - first_known_)];
  }
  std::uint64_t block_plain_offset(std::uint64_t number) const;
  /// Returns the bytes that block `number` takes in the file, up to the next block or the end of
  /// its member's blocks; 0 where that is not known (the last block of a member of a rebuilt
  /// index).
  std::uint64_t block_stored_bytes(std::uint64_t number) const;
  /// Whether `header` is that of block `number`: number, plain size and stored size agree with the
  /// index.
  bool agrees_with(const BlockHeader& header, std::uint64_t number) const;

 private:
  explicit ArchiveIndex(const RandomAccess& file) : file_(&file) {}
  Status open_by_trailers(std::uint64_t mean_member_bytes);
  Status open_by_walking();
  Status walk_member(std::uint64_t& at, ArchiveMember& member);
  Result<std::uint64_t> walk_block(std::uint64_t at, ArchiveMember& member);
  const ArchiveMember& member_of_block(std::uint64_t number) const;
  Status check_block(const BlockHeader& header, std::uint64_t number) const;

  const RandomAccess* file_;
  bool rebuilt_ = false;
  std::vector<ArchiveMember> members_;
  bool is_excerpt_ = false;
  std::uint64_t first_known_ = 0;  ///< number of the first block in block_offsets_
  /// Where each block begins in the file; for an excerpt one more entry, where its last block ends.
  std::vector<std::uint64_t> block_offsets_;
};

}  // namespace presso
