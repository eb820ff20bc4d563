// SPDX-License-Identifier: MIT
#include "scan/stride_probe.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace presso::scan_detail {
namespace {

constexpr std::size_t kMostPrefixBytes = sizeof(std::uint64_t);

/// For random text a window passes one time in 16 to 32, a prefix likewise.
constexpr std::size_t kPlacesAnEntry = 16;

std::uint64_t mixed(std::uint64_t window) {
  return window * 0x9E3779B97F4A7C15u;
}
/// As many bytes of a word as the probe asks for, at the top, where a product mixes best.
std::uint64_t prefix_of(const StrideProbe& probe, std::uint64_t bytes) {
  return bytes << (8 * (kMostPrefixBytes - probe.prefix_bytes));
}
std::uint64_t mixed_prefix(std::uint64_t prefix) {
  return mixed(prefix ^ prefix >> 29);
}

std::uint64_t as_number(const std::string& window) {
  std::uint64_t number = 0;
  std::memcpy(&number, window.data(), window.size());
  return number;
}

std::uint32_t places_log2(std::size_t entries, std::uint32_t most) {
  return std::clamp(static_cast<std::uint32_t>(std::bit_width(kPlacesAnEntry * entries)), 12u,
                    most);
}

/// By offset, the windows of all literals there.
using Windows = std::vector<std::vector<std::string>>;

Windows windows_of(const std::vector<Units>& literals, std::size_t offsets, std::size_t width) {
  Windows all(offsets);
  for (std::size_t offset = 0; offset < offsets; ++offset) {
    for (const Units& literal : literals) {
      const std::vector<std::string> here = windows(literal, offset, width);
      all[offset].insert(all[offset].end(), here.begin(), here.end());
    }
    std::sort(all[offset].begin(), all[offset].end());
    all[offset].erase(std::unique(all[offset].begin(), all[offset].end()), all[offset].end());
  }
  return all;
}

void fill_offsets(const Windows& all, StrideProbe& probe) {
  std::size_t entries = 0;
  for (const auto& list : all) entries += list.size();
  probe.windows_log2 = places_log2(entries, 20);
  probe.offsets.assign(std::size_t{1} << probe.windows_log2, 0);
  for (std::size_t offset = 0; offset < all.size(); ++offset) {
    for (const std::string& window : all[offset]) {
      Byte& place = probe.offsets[mixed(as_number(window)) >> (64 - probe.windows_log2)];
      place = static_cast<Byte>(place | 1u << offset);
    }
  }
}

void fill_prefixes(const std::vector<std::string>& all, StrideProbe& probe) {
  probe.prefixes_log2 = places_log2(all.size(), 24);
  probe.prefixes.assign((std::size_t{1} << probe.prefixes_log2) / 64, 0);
  for (const std::string& prefix : all) {
    const std::uint64_t hash =
        mixed_prefix(prefix_of(probe, as_number(prefix))) >> (64 - probe.prefixes_log2);
    probe.prefixes[hash / 64] |= std::uint64_t{1} << (hash % 64);
  }
}

/// The probe with its numbers in registers.
class Sweep {
 public:
  Sweep(const StrideProbe& probe, Bytes text, std::size_t limit, CandidateBatch& batch)
      : probe_(probe), text_(text), limit_(limit), batch_(batch) {}

  std::size_t run(std::size_t from) {
    const std::size_t stride = probe_.stride;
    const std::size_t end = text_.size() - StrideProbe::kWindowBytes + 1;
    std::size_t at = from + stride - 1;
    while (at + 3 * stride < end) {
      const unsigned any = offsets_at(at) | offsets_at(at + stride) | offsets_at(at + 2 * stride) |
                           offsets_at(at + 3 * stride);
      if (any != 0) {
        for (const std::size_t behind = at + 4 * stride; at < behind; at += stride) {
          if (take(at)) return std::min(at + 1, limit_);
        }
      } else {
        at += 4 * stride;
      }
    }
    for (; at < end; at += stride) {
      if (take(at)) return std::min(at + 1, limit_);
    }
    return limit_;
  }

 private:
  unsigned offsets_at(std::size_t at) const {
    const std::uint64_t window = load<std::uint32_t>(text_.data() + at);
    return offsets_[mixed(window) >> shift_];
  }

  /// True where it has added candidates: ascending, so by falling offset.
  bool take(std::size_t at) {
    unsigned offsets = offsets_at(at);
    while (offsets != 0) {
      const auto offset = static_cast<unsigned>(std::bit_width(offsets)) - 1;
      offsets ^= 1u << offset;
      const std::size_t begin = at - offset;
      if (begin < limit_ && prefix_passes(begin)) batch_.at[batch_.count++] = begin;
    }
    return batch_.count > 0;
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
  const Byte* const offsets_ = probe_.offsets.data();
  const unsigned shift_ = 64 - probe_.windows_log2;
};

}  // namespace

std::optional<StrideProbe> plan_strides(const std::vector<Units>& literals, bool ignore_case) {
  StrideProbe probe;
  probe.shortest = std::numeric_limits<std::size_t>::max();
  std::size_t offsets = StrideProbe::kMostStride;
  for (const Units& literal : literals) {
    const std::size_t bytes = min_bytes(literal);
    if (bytes <= StrideProbe::kWindowBytes) return std::nullopt;
    probe.shortest = std::min(probe.shortest, bytes);
    offsets =
        std::min({offsets, bytes - StrideProbe::kWindowBytes + 1, fixed_prefix_bytes(literal) + 1});
  }
  if (offsets < 2) return std::nullopt;
  probe.stride = offsets;
  // Of letters in two cases longer prefixes would be too many.
  probe.prefix_bytes =
      ignore_case ? StrideProbe::kWindowBytes : std::min(probe.shortest, kMostPrefixBytes);
  fill_offsets(windows_of(literals, probe.stride, StrideProbe::kWindowBytes), probe);
  fill_prefixes(windows_of(literals, 1, probe.prefix_bytes).front(), probe);
  return probe;
}

std::size_t find_strided(const StrideProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                         CandidateBatch& batch) {
  if (from >= limit) return limit;
  return Sweep(probe, text, limit, batch).run(from);
}

}  // namespace presso::scan_detail
