// SPDX-License-Identifier: MIT
// compress_stream(): compresses a stream on all threads. Reading, encoding and writing overlap in
// run_ordered (presso/ordered_pipeline.h). Every thread has an encoder of its own. A block depends
// only on the options and the shared dictionary, so the output is the same for any number of
// threads. Memory: about two blocks, plain and stored, for each thread, and the encoders' tables;
// while a dictionary is chosen, about four times its sample of at most 16 MiB. Input that cannot be
// sought, a pipe, is sampled from its first 16 MiB. Tested by
// tests/differential/round_trip_test.cpp and tests/cli.
#include "presso/compress.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>

#include "compress/choose/block_size_choice.h"
#include "compress/choose/dictionary_choice.h"
#include "compress/encode/block_encoder.h"
#include "compress/filter/filter_builder.h"
#include "format/line_facts.h"
#include "format/time_facts.h"
#include "presso/archive_writer.h"
#include "presso/checksum.h"
#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

// How many bytes are read ahead to choose a dictionary for a pipe, or a new one.
constexpr std::size_t kStreamSampleBytes = 16u << 20;
// The assumed size of a longer pipe.
constexpr std::uint64_t kExpectedStream = 8 * kStreamSampleBytes;
constexpr Byte kOnlyDictionary = 1;
constexpr std::uint32_t kSmallestDictionary = 2048;

/// A block on its way to an encoder; `number` counts within the member.
struct PlainItem {
  Buffer plain;
  std::uint32_t number = 0;
};

/// A block on its way to the writer, with what the index sections need to know of it.
struct StoredItem {
  Buffer plain;
  Buffer stored;
  double coding_seconds = 0;
  double indexing_seconds = 0;
  LineFacts lines;
  ReadTimes times;  ///< where lines tell them
  std::optional<BlockGrams> grams;
};

/// Makes the end of a source final. A terminal, or a log that is still written to, may have
/// more when it is asked again, but only the last block of a file may be short.
class LatchedEndSource final : public ByteSource {
 public:
  explicit LatchedEndSource(ByteSource& source) : source_(source) {}

  Result<std::size_t> read(MutableBytes into) override {
    if (at_end_) return std::size_t{0};
    PRESSO_ASSIGN(const std::size_t got, source_.read(into));
    at_end_ = got == 0;
    return got;
  }

 private:
  ByteSource& source_;
  bool at_end_ = false;
};

/// One run of compress_stream(). produce() and consume() are each called by one thread at a
/// time, encode() by all; members without a worker's number belong to the former.
class Compressor {
 public:
  /// `dictionary`: set if choosing the block size has chosen one already; `choice_seconds`: the
  /// time that it took.
  Compressor(ByteSource& source, ByteSink& sink, const CompressOptions& options,
             std::optional<DictionaryPlan> dictionary, double choice_seconds)
      : source_(source),
        sink_(sink),
        options_(options),
        parameters_(parameters_of(options)),
        chosen_(std::move(dictionary)),
        threads_(threads_or_all(options.threads)),
        blocks_to_renewal_(blocks_to_renewal(options)) {
    summary_.seconds.sampling = choice_seconds;
  }

  Result<CompressSummary> run() {
    const Stopwatch time;
    PRESSO_TRY(choose_first_dictionary());
    add_choice(time, plan_);
    PRESSO_TRY(find_times());
    encoders_.resize(threads_);
    collectors_.resize(threads_);
    for (bool more = true; more;) {
      PRESSO_TRY(begin_member());
      PRESSO_ASSIGN(more, write_blocks());
      PRESSO_TRY(finish_member(more));
    }
    summary_.seconds.reading = reading_seconds_;
    return summary_;
  }

 private:
  /// After how many blocks it is tried whether another dictionary is better
  /// (DictionaryChoice::renew_bytes); without a limit where dictionaries are not chosen here.
  static std::uint64_t blocks_to_renewal(const CompressOptions& options) {
    const bool renews = options.dictionary.mode == DictionaryChoice::Mode::kAuto &&
                        may_use_dictionary(options) && options.dictionary.renew_bytes != 0;
    if (!renews) return std::numeric_limits<std::uint64_t>::max();
    return std::max<std::uint64_t>(options.dictionary.renew_bytes / options.block_bytes, 1);
  }

  /// Adds the time since `time` began: sampling and training are reported apart.
  void add_choice(const Stopwatch& time, const DictionaryPlan& plan) {
    summary_.seconds.sampling += time.seconds() - plan.training_seconds;
    summary_.seconds.training += plan.training_seconds;
  }

  /// A dictionary that was given, one that is chosen already, or one chosen from a sample of
  /// the file or of a pipe's beginning.
  Status choose_first_dictionary() {
    if (options_.dictionary.mode == DictionaryChoice::Mode::kGiven) {
      plan_.content = *options_.dictionary.content;
    } else if (chosen_) {
      plan_ = std::move(*chosen_);
    } else if (may_use_dictionary(options_) && options_.sample != nullptr) {
      PRESSO_ASSIGN(plan_, choose_dictionary(*options_.sample, options_.sample->size(), options_));
    } else if (may_use_dictionary(options_)) {
      PRESSO_ASSIGN(const Bytes ahead, look_ahead());
      const std::uint64_t expected =
          ahead.size() < kStreamSampleBytes ? ahead.size() : kExpectedStream;
      PRESSO_ASSIGN(plan_, choose_dictionary(MemoryRandomAccess(ahead), expected, options_));
    }
    return {};
  }

  /// Finds out from the beginning how lines tell their time.
  Status find_times() {
    Buffer first;
    if (options_.sample != nullptr) {
      first.resize_discarding(std::min<std::uint64_t>(options_.sample->size(), kTimeSampleBytes));
      PRESSO_TRY(options_.sample->read_at(0, first.mutable_bytes()));
    } else if (!prefixed_) {
      PRESSO_TRY(look_ahead(kTimeSampleBytes));
    }
    const Bytes ahead = options_.sample != nullptr ? first.bytes() : read_ahead_.bytes();
    const Bytes sample = ahead.subspan(0, std::min(ahead.size(), kTimeSampleBytes));
    const auto form = find_time_form(sample, options_.times);
    if (!form || form->key.size() > kMostTimeText || form->format.size() > kMostTimeText) return {};
    Result<TimeReader> reader = TimeReader::make(*form, options_.latest_time.value_or(0));
    // Years that are inferred by nothing would be wrong.
    if (reader.ok() && (!reader->lacks_year() || options_.latest_time)) times_.emplace(*reader);
    return {};
  }

  /// Whether the input has changed so much that the next member gets another dictionary. The
  /// input that follows is looked at but not consumed.
  Result<bool> renew_dictionary() {
    const Stopwatch time;
    PRESSO_ASSIGN(const Bytes ahead, look_ahead());
    if (ahead.empty()) return false;
    const std::uint64_t expected =
        ahead.size() < kStreamSampleBytes ? ahead.size() : options_.dictionary.renew_bytes;
    PRESSO_ASSIGN(std::optional<DictionaryPlan> other,
                  choose_dictionary_again(MemoryRandomAccess(ahead), expected, options_, plan_));
    add_choice(time, other ? *other : DictionaryPlan{});
    if (!other) return false;
    plan_ = std::move(*other);
    return true;
  }

  /// Reads the next bytes and puts them in front of the source again.
  Result<Bytes> look_ahead(std::size_t bytes = kStreamSampleBytes) {
    Buffer ahead;
    ahead.resize_discarding(bytes);
    PRESSO_ASSIGN(const std::size_t got, read_fully(*input_, ahead.mutable_bytes()));
    ahead.grow(got);
    read_ahead_ = std::move(ahead);
    prefixed_.emplace(read_ahead_.bytes(), source_);
    input_ = &*prefixed_;
    return read_ahead_.bytes();
  }

  // A member has one dictionary, so a new dictionary begins a new member.
  Status begin_member() {
    const std::uint16_t version =
        options_.coding == Coding::kBit ? kBitFormatVersion : kByteFormatVersion;
    writer_.emplace(sink_);
    PRESSO_TRY(writer_->begin({version, options_.block_bytes}, options_.metadata));
    next_number_ = 0;
    dictionary_ = {};
    lines_.clear();
    if (options_.filter_permille != 0)
      filter_.emplace(options_.block_bytes, *options_.filter_permille);
    return plan_.content.empty() ? Status{} : add_dictionary();
  }

  /// Indexes the content for the parsers and encodes it for the file, both at once. With
  /// `by_name` the file holds only size and checksum, and whoever decodes must bring the
  /// dictionary.
  Status add_dictionary() {
    const std::vector<Byte>& content = plan_.content;
    const auto bytes = static_cast<std::uint32_t>(content.size());
    const Stopwatch time;
    const bool by_name = options_.dictionary.by_name;
    Buffer stored;
    PRESSO_TRY(run_together(
        threads_, [&] { index_ = index_dictionary(content, parameters_.parser); },
        [&] {
          if (!by_name) stored = encode_dictionary(content, parameters_);
        }));
    dictionary_ = {&index_, kOnlyDictionary};
    summary_.dictionary_bytes += bytes;
    summary_.seconds.coding += time.seconds();
    if (by_name) {
      Byte reference[kDictionaryReferenceBytes];
      write_dictionary_reference({bytes, checksum64(content)}, reference);
      return writer_->add_dictionary(kOnlyDictionary, reference);
    }
    return writer_->add_dictionary(kOnlyDictionary, stored.bytes());
  }

  /// Writes blocks to the end of the input or to a change of dictionary; returns whether
  /// another member follows. Threads wait for each other before the input that follows is
  /// looked at, so that the result does not depend on their number.
  Result<bool> write_blocks() {
    for (;;) {
      blocks_left_ = blocks_to_renewal_;
      PRESSO_TRY((run_ordered<PlainItem, StoredItem>(
          {threads_, 0}, [this] { return produce(); },
          [this](PlainItem item, unsigned worker) { return encode(std::move(item), worker); },
          [this](StoredItem item) { return consume(std::move(item)); })));
      if (blocks_left_ > 0) return false;
      PRESSO_ASSIGN(const bool renewed, renew_dictionary());
      if (renewed) return true;
    }
  }

  /// `more`: another member follows.
  Status finish_member(bool more) {
    const Stopwatch time;
    if (!lines_.empty()) PRESSO_TRY(writer_->add_line_facts(serialise_line_facts(lines_)));
    if (times_) {
      const TimeFacts times = times_->finish(more);
      // A short text is read as fast as its times, which would make the file larger.
      const bool is_asked = !options_.times.key.empty() || !options_.times.format.empty();
      if (is_asked || summary_.plain_bytes >= kTimeSampleBytes) {
        PRESSO_TRY(writer_->add_times(serialise_time_facts(times)));
      }
    }
    if (filter_) {
      const std::vector<Byte> filter = filter_->finish();
      if (!filter.empty()) PRESSO_TRY(writer_->add_filter(filter));
      summary_.filter_bytes += filter.size();
    }
    summary_.seconds.indexing += time.seconds();
    PRESSO_TRY(writer_->finish());
    summary_.compressed_bytes += writer_->bytes_written();
    summary_.blocks += writer_->block_count();
    return {};
  }

  Result<std::optional<PlainItem>> produce() {
    if (blocks_left_ == 0) return std::optional<PlainItem>{};
    PlainItem item;
    item.plain = pool_.take();
    item.plain.resize_discarding(options_.block_bytes);
    const Stopwatch time;
    PRESSO_ASSIGN(const std::size_t got, read_fully(*input_, item.plain.mutable_bytes()));
    reading_seconds_ += time.seconds();
    if (got == 0) return std::optional<PlainItem>{};
    item.plain.grow(got);
    item.number = next_number_++;
    --blocks_left_;
    return std::optional<PlainItem>(std::move(item));
  }

  StoredItem encode(PlainItem item, unsigned worker) {
    std::unique_ptr<BlockEncoder>& encoder = encoders_[worker];
    if (encoder == nullptr) encoder = std::make_unique<BlockEncoder>(parameters_);
    StoredItem outcome;
    outcome.stored = pool_.take();
    outcome.stored.clear();
    const Stopwatch time;
    encoder->encode(item.plain.bytes(), item.number, FrameKind::kBlock, dictionary_,
                    outcome.stored);
    outcome.coding_seconds = time.seconds();
    outcome.lines = line_facts(item.plain.bytes());
    if (times_) outcome.times = read_times(times_->reader(), item.plain.bytes());
    if (filter_) outcome.grams = collectors_[worker].collect(item.plain.bytes());
    outcome.indexing_seconds = time.seconds() - outcome.coding_seconds;
    outcome.plain = std::move(item.plain);
    return outcome;
  }

  Result<bool> consume(StoredItem item) {
    const std::size_t plain_bytes = item.plain.size();
    const Stopwatch time;
    PRESSO_TRY(writer_->add_block(item.stored.bytes(), static_cast<std::uint32_t>(plain_bytes)));
    CompressSeconds& seconds = summary_.seconds;
    seconds.writing += time.seconds();
    seconds.coding += item.coding_seconds;
    seconds.indexing += item.indexing_seconds;
    lines_.push_back(item.lines);
    if (times_) times_->add(std::move(item.times));
    if (item.grams) filter_->add(std::move(*item.grams), item.stored.size());
    summary_.plain_bytes += plain_bytes;
    pool_.give_back(std::move(item.plain));
    pool_.give_back(std::move(item.stored));
    if (options_.on_progress &&
        !options_.on_progress(summary_.plain_bytes,
                              summary_.compressed_bytes + writer_->bytes_written())) {
      return make_error(ErrorCode::kCancelled);
    }
    return true;
  }

  LatchedEndSource source_;
  ByteSink& sink_;
  const CompressOptions& options_;
  const EncoderParameters parameters_;
  std::optional<DictionaryPlan> chosen_;
  const unsigned threads_;
  const std::uint64_t blocks_to_renewal_;
  CompressSummary summary_;
  double reading_seconds_ = 0;  ///< apart, as another thread adds them up

  ByteSource* input_ = &source_;
  Buffer read_ahead_;
  std::optional<PrefixedSource> prefixed_;
  std::optional<ArchiveWriter> writer_;  ///< of the member that is being written
  DictionaryPlan plan_;
  DictionaryIndex index_;
  DictionaryRef dictionary_;

  BufferPool pool_;
  std::vector<std::unique_ptr<BlockEncoder>> encoders_;  ///< by worker
  std::vector<GramCollector> collectors_;                ///< by worker
  std::vector<LineFacts> lines_;                         ///< of the member's blocks
  std::optional<TimeFactsBuilder> times_;
  std::optional<FilterBuilder> filter_;  ///< of the member that is being written
  std::uint32_t next_number_ = 0;
  std::uint64_t blocks_left_ = 0;  ///< to the next trial of the dictionary
};

/// A rule for an option, and the message where it is broken.
struct Limit {
  bool holds;
  const char* message;
};

template <class Value>
bool is_within(Value value, Value least, Value most) {
  return value >= least && value <= most;
}

/// 0 means that the option was not given.
bool is_zero_or_power(std::uint32_t value, unsigned least_log2, unsigned most_log2) {
  return value == 0 ||
         (std::has_single_bit(value) && is_within(value, 1u << least_log2, 1u << most_log2));
}

Limit group_limit(const CompressOptions& options) {
  const bool tile_by_favor = !options.rule && options.favor == Favor::kDecode;
  const bool tile = tile_by_favor || options.rule == DependencyRule::kTile;
  const GroupLimits limits = group_limits(tile ? DependencyRule::kTile : DependencyRule::kTwoWave);
  return {is_zero_or_power(options.group, limits.least_log2, limits.most_log2),
          tile ? "group: under the tile rule a power of two from 1024 to 32768"
               : "group: a power of two from 32 to 1024, more only under the tile rule"};
}

}  // namespace

/// Fills in what the options leave open: coding, level and filter follow from `favor`.
CompressOptions with_goal(const CompressOptions& options) {
  CompressOptions chosen = options;
  const bool decode = options.favor == Favor::kDecode;
  const bool archive = options.favor == Favor::kArchive;
  if (!chosen.coding) chosen.coding = decode ? Coding::kByte : Coding::kBit;
  if (!chosen.filter_permille) chosen.filter_permille = archive ? kArchiveFilterPermille : 0;
  if (chosen.level != 0) return chosen;
  chosen.level = decode || chosen.coding == Coding::kByte ? kDefaultDecodeLevel : kDefaultLevel;
  if (archive) chosen.level = kDefaultArchiveLevel;
  return chosen;
}

/// All limits are in one table, so that every caller, command or library, gets the same messages.
Status validate(const CompressOptions& options) {
  const DictionaryChoice& dictionary = options.dictionary;
  const bool has_size = dictionary.mode == DictionaryChoice::Mode::kSize;
  const bool is_given = dictionary.mode == DictionaryChoice::Mode::kGiven;
  const std::size_t given_bytes = dictionary.content ? dictionary.content->size() : 0;
  const Limit limits[] = {
      {is_within(options.level, 0, kMaxLevel), "level: 1 to 12, or 0"},
      {options.block_bytes == 0 || is_within(options.block_bytes, kMinBlockBytes, kMaxBlockBytes),
       "block size: 16 KiB to 4 MiB, or 0"},
      {!options.coding || options.coding == Coding::kByte || options.coding == Coding::kBit,
       "coding: byte or bit"},
      {options.bit_gain_percent <= 99, "bit gain: 0 to 99 percent"},
      {is_zero_or_power(options.sub_block_sequences, kMinSubBlockLog2, kMaxSubBlockLog2),
       "sub-block: a power of two from 4 to 256"},
      {!options.rule || *options.rule <= DependencyRule::kTile, "rule: unknown"},
      {options.favor <= Favor::kArchive, "favor: ratio, decode or archive"},
      {options.filter_permille <= kMaxFilterPermille, "filter size: at most 100 percent"},
      group_limit(options),
      {options.lookahead == 0 || options.lookahead >= 8, "lookahead: at least 8"},
      {options.window == 0 || options.window >= 1024, "window: at least 1 KiB"},
      {options.staleness.value_or(0) <= kMaxBlockBytes, "staleness: at most 4 MiB"},
      {options.threads <= kMaxThreads, "threads: at most 1024"},
      {!has_size || is_within(dictionary.bytes, kSmallestDictionary, kMaxDictionaryBytes),
       "dictionary size: 2 KiB to 4 MiB"},
      {!is_given || is_within(given_bytes, std::size_t{1}, std::size_t{kMaxDictionaryBytes}),
       "dictionary: 1 byte to 4 MiB"},
      {!dictionary.by_name || is_given,
       "dictionary by name: only one that is given, with --dict FILE"},
  };
  for (const Limit& limit : limits) {
    if (!limit.holds) return make_error(ErrorCode::kInvalidArgument, limit.message);
  }
  return {};
}

Result<CompressSummary> compress_stream(ByteSource& source, ByteSink& sink,
                                        const CompressOptions& options) {
  PRESSO_TRY(validate(options));
  return without_bad_alloc([&]() -> Result<CompressSummary> {
    CompressOptions chosen = with_goal(options);
    const Stopwatch time;
    PRESSO_ASSIGN(BlockSizeChoice choice, choose_block_size(options.sample, chosen));
    chosen.block_bytes = choice.block_bytes;
    return Compressor(source, sink, chosen, std::move(choice.dictionary), time.seconds()).run();
  });
}

/// A buffer is its own sample, so that it compresses like a file.
Result<std::vector<Byte>> compress_buffer(Bytes plain, const CompressOptions& options) {
  MemorySource source(plain);
  MemoryRandomAccess sample(plain);
  CompressOptions with_sample = options;
  if (with_sample.sample == nullptr) with_sample.sample = &sample;
  std::vector<Byte> compressed;
  VectorSink sink(compressed);
  PRESSO_TRY(compress_stream(source, sink, with_sample));
  return compressed;
}

}  // namespace presso
