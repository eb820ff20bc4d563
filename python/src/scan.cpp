// SPDX-License-Identifier: MIT
// A Scan is immutable: each use makes its own queue and threads. Patterns are compiled when the
// object is made, so that a mistake is raised at once. Tested by python/tests/test_scan.py,
// python/tests/test_partitions.py and python/tests/test_regex.py.
#include "python/src/scan.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/expression.h"
#include "presso/field_condition.h"
#include "python/src/capsules.h"
#include "python/src/errors.h"
#include "python/src/gil.h"
#include "python/src/interruptible.h"
#include "python/src/line_rules.h"
#include "python/src/line_stream.h"
#include "python/src/owned_stream.h"
#include "python/src/part_ranges.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

// How patterns are read.
enum class Syntax { kRegex, kFixed, kLike };

/// How the patterns are meant.
struct PatternFlags {
  Syntax syntax = Syntax::kRegex;
  PatternOptions options;
};

/// Compiles all patterns as one matcher, as the command does.
Result<Pattern> compile(const std::vector<std::string>& patterns, const PatternFlags& flags) {
  switch (flags.syntax) {
    case Syntax::kFixed:
      return Pattern::compile_literals(patterns, flags.options);
    case Syntax::kLike:
      return Pattern::compile_like(patterns, '\\', flags.options);
    case Syntax::kRegex:
      break;
  }
  return Pattern::compile(patterns, flags.options);
}

/// The compiled pattern; an error is raised with the pattern and a caret below it.
Pattern take_pattern(const std::vector<std::string>& patterns, const PatternFlags& flags) {
  Result<Pattern> made = compile(patterns, flags);
  if (made.ok()) return std::move(*made);
  const Error& error = made.error();
  const bool has_place = error.block < patterns.size() && error.byte_offset != Error::kNone;
  if (has_place) raise_explained(error, explain_error(patterns[error.block], error));
  raise(error);
}

/// The pattern in lines whose fields meet the condition; without `has_patterns` these lines
/// themselves. An error is raised with the condition and a caret below it.
Pattern take_pattern_where(const std::string& condition, bool has_patterns,
                           const std::vector<std::string>& patterns, const PatternFlags& flags) {
  Result<FieldCondition> made = compile_field_condition(condition);
  if (!made.ok()) {
    raise_explained(made.error(), explain_expression_error(condition, made.error()));
  }
  if (!has_patterns) return Pattern::of_lines(std::move(made->condition));
  return take_pattern(patterns, flags).with_condition(std::move(made->condition));
}

/// The matches of a line as pairs of offsets in bytes.
nb::object spans_of(const LineBatch& batch, const LineBatch::Line& line) {
  nb::list spans;
  for (const MatchSpan& span : batch.matches_of(line)) {
    spans.append(nb::make_tuple(span.begin, span.end));
  }
  return nb::tuple(spans);
}

/// Damage as a dictionary for Scan.totals. `block` is None if damage is not in a block.
nb::dict damage_of(const ScanJob& job, const DamagedPlace& place) {
  nb::dict of;
  of["path"] = text_of(job.files[place.file].name);
  of["plain_offset"] = place.block.plain_offset;
  of["plain_bytes"] = place.block.plain_bytes;
  of["block"] = place.block.error.block == Error::kNone
                    ? nb::none()
                    : nb::object(nb::int_(place.block.error.block));
  of["message"] = text_of(place.block.error.text());
  return of;
}

/// Whether a match may begin in each block, as the lengths of runs of blocks: those where none may
/// begin and those where one may, in turn. If there would be too many runs, short runs without a
/// match are counted as runs with one, which is safe.
nb::list runs_of(std::vector<bool> wanted) {
  constexpr std::size_t kMostRuns = 100;
  std::vector<std::size_t> runs;
  // The limit doubles until there are few enough runs.
  for (std::size_t least = 1;; least *= 2) {
    runs.assign(1, 0);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == (runs.size() % 2 == 0)) {
        ++runs.back();
      } else {
        runs.push_back(1);
      }
    }
    if (runs.size() <= kMostRuns) break;
    std::size_t end = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      end += runs[run];
      if (run % 2 != 0 || runs[run] > least) continue;
      std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(end - runs[run]),
                wanted.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
  }
  nb::list made;
  for (const std::size_t run : runs) made.append(run);
  return made;
}

/// The layout of a part as a tuple, which can be pickled; None if there is none. Numbers that are
/// many are bytes, since a list would be far larger when pickled.
nb::object object_of(const std::optional<PartLayout>& layout) {
  if (!layout) return nb::none();
  const ArchiveExcerpt& blocks = layout->blocks;
  return nb::make_tuple(
      blocks.file_offset, blocks.plain_offset, blocks.plain_bytes, blocks.first_block, blocks.first,
      blocks.offset,
      nb::bytes(blocks.stored_bytes.data(), blocks.stored_bytes.size() * sizeof(std::uint32_t)),
      nb::bytes(layout->line_facts.data(), layout->line_facts.size()));
}

/// The layout from its tuple. The bytes in it are in the order of little-endian machines, which are
/// all that presso runs on.
PartLayout layout_of(const nb::object& tuple) {
  PartLayout layout;
  ArchiveExcerpt& blocks = layout.blocks;
  std::uint64_t* const numbers[] = {&blocks.file_offset, &blocks.plain_offset, &blocks.plain_bytes,
                                    &blocks.first_block, &blocks.first,        &blocks.offset};
  std::size_t at = 0;
  for (std::uint64_t* number : numbers) *number = nb::cast<std::uint64_t>(tuple[at++]);
  const auto stored_bytes = nb::cast<nb::bytes>(tuple[at++]);
  blocks.stored_bytes.resize(stored_bytes.size() / sizeof(std::uint32_t));
  std::memcpy(blocks.stored_bytes.data(), stored_bytes.data(),
              blocks.stored_bytes.size() * sizeof(std::uint32_t));
  const auto facts = nb::cast<nb::bytes>(tuple[at]);
  const auto* const begin = static_cast<const Byte*>(facts.data());
  layout.line_facts.assign(begin, begin + facts.size());
  return layout;
}

/// A part as a tuple, which can be sent to another process. The order of its members is known to
/// part_of() alone.
nb::tuple tuple_of(const LinePart& part) {
  return nb::make_tuple(part.begin, part.end, part.lines_before, part.lines, part.file_bytes,
                        part.layout_checksum, part.clause,
                        nb::tuple(part.wanted.empty() ? nb::list() : runs_of(part.wanted)),
                        part.is_behind_mark, object_of(part.layout));
}

/// The ranges as pairs.
nb::tuple tuple_of(const std::vector<ByteRange>& ranges) {
  nb::list made;
  for (const ByteRange& range : ranges) made.append(nb::make_tuple(range.begin, range.end));
  return nb::tuple(made);
}

/// The part from its tuple. The runs begin with blocks in which no match may begin; the first may
/// be empty.
LinePart part_of(const nb::object& tuple) {
  LinePart part;
  part.begin = nb::cast<std::uint64_t>(tuple[0]);
  part.end = nb::cast<std::uint64_t>(tuple[1]);
  part.lines_before = nb::cast<std::uint64_t>(tuple[2]);
  part.lines = nb::cast<std::uint64_t>(tuple[3]);
  part.file_bytes = nb::cast<std::uint64_t>(tuple[4]);
  part.layout_checksum = nb::cast<std::uint64_t>(tuple[5]);
  part.clause = nb::cast<std::uint64_t>(tuple[6]);
  bool is_wanted = false;
  for (const nb::handle run : nb::cast<nb::tuple>(tuple[7])) {
    part.wanted.insert(part.wanted.end(), nb::cast<std::size_t>(run), is_wanted);
    is_wanted = !is_wanted;
  }
  part.is_behind_mark = nb::cast<bool>(tuple[8]);
  if (const nb::object layout = tuple[9]; !layout.is_none()) part.layout = layout_of(layout);
  return part;
}

/// The name of a line's kind in Match.kind.
const char* name_of(LineKind kind) {
  return kind == LineKind::kBefore ? "before" : kind == LineKind::kAfter ? "after" : "match";
}

/// The lines of one use of a scan, batch after batch. One thread reads it, in the process that
/// began the search.
class Lines {
 public:
  explicit Lines(std::shared_ptr<const ScanJob> job) : queue_(new LineQueue(std::move(job))) {}
  ~Lines() {
    // The scan's thread may need the GIL to read a file.
    const GilReleased released;
    queue_.reset();
  }
  Lines(Lines&&) noexcept = default;
  Lines& operator=(Lines&&) = delete;

  /// Gives the lines of the next batch, or None at the end. Looks for signals while it waits.
  nb::object next() {
    if (!queue_.get_deleter().is_here()) {
      raise(make_error(ErrorCode::kInvalidArgument, "the search was begun by another process"));
    }
    // Only the main thread sees signals. Other threads sleep for long, as nothing but a batch wakes
    // them.
    const std::chrono::milliseconds wait =
        is_main_thread() ? kSignalInterval : std::chrono::hours(1);
    LineQueue::Batch batch;
    for (;;) {
      const LineQueue::State state = [&] {
        const GilReleased released;
        return queue_->next(batch, wait);
      }();
      switch (state) {
        case LineQueue::State::kWaiting:
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          continue;
        case LineQueue::State::kEnd:
          return nb::none();
        case LineQueue::State::kFailed:
          // take() raises what a file object raised, or the error with the file's name.
          take(Status(queue_->failure().error), queue_->job().files[queue_->failure().file]);
          return nb::none();
        case LineQueue::State::kBatch:
          return rows_of(batch);
      }
    }
  }

 private:
  /// The lines of a batch as tuples for presso.Match.
  nb::list rows_of(const LineQueue::Batch& batch) const {
    nb::list rows;
    const nb::str path = text_of(queue_->job().files[batch.file].name);
    for (const LineBatch::Line& line : batch.lines.lines) {
      const Bytes text = batch.lines.text_of(line);
      rows.append(nb::make_tuple(path, line.number, line.offset,
                                 nb::bytes(reinterpret_cast<const char*>(text.data()), text.size()),
                                 spans_of(batch.lines, line), name_of(line.kind)));
    }
    return rows;
  }

  ProcessOwned<LineQueue> queue_;
};

/// A search that is run anew by each use: a stream, the lines one by one, or a count.
class Scan {
 public:
  Scan(std::vector<OpenedFile> files, Pattern pattern, ScanOptions options, LineColumns columns,
       std::optional<LinePart> part, std::shared_ptr<const GpuPattern> gpu)
      : columns_(std::move(columns)) {
    // The three jobs share the compiled pattern and the files, and differ in what is kept of a
    // line.
    ScanJob job{std::move(files),
                std::move(part),
                std::move(pattern),
                std::move(options),
                std::make_shared<Last<ScanTotals>>(),
                std::make_shared<Last<FileFailure>>(),
                std::move(gpu)};
    job_ = std::make_shared<ScanJob>(job);
    job.options.line_numbers = job.options.matches = true;
    lines_job_ = std::make_shared<ScanJob>(job);
    job.options.line_numbers = job.options.matches = false;
    count_job_ = std::make_shared<ScanJob>(std::move(job));
  }

  /// A stream for Arrow, with the columns that were asked for. Each stream is a search of its own.
  nb::object stream(const nb::object&) const {
    return stream_capsule([&](ArrowArrayStream& out) {
      // A failure of an earlier stream is forgotten.
      job_->failure->set({});
      ArrowArrayStream inner;
      export_lines(job_, columns_, inner);
      StreamOwner owner(inner);
      own_stream(owner.stream, {}, out);
      owner.stream.release = nullptr;
    });
  }
  /// Raises what the last stream has failed with, if it has.
  void raise_failure() const {
    const std::optional<FileFailure> failure = job_->failure->get();
    if (failure) take(Status(failure->error), job_->files[failure->file]);
  }
  /// The columns of stream(), which need no search.
  nb::object schema() const {
    return schema_capsule([&](ArrowSchema& out) { export_line_schema(columns_, out); });
  }
  /// Begins a search whose lines are taken one by one.
  Lines lines() const { return Lines(lines_job_); }

  /// Counts the lines without making any.
  std::uint64_t count() const {
    const ScanJob& job = *count_job_;
    std::size_t at = 0;
    Searches searches(job);
    Result<ScanTotals> found = interruptible([&](const std::atomic<bool>& cancelled) {
      return scan_files(job, cancelled, at,
                        [&](const RandomAccess& file, const ScanOptions& options) {
                          return searches.search(file, options);
                        });
    });
    if (!found.ok() && at == job.files.size()) raise(found.error());
    // An interrupt that was raised in a file object comes before the result.
    for (const OpenedFile& file : job.files) take(Status(), file);
    ScanTotals totals = found.ok() ? std::move(*found) : take(std::move(found), job.files[at]);
    totals.why_cpu = searches.why_cpu();
    const std::uint64_t lines = totals.lines;
    job.last->set(std::move(totals));
    return lines;
  }
  /// The totals of the last use that came to its end; empty before that.
  nb::dict totals() const {
    nb::dict of;
    const std::optional<ScanTotals> totals = job_->last->get();
    // Without a finished use there are no totals.
    if (!totals) return of;
    of["lines"] = totals->lines;
    of["matches"] = totals->matches;
    of["plain_bytes"] = totals->plain_bytes;
    of["blocks"] = totals->blocks;
    of["blocks_read"] = totals->blocks_read;
    of["blocks_skipped"] = totals->blocks_skipped;
    of["bytes_read"] = totals->bytes_read;
    nb::list damage;
    for (const DamagedPlace& place : totals->damage) damage.append(damage_of(*job_, place));
    of["damage"] = damage;
    if (job_->gpu != nullptr) of["why_cpu"] = text_of(totals->why_cpu);
    return of;
  }
  /// The engine and what it looks for, in words.
  std::string describe() const { return job_->pattern.describe(); }

  /// Divides one of the files into parts. Returns for each part what make_scan() takes and, for a
  /// file with a URL, the ranges (begin, end) in bytes that will be read; or None if the file is
  /// searched as a whole. `with_layout`: parts bring along what the file tells about its blocks and
  /// lines, so that it need not be read again.
  nb::object divide(std::size_t number, std::uint64_t target_bytes, bool with_layout) const {
    const OpenedFile& file = job_->files.at(number);
    using Parts = std::optional<std::vector<LinePart>>;
    std::vector<std::vector<ByteRange>> ranges;
    // The filters are read here, so that parts leave out blocks without a match.
    Parts parts = take(interruptible([&](const std::atomic<bool>& cancelled) -> Result<Parts> {
                         PRESSO_ASSIGN(const SharedAccess access, file.open());
                         const GuardedAccess guarded(*access, cancelled);
                         PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(guarded));
                         Parts made = divide_lines(opened, job_->pattern, job_->options,
                                                   target_bytes, with_layout);
                         PRESSO_TRY(guarded.failure());
                         if (made && !file.url.empty()) {
                           for (const LinePart& part : *made) {
                             ranges.push_back(ranges_of(*opened.index(), part));
                           }
                         }
                         if (cancelled) return make_error(ErrorCode::kCancelled);
                         return made;
                       }),
                       file);
    // A file that is small, or that is no presso file, is one part.
    if (!parts) return nb::none();
    nb::list made;
    ranges.resize(parts->size());
    for (std::size_t part = 0; part < parts->size(); ++part) {
      made.append(nb::make_tuple(tuple_of((*parts)[part]), tuple_of(ranges[part])));
    }
    return made;
  }

 private:
  LineColumns columns_;
  // These are equal except for what is wanted of each line.
  std::shared_ptr<const ScanJob> job_;
  std::shared_ptr<const ScanJob> lines_job_;
  std::shared_ptr<const ScanJob> count_job_;
};

/// The column of that name, as presso.scan(columns=...) has it. Raises ArgumentError for others.
LineColumn column_of(const std::string& name) {
  static const std::map<std::string, LineColumn> kColumns = {
      {"path", LineColumn::kPath},
      {"line_number", LineColumn::kLineNumber},
      {"offset", LineColumn::kOffset},
      {"line", LineColumn::kLine},
      {"spans", LineColumn::kSpans}};
  const auto found = kColumns.find(name);
  if (found == kColumns.end()) {
    raise(make_error(ErrorCode::kInvalidArgument,
                     "no column '" + name + "': path, line_number, offset, line, spans"));
  }
  return found->second;
}

/// The pattern for a GPU; `gpu` is (path of the library, device), or None.
std::shared_ptr<const GpuPattern> gpu_pattern(const nb::object& gpu,
                                              const std::vector<std::string>& texts,
                                              const PatternFlags& flags) {
  // The library is loaded here, so that a missing GPU is raised before the search begins.
  if (gpu.is_none()) return nullptr;
  auto pattern = std::make_shared<GpuPattern>();
  pattern->api = take(open_gpu_library(bytes_of(nb::cast<nb::bytes>(gpu[0]))));
  pattern->device = nb::cast<int>(gpu[1]);
  pattern->texts = texts;
  pattern->flags.syntax = flags.syntax == Syntax::kFixed  ? PRESSO_GPU_FIXED
                          : flags.syntax == Syntax::kLike ? PRESSO_GPU_LIKE
                                                          : PRESSO_GPU_REGEX;
  pattern->flags.bounds = static_cast<std::uint32_t>(flags.options.bounds);
  pattern->flags.ignore_case = flags.options.ignore_case ? 1 : 0;
  pattern->flags.unicode = flags.options.unicode ? 1 : 0;
  pattern->flags.multiline = flags.options.multiline ? 1 : 0;
  return pattern;
}

/// Makes a scan from what the Python code has checked. `part` is one of the only file, as divide()
/// gave it, or None. The dictionary has all keys: python/presso/_scan.py fills in the defaults.
Scan make_scan(std::vector<OpenedFile> files, const std::vector<nb::bytes>& patterns,
               const nb::dict& asked, const nb::object& part) {
  PatternFlags flags;
  const std::string syntax = nb::cast<std::string>(asked["syntax"]);
  flags.syntax = syntax == "fixed"  ? Syntax::kFixed
                 : syntax == "like" ? Syntax::kLike
                                    : Syntax::kRegex;
  flags.options.ignore_case = nb::cast<bool>(asked["ignore_case"]);
  flags.options.unicode = nb::cast<bool>(asked["unicode"]);
  flags.options.multiline = nb::cast<bool>(asked["multiline"]);
  const std::string bounds = nb::cast<std::string>(asked["bounds"]);
  flags.options.bounds = bounds == "word"   ? MatchBounds::kWord
                         : bounds == "line" ? MatchBounds::kLine
                                            : MatchBounds::kNone;
  ScanOptions options;
  options.invert = nb::cast<bool>(asked["invert"]);
  options.threads = nb::cast<unsigned>(asked["threads"]);
  options.fail_fast = nb::cast<bool>(asked["fail_fast"]);
  options.use_index = nb::cast<bool>(asked["use_index"]);
  options.max_lines = nb::cast<std::uint64_t>(asked["limit"]);
  options.before_context = nb::cast<std::uint64_t>(asked["before"]);
  options.after_context = nb::cast<std::uint64_t>(asked["after"]);
  options.first_line = nb::cast<std::uint64_t>(asked["first_line"]);
  options.last_line = nb::cast<std::uint64_t>(asked["last_line"]);
  options.times = window_of(asked["times"]);
  options.records = records_of(asked["records"], flags.options.unicode);
  LineColumns columns;
  columns.as_text = nb::cast<bool>(asked["text"]);
  for (const auto& name : nb::cast<std::vector<std::string>>(asked["columns"])) {
    const LineColumn column = column_of(name);
    if (std::find(columns.columns.begin(), columns.columns.end(), column) !=
        columns.columns.end()) {
      raise(make_error(ErrorCode::kInvalidArgument, "column '" + name + "' is named twice"));
    }
    // Numbers and matches are looked for only if a column shows them.
    columns.columns.push_back(column);
    if (columns.columns.back() == LineColumn::kLineNumber) options.line_numbers = true;
    if (columns.columns.back() == LineColumn::kSpans) options.matches = true;
  }
  std::vector<std::string> texts;
  for (const nb::bytes& pattern : patterns) texts.emplace_back(pattern.c_str(), pattern.size());
  const nb::object where = asked["where"];
  Pattern pattern = where.is_none()
                        ? take_pattern(texts, flags)
                        : take_pattern_where(nb::cast<std::string>(where),
                                             nb::cast<bool>(asked["has_patterns"]), texts, flags);
  return Scan(std::move(files), std::move(pattern), std::move(options), std::move(columns),
              part.is_none() ? std::nullopt : std::optional(part_of(part)),
              gpu_pattern(asked["gpu"], texts, flags));
}

}  // namespace

/// Declares the classes to Python. Their arguments were checked by presso/_scan.py.
void bind_scan(nb::module_& module) {
  nb::class_<Lines>(module, "Lines", "Lines that a scan finds, in batches.")
      .def("next", &Lines::next);
  nb::class_<Scan>(module, "Scan", "A search in files.")
      .def("stream", &Scan::stream, nb::arg("requested_schema") = nb::none())
      .def("schema", &Scan::schema)
      .def("lines", &Scan::lines)
      .def("count", &Scan::count)
      .def("totals", &Scan::totals)
      .def("raise_failure", &Scan::raise_failure)
      .def("describe", &Scan::describe)
      .def("divide", &Scan::divide, nb::arg("number"), nb::arg("target_bytes"),
           nb::arg("with_layout"));
  module.def("make_scan", &make_scan, nb::arg("files"), nb::arg("patterns"), nb::arg("asked"),
             nb::arg("part") = nb::none());
}

}  // namespace presso::python
