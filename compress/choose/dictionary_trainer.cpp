// SPDX-License-Identifier: MIT
// Counts the strings (substrings of two fixed lengths) of all documents, then chooses segments
// greedily. Only one in `one_in_` strings is counted, chosen by its hash, so that the same strings
// are counted in all documents and their number stays within the effort. Strings are found in
// parallel and counted by one thread at a time, in the order of documents. Time is linear in the
// size of all documents; figures in NOTES.md.
#include "compress/choose/dictionary_trainer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>
#include <tuple>

#include "presso/ordered_pipeline.h"
#include "presso/train.h"
#include "presso/wire.h"

namespace presso {
namespace {

constexpr std::uint32_t kSegmentBytes = 2048;
// The distance between the beginnings of two segments that can be chosen.
constexpr std::uint32_t kStride = kSegmentBytes / 4;
constexpr std::size_t kMostProbes = 16;  ///< a string that finds no slot by then is not counted
constexpr std::size_t kMostDocuments = 0xFFFFFFFE;  ///< a slot has their numbers from 1 on

/// A rolling hash that covers the last 64 / shift bytes: each step shifts out what is older.
struct StringLength {
  unsigned shift;
  constexpr std::uint32_t bytes() const { return 64 / shift; }
};
/// Lengths of the strings that are counted. Short ones tell what is repeated at all. Long ones
/// tell what is repeated as a whole, which decides once all short ones are held already, as in
/// logs (NOTES.md).
constexpr StringLength kLengths[] = {{11}, {2}};
constexpr std::uint32_t kShortest = kLengths[0].bytes();

/// A counted string, in a hash table with open addressing.
struct Slot {
  std::uint32_t tag = 0;  ///< the other bits of its hash
  // The number, from 1, of the document where it was met last; 0: the slot is free.
  std::uint32_t document = 0;
  std::uint32_t gains = 0;  ///< the documents that gain by it; 0: the dictionary holds it already
  std::uint32_t end = 0;    ///< where its last sighting in that document ends
};

/// An occurrence of a counted string in a document.
struct Sighting {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t slot;
};

/// An occurrence that is not looked up yet.
struct CountedString {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint64_t hash;
};

/// Deterministic random words (SplitMix64) for the bytes of a rolling hash.
constexpr std::array<std::uint64_t, 256> random_words() {
  std::array<std::uint64_t, 256> words{};
  std::uint64_t state = 0;
  for (std::uint64_t& word : words) {
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    word = mixed ^ (mixed >> 31);
  }
  return words;
}
constexpr auto kWords = random_words();

/// The strings whose hashes' upper 24 bits are below `limit`. Occurrences that overlap an equal
/// one are mostly left out.
std::vector<CountedString> counted_strings(Bytes document, std::uint32_t limit) {
  constexpr std::size_t kRemembered = 256;
  std::array<CountedString, kRemembered> last{};
  std::vector<CountedString> strings;
  std::uint64_t hashes[std::size(kLengths)] = {};
  for (std::uint32_t end = 1; end <= document.size(); ++end) {
    const std::uint64_t word = kWords[document[end - 1]];
    for (std::size_t i = 0; i < std::size(kLengths); ++i) {
      hashes[i] = (hashes[i] << kLengths[i].shift) + word;
      const std::uint32_t length = kLengths[i].bytes();
      const std::uint64_t mixed = hashes[i] * 0x9E3779B97F4A7C15u;
      if (end < length || mixed >> 40 >= limit) continue;
      CountedString& before = last[mixed % kRemembered];
      if (before.hash == mixed && end - length < before.end) continue;
      before = {end - length, end, mixed};
      strings.push_back(before);
    }
  }
  return strings;
}

/// Sorts segments by document and begin.
auto place_of(const DictionarySegment& segment) {
  return std::tuple(segment.document, segment.begin);
}

/// The order of the queue of segments. Equal gains are ordered by place, so that the choice is
/// always the same.
struct GainsLess {
  bool operator()(const DictionarySegment& a, const DictionarySegment& b) const {
    return a.gain != b.gain ? a.gain < b.gain : place_of(a) > place_of(b);
  }
};

/// Greedy choice by lazy evaluation (Minoux 1978): a segment's gain only shrinks as others are
/// taken, so one whose gain, counted anew, is still above all others' old gains is the best. In
/// text all gains shrink together, which would make this slow; so the best of `most_counted_`
/// recounted segments has to do.
class Selection {
 public:
  Selection(std::span<const Bytes> documents, const TrainingEffort& effort)
      : most_counted_(effort.segments) {
    std::uint64_t total = 0;
    for (const Bytes document : documents) total += document.size() * std::size(kLengths);
    one_in_ = static_cast<std::uint32_t>(1 + total / effort.strings);
    // Half as many slots are enough, since most strings are met again.
    slot_bits_ = static_cast<unsigned>(std::bit_width(total / one_in_ / 2 | 1));
    slots_.resize(std::size_t{1} << slot_bits_);
  }

  /// Counts the strings of all documents, in their order.
  Status look_through(std::span<const Bytes> documents, unsigned threads) {
    // Hashes are spread evenly, so this share of the strings lies below it.
    const std::uint32_t limit = (1u << 24) / one_in_;
    std::size_t next = 0;
    PRESSO_TRY((run_ordered<Bytes, std::vector<CountedString>>(
        {threads, 0},
        [&]() -> Result<std::optional<Bytes>> {
          return next < documents.size() ? std::optional(documents[next++]) : std::nullopt;
        },
        [&](Bytes document, unsigned) { return counted_strings(document, limit); },
        [&](const std::vector<CountedString>& strings) -> Result<bool> {
          firsts_.push_back(sightings_.size());
          ++document_;
          for (const CountedString& string : strings) see(string);
          return true;
        })));
    firsts_.push_back(sightings_.size());
    offer_all(documents);
    return {};
  }

  /// Takes segments until `bytes` are full or nothing gains; the last one is cut.
  std::vector<DictionarySegment> take(std::uint32_t bytes) {
    std::vector<DictionarySegment> taken;
    while (bytes >= kShortest) {
      DictionarySegment best = pop_best();
      if (best.gain == 0) break;
      trim_and_cover(best);
      best.length = std::min(best.length, bytes);
      bytes -= best.length;
      taken.push_back(best);
    }
    return taken;
  }

 private:
  /// The best of at most most_counted_ segments whose gain is counted anew; gain 0: none is left.
  DictionarySegment pop_best() {
    DictionarySegment best{};
    for (std::uint32_t counted = 0; counted < most_counted_ && !queue_.empty();) {
      if (GainsLess{}(queue_.top(), best)) break;
      DictionarySegment next = queue_.top();
      queue_.pop();
      next.gain = gain_of(next);
      counted += next.gain > 0;  // copies of what is held already are no choice
      if (GainsLess{}(best, next)) std::swap(best, next);
      if (next.gain > 0) queue_.push(next);
    }
    return best;
  }

  /// Counts a string once in each document. The first document that has it holds it itself and
  /// does not count as a gain. A string that overlaps its last occurrence is not seen again: in
  /// a run of one byte it stands everywhere.
  void see(const CountedString& string) {
    const auto [begin, end, hash] = string;
    const auto tag = static_cast<std::uint32_t>(hash);
    std::size_t at = (hash ^ hash >> 30) * 0x94D049BB133111EBu >> (64 - slot_bits_);
    for (std::size_t probe = 0; probe < kMostProbes; ++probe, at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.document == 0) slot.tag = tag;
      if (slot.tag != tag) continue;
      if (slot.document == document_ && begin < slot.end) return;
      slot.gains += slot.document != 0 && slot.document != document_;
      slot.document = document_;
      slot.end = end;
      sightings_.push_back({begin, end, static_cast<std::uint32_t>(at)});
      return;
    }
  }

  /// Puts overlapping segments into the queue: one every kStride bytes of every document.
  void offer_all(std::span<const Bytes> documents) {
    std::vector<DictionarySegment> all;
    for (std::uint32_t number = 0; number < documents.size(); ++number) {
      const auto size = static_cast<std::uint32_t>(documents[number].size());
      for (std::uint32_t begin = 0; begin < size; begin += kStride) {
        DictionarySegment segment{number, begin, std::min(kSegmentBytes, size - begin), 0};
        segment.gain = gain_of(segment);
        if (segment.gain > 0) all.push_back(segment);
      }
    }
    queue_ = decltype(queue_)(GainsLess{}, std::move(all));
  }

  /// Calls act(sighting) for those that lie entirely within the segment.
  template <class Act>
  void for_each_sighting(const DictionarySegment& segment, Act&& act) const {
    const auto iterator = [this](std::size_t i) {
      return sightings_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const auto last = iterator(firsts_[segment.document + 1]);
    const auto ends_before = [](const Sighting& sighting, std::uint32_t end) {
      return sighting.end < end;
    };
    auto each = std::lower_bound(iterator(firsts_[segment.document]), last,
                                 segment.begin + kShortest, ends_before);
    for (; each != last && each->end <= segment.begin + segment.length; ++each) {
      if (each->begin >= segment.begin) act(*each);
    }
  }

  /// The sum of what the segment's strings still gain; it falls as other segments are taken.
  std::uint32_t gain_of(const DictionarySegment& segment) const {
    std::uint64_t gain = 0;
    for_each_sighting(segment,
                      [&](const Sighting& sighting) { gain += slots_[sighting.slot].gains; });
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(gain, 0xFFFFFFFF));
  }

  /// Cuts off both ends that gain nothing, and marks the segment's strings as held, so that
  /// they gain nothing in other segments.
  void trim_and_cover(DictionarySegment& segment) {
    std::uint32_t begin = segment.begin + segment.length;
    std::uint32_t end = segment.begin;
    for_each_sighting(segment, [&](const Sighting& sighting) {
      if (slots_[sighting.slot].gains == 0) return;
      slots_[sighting.slot].gains = 0;
      begin = std::min(begin, sighting.begin);
      end = sighting.end;
    });
    // Strings that were left out lie there, too.
    begin -= std::min(begin - segment.begin, 2 * one_in_);
    end += std::min(segment.begin + segment.length - end, 2 * one_in_);
    segment.begin = begin;
    segment.length = end - begin;
  }

  std::uint32_t most_counted_;  ///< segments whose gain is recounted for one choice
  unsigned slot_bits_ = 0;
  std::vector<Slot> slots_;          ///< a hash table
  std::uint32_t one_in_ = 1;         ///< one in this number of strings is counted
  std::uint32_t document_ = 0;       ///< the one that is looked through: number from 1
  std::vector<Sighting> sightings_;  ///< sorted by document and end
  std::vector<std::size_t> firsts_;  ///< each document's first sighting, and the end of the last's
  std::priority_queue<DictionarySegment, std::vector<DictionarySegment>, GainsLess> queue_;
};

}  // namespace

Result<std::vector<DictionarySegment>> select_segments(std::span<const Bytes> documents,
                                                       std::uint32_t bytes,
                                                       const TrainingEffort& effort,
                                                       unsigned threads) {
  Selection selection(documents, effort);
  PRESSO_TRY(selection.look_through(documents, threads));
  return selection.take(bytes);
}

Result<std::vector<Byte>> train_dictionary(std::span<const Bytes> documents, std::uint32_t bytes) {
  if (bytes == 0 || bytes > kMaxDictionaryBytes) {
    return make_error(ErrorCode::kInvalidArgument, "dictionary size: 1 byte to 4 MiB");
  }
  if (documents.size() > kMostDocuments) {
    return make_error(ErrorCode::kInvalidArgument, "documents: at most 2^32 - 2");
  }
  for (const Bytes document : documents) {
    if (document.size() <= kMaxBlockBytes) continue;
    return make_error(ErrorCode::kInvalidArgument, "document: at most 4 MiB, as a block");
  }
  return without_bad_alloc([&]() -> Result<std::vector<Byte>> {
    PRESSO_ASSIGN(const auto segments,
                  select_segments(documents, bytes, kMostEffort, threads_or_all(0)));
    return assemble_dictionary(documents, segments, bytes);
  });
}

/// The best segments stand last, where distances from the blocks are shortest.
std::vector<Byte> assemble_dictionary(std::span<const Bytes> documents,
                                      std::span<const DictionarySegment> segments,
                                      std::uint32_t bytes) {
  std::size_t total = 0;
  std::size_t count = 0;
  while (count < segments.size() && total + segments[count].length <= bytes) {
    total += segments[count++].length;
  }
  std::vector<Byte> content(total);
  for (const DictionarySegment& segment : segments.first(count)) {
    total -= segment.length;
    std::copy_n(documents[segment.document].data() + segment.begin, segment.length,
                content.data() + total);
  }
  return content;
}

}  // namespace presso
