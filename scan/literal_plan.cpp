// SPDX-License-Identifier: MIT
#include "scan/literal_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace presso::scan_detail {
namespace {

constexpr std::size_t kMaxNibbleLiterals = 64;
constexpr std::size_t kBuckets = 8;
/// Probes look at the first bytes of long literals only, which keeps kMaxReach.
constexpr std::size_t kMaxOffset = 96;
static_assert(kMaxOffset + sizeof(std::uint32_t) <= kMaxReach);

// --- One literal ------------------------------------------------------------------------------

/// Units [begin, end), all of fixed size.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A place of a pair probe and how often text passes it.
struct RatedPlace {
  PairProbe::Place place;
  double probability = 1;
};

RatedPlace rate_place(const Unit& unit, std::size_t byte, std::size_t offset) {
  const auto first = static_cast<Byte>(unit.variants.front()[byte]);
  Byte differing = 0;
  for (const std::string& variant : unit.variants) {
    differing = static_cast<Byte>(differing | (static_cast<Byte>(variant[byte]) ^ first));
  }
  RatedPlace rated;
  rated.place.offset = static_cast<std::uint32_t>(offset);
  rated.place.mask = static_cast<Byte>(~differing);
  rated.place.value = static_cast<Byte>(first & rated.place.mask);
  rated.probability = 0;
  for (unsigned value = 0; value < 256; ++value) {
    if ((value & rated.place.mask) == rated.place.value) {
      rated.probability += byte_probability(static_cast<unsigned char>(value));
    }
  }
  return rated;
}

/// The two rarest places of the stretch; offsets count from its first byte.
std::pair<RatedPlace, RatedPlace> rarest_places(const Units& units, Stretch stretch) {
  std::vector<RatedPlace> places;
  std::size_t offset = 0;
  for (std::size_t i = stretch.begin; i < stretch.end && offset < kMaxOffset; ++i) {
    for (std::size_t byte = 0; byte < units[i].min_bytes(); ++byte) {
      places.push_back(rate_place(units[i], byte, offset++));
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const RatedPlace& a, const RatedPlace& b) {
    return a.probability < b.probability;
  });
  if (places.size() == 1) return {places[0], {places[0].place, 1}};
  return {places[0], places[1]};
}

std::vector<Stretch> fixed_stretches(const Units& units) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < units.size();) {
    Stretch stretch{i, i};
    while (stretch.end < units.size() && units[stretch.end].has_fixed_size()) ++stretch.end;
    if (stretch.end > stretch.begin) stretches.push_back(stretch);
    i = stretch.end + 1;
  }
  return stretches;
}

/// False where no letter of the literal has a fixed size ("ss" with case ignored).
bool plan_pair(const Units& units, LiteralPlan& plan) {
  double best = std::numeric_limits<double>::max();
  for (const Stretch stretch : fixed_stretches(units)) {
    const auto [first, second] = rarest_places(units, stretch);
    const double probability = first.probability * second.probability;
    if (probability >= best) continue;
    best = probability;
    PairProbe probe{first.place, second.place};
    plan.characters_before = stretch.begin;
    plan.reach = std::max(probe.first.offset, probe.second.offset);
    plan.probe = probe;
  }
  return best != std::numeric_limits<double>::max();
}

/// Where everything before the stretch has a fixed size too, offsets can count from the beginning.
void anchor_at_beginning(const Units& units, LiteralPlan& plan) {
  const Units before(units.begin(),
                     units.begin() + static_cast<std::ptrdiff_t>(plan.characters_before));
  const std::size_t bytes = min_bytes(before);
  if (bytes != fixed_prefix_bytes(before) || bytes + plan.reach > kMaxOffset) return;
  PairProbe& probe = std::get<PairProbe>(plan.probe);
  probe.first.offset += static_cast<std::uint32_t>(bytes);
  probe.second.offset += static_cast<std::uint32_t>(bytes);
  plan.reach += bytes;
  plan.characters_before = 0;
}

// --- Several literals -------------------------------------------------------------------------

/// The windows of all literals at one offset, one list for each literal.
using AllWindows = std::vector<std::vector<std::string>>;

AllWindows all_windows(const std::vector<Units>& literals, std::size_t offset, std::size_t width) {
  AllWindows result;
  for (const Units& units : literals) result.push_back(windows(units, offset, width));
  return result;
}

/// How often text is expected to show one of the windows; equal ones count once.
double expected_hits(const AllWindows& all) {
  std::vector<std::string> distinct;
  for (const auto& list : all) distinct.insert(distinct.end(), list.begin(), list.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  double total = 0;
  for (const std::string& window : distinct) {
    double probability = 1;
    for (const char byte : window) probability *= byte_probability(static_cast<Byte>(byte));
    total += probability;
  }
  return total;
}

/// The offset, common to all literals, at which their windows are rarest.
std::size_t best_offset(const std::vector<Units>& literals, std::size_t width,
                        std::size_t shortest) {
  std::size_t limit = std::min(shortest - width, kMaxOffset);
  for (const Units& units : literals) limit = std::min(limit, fixed_prefix_bytes(units));
  // Trying every offset of thousands of literals would cost more than it gains.
  limit = std::min<std::size_t>(limit, literals.size() > 1000 ? 8 : 32);
  std::size_t best = 0;
  double fewest = std::numeric_limits<double>::max();
  for (std::size_t offset = 0; offset <= limit; ++offset) {
    const double hits = expected_hits(all_windows(literals, offset, width));
    if (hits >= fewest) continue;
    fewest = hits;
    best = offset;
  }
  return best;
}

/// Literals with similar windows share a bucket: fewer nibbles a bucket, fewer false candidates.
void fill_nibbles(const AllWindows& all, NibbleProbe& probe) {
  std::vector<std::string> sorted;
  for (const auto& list : all) sorted.insert(sorted.end(), list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto bucket = static_cast<Byte>(1u << (i * kBuckets / sorted.size()));
    for (std::size_t place = 0; place < probe.width; ++place) {
      const auto byte = static_cast<Byte>(sorted[i][place]);
      probe.low[place][byte & 15] = static_cast<Byte>(probe.low[place][byte & 15] | bucket);
      probe.high[place][byte >> 4] = static_cast<Byte>(probe.high[place][byte >> 4] | bucket);
    }
  }
}

void plan_nibbles(const std::vector<Units>& literals, std::size_t shortest, LiteralPlan& plan) {
  NibbleProbe probe;
  probe.width = static_cast<std::uint32_t>(std::min(shortest, NibbleProbe::kMaxWidth));
  probe.offset = static_cast<std::uint32_t>(best_offset(literals, probe.width, shortest));
  fill_nibbles(all_windows(literals, probe.offset, probe.width), probe);
  plan.reach = probe.offset + probe.width - 1;
  plan.probe = probe;
}

std::uint32_t as_number(const std::string& window) {
  std::uint32_t number = 0;
  std::memcpy(&number, window.data(), window.size());
  return number;
}

void plan_hashes(const std::vector<Units>& literals, std::size_t shortest, LiteralPlan& plan) {
  HashProbe probe;
  probe.width = static_cast<std::uint32_t>(std::min<std::size_t>(shortest, 4));
  probe.offset = static_cast<std::uint32_t>(best_offset(literals, probe.width, shortest));
  const AllWindows all = all_windows(literals, probe.offset, probe.width);
  std::size_t count = 0;
  for (const auto& list : all) count += list.size();
  // 16 bits an entry: two hashes pass 1.5 % of what is not there. At most 2 MiB.
  probe.bits_log2 =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(std::bit_width(16 * count), 12, 24));
  probe.filter.resize((std::size_t{1} << probe.bits_log2) / 64);
  for (const auto& list : all) {
    for (const std::string& window : list) probe.insert(as_number(window));
  }
  plan.reach = probe.offset + probe.width - 1;
  plan.probe = std::move(probe);
}

struct HashPlaces {
  std::uint32_t first, second;
};

HashPlaces places(const HashProbe& probe, std::uint32_t window) {
  const std::uint64_t mixed = window * 0x9E3779B97F4A7C15u;
  return {
      static_cast<std::uint32_t>(mixed >> (64 - probe.bits_log2)),
      static_cast<std::uint32_t>(mixed >> (40 - probe.bits_log2)) & ((1u << probe.bits_log2) - 1)};
}

}  // namespace

void HashProbe::insert(std::uint32_t window) {
  const HashPlaces at = places(*this, window);
  filter[at.first / 64] |= std::uint64_t{1} << (at.first % 64);
  filter[at.second / 64] |= std::uint64_t{1} << (at.second % 64);
}

bool HashProbe::contains(std::uint32_t window) const {
  const HashPlaces at = places(*this, window);
  if ((filter[at.first / 64] >> (at.first % 64) & 1) == 0) return false;
  return (filter[at.second / 64] >> (at.second % 64) & 1) != 0;
}

std::uint32_t HashProbe::window_at(const Byte* at) const {
  std::uint32_t window = 0;
  std::memcpy(&window, at, width);
  return window;
}

std::size_t find_hashes(const HashProbe& probe, const Byte* text, std::size_t from,
                        std::size_t limit, CandidateBatch& batch) {
  const std::uint32_t mask = ~0u >> (32 - 8 * probe.width);
  const Byte* const at = text + probe.offset;
  // While four bytes can be read whatever the width.
  const std::size_t wide_limit = limit > 3 ? limit - 3 : 0;
  for (; from < limit; ++from) {
    const std::uint32_t window =
        from < wide_limit ? load<std::uint32_t>(at + from) & mask : probe.window_at(at + from);
    if (!probe.contains(window)) continue;
    if (!batch.has_room()) return from;
    batch.at[batch.count++] = from;
  }
  return from;
}

LiteralPlan plan_literals(const std::vector<std::string>& literals, bool ignore_case) {
  LiteralPlan plan;
  std::vector<Units> all;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const std::string& literal : literals) {
    all.push_back(units_of(literal, ignore_case));
    shortest = std::min(shortest, min_bytes(all.back()));
  }
  if (all.empty()) return plan;
  if (shortest == 0) {
    plan.probe = EverywhereProbe{};
  } else if (all.size() == 1 && plan_pair(all.front(), plan)) {
    anchor_at_beginning(all.front(), plan);
  } else if (all.size() <= kMaxNibbleLiterals) {
    plan_nibbles(all, shortest, plan);
  } else {
    plan_hashes(all, shortest, plan);
  }
  return plan;
}

}  // namespace presso::scan_detail
