// SPDX-License-Identifier: MIT
// kDirect: an array with a place of 4 bytes for each word from the least to the greatest key. If
// keys are unique, a place holds the row + 1, or 0 where there is no row. Otherwise it holds where
// the key's rows begin in a second array with the rows of all keys; they end where those of the
// next place begin. Two more places answer for keys out of range, so that a look-up has no branch:
// one load for each key (or two, side by side), none of which waits for another.
//
// The table is first built as if keys were unique; the first key that occurs twice ends that, and
// it is built again. Each thread owns a range of places and walks over all keys: reading a key
// costs a fraction of reaching into the array, nothing has to be exchanged, and the rows of a key
// come in their order. Only for ranges that memory holds.
#include "format/threads/parallel.h"
#include "query/join/strategies.h"

namespace presso::query::join {
namespace {

constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 56;  // beyond any memory
constexpr std::uint64_t kPlacesForAThread = 16'384;

/// Returns the number of places, without the two for keys out of range.
std::uint64_t places_of(const JoinKeyFacts& facts) {
  if (facts.keys == 0) return 0;
  return std::min(facts.greatest - facts.least, kMostPlaces) + 1;
}

/// `span_` is the number of places for keys in range; place span_ answers for all others.
class DirectTable final : public JoinTable {
 public:
  explicit DirectTable(const BuildInput& input)
      : JoinTable(JoinStrategy::kDirect, input.facts), span_(places_of(input.facts)) {
    places_.extend_unset(static_cast<std::size_t>(span_ + 2));
  }

  /// Tries unique keys first; then counts and places the rows of repeated keys.
  Status fill(const BuildInput& input) {
    PRESSO_ASSIGN(facts_.unique, fill_unique(input));
    if (facts_.unique) return {};
    PRESSO_TRY(check_memory(input.plan, predict_direct(input.plan, facts_)));
    rows_.extend_unset(static_cast<std::size_t>(facts_.keys));
    return fill_rows(input);
  }

  std::uint64_t bytes() const override { return places_.bytes() + rows_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    if (facts_.unique) {
      find_unique(keys, found.first.data(), found.count.data());
    } else {
      find_ranges(keys, found.first.data(), found.count.data());
      found.rows = rows_.data();
    }
  }
  std::string details() const override { return std::to_string(span_) + " places"; }

 private:
  /// A key below `least` wraps around to a large number, so one comparison covers both ends of the
  /// range.
  void find_unique(std::span<const std::uint64_t> keys, std::uint32_t* first,
                   std::uint32_t* count) const {
    const std::uint64_t least = facts_.least, span = span_;
    const std::uint32_t* const places = places_.data();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t place = places[std::min(keys[i] - least, span)];
      first[i] = place - 1;
      count[i] = place != 0 ? 1 : 0;
    }
  }
  /// A key's rows are between the entry of its place and that of the next.
  void find_ranges(std::span<const std::uint64_t> keys, std::uint32_t* first,
                   std::uint32_t* count) const {
    const std::uint64_t least = facts_.least, span = span_;
    const std::uint32_t* const places = places_.data();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint64_t at = std::min(keys[i] - least, span);
      first[i] = places[at];
      count[i] = places[at + 1] - places[at];
    }
  }

  /// Threads get at least kPlacesForAThread places each.
  std::size_t parts(const BuildInput& input) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(input.plan.threads, span_ / kPlacesForAThread + 1));
  }
  /// Calls take(place, row) for the rows whose places lie in [begin, end), in ascending order of
  /// rows.
  template <class Take>
  void for_each_of_part(const BuildInput& input, std::uint64_t begin, std::uint64_t end,
                        Take&& take) const {
    const std::uint64_t from = facts_.least + begin;
    const std::uint64_t size = end - begin;
    for_each_key(input.keys, 0, input.rows(), [&](std::uint64_t key, std::uint32_t row) {
      if (key - from < size) take(begin + (key - from), row);
    });
  }
  /// Calls work(part, begin, end) for ranges of places, in parallel.
  template <class Work>
  Status for_each_part(const BuildInput& input, const Work& work) const {
    const std::size_t count = parts(input);
    return for_each_in_parallel(count, input.plan.threads, [&](std::size_t i, unsigned) {
      work(i, part_begin(span_, i, count), part_begin(span_, i + 1, count));
      return Status();
    });
  }

  /// Returns false if some key occurs twice; the places are then of no use.
  Result<bool> fill_unique(const BuildInput& input) {
    std::vector<char> repeats(parts(input));
    places_[span_] = places_[span_ + 1] = 0;
    PRESSO_TRY(for_each_part(input, [&](std::size_t part, std::uint64_t begin, std::uint64_t end) {
      std::fill(places_.data() + begin, places_.data() + end, 0u);
      std::uint32_t used = 0;
      for_each_of_part(input, begin, end, [&](std::uint64_t place, std::uint32_t row) {
        used |= places_[place];
        places_[place] = row + 1;
      });
      repeats[part] = used != 0 ? 1 : 0;
    }));
    return std::find(repeats.begin(), repeats.end(), 1) == repeats.end();
  }

  /// Counts the rows of each place and each part, adds up the parts, and lets each part place its
  /// rows.
  Status fill_rows(const BuildInput& input) {
    std::vector<std::uint32_t> begins(parts(input) + 1);
    PRESSO_TRY(for_each_part(input, [&](std::size_t part, std::uint64_t begin, std::uint64_t end) {
      std::fill(places_.data() + begin, places_.data() + end, 0u);
      std::uint32_t rows = 0;
      for_each_of_part(input, begin, end, [&](std::uint64_t place, std::uint32_t) {
        ++places_[place];
        ++rows;
      });
      begins[part + 1] = rows;
    }));
    for (std::size_t part = 1; part < begins.size(); ++part) begins[part] += begins[part - 1];
    places_[span_] = places_[span_ + 1] = begins.back();
    return for_each_part(input, [&](std::size_t part, std::uint64_t begin, std::uint64_t end) {
      fill_part(input, begins[part], begin, end);
    });
  }

  /// Places the rows of one part as in counting sort: counts become beginnings, each row advances
  /// its place, and afterwards the places are shifted back by one, so that they are beginnings
  /// again.
  void fill_part(const BuildInput& input, std::uint32_t rows_before, std::uint64_t begin,
                 std::uint64_t end) {
    std::uint32_t next = rows_before;
    for (std::uint64_t place = begin; place < end; ++place) {
      const std::uint32_t count = places_[place];
      places_[place] = next;
      next += count;
    }
    for_each_of_part(input, begin, end, [&](std::uint64_t place, std::uint32_t row) {
      rows_[places_[place]++] = row;
    });
    for (std::uint64_t place = end; place > begin; --place) {
      places_[place - 1] = place - 1 == begin ? rows_before : places_[place - 2];
    }
  }

  const std::uint64_t span_;
  Column<std::uint32_t> places_;
  Column<std::uint32_t> rows_;
};

}  // namespace

BuildResult build_direct(const BuildInput& input) {
  JoinKeyFacts unique = input.facts;
  unique.unique = true;
  PRESSO_TRY(check_memory(input.plan, predict_direct(input.plan, unique)));
  auto table = std::make_unique<DirectTable>(input);
  PRESSO_TRY(table->fill(input));
  return std::unique_ptr<JoinTable>(std::move(table));
}

JoinMemory predict_direct(const JoinTablePlan&, const JoinKeyFacts& facts) {
  JoinMemory memory;
  memory.buffers.push_back({"places", column_bytes<std::uint32_t>(places_of(facts) + 2)});
  if (!facts.unique) memory.buffers.push_back({"rows", column_bytes<std::uint32_t>(facts.keys)});
  return memory;
}

}  // namespace presso::query::join
