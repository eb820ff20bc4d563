// SPDX-License-Identifier: MIT
// All codecs run in one process and in turn, so that the state of the machine (clock, other work,
// caches) is the same for all. The first round also checks the results. Tested by
// tests/cli/test_reports.py.
#include "tools/bench/measure.h"

#include <algorithm>
#include <cstring>

#include "presso/byte_stream.h"
#include "presso/stopwatch.h"

namespace presso::cli {
namespace {

/// Fewer rounds would make a median meaningless. With three, one disturbed round is left out by the
/// median.
constexpr unsigned kFewestRounds = 3;

/// The median, which a few slow rounds do not move. For an even number of values it is the upper
/// one of the two in the middle.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The seconds that each round took, by kind of work. A kind that a subject does not have stays
/// empty and gives a rate of 0.
struct Times {
  std::vector<double> compress, decompress, verified, scan;
};

/// One measurement of all subjects; used once. Memory: the compressed data of all subjects, and one
/// output for all.
class Bench {
 public:
  Bench(const BenchInput& input, const std::vector<std::unique_ptr<Subject>>& subjects)
      : input_(input), subjects_(subjects), times_(subjects.size()) {
    // Room after the end, because decoders copy in wide steps.
    out_.resize_discarding(input.plain.size() + Buffer::kSlack);
  }

  /// Runs rounds until the time is used up. Error: that of a codec, or a result that differs;
  /// nothing is measured after it.
  Result<Measurements> run(const MeasureOptions& options) {
    count_lines_ = options.count_lines;
    if (count_lines_) {
      MemorySource plain(input_.plain);
      // The expected number comes from the plain text, so that each scan can be checked.
      PRESSO_ASSIGN(matching_lines_, count_lines_(plain));
    }
    const Stopwatch time;
    // The time is for all subjects together, so that each gets its share whatever its speed.
    const double budget = options.seconds * static_cast<double>(subjects_.size());
    unsigned rounds = 0;
    while (rounds < kFewestRounds || time.seconds() < budget) {
      for (std::size_t i = 0; i < subjects_.size(); ++i) {
        PRESSO_TRY(run_once(*subjects_[i], times_[i], rounds == 0));
        if (options.on_progress) {
          // Three rounds are run even if that takes longer, so the share is the lesser of both.
          const double least =
              (rounds + static_cast<double>(i + 1) / static_cast<double>(subjects_.size())) /
              static_cast<double>(kFewestRounds);
          options.on_progress(std::min({1.0, least, time.seconds() / budget}));
        }
      }
      ++rounds;
    }
    return results(rounds);
  }

 private:
  /// Times one step and adds the time to `times`. A step that fails adds no time.
  template <class Step>
  Status timed(std::vector<double>& times, Step&& step) {
    const Stopwatch time;
    PRESSO_TRY(step());
    times.push_back(time.seconds());
    return {};
  }

  /// One round of one subject; `first` also checks its result. The count of its
  /// scan is compared in each round.
  Status run_once(Subject& subject, Times& times, bool first) {
    if (subject.is_codec()) PRESSO_TRY(run_codec(subject, times, first));
    if (!count_lines_) return {};
    std::uint64_t lines = 0;
    PRESSO_TRY(timed(times.scan, [&]() -> Status {
      PRESSO_ASSIGN(lines, subject.scan(input_, count_lines_));
      return {};
    }));
    if (lines == matching_lines_) return {};
    return differs(subject, "lines matched in it differ from those in the input");
  }

  /// The error that a codec's result is wrong, which names the codec and its level.
  static Error differs(const Subject& subject, const std::string& how) {
    return make_error(ErrorCode::kContentChecksum,
                      subject.codec() + " -" + std::to_string(subject.level()) + ": " + how);
  }

  /// One round of a codec: compress, check the first result, and decode with and without checksums.
  /// Preparing is not timed, because it stands for reading the file.
  Status run_codec(Subject& subject, Times& times, bool first) {
    PRESSO_TRY(timed(times.compress, [&] { return subject.compress(input_); }));
    PRESSO_TRY(subject.prepare_decompress());
    if (first) {
      // The first decoding shows that the result is right; it is not timed. Bytes of another
      // subject in the output would hide that nothing was written.
      std::memset(out_.data(), 0x5A, out_.size());
      PRESSO_TRY(subject.decompress(input_, true, out_.data()));
      if (std::memcmp(out_.data(), input_.plain.data(), input_.plain.size()) != 0) {
        return differs(subject, "decoded bytes differ from the input");
      }
    }
    // The caches are as the compression left them, which differs from subject to subject; one
    // decoding that is not timed evens that out.
    PRESSO_TRY(subject.decompress(input_, false, out_.data()));
    PRESSO_TRY(time_decoding(subject, false, times.decompress));
    if (!subject.has_checksums()) return {};
    return time_decoding(subject, true, times.verified);
  }

  /// Times decoding. Small inputs are decoded several times in a round, and each time is a sample.
  /// Without that a short time would be mostly the start of threads.
  Status time_decoding(Subject& subject, bool verify, std::vector<double>& times) {
    constexpr double kEnoughSeconds = 0.03;
    const Stopwatch time;
    do {
      PRESSO_TRY(timed(times, [&] { return subject.decompress(input_, verify, out_.data()); }));
    } while (time.seconds() < kEnoughSeconds);
    return {};
  }

  /// Rates by the median of all rounds, in MB/s of plain text (10^6 bytes). The ratio is 1 for
  /// plain text, which has no compressed form.
  Measurements results(unsigned rounds) const {
    Measurements all{{}, rounds, matching_lines_};
    const double megabytes = static_cast<double>(input_.plain.size()) / 1e6;
    const auto rate = [&](const std::vector<double>& times) {
      return times.empty() ? 0 : megabytes / median(times);
    };
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const Subject& subject = *subjects_[i];
      const std::uint64_t compressed = subject.compressed_bytes();
      all.rows.push_back({.codec = subject.codec(),
                          .level = subject.level(),
                          .compressed_bytes = compressed,
                          .ratio = compressed == 0 ? 1.0
                                                   : static_cast<double>(input_.plain.size()) /
                                                         static_cast<double>(compressed),
                          .compress_rate = rate(times_[i].compress),
                          .decompress_rate = rate(times_[i].decompress),
                          .verified_rate = rate(times_[i].verified),
                          .scan_rate = rate(times_[i].scan),
                          .work = subject.work()});
    }
    return all;
  }

  const BenchInput& input_;
  const std::vector<std::unique_ptr<Subject>>& subjects_;
  std::vector<Times> times_;
  Buffer out_;
  LineCounter count_lines_;
  std::uint64_t matching_lines_ = 0;
};

}  // namespace

/// One object for each measurement keeps times of different inputs apart.
Result<Measurements> measure(const BenchInput& input,
                             const std::vector<std::unique_ptr<Subject>>& subjects,
                             const MeasureOptions& options) {
  return Bench(input, subjects).run(options);
}

}  // namespace presso::cli
