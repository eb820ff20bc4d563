// SPDX-License-Identifier: MIT
// Reads the container (FORMAT.md 3) without decoding it: FrameReader walks any source front to
// back, ArchiveIndex finds block k of a file by its index. Both are safe on any input: sizes are
// checked against declared maxima before anything is allocated.
//
// A file may be several presso files one after another (members). Blocks and plain offsets are
// counted through all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/metadata.h"
#include "presso/wire.h"

namespace presso {

/// A block as stored, with where it stands.
struct StoredBlock {
  BlockHeader header;
  Buffer payload;                 ///< header.payload_bytes, Buffer::kSlack readable after them
  std::uint64_t number = 0;       ///< counted through all members
  std::uint64_t file_offset = 0;  ///< of the block header
  std::uint64_t plain_offset = 0;
  std::uint32_t member = 0;  ///< which of the concatenated files; dictionaries belong to one
};

struct StoredSection {
  SectionHeader header;
  Buffer payload;  ///< empty where the section was skipped
  std::uint64_t file_offset = 0;
  std::uint32_t member = 0;
};

struct EndOfInput {};

/// What next() found. FileHeader begins a member; its trailer was read and checked before the next.
using Frame = std::variant<EndOfInput, FileHeader, StoredSection, StoredBlock>;

/// What a member has shown so far, to refuse frames out of their place (FORMAT.md 3). A refused
/// frame leaves it as it was.
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

/// The unread bytes of a source, as far as they are in memory, and the last ones before them.
class FrameWindow {
 public:
  /// `source` is kept by reference.
  explicit FrameWindow(ByteSource& source) : source_(source) {}

  /// Makes `count` bytes available at data(), fewer only at the end of the input; returns how many.
  Result<std::size_t> fill(std::size_t count);
  /// The same, but fewer are an error: kTruncated with the offset of the end.
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
  /// False, and without effect, where those bytes are no longer in memory.
  bool step_back(std::size_t count);

 private:
  ByteSource& source_;
  Buffer buffer_;
  std::size_t begin_ = 0;  ///< of what is unread in buffer_
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
  /// What was read of the current member, to compare with its index and trailer.
  struct Member {
    std::uint64_t offset = 0;              ///< in the input
    std::uint64_t blocks = 0;              ///< number of the next block
    std::uint64_t first_block_offset = 0;  ///< from the member's start
    std::uint64_t index_offset = 0;        ///< likewise; 0: not seen yet
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
  std::uint64_t plain_before_ = 0;   ///< likewise
  bool block_due_ = false;           ///< the current frame is a block or cannot be recognised

  // Salvage.
  bool salvaging_ = false;   ///< index and trailer are not compared
  bool retry_here_ = false;  ///< the current frame is sound, only not what was expected
  std::uint64_t lost_blocks_ = 0;
  std::uint64_t went_back_bytes_ = 0;  ///< in all: limited, so that salvage takes linear time
};

/// One of the concatenated files.
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

/// Some blocks of a member one behind another, as its index tells of them. A value that can be
/// sent.
struct ArchiveExcerpt {
  // As in ArchiveMember.
  std::uint64_t file_offset = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t first_block = 0;
  std::uint64_t first = 0;                  ///< number of the first of them
  std::uint64_t offset = 0;                 ///< where that begins in the file
  std::vector<std::uint32_t> stored_bytes;  ///< of each

  friend bool operator==(const ArchiveExcerpt&, const ArchiveExcerpt&) = default;
};

/// The table of all blocks, from the index of each member or, where `rebuilt()`, by walking the
/// block headers; or of those of an excerpt, and then there are no others. Immutable after open;
/// thread-safe. `file` is kept by reference.
class ArchiveIndex {
 public:
  /// Errors: those of the headers, with offsets. A damaged or missing index is no error.
  static Result<ArchiveIndex> open(const RandomAccess& file);
  /// The same by the index of each member alone, for readers that go through a whole file and can
  /// do without: an error where open() would walk, and kUnsupported, soon, where members take less
  /// than `mean_member_bytes` of the file on average, so that finding them is half of reading them.
  static Result<ArchiveIndex> open_as_written(const RandomAccess& file,
                                              std::uint64_t mean_member_bytes);
  /// By an excerpt of the index of the same file, of which nothing but the sections in front of the
  /// member's blocks is read. Errors: kInvalidArgument for an excerpt that cannot be; those of the
  /// header and the sections.
  static Result<ArchiveIndex> open_excerpt(const RandomAccess& file, const ArchiveExcerpt& excerpt);

  /// Of the blocks from `first` to before `end`, at least one; nullopt where they lie in several
  /// members or the index was rebuilt.
  std::optional<ArchiveExcerpt> excerpt(std::uint64_t first, std::uint64_t end) const;
  bool rebuilt() const { return rebuilt_; }
  const std::vector<ArchiveMember>& members() const { return members_; }
  std::uint64_t block_count() const {
    return members_.back().first_block + members_.back().block_count;
  }
  std::uint64_t plain_bytes() const;

  /// Which block holds `plain_offset` (< plain_bytes()).
  std::uint64_t block_at(std::uint64_t plain_offset) const;
  /// Header and payload of block `number`; reads nothing else of the file.
  Result<StoredBlock> read_block(std::uint64_t number, Buffer into = {}) const;
  Result<BlockHeader> read_block_header(std::uint64_t number) const;
  /// Whether what stands between a member's blocks and its index, and is nowhere mentioned in that,
  /// is what FrameReader passes by: sound headers of sections that a reader need not know. Not for
  /// a rebuilt index.
  Status check_tail(const ArchiveMember& member) const;
  std::uint64_t block_offset(std::uint64_t number) const {
    return block_offsets_[static_cast<std::size_t>(number - first_known_)];
  }
  std::uint64_t block_plain_offset(std::uint64_t number) const;
  /// What block `number` takes in the file: up to the next block, or to the end of its member's
  /// blocks. 0 where that is not known: for the last block of a member of a rebuilt index.
  std::uint64_t block_stored_bytes(std::uint64_t number) const;
  /// Whether `header` is that of block `number`: its number, plain size and stored size are those
  /// of the index.
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
  std::uint64_t first_known_ = 0;             ///< number of the first block in block_offsets_
  std::vector<std::uint64_t> block_offsets_;  ///< of an excerpt, with the end of its last block
};

}  // namespace presso
