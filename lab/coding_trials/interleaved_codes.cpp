// SPDX-License-Identifier: MIT
#include "lab/coding_trials/interleaved_codes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "compress/encode/bit_writer.h"
#include "compress/encode/huffman_lengths.h"

namespace presso::trials {
namespace {

constexpr std::uint32_t kLanes = 32;

/// Calls take(alphabet, lane), which returns the symbol, for each one in its order.
template <class Take>
void take_all(std::uint32_t sequences, std::size_t symbols, Take take) {
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < sequences; ++i) {
    const std::uint32_t command =
        take(bit::kCommands, at++ % kLanes) - bit::first_symbol(bit::kCommands);
    for (std::uint32_t alphabet = bit::kLiteralLengths; alphabet <= bit::kOffsets; ++alphabet) {
      if (bit::leads_to(command, alphabet)) take(alphabet, at++ % kLanes);
    }
  }
  for (; at < symbols; ++at) take(bit::kLiterals, at % kLanes);
}

class Rans final : public InterleavedCode {
 public:
  std::uint64_t encode(const SymbolStreams& streams) override {
    for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
      make_model(streams.counts, alphabet);
    }
    words_.clear();
    states_.fill(kLeastState);
    for (std::size_t i = streams.symbols.size(); i > 0; --i) {
      put(states_[(i - 1) % kLanes], streams.symbols[i - 1]);
    }
    symbols_ = streams.symbols.size();
    return 16 * std::uint64_t{words_.size()} + 32 * std::uint64_t{kLanes};
  }

  /// Lengths are as many as frequencies' widths; the bits below the highest one are what is new.
  std::uint64_t model_bits() const override {
    std::uint64_t bits = 0;
    for (const Share& share : shares_) {
      if (share.size > 0) bits += std::bit_width(share.size) - 1;
    }
    return bits;
  }

  void decode(std::uint32_t sequences, std::vector<std::uint16_t>& symbols) const override {
    symbols.resize(symbols_);
    std::array<std::uint32_t, kLanes> states = states_;
    const std::uint16_t* next = words_.data() + words_.size();
    std::uint16_t* out = symbols.data();
    take_all(sequences, symbols_, [&](std::uint32_t alphabet, std::size_t lane) {
      std::uint32_t state = states[lane];
      const Slot slot = slots_[alphabet][state % kShares];
      state = slot.size * (state / kShares) + slot.rest;
      if (state < kLeastState) state = state << 16 | *--next;
      states[lane] = state;
      *out++ = slot.symbol;
      return std::uint32_t{slot.symbol};
    });
  }

 private:
  static constexpr unsigned kShareBits = 12;
  static constexpr std::uint32_t kShares = 1u << kShareBits;
  static constexpr std::uint32_t kLeastState = 1u << 16;

  struct Share {
    std::uint32_t size = 0, before = 0;
  };
  struct Slot {
    std::uint16_t symbol, size, rest;
  };

  void put(std::uint32_t& state, std::uint32_t symbol) {
    const Share share = shares_[symbol];
    if (state >= std::uint64_t{share.size} << (32 - kShareBits)) {
      words_.push_back(static_cast<std::uint16_t>(state));
      state >>= 16;
    }
    state = (state / share.size << kShareBits) + state % share.size + share.before;
  }

  /// Shares of 4096, one at least for what occurs; what rounding leaves goes where it saves most.
  void make_model(const Counts& counts, std::uint32_t alphabet) {
    const auto all = counts_of(counts, alphabet);
    const auto shares = std::span(shares_).subspan(bit::first_symbol(alphabet), all.size());
    const std::uint64_t total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    std::fill(shares.begin(), shares.end(), Share{});
    if (total == 0) return;
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == 0) continue;
      shares[i].size = std::max<std::uint32_t>(
          1, static_cast<std::uint32_t>((all[i] * std::uint64_t{kShares}) / total));
      used += shares[i].size;
    }
    const auto gain = [&](std::size_t i) { return double(all[i]) / (shares[i].size + 0.5); };
    const auto loss = [&](std::size_t i) {
      return shares[i].size > 1 ? double(all[i]) / (shares[i].size - 0.5) : 1e30;
    };
    for (; used != kShares; used < kShares ? ++used : --used) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (used < kShares ? gain(i) > gain(best) : loss(i) < loss(best)) best = i;
      }
      used < kShares ? ++shares[best].size : --shares[best].size;
    }
    fill_slots(alphabet, shares);
  }

  void fill_slots(std::uint32_t alphabet, std::span<Share> shares) {
    auto& slots = slots_[alphabet];
    slots.clear();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      shares[i].before = static_cast<std::uint32_t>(slots.size());
      for (std::uint32_t rest = 0; rest < shares[i].size; ++rest) {
        slots.push_back({static_cast<std::uint16_t>(bit::first_symbol(alphabet) + i),
                         static_cast<std::uint16_t>(shares[i].size),
                         static_cast<std::uint16_t>(rest)});
      }
    }
  }

  PerSymbol<Share> shares_;
  std::array<std::vector<Slot>, bit::kAlphabets> slots_;
  std::array<std::uint32_t, kLanes> states_{};
  std::vector<std::uint16_t> words_;  ///< read from the end
  std::size_t symbols_ = 0;
};

class Huffman final : public InterleavedCode {
 public:
  std::uint64_t encode(const SymbolStreams& streams) override {
    for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
      make_code(streams.counts, alphabet);
    }
    symbols_ = streams.symbols.size();
    std::uint64_t bits = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      lanes_[lane].clear();
      BitWriter to(lanes_[lane]);
      for (std::size_t i = lane; i < symbols_; i += kLanes) {
        to.put(words_[streams.symbols[i]].word, words_[streams.symbols[i]].length);
      }
      bits += to.bits();
      to.finish();
      lanes_[lane].append(Bytes(kPadding));
    }
    return bits + kLanes * kSizeBits;
  }

  std::uint64_t model_bits() const override { return 0; }

  void decode(std::uint32_t sequences, std::vector<std::uint16_t>& symbols) const override {
    symbols.resize(symbols_);
    struct Lane {
      const Byte* from;
      std::uint32_t at = 0;  // in bits
    };
    std::array<Lane, kLanes> lanes;
    for (std::uint32_t i = 0; i < kLanes; ++i) lanes[i] = {lanes_[i].bytes().data()};
    std::uint16_t* out = symbols.data();
    take_all(sequences, symbols_, [&](std::uint32_t alphabet, std::size_t number) {
      Lane& lane = lanes[number];
      const auto bits = load<std::uint32_t>(lane.from + lane.at / 8) >> lane.at % 8;
      const Entry entry = entries_[alphabet][bits % entries_[alphabet].size()];
      lane.at += entry.length;
      *out++ = entry.symbol;
      return std::uint32_t{entry.symbol};
    });
  }

 private:
  static constexpr unsigned kSizeBits = 11;  ///< of a lane's size: what they are in practice
  static constexpr Byte kPadding[4] = {};

  struct Entry {
    std::uint16_t symbol, length;
  };

  static unsigned limit_of(std::uint32_t alphabet) {
    const BitParameters parameters;
    if (alphabet == bit::kCommands) return parameters.command_limit;
    return alphabet == bit::kLiterals ? parameters.literal_limit : parameters.sequence_limit;
  }

  void make_code(const Counts& counts, std::uint32_t alphabet) {
    const std::uint32_t first = bit::first_symbol(alphabet), limit = limit_of(alphabet);
    std::vector<Byte> lengths(bit::symbols_of(alphabet));
    limited_code_lengths(counts_of(counts, alphabet), limit, lengths);
    const auto words = std::span(words_).subspan(first, lengths.size());
    assign_words(lengths, words);
    auto& entries = entries_[alphabet];
    entries.assign(1u << limit, Entry{});
    for (std::uint32_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] == 0) continue;
      for (std::size_t at = words[i].word; at < entries.size(); at += 1u << words[i].length) {
        entries[at] = {static_cast<std::uint16_t>(first + i), words[i].length};
      }
    }
  }

  PerSymbol<CodeWord> words_;
  std::array<std::vector<Entry>, bit::kAlphabets> entries_;
  std::array<Buffer, kLanes> lanes_;
  std::size_t symbols_ = 0;
};

}  // namespace

std::unique_ptr<InterleavedCode> make_rans() {
  return std::make_unique<Rans>();
}
std::unique_ptr<InterleavedCode> make_huffman() {
  return std::make_unique<Huffman>();
}

}  // namespace presso::trials
