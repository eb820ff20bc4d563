// SPDX-License-Identifier: MIT
// The host's side of one batch: which blocks it holds, where they lie in the slot, which
// dictionaries they need, and what became of them. A feed fills it in file order, places of damage
// among the blocks; the pipeline sends it through the GPU; the consumer reads it in the same order.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "decompress/gpu/pipeline/slot_plan.h"
#include "presso/decompress.h"

namespace presso::gpu {

/// A block, or a place where none could be read.
struct BatchPlace {
  std::uint64_t number = 0;
  std::uint64_t plain_offset = 0;
  std::uint64_t out_offset = 0;  ///< in what was selected: plain_offset, but for lists of blocks
  std::uint64_t file_offset = 0;
  std::uint64_t passed_bytes = 0;  ///< of the compressed stream, this place included
  std::uint32_t plain_bytes = 0;
  std::uint32_t slot_block = 0;  ///< which of blocks(), unless damage
  std::uint64_t lost_blocks = 0;
  std::optional<Error> damage = {};
};

using DictionaryTable = std::array<DictionarySpan, kTableDictionaries>;

class SlotBatch {
 public:
  /// Gives the slot room for a block that is larger than an empty one has; returns its memory.
  using Grow = std::function<Result<Byte*>(std::uint64_t stored_bytes, std::uint64_t plain_bytes)>;

  SlotBatch() = default;
  /// Stored blocks are to be put into `staging`, each at its place behind the ones before.
  SlotBatch(const SlotCapacity& capacity, Byte* staging, Grow grow)
      : capacity_(capacity), staging_(staging), grow_(std::move(grow)) {}

  /// Appends a block of `stored_bytes`, header and padding included. False where the batch is
  /// full: come back with the next one. Errors: those of Grow.
  Result<bool> add_block(BatchPlace place, std::uint32_t stored_bytes);
  void add_damage(BatchPlace place) { places_.push_back(std::move(place)); }
  /// There may be a place of damage every few bytes.
  bool has_room_for_damage() const { return places_.size() < kMostPlaces; }
  /// Notes that a block of this batch names dictionary `id`; nullptr: not in the file. False where
  /// another block means another dictionary by that id, or there would be more than `most`.
  bool use_dictionary(Byte id, const std::shared_ptr<const Dictionary>& dictionary,
                      std::size_t most = kMaxDictionaries);
  /// Drops the blocks from number `count` on, and places behind them.
  void cut(std::size_t count);

  bool empty() const { return places_.empty(); }
  const std::vector<BatchPlace>& places() const { return places_; }
  const std::vector<BlockSpan>& blocks() const { return spans_; }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(spans_.size()); }
  std::uint64_t stored_bytes() const { return stored_used_; }
  /// Of the slot, gaps between blocks included; and without them.
  std::uint64_t plain_bytes() const { return plain_used_; }
  std::uint64_t decoded_bytes() const;
  std::uint32_t largest_plain_bytes() const;
  const SlotCapacity& capacity() const { return capacity_; }

  Byte* staging() const { return staging_; }
  /// Stored blocks that lie in pinned memory already: `from`, instead of the slot's own.
  void take_from(const Byte* from) { in_place_ = from; }
  const Byte* in_place() const { return in_place_; }
  const Byte* stored() const { return in_place_ != nullptr ? in_place_ : staging_; }

  /// Dictionaries by id; those not used are nullptr.
  const std::array<std::shared_ptr<const Dictionary>, kTableDictionaries>& dictionaries() const {
    return dictionaries_;
  }
  /// Bytes behind the stored blocks of the slot: spans, then `table`.
  std::uint64_t table_bytes() const;
  void write_tables(const DictionaryTable& table, Byte* to) const;
  /// What became of each of blocks(), once decoded.
  std::vector<ErrorCode>& codes() { return codes_; }
  const std::vector<ErrorCode>& codes() const { return codes_; }

 private:
  static constexpr std::size_t kMostPlaces = 1u << 16;

  bool has_room(std::uint32_t stored_bytes, std::uint32_t plain_bytes) const;

  SlotCapacity capacity_;
  Byte* staging_ = nullptr;
  Grow grow_;
  std::vector<BatchPlace> places_;
  std::vector<BlockSpan> spans_;
  std::uint64_t stored_used_ = 0;
  std::uint64_t plain_used_ = 0;
  const Byte* in_place_ = nullptr;
  std::array<std::shared_ptr<const Dictionary>, kTableDictionaries> dictionaries_{};
  std::array<bool, kTableDictionaries> dictionary_used_{};
  std::vector<ErrorCode> codes_;
};

}  // namespace presso::gpu
