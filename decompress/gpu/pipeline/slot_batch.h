// SPDX-License-Identifier: MIT
// The host's side of one batch: which blocks it holds, where they lie in the slot, which
// dictionaries they need, and what became of them. A feed fills it in file order, places of damage
// among the blocks; the pipeline sends it through the GPU; the consumer reads it in the same order.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "decompress/gpu/pipeline/slot_plan.h"
#include "presso/decompress.h"

namespace presso::gpu {

/// A block of the batch, or a place of the file where damage kept one from being read.
struct BatchPlace {
  std::uint64_t number = 0;
  std::uint64_t plain_offset = 0;
  /// Its place in the output: plain_offset, unless a list of blocks was selected.
  std::uint64_t out_offset = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t passed_bytes = 0;  ///< compressed bytes up to and including this place
  std::uint32_t plain_bytes = 0;
  std::uint32_t slot_block = 0;  ///< its index in blocks(), unless `damage`
  std::uint64_t lost_blocks = 0;
  std::optional<Error> damage = {};
};

using DictionaryTable = std::array<DictionarySpan, kTableDictionaries>;

/// Stored blocks that lie in pinned memory already, at `from`.
struct PinnedPiece {
  const Byte* from = nullptr;
  std::uint64_t stored_offset = 0;  ///< where it belongs in the batch's stored bytes
  std::uint64_t bytes = 0;
};

/// Limits of a batch besides the size of its slot.
struct BatchRules {
  /// Plain bytes beyond which no second block is taken.
  std::uint64_t enough_bytes = ~std::uint64_t{0};
  /// Whether a block can be decoded to where it belongs. A batch that begins with such a block
  /// consists of such blocks, one after another where they belong, and needs no output_bytes.
  std::function<bool(const BatchPlace&)> is_direct = {};
};

/// A batch: blocks in the order of the file, with limits on bytes and number (SlotCapacity) and on
/// what may be decoded together (BatchRules). Used by one thread at a time; the stages of the
/// pipeline hand it on. It owns tables and errors, and neither staging memory nor pinned pieces.
class SlotBatch {
 public:
  /// Gives the slot room for a block that is larger than an empty one has; returns its memory.
  using Grow = std::function<Result<Byte*>(std::uint64_t stored_bytes, std::uint64_t plain_bytes)>;

  SlotBatch() = default;
  /// Stored blocks are to be put into `staging`, each at its place after the ones before.
  SlotBatch(const SlotCapacity& capacity, Byte* staging, Grow grow, BatchRules rules = {})
      : capacity_(capacity), staging_(staging), grow_(std::move(grow)), rules_(std::move(rules)) {}

  /// Appends a block of `stored_bytes`, header and padding included. False where the batch is
  /// full: come back with the next one. Errors: those of Grow.
  Result<bool> add_block(BatchPlace place, std::uint32_t stored_bytes);
  void add_damage(BatchPlace place) { places_.push_back(std::move(place)); }
  /// Damaged places are limited too, as there may be one every few bytes of a file.
  bool has_room_for_damage() const { return places_.size() < kMostPlaces; }
  /// Notes that a block of this batch names dictionary `id`; nullptr: not in the file. False where
  /// another block means another dictionary by that id, or there would be more than `most`.
  bool use_dictionary(Byte id, const std::shared_ptr<const Dictionary>& dictionary,
                      std::size_t most = kMaxDictionaries);
  /// Drops the blocks from number `count` on, and the places after them.
  void cut(std::size_t count);

  bool empty() const { return places_.empty(); }
  const std::vector<BatchPlace>& places() const { return places_; }
  const std::vector<BlockSpan>& blocks() const { return spans_; }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(spans_.size()); }
  std::uint64_t stored_bytes() const { return stored_used_; }
  /// The plain bytes of all blocks, gaps between them included.
  std::uint64_t plain_bytes() const { return plain_used_; }
  std::uint32_t largest_plain_bytes() const;
  /// Whether any block's header names the Bit coding.
  bool has_bit_blocks() const;
  /// Whether a block is of a form that the GPU does not decode: a Bit block of sub-blocks.
  bool is_for_cpu(std::size_t block) const;
  /// Whether a code says that the GPU has left a block to the CPU.
  bool has_declined() const;
  /// Whether any code is not kOk.
  bool has_bad_blocks() const;
  const SlotCapacity& capacity() const { return capacity_; }
  /// Whether all blocks are decoded to where they belong.
  bool is_direct() const { return is_direct_; }

  Byte* staging() const { return staging_; }
  /// Says that all stored blocks lie in these pieces of pinned memory, sorted by offset, and not in
  /// the slot's.
  void take_from(std::vector<PinnedPiece> pieces) { pieces_ = std::move(pieces); }
  const std::vector<PinnedPiece>& pieces() const { return pieces_; }
  /// Where a stored block of blocks() lies.
  const Byte* stored(std::size_t block) const;

  /// Dictionaries by id; those not used are nullptr.
  const std::array<std::shared_ptr<const Dictionary>, kTableDictionaries>& dictionaries() const {
    return dictionaries_;
  }
  /// What follows the stored blocks in the slot: spans, then `table`.
  std::uint64_t table_bytes() const;
  void write_tables(const DictionaryTable& table, Byte* to) const;
  /// What became of each of blocks(), once decoded.
  std::vector<ErrorCode>& codes() { return codes_; }
  const std::vector<ErrorCode>& codes() const { return codes_; }
  /// Sets a block's code and what error_of() says of it. One caller at a time.
  void set_error(std::uint32_t block, Error error);
  /// The error at a place that is damaged or whose code is not kOk, with block and offset.
  Error error_of(const BatchPlace& place) const;

 private:
  static constexpr std::size_t kMostPlaces = 1u << 16;

  /// Whether the block follows the batch's kind: direct after direct, and there without a gap.
  bool may_join(const BatchPlace& place, bool direct) const;
  /// Within the slot and below rules_.enough_bytes; an empty batch takes any block that the
  /// slot has room for.
  bool has_room(std::uint32_t stored_bytes, std::uint32_t plain_bytes) const;

  SlotCapacity capacity_;
  Byte* staging_ = nullptr;
  Grow grow_;
  BatchRules rules_;
  bool is_direct_ = false;
  std::vector<BatchPlace> places_;
  std::vector<BlockSpan> spans_;
  std::uint64_t stored_used_ = 0;
  std::uint64_t plain_used_ = 0;
  std::vector<PinnedPiece> pieces_;
  std::array<std::shared_ptr<const Dictionary>, kTableDictionaries> dictionaries_{};
  std::array<bool, kTableDictionaries> dictionary_used_{};
  std::vector<ErrorCode> codes_;
  std::map<std::uint32_t, Error> errors_;  ///< by block; where there is none, the code says all
};

}  // namespace presso::gpu
