// SPDX-License-Identifier: MIT
// LiteralSet: sorted literals, narrowed byte by byte. A hash table of prefixes leads into sets of
// at least kFewestToIndex (8) literals, unless case is ignored or one of them has a single byte.
#include "scan/literal/literal_set.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "scan/literal/literal_units.h"
#include "scan/unicode/unicode.h"

namespace presso::scan_detail {
namespace {

/// Reads the text in the form in which literals are stored, up to four bytes a step: byte by byte,
/// or one folded character at a time.
template <bool kFold>
struct Reader {
  Bytes text;
  std::size_t at;
  Byte unit[4] = {};

  /// Returns how many bytes are now in `unit`. 0 means the end of the text, or that it is not UTF-8
  /// there, and then nothing matches.
  std::uint32_t step() {
    if (at >= text.size()) return 0;
    const Byte byte = text[at];
    if (!kFold || byte < 0x80) {
      ++at;
      unit[0] = kFold ? static_cast<Byte>(fold(byte)) : byte;
      return 1;
    }
    const Decoded decoded = decode(text.data() + at, text.data() + text.size());
    if (decoded.bytes == 0) return 0;
    at += decoded.bytes;
    return encode(fold(decoded.code), unit);
  }
};

/// Sets with at least this many literals are entered by a hash of their first bytes.
constexpr std::size_t kFewestToIndex = 8;

bool is_outside_word(Decoded neighbour) {
  return neighbour.bytes != 0 && !is_word(neighbour.code);
}

}  // namespace

LiteralSet::LiteralSet(const std::vector<std::string>& literals, const PatternOptions& options)
    : ignore_case_(options.ignore_case), bounds_(options.bounds), crlf_(options.crlf) {
  std::uint32_t priority = 0;
  for (const std::string& literal : literals) {
    entries_.push_back({ignore_case_ ? folded(literal) : literal, priority++});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.priority < b.priority;
  });
  const auto same = [](const Entry& a, const Entry& b) { return a.bytes == b.bytes; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].bytes.empty()) continue;
    Range& range = by_first_byte_[static_cast<Byte>(entries_[i].bytes[0])];
    if (range.empty()) range.low = i;
    range.high = i + 1;
  }
  if (!ignore_case_ && entries_.size() >= kFewestToIndex) index_prefixes();
}

/// Makes the hash table of prefixes, which stays at most half full. Declines literals of one byte.
void LiteralSet::index_prefixes() {
  std::size_t shortest = sizeof(std::uint64_t);
  for (const Entry& entry : entries_) shortest = std::min(shortest, entry.bytes.size());
  if (shortest < 2) return;
  prefix_bytes_ = shortest;
  prefix_slots_log2_ = static_cast<unsigned>(std::bit_width(2 * entries_.size()));
  prefixes_.resize(std::size_t{1} << prefix_slots_log2_);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, entries_[i].bytes.data(), prefix_bytes_);
    Prefix& prefix = prefixes_[prefix_slot(bytes)];
    if (prefix.range.empty()) prefix = {bytes, {i, i}};
    prefix.range.high = i + 1;
  }
}

/// The slot in which the prefix is, or an empty one where it could be put (linear probing).
std::size_t LiteralSet::prefix_slot(std::uint64_t prefix) const {
  std::size_t slot = (prefix ^ prefix >> 29) * 0x9E3779B97F4A7C15u >> (64 - prefix_slots_log2_);
  while (!prefixes_[slot].range.empty() && prefixes_[slot].bytes != prefix) {
    slot = (slot + 1) & (prefixes_.size() - 1);
  }
  return slot;
}

/// The literals that begin with the bytes at `at`, of which there must be enough; empty if there
/// are none.
LiteralSet::Range LiteralSet::range_of_prefix(Bytes text, std::size_t at) const {
  std::uint64_t bytes = 0;
  if (text.size() - at >= sizeof bytes) {
    const std::size_t unwanted_bits = 8 * (sizeof bytes - prefix_bytes_);
    bytes = load<std::uint64_t>(text.data() + at) << unwanted_bits >> unwanted_bits;
  } else {
    std::memcpy(&bytes, text.data() + at, prefix_bytes_);
  }
  return prefixes_[prefix_slot(bytes)].range;
}

/// The end of the literal that matches at `begin`, the one that comes first in the caller's order;
/// nothing where none does.
std::optional<std::size_t> LiteralSet::match_at(Bytes text, std::size_t begin,
                                                std::size_t from) const {
  if (bounds_ != MatchBounds::kNone && !begins_well(text, begin, from)) return std::nullopt;
  if (ignore_case_) return find<true>(text, begin);
  return entries_.size() == 1 ? only_entry_at(text, begin) : find<false>(text, begin);
}

/// The comparison for a set of one literal, which needs no narrowing.
std::optional<std::size_t> LiteralSet::only_entry_at(Bytes text, std::size_t begin) const {
  const std::string& literal = entries_.front().bytes;
  if (text.size() - begin < literal.size()) return std::nullopt;
  if (std::memcmp(text.data() + begin, literal.data(), literal.size()) != 0) return std::nullopt;
  const std::size_t end = begin + literal.size();
  if (!ends_well(text, end)) return std::nullopt;
  return end;
}

/// Narrows the range of literals byte by byte. A literal that ends at the depth reached is a match
/// if its bounds hold there; the one that was given first among all that match is returned.
template <bool kFold>
std::optional<std::size_t> LiteralSet::find(Bytes text, std::size_t begin) const {
  Reader<kFold> reader{text, begin};
  Range range{0, static_cast<std::uint32_t>(entries_.size())};
  std::size_t depth = 0;
  if (!kFold && prefix_bytes_ > 0) {
    if (text.size() - begin < prefix_bytes_) return std::nullopt;
    range = range_of_prefix(text, begin);
    depth = prefix_bytes_;
    reader.at += depth;
  }
  std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
  std::size_t best_end = 0;
  while (!range.empty()) {
    const Entry& first = entries_[range.low];
    if (!kFold && range.is_one()) {
      if (rest_stands_at(first, depth, text, reader.at) && first.priority < best) {
        const std::size_t end = reader.at + first.bytes.size() - depth;
        if (ends_well(text, end)) return end;
      }
      break;
    }
    if (first.bytes.size() == depth) {
      if (first.priority < best && ends_well(text, reader.at)) {
        best = first.priority;
        best_end = reader.at;
      }
      ++range.low;
    }
    const std::uint32_t count = reader.step();
    if (count == 0) break;
    for (std::uint32_t i = 0; i < count && !range.empty(); ++i) {
      range = narrow(range, depth++, reader.unit[i]);
    }
  }
  if (best == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return best_end;
}

/// Whether the text at `at` goes on as the entry does after its first `depth` bytes.
bool LiteralSet::rest_stands_at(const Entry& entry, std::size_t depth, Bytes text,
                                std::size_t at) const {
  const std::size_t left = entry.bytes.size() - depth;
  if (text.size() - at < left) return false;
  if (left == 0) return true;
  // This is the usual case and needs no call for a few bytes: the eight bytes up to the end are
  // compared, of which those before `at` are known to be equal.
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (left <= kWord && entry.bytes.size() >= kWord) {
    const auto* rest = reinterpret_cast<const Byte*>(entry.bytes.data()) + depth;
    return load<std::uint64_t>(text.data() + at + left - kWord) ==
           load<std::uint64_t>(rest + left - kWord);
  }
  return std::memcmp(text.data() + at, entry.bytes.data() + depth, left) == 0;
}

/// The part of the range whose literals have `next` as their byte at `depth`.
LiteralSet::Range LiteralSet::narrow(Range range, std::size_t depth, Byte next) const {
  if (depth == 0) return by_first_byte_[next];
  const auto byte_at = [&](std::uint32_t i) { return static_cast<Byte>(entries_[i].bytes[depth]); };
  const auto first_not_below = [&](std::uint32_t low, std::uint32_t high, unsigned value) {
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (byte_at(middle) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  if (range.is_one()) return byte_at(range.low) == next ? range : Range{};
  const std::uint32_t low = first_not_below(range.low, range.high, next);
  return {low, first_not_below(low, range.high, next + 1u)};
}

/// Whether the match's beginning satisfies the bounds: kLine wants a line's beginning, kWord no
/// word character before it and that character at `from` or later.
bool LiteralSet::begins_well(Bytes text, std::size_t begin, std::size_t from) const {
  if (begin == 0 || text[begin - 1] == '\n') return true;
  if (bounds_ == MatchBounds::kLine) return false;
  const Decoded before = decode_last(text.data(), text.data() + begin);
  return is_outside_word(before) && begin - before.bytes >= from;
}

/// Whether the match's end satisfies the bounds; kNone always does.
bool LiteralSet::ends_well(Bytes text, std::size_t end) const {
  if (bounds_ == MatchBounds::kNone || end == text.size() || text[end] == '\n') return true;
  if (bounds_ == MatchBounds::kLine) return crlf_ && ends_before_crlf(text, end);
  return is_outside_word(decode(text.data() + end, text.data() + text.size()));
}

/// Whether the line ends here up to one '\r', as in ripgrep 13: that '\r' may stand before the
/// line's end, which is "\n", "\r\n" or the end of the text.
bool LiteralSet::ends_before_crlf(Bytes text, std::size_t end) const {
  const auto at = [&](std::size_t i) { return end + i < text.size() ? text[end + i] : Byte{'\n'}; };
  if (at(0) != '\r') return false;
  if (at(1) == '\n') return true;
  return at(1) == '\r' && end + 2 < text.size() && at(2) == '\n';
}

}  // namespace presso::scan_detail
