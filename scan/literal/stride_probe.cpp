// SPDX-License-Identifier: MIT
// The tables of a StrideProbe and the sweep that looks windows up in them.
#include "scan/literal/stride_probe.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace presso::scan_detail {
namespace {

constexpr std::size_t kMostPrefixBytes = sizeof(std::uint64_t);

/// Places of a hash table for each entry: in random text a window passes one time in 32 to 64, and
/// a prefix as often (scan/NOTES.md).
constexpr std::size_t kPlacesAnEntry = 32;

std::uint64_t mixed(std::uint64_t window) {
  return window * 0x9E3779B97F4A7C15u;
}
/// The first prefix_bytes of a word, moved to its top, where a product mixes best.
std::uint64_t prefix_of(const StrideProbe& probe, std::uint64_t bytes) {
  return bytes << (8 * (kMostPrefixBytes - probe.prefix_bytes));
}
std::uint64_t mixed_prefix(std::uint64_t prefix) {
  return mixed(prefix ^ prefix >> 29);
}

std::uint64_t probe_number(const std::string& window) {
  std::uint64_t number = 0;
  std::memcpy(&number, window.data(), window.size());
  return number;
}

std::uint32_t places_log2(std::size_t entries, std::uint32_t most) {
  return std::clamp(static_cast<std::uint32_t>(std::bit_width(kPlacesAnEntry * entries)), 12u,
                    most);
}

/// For each offset, the windows that literals have there.
using Windows = std::vector<std::vector<std::string>>;

/// For each offset the windows of all literals, sorted and different.
Windows windows_of(const std::vector<LiteralUnits>& literals, std::size_t offsets,
                   std::size_t width) {
  Windows all(offsets);
  for (std::size_t offset = 0; offset < offsets; ++offset) {
    for (const LiteralUnits& literal : literals) {
      const std::vector<std::string> here = windows(literal, offset, width);
      all[offset].insert(all[offset].end(), here.begin(), here.end());
    }
    std::sort(all[offset].begin(), all[offset].end());
    all[offset].erase(std::unique(all[offset].begin(), all[offset].end()), all[offset].end());
  }
  return all;
}

/// Fills the table of windows; different windows with one hash share a place, which costs
/// candidates but loses none.
void fill_begins(const Windows& all, StrideProbe& probe) {
  std::size_t entries = 0;
  for (const auto& list : all) entries += list.size();
  probe.windows_log2 = places_log2(entries, 20);
  probe.begins.assign(std::size_t{1} << probe.windows_log2, 0);
  for (std::size_t offset = 0; offset < all.size(); ++offset) {
    for (const std::string& window : all[offset]) {
      Byte& place = probe.begins[mixed(probe_number(window)) >> (64 - probe.windows_log2)];
      place = static_cast<Byte>(place | 1u << (all.size() - 1 - offset));
    }
  }
}

/// Fills the Bloom filter of the literals' first bytes.
void fill_prefixes(const std::vector<std::string>& all, StrideProbe& probe) {
  probe.prefixes_log2 = places_log2(all.size(), 24);
  probe.prefixes.assign((std::size_t{1} << probe.prefixes_log2) / 64, 0);
  for (const std::string& prefix : all) {
    const std::uint64_t hash =
        mixed_prefix(prefix_of(probe, probe_number(prefix))) >> (64 - probe.prefixes_log2);
    probe.prefixes[hash / 64] |= std::uint64_t{1} << (hash % 64);
  }
}

/// One sweep, with the probe's numbers in registers. Four places are looked at in a step, and what
/// the table says about them is put into one word: a byte for each place, whose lowest bit is the
/// earliest begin. So the order of its bits is the order of the begins, and the step has one branch
/// for all four places.
class Sweep {
 public:
  Sweep(const StrideProbe& probe, Bytes text, std::size_t limit, CandidateBatch& batch)
      : probe_(probe), text_(text), limit_(limit), batch_(batch) {}

  /// Sweeps every stride-th place and notes, for windows that pass, where a literal would begin.
  std::size_t run(std::size_t from) {
    const std::size_t stride = probe_.stride;
    const std::size_t end = text_.size() - StrideProbe::kWindowBytes + 1;
    std::size_t at = from + stride - 1;
    for (; at + 3 * stride < end; at += 4 * stride) {
      const std::uint32_t begins = begins_at(at) | begins_at(at + stride) << 8 |
                                   begins_at(at + 2 * stride) << 16 |
                                   begins_at(at + 3 * stride) << 24;
      if (begins == 0) continue;
      if (const std::size_t next = take(at, begins)) return std::min(next, limit_);
    }
    for (; at < end; at += stride) {
      if (const std::size_t next = take(at, begins_at(at))) return std::min(next, limit_);
    }
    return limit_;
  }

 private:
  std::uint32_t begins_at(std::size_t at) const {
    const std::uint64_t window = load<std::uint32_t>(text_.data() + at);
    return begins_[mixed(window) >> shift_];
  }

  /// Adds the literals that begin at one of the places, which are `at` and those a stride apart
  /// after it. Returns where to go on if it has added candidates, else 0.
  std::size_t take(std::size_t at, std::uint32_t begins) {
    const std::size_t first = at + 1 - probe_.stride;
    std::size_t next = 0;
    for (; begins != 0; begins &= begins - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(begins));
      const std::size_t place = bit / 8 * probe_.stride;
      if (next != 0 && next != at + place + 1) break;
      const std::size_t begin = first + place + bit % 8;
      if (begin >= limit_ || !prefix_passes(begin)) continue;
      batch_.at[batch_.count++] = begin;
      next = at + place + 1;
    }
    return next;
  }

  bool prefix_passes(std::size_t begin) const {
    std::uint64_t bytes = 0;
    if (begin + kMostPrefixBytes <= text_.size()) {
      bytes = load<std::uint64_t>(text_.data() + begin);
    } else {
      std::memcpy(&bytes, text_.data() + begin, text_.size() - begin);
    }
    const std::uint64_t hash =
        mixed_prefix(prefix_of(probe_, bytes)) >> (64 - probe_.prefixes_log2);
    return (probe_.prefixes[hash / 64] >> (hash % 64) & 1) != 0;
  }

  const StrideProbe& probe_;
  const Bytes text_;
  const std::size_t limit_;
  CandidateBatch& batch_;
  const Byte* const begins_ = probe_.begins.data();
  const unsigned shift_ = 64 - probe_.windows_log2;
};

}  // namespace

std::optional<StrideProbe> plan_strides(const std::vector<LiteralUnits>& literals,
                                        bool ignore_case) {
  StrideProbe probe;
  probe.shortest = std::numeric_limits<std::size_t>::max();
  std::size_t offsets = StrideProbe::kMostStride;
  for (const LiteralUnits& literal : literals) {
    const std::size_t bytes = min_bytes(literal);
    if (bytes <= StrideProbe::kWindowBytes) return std::nullopt;
    probe.shortest = std::min(probe.shortest, bytes);
    offsets =
        std::min({offsets, bytes - StrideProbe::kWindowBytes + 1, fixed_prefix_bytes(literal) + 1});
  }
  if (offsets < 2) return std::nullopt;
  probe.stride = offsets;
  // With letters in two cases there would be too many longer prefixes.
  probe.prefix_bytes =
      ignore_case ? StrideProbe::kWindowBytes : std::min(probe.shortest, kMostPrefixBytes);
  fill_begins(windows_of(literals, probe.stride, StrideProbe::kWindowBytes), probe);
  fill_prefixes(windows_of(literals, 1, probe.prefix_bytes).front(), probe);
  return probe;
}

std::size_t find_strided(const StrideProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                         CandidateBatch& batch) {
  if (from >= limit) return limit;
  return Sweep(probe, text, limit, batch).run(from);
}

}  // namespace presso::scan_detail
