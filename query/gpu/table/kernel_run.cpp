// SPDX-License-Identifier: MIT
// Implements kernel_run.h: tells what the code has to know of a table's columns and of conditions,
// and launches it.
#include "query/gpu/table/kernel_run.h"

#include <algorithm>

#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {

static_assert(kMostRowMasks == kMostRowBits);
static_assert(kMostWrittenArrays == kMostRowArrays);

namespace {

/// Decoded vectors may take so much device memory at a time.
constexpr std::uint64_t kMostDecodedBytes = std::uint64_t{128} << 20;
/// What is known of a column's vectors.
struct ColumnFacts {
  ColumnShape shape;
  std::uint64_t others = 0;  ///< vectors that are not usual, at most
};

/// The form that columns have in device memory, or else that most vectors have; `before`: of those
/// with the width that code was made for.
UsualForm usual_form(const LoadedTable& table, std::size_t column, const ColumnShape* before) {
  if (const auto& form = table.form_of(column)) return *form;
  const ColumnForms& forms = table.vector_forms()[column];
  const ColumnForms::Form most = before != nullptr ? forms.most_of(before->width) : forms.most();
  return {most.width, most.divisor, forms.vectors() - most.vectors + forms.odd_validity()};
}

/// A form of doubles and floats, of which a column knows how many vectors have it.
struct FormOfReals {
  RealForm form = RealForm::kPlain;
  ColumnForms::Form of;
};

IntegerKind kind_of(RealForm form) {
  return form == RealForm::kAlp     ? IntegerKind::kAlp
         : form == RealForm::kAlpRd ? IntegerKind::kAlpRd
                                    : IntegerKind::kPacked;
}

FormOfReals most_of_reals(const LoadedTable& table, std::size_t column, std::uint64_t plain,
                          const ColumnShape* before) {
  const ColumnForms& forms = table.vector_forms()[column];
  if (before != nullptr && before->real_bytes != 0) {
    if (before->real_form == RealForm::kPlain) return {RealForm::kPlain, {0, 1, plain}};
    const auto kind = static_cast<Byte>(kind_of(before->real_form));
    return {before->real_form, forms.most_of(before->width, kind, before->width2)};
  }
  const ColumnForms::Form most = forms.most();
  if (plain >= most.vectors) return {RealForm::kPlain, {0, 1, plain}};
  const auto kind = static_cast<IntegerKind>(most.kind);
  return {kind == IntegerKind::kAlp     ? RealForm::kAlp
          : kind == IntegerKind::kAlpRd ? RealForm::kAlpRd
                                        : RealForm::kPacked,
          most};
}

/// The same of a column of doubles or floats.
Result<ColumnFacts> facts_of_reals(const LoadedTable& table, std::size_t column,
                                   const ColumnShape* before, ColumnForm& form) {
  ColumnFacts facts;
  facts.shape.has_nulls = before != nullptr && before->has_nulls;
  std::uint64_t plain = 0;
  std::uint64_t all = 0;
  for (const TableBlock& block : table.blocks_of(column)) {
    if (block.validity != nullptr || block.words == nullptr) facts.shape.has_nulls = true;
    all += vectors_of(block.rows);
    if (block.words == nullptr) continue;
    if (form.real_bytes == 0) form.real_bytes = block.width_bytes;
    if (!block.floating || block.width_bytes != form.real_bytes) {
      return not_compiled("a column of several types");
    }
    if (block.is_plain) plain += vectors_of(block.rows);
  }
  const FormOfReals most = most_of_reals(table, column, plain, before);
  facts.others = all - most.of.vectors + table.vector_forms()[column].odd_validity();
  facts.shape.real_bytes = form.real_bytes;
  facts.shape.real_form = most.form;
  facts.shape.width = most.of.width;
  facts.shape.width2 = most.of.width2;
  form.entry = most.form == RealForm::kPlain
                   ? kPlainEntry
                   : std::uint32_t{most.of.kind} | std::uint32_t{most.of.width} << 8 |
                         std::uint32_t{most.of.width2} << 16;
  form.reads_nulls = facts.shape.has_nulls;
  form.is_read = true;
  return facts;
}

/// What a column of the table is like, and which form most of its vectors have. `before`: what code
/// was made for, which is to read this column, too; nullptr: none.
Result<ColumnFacts> facts_of_column(const LoadedTable& table, std::size_t column, bool reads_values,
                                    const ColumnShape* before, ColumnForm& form) {
  const std::vector<TableBlock>& blocks = table.blocks_of(column);
  const bool is_real = std::any_of(blocks.begin(), blocks.end(),
                                   [](const TableBlock& block) { return block.floating; });
  if (is_real && reads_values) return facts_of_reals(table, column, before, form);
  ColumnFacts facts;
  facts.shape.has_nulls = before != nullptr && before->has_nulls;
  const TableBlock* known = nullptr;
  for (const TableBlock& block : blocks) {
    if (block.validity != nullptr || block.words == nullptr) facts.shape.has_nulls = true;
    if (block.words == nullptr || !reads_values) continue;
    if (known == nullptr) known = &block;
    if (known->is_signed != block.is_signed || known->width_bytes != block.width_bytes) {
      return not_compiled("columns of several types");
    }
  }
  form.reads_nulls = facts.shape.has_nulls;
  facts.others = table.vector_forms()[column].odd_validity();
  if (!reads_values) return facts;
  const UsualForm usual = usual_form(table, column, before);
  facts.others = usual.others;
  facts.shape.width = usual.width;
  form.width = usual.width;
  form.divisor = usual.divisor;
  form.span = greatest_number(usual.width) * usual.divisor;
  form.is_signed = known != nullptr && known->is_signed;
  form.is_read = true;
  return facts;
}

/// Whether the codes of a column need no look at Pipeline::code_numbers in any row group.
bool are_numbers(const KeyCodeTables& codes, std::size_t column, std::size_t row_groups) {
  if (codes.begins.size() < (column + 1) * row_groups) return false;
  const auto begin = codes.begins.begin() + static_cast<std::ptrdiff_t>(column * row_groups);
  return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(row_groups),
                     [](std::uint32_t of) { return (of & kCodesAreNumbers) != 0; });
}

/// What a leaf asks of slices.
LeafShape shape_of_leaf(std::span<const LeafRange> ranges) {
  constexpr std::uint32_t kMostIntervals = 8;
  LeafShape shape;
  std::uint32_t most = 0;
  for (const LeafRange& range : ranges) {
    if (range.count == LeafRange::kAll) continue;
    if (range.count == LeafRange::kBits) {
      shape.has_bits = true;
    } else {
      most = std::max(most, range.count);
    }
  }
  shape.is_any = most > kMostIntervals || (shape.has_bits && most != 0);
  shape.intervals = static_cast<Byte>(std::min(most, kMostIntervals));
  return shape;
}

/// What is asked of the slices of both.
LeafShape joined(const LeafShape& a, const LeafShape& b) {
  LeafShape both;
  both.intervals = std::max(a.intervals, b.intervals);
  both.has_bits = a.has_bits || b.has_bits;
  both.is_any = a.is_any || b.is_any || (both.has_bits && both.intervals != 0);
  return both;
}

}  // namespace

Result<std::unique_ptr<KernelRun>> KernelRun::make(const RunSpace& space, const Pipeline& pipeline,
                                                   const LoadedTable* table,
                                                   const LeafTables& leaves,
                                                   const KeyCodeTables& codes,
                                                   const QueryShape* before) {
  if (space.compiler == nullptr) return not_compiled("there is no compiler");
  std::unique_ptr<KernelRun> made(new KernelRun(space));
  QueryArguments& q = made->arguments_;
  QueryShape& shape = made->shape_;
  const bool are_small = std::all_of(codes.numbers.begin(), codes.numbers.end(),
                                     [](std::uint32_t number) { return number <= 0xFF; });
  std::uint64_t others = 0;
  bool reads_nulls = false;
  const ColumnsRead read = columns_read(pipeline);
  for (std::size_t i = 0; i < pipeline.columns; ++i) {
    const bool reads_values = (read.values >> i & 1) != 0;
    if (!reads_values && (read.nulls >> i & 1) == 0) {
      shape.columns.emplace_back();
      continue;
    }
    const ColumnShape* known = before != nullptr ? &before->columns[i] : nullptr;
    if (known != nullptr && known->is_read != reads_values) known = nullptr;
    PRESSO_ASSIGN(const ColumnFacts facts,
                  facts_of_column(*table, i, reads_values, known, q.columns[i]));
    ColumnShape column = facts.shape;
    column.is_read = reads_values;
    others += facts.others;
    reads_nulls = reads_nulls || facts.shape.has_nulls;
    column.codes_are_numbers = are_numbers(codes, i, table->groups().size());
    column.has_few_codes =
        column.width <= kMostMappedBits && q.columns[i].divisor == 1 && are_small;
    if (known != nullptr) {
      column.codes_are_numbers = column.codes_are_numbers && known->codes_are_numbers;
      column.has_few_codes = column.has_few_codes && known->has_few_codes;
    }
    shape.columns.push_back(column);
  }
  const std::span<const LeafRange> ranges(leaves.ranges);
  const std::size_t slices = pipeline.table.slice_count;
  for (std::size_t at = 0; at < ranges.size(); at += slices) {
    shape.leaves.push_back(shape_of_leaf(ranges.subspan(at, slices)));
  }
  if (before != nullptr && before->leaves.size() == shape.leaves.size()) {
    for (std::size_t i = 0; i < shape.leaves.size(); ++i) {
      shape.leaves[i] = joined(shape.leaves[i], before->leaves[i]);
    }
  }
  PRESSO_ASSIGN(shape.most_shared_bytes, space.kernels.most_shared_bytes());
  // Other parts of a table that is read from files may have some.
  shape.has_others = others != 0 || (table != nullptr && !table->is_resident());
  PRESSO_ASSIGN(made->source_, source_of(pipeline, shape));
  const KernelSource& source = made->source_;
  if (source.shared_bytes > shape.most_shared_bytes) return not_compiled("much shared memory");
  PRESSO_ASSIGN(made->kernels_, space.compiler->compile(source.text));
  PRESSO_ASSIGN(made->usual_blocks_,
                made->kernels_->thread_blocks(kUsualKernel, source.threads, source.shared_bytes));
  if (shape.has_others) {
    PRESSO_ASSIGN(made->others_blocks_, made->kernels_->thread_blocks(kOthersKernel, source.threads,
                                                                      source.shared_bytes));
  }
  std::copy(source.tests.begin(), source.tests.end(), q.tests);
  std::copy(source.constants.begin(), source.constants.end(), q.constants);
  q.column_count = pipeline.columns;
  std::copy(std::begin(pipeline.lookups), std::end(pipeline.lookups), q.lookups);
  std::copy(std::begin(pipeline.arrays), std::end(pipeline.arrays), q.arrays);
  if (others != 0) {
    // The blocks may be those of several tables of the same kind.
    others *= slices / std::max<std::size_t>(table->slices().size(), 1);
    others = std::min<std::uint64_t>(others, slices * kSliceVectors);
    q.most_others = static_cast<std::uint32_t>(others);
  }
  MemoryParts parts;
  const std::uint64_t counters = parts.add(2 * sizeof(std::uint32_t));
  const std::uint64_t list =
      parts.add(q.most_others != 0 ? slices * kSliceVectors * sizeof(std::uint32_t) : 0);
  if (table != nullptr) {
    q.slice_vectors = 1;
    for (const LoadedSlice& slice : table->slices()) {
      q.slice_vectors = std::max(q.slice_vectors, vectors_of(slice.rows));
    }
  }
  const std::uint64_t vectors = pipeline.columns * slices * q.slice_vectors;
  const std::uint64_t places = parts.add(vectors * sizeof(PackedPlace));
  const std::uint64_t valid = parts.add(reads_nulls ? vectors * sizeof(void*) : 0);
  const std::uint64_t same = parts.add(SameRows::kWords * sizeof(std::uint32_t));
  PRESSO_ASSIGN(made->memory_, space.memory.allocate(parts.bytes()));
  Byte* const there = made->memory_.get();
  q.other_count = reinterpret_cast<std::uint32_t*>(there + counters);
  q.tasks_taken = q.other_count + 1;
  if (q.most_others != 0) q.others = reinterpret_cast<std::uint32_t*>(there + list);
  VectorFinding finding;
  finding.table = pipeline.table;
  finding.column_count = pipeline.columns;
  finding.slice_vectors = q.slice_vectors;
  std::copy(std::begin(q.columns), std::end(q.columns), finding.columns);
  finding.same.zeros = reinterpret_cast<std::uint32_t*>(there + same);
  finding.places = reinterpret_cast<PackedPlace*>(there + places);
  if (reads_nulls) finding.valid = reinterpret_cast<const std::uint32_t**>(there + valid);
  if (vectors != 0) PRESSO_TRY(space.kernels.find_vectors(finding, space.stream));
  q.places = finding.places;
  q.valid = finding.valid;
  return made;
}

/// Other build sides of the same forms may have come since the code was made.
Status KernelRun::place_build_sides(const Pipeline& pipeline) {
  QueryArguments& q = arguments_;
  for (std::size_t i = 0; i < kMostLookups; ++i) {
    const Lookup& lookup = pipeline.lookups[i];
    const bool is_same = lookup.form == q.lookups[i].form &&
                         (lookup.next == nullptr) == (q.lookups[i].next == nullptr);
    if (!is_same) {
      return make_error(ErrorCode::kInvalidArgument, "a build side has changed its form");
    }
    q.lookups[i] = lookup;
    q.marks[i] = pipeline.marks[i];
  }
  for (std::size_t i = 0; i < kMostRowArrays; ++i) {
    if (pipeline.arrays[i].is_wide != q.arrays[i].is_wide) {
      return make_error(ErrorCode::kInvalidArgument, "an array has changed its width");
    }
    q.arrays[i] = pipeline.arrays[i];
    // The first value is read where there is none, too.
    if (q.arrays[i].count == 0) q.arrays[i].values = memory_.get();
  }
  return {};
}

Status KernelRun::enqueue(const Pipeline& pipeline) {
  QueryArguments& q = arguments_;
  q.table = pipeline.table;
  q.first_task = pipeline.first_task;
  q.end_task = std::min(pipeline.end_task, pipeline.table.tasks());
  q.ranges = pipeline.ranges;
  q.intervals = pipeline.intervals;
  q.code_bits = pipeline.code_bits;
  std::copy(std::begin(pipeline.row_bits), std::end(pipeline.row_bits), q.row_bits);
  q.code_begins = pipeline.code_begins;
  q.code_numbers = pipeline.code_numbers;
  q.row_groups = pipeline.row_groups;
  q.group_words = pipeline.group_words;
  q.order_bits = pipeline.order_bits;
  q.groups = pipeline.groups;
  q.cells = pipeline.cells_out;
  q.matched = pipeline.matched;
  q.fault = pipeline.fault;
  q.matched_bits = pipeline.matched_bits;
  q.table_keys = pipeline.table_keys;
  q.table_buckets = pipeline.table_buckets;
  q.table_probes = pipeline.table_probes;
  q.rows_out = pipeline.rows_out;
  q.most_rows_out = pipeline.most_rows_out;
  for (std::uint32_t i = 0; i < pipeline.outputs; ++i) {
    q.arrays_out[i] = pipeline.output[i].to.values;
  }
  PRESSO_TRY(place_build_sides(pipeline));
  PRESSO_TRY(space_.kernels.clear(memory_.get(), MemoryParts::kAlignment, space_.stream));
  PRESSO_TRY(kernels_->launch(kUsualKernel, &q, sizeof q, usual_blocks_, source_.threads,
                              source_.shared_bytes, space_.stream));
  return q.most_others == 0 ? Status() : run_others();
}

std::uint64_t KernelRun::values_bytes() const {
  return std::uint64_t{arguments_.column_count} * kVectorRows * sizeof(std::uint64_t);
}

/// What decoded vectors take, with the bits of their rows that are not null.
std::uint64_t KernelRun::decoded_bytes(std::uint32_t vectors) const {
  const std::uint64_t valid_bytes =
      std::uint64_t{arguments_.column_count} * kLanes * sizeof(std::uint32_t);
  return vectors * (values_bytes() + valid_bytes);
}

/// How many vectors are decoded at a time.
std::uint32_t KernelRun::most_decoded() const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(arguments_.most_others, kMostDecodedBytes / decoded_bytes(1)));
}

/// As many at a time as there is memory for.
Status KernelRun::run_others() {
  QueryArguments& q = arguments_;
  const std::uint64_t room = space_.memory.device_bytes_left() / 8 + decoded_.bytes();
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(room / decoded_bytes(1), 1, most_decoded()));
  std::uint32_t count = q.most_others;
  // To ask the device how many there are takes longer than to launch a kernel in vain.
  if (count > most) PRESSO_TRY(space_.copy_back(&count, q.other_count, sizeof count));
  if (count == 0) return {};
  const std::uint32_t vectors = std::min(count, most);
  if (decoded_.bytes() < decoded_bytes(vectors)) {
    PRESSO_ASSIGN(decoded_, space_.memory.allocate(decoded_bytes(vectors)));
  }
  q.decoded = reinterpret_cast<std::uint64_t*>(decoded_.get());
  q.decoded_valid = reinterpret_cast<std::uint32_t*>(decoded_.get() + vectors * values_bytes());
  for (q.first_other = 0; q.first_other < count; q.first_other = q.end_other) {
    q.end_other = std::min(count, q.first_other + vectors);
    const std::uint32_t some = q.end_other - q.first_other;
    PRESSO_TRY(space_.kernels.decode_others(q, some, space_.stream));
    const std::uint32_t warps = source_.threads / kLanes;
    PRESSO_TRY(kernels_->launch(kOthersKernel, &q, sizeof q,
                                std::min(others_blocks_, (kOtherParts * some + warps - 1) / warps),
                                source_.threads, source_.shared_bytes, space_.stream));
  }
  return {};
}

}  // namespace presso::gpu
