// SPDX-License-Identifier: MIT
// Builds the look-up tables for the Huffman codes of a Bit block (FORMAT.md 13.4) in shared memory,
// by whole warps. A *word* is a code word; the *list* is where the payload's head states the length
// of each. Steps:
//
//   list   one warp reads the list of code lengths: the list's own code becomes a table like those
//          below, then come 32 bits a step, in which each lane looks up the symbol at its bit
//   sort   one warp for each alphabet: lane n counts the words of length n; ballots on the bits of
//          the lengths give each symbol its rank among those of its length, and prefix sums over
//          lanes give the first word of each length and tell whether the code is complete
//   fill   length by length: the table is doubled, then words of this length are entered. So a
//          word of n bits ends up in every 2^n-th entry, and the work is one copy of the table
//
// Nothing here relies on codes being valid before they are checked. Tested by
// tests/simt/bit_unpack_test.cpp.
#pragma once

#include "decompress/gpu/bit/bit_window.cuh"
#include "decompress/gpu/bit/unpacked_block.h"
#include "format/bit_code.h"

namespace presso::gpu {

/// An entry of the literals' table: bits 0-7 the word's length, 8-15 the literal.
using LiteralEntry = std::uint16_t;
/// An entry for lengths and offsets: in bits 0-6 how many bits word and extra bits take together,
/// in 7-11 how many of them are extra bits, in 12-15 the value's leading bits.
using ValueEntry = std::uint16_t;
/// An entry for commands: bits 0-6 the word's length, 7 whether no offset follows, 8-9 the number
/// of literals, 12-15 the match value.
using CommandEntry = std::uint16_t;

/// Tables for codes with words up to these limits. `values` are those of long literal lengths,
/// long match lengths and offsets.
template <u32 kLiteralLimit, u32 kCommandLimit, u32 kSequenceLimit>
struct CodeTables {
  alignas(16) LiteralEntry literals[1u << kLiteralLimit];
  alignas(16) CommandEntry commands[1u << kCommandLimit];
  alignas(16) ValueEntry values[bit::kAlphabets - bit::kLiteralLengths][1u << kSequenceLimit];
  u32 bits[bit::kAlphabets];  ///< logarithm of each table's size
  u32 far;                    ///< not 0: offsets may stand for kFarDistance or more
};

/// What building the tables needs.
struct CodeLists {
  alignas(16) LiteralEntry list[1u << bit::kListLimit];
  alignas(4) Byte lengths[bit::kListedSymbols];
  Byte sorted[bit::kListedSymbols];  ///< each alphabet's symbols in the order of their words
  Byte list_lengths[bit::kListSymbols];
  Byte list_sorted[bit::kListSymbols];
};

namespace detail {

struct LiteralMaker {
  PRESSO_DEVICE LiteralEntry operator()(u32 symbol, u32 length) const {
    return static_cast<LiteralEntry>(symbol << 8 | length);
  }
};

struct CommandMaker {
  PRESSO_DEVICE CommandEntry operator()(u32 symbol, u32 length) const {
    const bit::Command command = bit::command_of(symbol);
    return static_cast<CommandEntry>(length | (command.repeats ? 1u << 7 : 0) |
                                     command.literals << 8 | command.match << 12);
  }
};

struct ValueMaker {
  unsigned mantissa;

  PRESSO_DEVICE ValueEntry operator()(u32 symbol, u32 length) const {
    const bit::ClassValue value = bit::value_of(symbol, mantissa);
    return static_cast<ValueEntry>((length + value.extra_bits) | value.extra_bits << 7 |
                                   value.top << 12);
  }
};

}  // namespace detail

/// One warp's work on one alphabet.
template <u32 kSymbols>
class CodeBuilder {
 public:
  /// `lengths`, each at most 15, are in shared memory, and so is `sorted`.
  PRESSO_DEVICE CodeBuilder(const Byte* lengths, Byte* sorted) : sorted_(sorted) { sort(lengths); }

  /// The code's shape, given that no word may be longer than `limit`.
  PRESSO_DEVICE bit::Shape shape(u32 limit) const {
    const bool occurs = simt::lane() > 0 && count_ > 0;
    const u32 words = simt::reduce_add(occurs ? count_ : 0);
    if (simt::any(occurs && simt::lane() > limit)) return bit::Shape::kBad;
    if (words == 0) return bit::Shape::kEmpty;
    if (words == 1) return simt::shuffle(count_, 1) == 1 ? bit::Shape::kSingle : bit::Shape::kBad;
    const u32 used = simt::reduce_add(occurs ? count_ << (kLongest - simt::lane()) : 0);
    return used == 1u << kLongest ? bit::Shape::kComplete : bit::Shape::kBad;
  }

  /// Fills 2^n entries and returns n.
  template <class Entry, class Make>
  PRESSO_DEVICE u32 fill(bit::Shape shape, Entry* table, Make make) const {
    if (shape != bit::Shape::kComplete) {
      if (simt::lane() == 0) table[0] = make(shape == bit::Shape::kSingle ? sorted_[0] : 0u, 0);
      return 0;
    }
    const u32 occurring = simt::ballot(simt::lane() > 0 && count_ > 0);
    const u32 longest = simt::kWarpSize - 1 - simt::count_leading_zeros(occurring);
    PRESSO_NO_UNROLL
    for (u32 length = 1; length <= longest; ++length) {
      repeat(table, 1u << (length - 1));
      const u32 count = simt::shuffle(count_, length);
      const u32 begin = simt::shuffle(begin_, length);
      const u32 word = simt::shuffle(word_, length);
      simt::warp_sync();
      PRESSO_NO_UNROLL
      for (u32 i = simt::lane(); i < count; i += kWarpSize) {
        const u32 at = simt::bit_reverse(word + i) >> (PayloadWords::kWordBits - length);
        table[at] = make(sorted_[begin + i], length);
      }
      simt::warp_sync();
    }
    return longest;
  }

 private:
  static constexpr u32 kLongest = 15;
  static constexpr u32 kSymbolsALane = (kSymbols + kWarpSize - 1) / kWarpSize;

  /// Which lanes hold a given length, by ballots on its bits.
  struct Votes {
    u32 bits[4];

    PRESSO_DEVICE explicit Votes(u32 length) {
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) bits[i] = simt::ballot((length >> i & 1) != 0);
    }
    PRESSO_DEVICE u32 of(u32 length) const {
      u32 lanes = simt::kFullMask;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) lanes &= (length >> i & 1) != 0 ? bits[i] : ~bits[i];
      return lanes;
    }
  };

  PRESSO_DEVICE void sort(const Byte* lengths) {
    const u32 below = (1u << simt::lane()) - 1;
    u32 length[kSymbolsALane], rank[kSymbolsALane];
    PRESSO_UNROLL
    for (u32 i = 0; i < kSymbolsALane; ++i) {
      const u32 symbol = i * kWarpSize + simt::lane();
      length[i] = symbol < kSymbols ? lengths[symbol] : 0u;
      const Votes votes(length[i]);
      rank[i] = simt::shuffle(count_, length[i]) + simt::popcount(votes.of(length[i]) & below);
      if (simt::lane() <= kLongest) count_ += simt::popcount(votes.of(simt::lane()));
    }
    // In a complete code the shorter words take less than 2^15 of 2^15; the sums of others mean
    // nothing.
    const bool is_length = simt::lane() > 0 && simt::lane() <= kLongest;
    const u32 mine = is_length ? count_ : 0;
    const u32 share = is_length ? count_ << (kLongest - simt::lane()) : 0;
    const u32 shorter = simt::inclusive_sum(share) - share;
    begin_ = simt::inclusive_sum(mine) - mine;
    word_ = is_length ? shorter >> (kLongest - simt::lane()) : 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kSymbolsALane; ++i) {
      const u32 begin = simt::shuffle(begin_, length[i]);
      if (length[i] > 0) {
        sorted_[begin + rank[i]] = static_cast<Byte>(i * kWarpSize + simt::lane());
      }
    }
    simt::warp_sync();
  }

  /// Copies the first `half` entries to the places after them.
  template <class Entry>
  static PRESSO_DEVICE void repeat(Entry* table, u32 half) {
    using simt::Vec4;
    constexpr u32 kTogether = sizeof(Vec4) / sizeof(Entry);
    if (half >= kTogether * kWarpSize) {
      auto* const vectors = reinterpret_cast<Vec4*>(table);
      const u32 count = half / kTogether;
      PRESSO_NO_UNROLL
      for (u32 i = simt::lane(); i < count; i += kWarpSize) vectors[count + i] = vectors[i];
    } else {
      PRESSO_NO_UNROLL
      for (u32 i = simt::lane(); i < half; i += kWarpSize) table[half + i] = table[i];
    }
  }

  Byte* sorted_;
  // About the words whose length is this lane's number:
  u32 count_ = 0;
  u32 begin_ = 0;  // those that are shorter
  u32 word_ = 0;   // the first one
};

/// Reads the list into lists.lengths by one warp: the payload's bits from `begin` to `end`, all of
/// them. False, in all lanes, means kBadTree. The lengths that it leaves are at most 12; whether
/// they make complete codes is not checked here.
///
/// A step takes 32 bits: each lane looks up the list symbol that would begin at its bit; a walk
/// over the lanes finds where symbols do begin; prefix sums over those give their places.
class ListReader {
 public:
  PRESSO_DEVICE ListReader(const PayloadWords& words, CodeLists& lists)
      : words_(words), lists_(lists) {}

  PRESSO_DEVICE bool read(u32 begin, u32 end) {
    if (!read_code(begin)) return false;
    fill(0);
    constexpr u32 kCodeBits = bit::kListSymbols * bit::kListLengthBits;
    u32 at = begin + kCodeBits;
    if (mask_ == 0 && lists_.list[0] >> 8 < bit::kRepeatLength) {
      fill(lists_.list[0] >> 8);  // its only word takes no bits
      done_ = bit::kListedSymbols;
    }
    u32 skip = 0;
    PRESSO_NO_UNROLL
    while (done_ < bit::kListedSymbols) {
      if (at > end || !step(at, skip)) return false;
      at += kWarpSize;
    }
    at = done_at_ != 0 ? done_at_ : at;
    simt::warp_sync();
    return at <= end && end - at < 8 && words_.bits(at, end - at) == 0;
  }

 private:
  /// The list symbol that would begin at a lane's bit.
  struct Item {
    u32 symbol;
    u32 bits;   ///< bits that it takes; at least 1
    u32 count;  ///< lengths that it stands for
  };

  PRESSO_DEVICE bool read_code(u32 begin) {
    if (simt::lane() < bit::kListSymbols) {
      lists_.list_lengths[simt::lane()] = static_cast<Byte>(
          words_.bits(begin + bit::kListLengthBits * simt::lane(), bit::kListLengthBits));
    }
    simt::warp_sync();
    const CodeBuilder<bit::kListSymbols> builder(lists_.list_lengths, lists_.list_sorted);
    const bit::Shape shape = builder.shape(bit::kListLimit);
    if (shape != bit::Shape::kComplete && shape != bit::Shape::kSingle) return false;
    mask_ = (1u << builder.fill(shape, lists_.list, detail::LiteralMaker{})) - 1;
    simt::warp_sync();
    return true;
  }

  PRESSO_DEVICE void fill(u32 length) {
    static_assert(bit::kListedSymbols % 4 == 0);
    auto* const words = reinterpret_cast<u32*>(lists_.lengths);
    for (u32 i = simt::lane(); i < bit::kListedSymbols / 4; i += kWarpSize) {
      words[i] = length * 0x01010101u;
    }
    simt::warp_sync();
  }

  PRESSO_DEVICE Item look_up(u32 at) const {
    constexpr u32 kMostBits = bit::kListLimit + 7;
    const u32 bits = words_.bits(at, kMostBits);
    const u32 entry = lists_.list[bits & mask_];
    const u32 symbol = entry >> 8;
    const u32 length = entry & 255u;
    const bit::Run run = symbol >= bit::kRepeatLength ? bit::run_of(symbol) : bit::Run{1, 0};
    return {symbol, length + run.extra_bits,
            run.least + ((bits >> length) & ((1u << run.extra_bits) - 1))};
  }

  /// Takes the 32 bits from `at` on, in which the first symbol begins at `skip`; `skip` becomes
  /// that of the next 32 bits.
  PRESSO_DEVICE bool step(u32 at, u32& skip) {
    const Item item = look_up(at + simt::lane());
    u32 begins = 0;
    PRESSO_NO_UNROLL
    while (skip < kWarpSize) {
      begins |= 1u << skip;
      skip += simt::shuffle(item.bits, skip);
    }
    skip -= kWarpSize;
    const bool is_item = (begins >> simt::lane() & 1) != 0;
    const u32 count = is_item ? item.count : 0;
    const u32 upto = done_ + simt::inclusive_sum(count);
    const u32 place = upto - count;
    // After the last length there is padding.
    const bool is_listed = is_item && place < bit::kListedSymbols;
    const u32 plain = simt::ballot(is_listed && item.symbol != bit::kRepeatLength);
    const u32 length = item.symbol < bit::kRepeatLength ? item.symbol : 0;
    const u32 owner = plain & ((2u << simt::lane()) - 1);
    const u32 repeated =
        simt::shuffle(length, kWarpSize - 1 - simt::count_leading_zeros(owner | 1));
    const u32 mine = owner != 0 ? repeated : last_;
    const bool is_bad = is_listed && (mine == kNone || upto > bit::kListedSymbols);
    if (simt::any(is_bad)) return false;
    if (is_listed && mine != 0) {
      for (u32 i = 0; i < count; ++i) lists_.lengths[place + i] = static_cast<Byte>(mine);
    }
    const u32 last = simt::ballot(is_listed && upto == bit::kListedSymbols);
    if (last != 0) {
      const u32 owner_of_last = simt::find_first_set(last) - 1;
      done_at_ = at + owner_of_last + simt::shuffle(item.bits, owner_of_last);
    }
    last_ = simt::shuffle(mine, kWarpSize - 1);
    const u32 all = simt::shuffle(upto, kWarpSize - 1);
    done_ = all < bit::kListedSymbols ? all : u32{bit::kListedSymbols};
    return true;
  }

  static constexpr u32 kNone = ~0u;

  const PayloadWords& words_;
  CodeLists& lists_;
  u32 mask_ = 0;
  u32 done_ = 0;     // lengths
  u32 done_at_ = 0;  // where the last symbol ends
  u32 last_ = kNone;
};

/// Builds the tables of an alphabet by one warp. False, in all lanes, means kBadTree.
template <class Tables>
class TableBuilder {
 public:
  PRESSO_DEVICE TableBuilder(const BlockPlan& plan, CodeLists& lists, Tables& tables)
      : plan_(plan), lists_(lists), tables_(tables) {}

  PRESSO_DEVICE bool build(u32 alphabet) {
    if (alphabet == bit::kLiterals) {
      return build<bit::kLiteralSymbols>(alphabet, plan_.literals > 0, tables_.literals,
                                         detail::LiteralMaker{});
    }
    if (alphabet == bit::kCommands) {
      return build<bit::kCommandSymbols>(alphabet, plan_.sequences > 0, tables_.commands,
                                         detail::CommandMaker{});
    }
    ValueEntry* const table = tables_.values[alphabet - bit::kLiteralLengths];
    const detail::ValueMaker make{bit::mantissa_of(alphabet)};
    const bool needed = is_led_to(alphabet);
    if (alphabet != bit::kOffsets) {
      return build<bit::kLengthSymbols>(alphabet, needed, table, make);
    }
    static_assert(bit::kOffsetSymbols - kFirstFarOffset == kWarpSize);
    const u32 far = bit::first_symbol(alphabet) + kFirstFarOffset + simt::lane();
    const u32 votes = simt::ballot(lists_.lengths[far] != 0);
    if (simt::lane() == 0) tables_.far = votes;
    return build<bit::kOffsetSymbols>(alphabet, needed, table, make);
  }

 private:
  /// Whether there is a command that something of this alphabet follows.
  PRESSO_DEVICE bool is_led_to(u32 alphabet) const {
    const Byte* const commands = lists_.lengths + bit::first_symbol(bit::kCommands);
    bool leads = false;
    for (u32 symbol = simt::lane(); symbol < bit::kCommandSymbols; symbol += kWarpSize) {
      leads = leads || (commands[symbol] != 0 && bit::leads_to(symbol, alphabet));
    }
    return simt::any(leads);
  }

  /// `needed`: whether the code must have symbols.
  template <u32 kSymbols, class Entry, class Make>
  PRESSO_DEVICE bool build(u32 alphabet, bool needed, Entry* table, Make make) {
    const u32 first = bit::first_symbol(alphabet);
    const CodeBuilder<kSymbols> builder(lists_.lengths + first, lists_.sorted + first);
    const bit::Shape shape = builder.shape(bit::code_of(plan_.bit, alphabet).limit);
    if (shape == bit::Shape::kBad || (shape == bit::Shape::kEmpty && needed)) return false;
    tables_.bits[alphabet] = builder.fill(shape, table, make);
    return true;
  }

  const BlockPlan& plan_;
  CodeLists& lists_;
  Tables& tables_;
};

}  // namespace presso::gpu
