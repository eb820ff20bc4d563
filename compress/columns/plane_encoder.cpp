// SPDX-License-Identifier: MIT
// PlaneEncoder: which plan is smallest is judged by the entropy of the bytes of each plane, and
// between the two best by coding a sample. Blocks of up to kSampleRows rows are the sample
// themselves.
#include "compress/columns/plane_encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "format/columns/integer_layout.h"
#include "format/columns/row_group.h"
#include "format/columns/short_header.h"
#include "format/cpu_loops.h"

namespace presso {
namespace {

constexpr std::size_t kSampleRows = 8192;
/// Plans for a large block whose estimate is greater than this many times the limit are not coded.
constexpr double kMostOverLimit = 1.5;
/// A dictionary has at most this share of the numbers as entries.
constexpr std::size_t kShareOfEntries = 3;
/// Estimates of what a plane takes beside its content: header and code.
constexpr double kPlaneOverhead = 24;
constexpr double kSymbolOverhead = 0.4;
/// Planes are left raw where the entropy saves less than this share.
constexpr double kLeastPlaneGain = 0.01;
constexpr std::size_t kFewRows = 4096;  ///< matches are looked for whatever the entropy is
/// Doubles by which exponents are chosen.
constexpr std::size_t kSampledDoubles = 256;

using Counts = std::array<std::uint32_t, 256>;

Counts counts_of(Bytes plane) {
  // Four tables, since counting equal bytes in one waits for the store before.
  std::array<Counts, 4> tables{};
  std::size_t i = 0;
  for (; i + 4 <= plane.size(); i += 4) {
    ++tables[0][plane[i]];
    ++tables[1][plane[i + 1]];
    ++tables[2][plane[i + 2]];
    ++tables[3][plane[i + 3]];
  }
  for (; i < plane.size(); ++i) ++tables[0][plane[i]];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    tables[0][byte] += tables[1][byte] + tables[2][byte] + tables[3][byte];
  }
  return tables[0];
}

/// The bytes that a Huffman code of these counts takes about, without its description.
double entropy_bytes(const Counts& counts, std::size_t rows) {
  double bits = 0;
  for (const std::uint32_t count : counts) {
    if (count != 0) bits += count * std::log2(static_cast<double>(rows) / count);
  }
  return bits / 8;
}

double estimate_plane(Bytes plane) {
  const Counts counts = counts_of(plane);
  const auto symbols = static_cast<double>(
      std::count_if(counts.begin(), counts.end(), [](std::uint32_t count) { return count != 0; }));
  if (symbols == 1) return 2;
  const double coded = entropy_bytes(counts, plane.size()) + symbols * kSymbolOverhead;
  return std::min(coded + kPlaneOverhead, static_cast<double>(plane.size()));
}

std::uint32_t planes_of(std::span<const std::uint64_t> numbers) {
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all |= number;
  return (static_cast<std::uint32_t>(std::bit_width(all)) + 7) / 8;
}

void cut_plane(std::span<const std::uint64_t> numbers, std::uint32_t rank,
               std::vector<Byte>& plane) {
  plane.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    plane[i] = static_cast<Byte>(numbers[i] >> (8 * rank));
  }
}

/// Numbers without base, divisor and steps, as they are cut into planes.
struct Reduced {
  std::vector<std::uint64_t> numbers;
  std::uint64_t base = 0;
};

/// `divisor`: one of all differences.
Reduced reduced(std::span<const std::uint64_t> numbers, bool steps, std::uint64_t divisor,
                bool has_order) {
  Reduced result;
  result.numbers.resize(numbers.size());
  if (steps) {
    result.base = numbers.front();
    std::uint64_t last = result.base;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto step = static_cast<std::int64_t>(numbers[i] - last);
      if (divisor != 1) step /= static_cast<std::int64_t>(divisor);
      result.numbers[i] = zigzag(step);
      last = numbers[i];
    }
    return result;
  }
  // The least of bits that have no order means nothing.
  if (has_order) {
    std::int64_t least = static_cast<std::int64_t>(numbers.front());
    for (const std::uint64_t number : numbers) {
      least = std::min(least, static_cast<std::int64_t>(number));
    }
    result.base = static_cast<std::uint64_t>(least);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t above = numbers[i] - result.base;
    result.numbers[i] = divisor == 1 ? above : above / divisor;
  }
  return result;
}

/// Images of the values: 64 bits each, with the sign of integers extended. Rows without a value
/// have that of the row before.
template <class T>
void load_images(const PlaneInput& input, std::vector<std::uint64_t>& images) {
  const auto has_value = [&](std::uint32_t row) {
    return input.validity == nullptr || (input.validity[row / 8] >> (row % 8) & 1) != 0;
  };
  const auto image_of = [&](std::uint32_t row) {
    const auto value = load<T>(input.values + sizeof(T) * row);
    if (!input.is_signed || input.floating) return std::uint64_t{value};
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::make_signed_t<T>>(value)});
  };
  std::uint32_t first = 0;
  while (first + 1 < input.rows && !has_value(first)) ++first;
  std::uint64_t last = image_of(first);
  for (std::uint32_t row = 0; row < input.rows; ++row) {
    if (has_value(row)) last = image_of(row);
    images[row] = last;
  }
}

void load_images(const PlaneInput& input, std::vector<std::uint64_t>& images) {
  images.resize(input.rows);
  switch (input.width_bytes) {
    case 1:
      return load_images<std::uint8_t>(input, images);
    case 2:
      return load_images<std::uint16_t>(input, images);
    case 4:
      return load_images<std::uint32_t>(input, images);
    default:
      return load_images<std::uint64_t>(input, images);
  }
}

/// The integers of doubles, and what does not come back from them.
struct Decimals {
  std::vector<std::uint64_t> integers;
  std::vector<std::uint32_t> exceptions;
};

Decimals decimals_of(std::span<const std::uint64_t> images, AlpExponents exponents) {
  std::vector<double> doubles(images.size());
  std::memcpy(doubles.data(), images.data(), images.size() * sizeof(double));
  std::vector<std::int64_t> integers(images.size());
  loops_for<IntegerLoops>(cpu_level())
      .alp(doubles.data(), static_cast<std::uint32_t>(doubles.size()), exponents.e, exponents.f,
           integers.data());
  Decimals decimals;
  decimals.integers.resize(images.size());
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    // alp() marks exceptions by the least number there is.
    if (integers[i] == INT64_MIN) {
      decimals.exceptions.push_back(static_cast<std::uint32_t>(i));
    } else {
      last = static_cast<std::uint64_t>(integers[i]);
    }
    decimals.integers[i] = last;
  }
  return decimals;
}

void append_byte(Buffer& to, Byte byte) {
  to.append({&byte, 1});
}

void append_exceptions(std::span<const std::uint64_t> images,
                       const std::vector<std::uint32_t>& rows, Buffer& to) {
  append_varint(to, rows.size());
  std::uint32_t next = 0;
  for (const std::uint32_t row : rows) {
    append_varint(to, row - next);
    Byte bits[8];
    store<std::uint64_t>(bits, images[row]);
    to.append(bits);
    next = row + 1;
  }
}

std::size_t hash_of(std::uint64_t image) {
  return static_cast<std::size_t>((image * 0x9E3779B97F4A7C15u) >> 40);
}

}  // namespace

/// Numbers the images as they come, and gives these numbers their order in the end. There are no
/// entries where there would be more than `most`.
PlaneEncoder::Dictionary PlaneEncoder::dictionary_of(std::span<const std::uint64_t> images,
                                                     std::size_t most) {
  Dictionary dictionary;
  std::vector<std::uint64_t>& entries = dictionary.entries;
  dictionary.codes.resize(images.size());
  const std::size_t mask = std::bit_ceil(2 * most + 1) - 1;
  slots_.assign(mask + 1, 0);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::size_t slot = hash_of(images[i]) & mask;
    while (slots_[slot] != 0 && entries[slots_[slot] - 1] != images[i]) slot = (slot + 1) & mask;
    if (slots_[slot] == 0) {
      if (entries.size() == most) return {};
      entries.push_back(images[i]);
      slots_[slot] = static_cast<std::uint32_t>(entries.size());
    }
    dictionary.codes[i] = slots_[slot] - 1;
  }
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int64_t>(entries[a]) < static_cast<std::int64_t>(entries[b]);
  });
  std::vector<std::uint64_t> sorted(entries.size());
  std::vector<std::uint64_t> place(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[i] = entries[order[i]];
    place[order[i]] = i;
  }
  for (std::uint64_t& code : dictionary.codes) code = place[code];
  entries = std::move(sorted);
  return dictionary;
}

/// All plans that suit the numbers, the smallest by its estimate first.
std::vector<PlaneEncoder::Plan> PlaneEncoder::plans_of(std::span<const std::uint64_t> images,
                                                       const PlaneInput& input,
                                                       bool may_have_entries) {
  std::vector<Plan> plans;
  const auto estimate = [&](std::span<const std::uint64_t> numbers) {
    double bytes = 0;
    const std::uint32_t planes = planes_of(numbers);
    for (std::uint32_t rank = 0; rank < planes; ++rank) {
      cut_plane(numbers, rank, plane_);
      bytes += estimate_plane(plane_);
    }
    return bytes;
  };
  const auto add = [&](Plan plan, std::span<const std::uint64_t> numbers, double more) {
    const bool is_integer = !input.floating || plan.map != PlaneMap::kNone;
    const std::uint64_t divisor = plan.map == PlaneMap::kNone ? input.divisor : 1;
    for (const bool steps : {false, true}) {
      // The entries of a dictionary rise, so that the bits of doubles have small differences, too.
      if (steps && !is_integer && may_have_entries) continue;
      if (steps && plan.map == PlaneMap::kDictionary) continue;
      plan.steps = steps;
      plan.estimate = more + estimate(reduced(numbers, steps, divisor, is_integer).numbers);
      plans.push_back(plan);
    }
  };
  add({}, images, 0);
  if (input.floating && input.width_bytes == 8) {
    std::vector<double> sample;
    const std::size_t step = std::max<std::size_t>(images.size() / kSampledDoubles, 1);
    for (std::size_t i = 0; i < images.size(); i += step) {
      sample.push_back(std::bit_cast<double>(images[i]));
    }
    const DoublesChoice choice = choose_for_doubles(sample, loops_for<IntegerLoops>(cpu_level()));
    for (std::uint32_t i = 0; i < std::min(choice.candidates, 1u); ++i) {
      const Decimals decimals = decimals_of(images, choice.exponents[i]);
      add({.map = PlaneMap::kDecimals, .exponents = choice.exponents[i]}, decimals.integers,
          10.0 * static_cast<double>(decimals.exceptions.size()));
    }
  }
  if (may_have_entries) {
    const std::size_t most = images.size() / kShareOfEntries;
    const Dictionary dictionary = dictionary_of(images, most);
    if (dictionary.entries.size() > 1) {
      const std::vector<Plan> of_entries = plans_of(dictionary.entries, input, false);
      add({.map = PlaneMap::kDictionary}, dictionary.codes, of_entries.front().estimate);
    }
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a.estimate < b.estimate; });
  return plans;
}

/// Appends form, head and planes.
void PlaneEncoder::append_numbers(std::span<const std::uint64_t> images, const PlaneInput& input,
                                  Plan plan, Buffer& to) {
  append_byte(to, static_cast<Byte>(static_cast<Byte>(plan.map) | (plan.steps ? kPlaneSteps : 0)));
  std::vector<std::uint64_t> mapped;
  std::span<const std::uint64_t> numbers = images;
  std::uint64_t divisor = 1;
  if (plan.map == PlaneMap::kDecimals) {
    Decimals decimals = decimals_of(images, plan.exponents);
    append_byte(to, static_cast<Byte>(plan.exponents.e));
    append_byte(to, static_cast<Byte>(plan.exponents.f));
    append_exceptions(images, decimals.exceptions, to);
    mapped = std::move(decimals.integers);
    numbers = mapped;
  } else if (plan.map == PlaneMap::kDictionary) {
    Dictionary dictionary = dictionary_of(images, images.size());
    const std::vector<std::uint64_t>& entries = dictionary.entries;
    append_varint(to, entries.size());
    append_numbers(entries, input, plans_of(entries, input, false).front(), to);
    mapped = std::move(dictionary.codes);
    numbers = mapped;
  } else {
    divisor = input.divisor;
  }
  const bool has_order = !input.floating || plan.map != PlaneMap::kNone;
  const Reduced planes = reduced(numbers, plan.steps, divisor, has_order);
  append_varint(to, zigzag(static_cast<std::int64_t>(planes.base)));
  append_varint(to, divisor);
  append_planes(planes.numbers, to);
}

void PlaneEncoder::append_planes(std::span<const std::uint64_t> numbers, Buffer& to) {
  const std::uint32_t planes = planes_of(numbers);
  append_byte(to, static_cast<Byte>(planes));
  for (std::uint32_t rank = 0; rank < planes; ++rank) {
    cut_plane(numbers, rank, plane_);
    append_plane(plane_, to);
  }
}

void PlaneEncoder::append_plane(Bytes plane, Buffer& to) {
  const Counts counts = counts_of(plane);
  if (counts[plane.front()] == plane.size()) {
    append_byte(to, kConstantPlane);
    return append_byte(to, plane.front());
  }
  const auto rows = static_cast<double>(plane.size());
  if (plane.size() > kFewRows &&
      entropy_bytes(counts, plane.size()) > rows * (1 - kLeastPlaneGain)) {
    append_byte(to, static_cast<Byte>(Coding::kRaw));
    return to.append(plane);
  }
  coded_.clear();
  bytes_->encode(plane, 0, FrameKind::kBlock, {}, coded_);
  append_short_header(coded_.data(), to);
  to.append({coded_.data() + kBlockHeaderBytes, load_u24(coded_.data() + 12)});
}

bool PlaneEncoder::encode(const PlaneInput& input, PlaneLimits limits, BlockEncoder& bytes,
                          Buffer& payload) {
  bytes_ = &bytes;
  load_images(input, images_);
  std::span<const std::uint64_t> sample = images_;
  if (sample.size() > 2 * kSampleRows) {
    // From the middle: beginnings are often unlike the rest.
    sample = sample.subspan((sample.size() - kSampleRows) / 2, kSampleRows);
  }
  const std::vector<Plan> plans = plans_of(sample, input, true);
  const std::size_t begin = payload.size();
  const Plan* best = nullptr;
  std::size_t least = limits.bytes * sample.size() / images_.size();
  Buffer smallest;
  for (std::size_t i = 0; i < std::min<std::size_t>(plans.size(), limits.plans); ++i) {
    // Matches make planes smaller than the estimate, which knows nothing of them.
    const bool is_hopeless = plans[i].estimate > kMostOverLimit * static_cast<double>(least);
    if (sample.size() != images_.size() && is_hopeless) break;
    trial_.clear();
    append_numbers(sample, input, plans[i], trial_);
    if (trial_.size() > least) continue;
    best = &plans[i];
    least = trial_.size();
    if (sample.size() == images_.size()) std::swap(smallest, trial_);
  }
  if (best == nullptr) return false;
  if (sample.size() == images_.size()) {
    payload.append(smallest.bytes());
    return true;
  }
  append_numbers(images_, input, *best, payload);
  if (payload.size() - begin <= limits.bytes) return true;
  payload.grow(begin);
  return false;
}

}  // namespace presso
