// SPDX-License-Identifier: MIT
// Implements listed_strings.h: asks for as many strings at a time as a piece of pinned memory
// holds; a longer string comes alone. Errors: those of the device.
#include "query/gpu/table/listed_strings.h"

#include <algorithm>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/gpu/table/numbered_column.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kStringWord = sizeof(std::uint64_t);
/// The bytes that a string takes beside its text: its number, length and place.
constexpr std::uint64_t kBytesOfString = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

std::uint64_t words_of_string(std::uint32_t length) {
  return (std::uint64_t{length} + kStringWord - 1) / kStringWord;
}

/// Brings the strings of some numbers after others to an arena, so many at a time as a piece of
/// pinned memory holds; a string that is longer than that comes alone.
class StringFetch {
 public:
  StringFetch(const RunSpace& space, const StringIndex& index, query::StringArena& arena)
      : space_(space), arena_(arena) {
    list_.cells = index.cells;
    list_.rest = index.rest;
  }

  /// For how many numbers strings are fetched at a time.
  std::uint64_t most_numbers() const { return space_.pinned.usual_bytes() / kBytesOfString; }

  /// For up to so many of them.
  Status prepare(std::uint64_t most) {
    MemoryParts parts;
    const std::uint64_t numbers_at = parts.add(most * sizeof *list_.numbers);
    const std::uint64_t lengths_at = parts.add(most * sizeof *list_.lengths);
    const std::uint64_t places_at = parts.add(most * sizeof *list_.places);
    PRESSO_ASSIGN(memory_, memory_for_strings(space_, parts.bytes()));
    numbers_ = reinterpret_cast<std::uint32_t*>(memory_.get() + numbers_at);
    list_.lengths = reinterpret_cast<std::uint32_t*>(memory_.get() + lengths_at);
    places_ = reinterpret_cast<std::uint64_t*>(memory_.get() + places_at);
    return {};
  }

  /// Appends their strings.
  Status fetch(std::span<const std::uint32_t> numbers, std::vector<query::StringRef>& to) {
    PRESSO_TRY(space_.copy_there(numbers_, numbers.data(), numbers.size_bytes()));
    PRESSO_TRY(list(0, numbers.size(), nullptr));
    lengths_.resize(numbers.size());
    PRESSO_TRY(
        space_.copy_back(lengths_.data(), list_.lengths, numbers.size() * sizeof lengths_[0]));
    const std::uint64_t most_words =
        std::min(space_.pinned.usual_bytes(), space_.memory.device_bytes_left() / 4) / kStringWord;
    for (std::size_t first = 0; first < lengths_.size();) {
      std::size_t end = first;
      std::uint64_t words = 0;
      do {
        words += words_of_string(lengths_[end++]);
      } while (end < lengths_.size() && words + words_of_string(lengths_[end]) <= most_words);
      PRESSO_TRY(fetch_text(first, end, words, to));
      first = end;
    }
    return {};
  }

 private:
  Status list(std::size_t first, std::size_t count, std::uint64_t* words) {
    list_.numbers = numbers_ + first;
    list_.count = static_cast<std::uint32_t>(count);
    list_.places = places_;
    list_.words = words;
    return space_.strings.list_strings(list_, space_.stream);
  }

  /// Those of the numbers from `first` up to `end`, which have so many words together.
  Status fetch_text(std::size_t first, std::size_t end, std::uint64_t words,
                    std::vector<query::StringRef>& to) {
    if (words == 0) {
      to.resize(to.size() + end - first);
      return {};
    }
    std::vector<std::uint64_t> places;
    std::uint64_t place = 0;
    for (std::size_t i = first; i < end; ++i) {
      places.push_back(place);
      place += words_of_string(lengths_[i]);
    }
    if (text_.bytes() < words * kStringWord) {
      text_ = {};
      PRESSO_ASSIGN(text_, memory_for_strings(space_, words * kStringWord));
    }
    PRESSO_TRY(space_.copy_there(places_, places.data(), places.size() * sizeof places[0]));
    PRESSO_TRY(list(first, end - first, reinterpret_cast<std::uint64_t*>(text_.get())));
    text_here_.resize(static_cast<std::size_t>(words * kStringWord));
    PRESSO_TRY(space_.copy_back(text_here_.data(), text_.get(), text_here_.size()));
    const query::StringRef all = arena_.add(text_here_);
    for (std::size_t i = first; i < end; ++i) {
      to.push_back({all.data + places[i - first] * kStringWord, lengths_[i]});
    }
    return {};
  }

  const RunSpace& space_;
  query::StringArena& arena_;
  StringList list_;
  DeviceMemory memory_;
  DeviceMemory text_;
  std::uint32_t* numbers_ = nullptr;  ///< in memory_, as the next
  std::uint64_t* places_ = nullptr;
  std::vector<std::uint32_t> lengths_;
  std::vector<Byte> text_here_;
};

}  // namespace

/// Those that are wanted, in ascending order.
std::vector<std::uint32_t> ListedStrings::numbers() {
  std::vector<std::uint32_t> numbers;
  for (std::size_t word = 0; word < wanted_.size(); ++word) {
    before_.push_back(static_cast<std::uint32_t>(numbers.size()));
    for (std::uint64_t bits = wanted_[word]; bits != 0; bits &= bits - 1) {
      numbers.push_back(static_cast<std::uint32_t>(word) * kBits +
                        static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
  return numbers;
}

Status ListedStrings::fetch(const RunSpace& space, const StringIndex& index,
                            query::StringArena& arena) {
  const std::vector<std::uint32_t> all = numbers();
  if (all.empty()) return {};
  const DeviceStep step(space.device(), "strings back");
  StringFetch fetch(space, index, arena);
  const std::uint64_t most = std::min<std::uint64_t>(all.size(), fetch.most_numbers());
  PRESSO_TRY(fetch.prepare(most));
  strings_.reserve(all.size());
  for (std::size_t first = 0; first < all.size(); first += most) {
    const std::size_t count = std::min<std::size_t>(all.size() - first, most);
    PRESSO_TRY(fetch.fetch({all.data() + first, count}, strings_));
  }
  return {};
}

}  // namespace presso::gpu
