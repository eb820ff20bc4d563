// SPDX-License-Identifier: MIT
// Implements string_rows.h: makes the automaton of each condition, lays out memory, and enqueues
// the kernels. kUnsupported, which leaves the query to the CPU, for an automaton that is too large
// for a GPU, and for text for which there may be too little device memory.
#include "query/gpu/table/string_rows.h"

#include <algorithm>

#include "query/gpu/table/slice_blocks.h"
#include "query/strings/condition_automaton.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kSliceWords = kMaxIntegerRows / kLanes;

Result<scan_detail::Dfa> automaton_of(const query::Filter& filter) {
  auto dfa = query::condition_automaton(filter.test->condition());
  if (dfa.ok()) return dfa;
  return make_error(ErrorCode::kUnsupported, "the automaton is too large for a GPU");
}

}  // namespace

/// Whether the counts of codes of all rows are decoded.
bool StringRows::counts_are_read(const Source& source) const {
  return !by_steps_.contains(source.strings->column);
}

void StringRows::add_sources(const std::vector<const LoadedTable*>& tables,
                             const std::vector<StringLeaf>& leaves, bool few_are_left) {
  sources_.clear();
  texts_.clear();
  by_steps_.clear();
  slices_ = 0;
  MemoryParts counts;
  for (const LoadedTable* const table : tables) {
    for (const LoadedStrings& strings : table->strings()) {
      const bool is_asked =
          std::any_of(leaves.begin(), leaves.end(),
                      [&strings](const StringLeaf& leaf) { return leaf.column == strings.column; });
      if (!is_asked) continue;
      (strings.has_bytes ? texts_ : sources_).push_back({table, &strings, slices_, 0});
      if (few_are_left && strings.step_begins != nullptr) by_steps_.insert(strings.column);
    }
    slices_ += static_cast<std::uint32_t>(table->slices().size());
  }
  for (const Source& source : sources_) {
    if (source.strings->step_begins == nullptr) by_steps_.erase(source.strings->column);
  }
  for (Source& source : sources_) {
    if (!counts_are_read(source)) continue;
    source.counts_at = counts.add(source.reader().rows() * sizeof(std::uint32_t));
  }
  counts_bytes_ = counts.bytes();
  std::stable_sort(texts_.begin(), texts_.end(), [](const Source& a, const Source& b) {
    return a.strings->column < b.strings->column;
  });
}

Status StringRows::prepare_text(const std::vector<StringLeaf>& leaves) {
  text_.emplace(space_, make_error(ErrorCode::kUnsupported,
                                   "conditions on strings that are stored as bytes, for which "
                                   "there may be too little device memory"));
  std::vector<StoredText> groups;
  for (const Source& source : texts_) {
    const auto leaf = std::find_if(leaves.begin(), leaves.end(), [&source](const StringLeaf& one) {
      return one.column == source.strings->column;
    });
    groups.push_back({source.strings, &source.reader(), leaf->filter->column, nullptr});
  }
  PRESSO_TRY(text_->prepare(groups));
  text_tests_.resize(text_->batches().size());
  return {};
}

/// An automaton for each dictionary of tokens, all in the same layout, by all threads.
Status StringRows::add_tables(const StringLeaf& leaf, const scan_detail::Dfa& dfa, Run& run) const {
  std::vector<const Source*> sources;
  for (const Source& source : sources_) {
    if (source.strings->column == leaf.column) sources.push_back(&source);
  }
  std::vector<const TokenDictionary*> tokens(sources.size());
  PRESSO_TRY(space_.for_each(tokens.size(), [&](std::size_t i) -> Status {
    PRESSO_ASSIGN(tokens[i], sources[i]->reader().tokens(leaf.filter->column));
    return {};
  }));
  std::vector<const TokenDictionary*> different;
  for (const TokenDictionary* const one : tokens) {
    if (different.empty() || different.back() != one) different.push_back(one);
    run.table_of.push_back(different.size() - 1);
  }
  if (different.empty()) return {};
  run.by_steps = by_steps_.contains(run.column);
  std::vector<TokenFunctions> functions(different.size());
  PRESSO_TRY(space_.for_each(functions.size(), [&](std::size_t i) -> Status {
    PRESSO_ASSIGN(functions[i], token_functions(dfa, *different[i]));
    return {};
  }));
  run.layout = choose_layout(functions.front(), sources.front()->strings->sample);
  const bool all_fit =
      std::all_of(functions.begin(), functions.end(),
                  [&run](const TokenFunctions& one) { return fits(run.layout, one); });
  if (!all_fit || run.by_steps) run.layout = StringLayout::kWide;
  run.tables.resize(functions.size());
  return space_.for_each(functions.size(), [&](std::size_t i) -> Status {
    PRESSO_ASSIGN(run.tables[i], lay_out(run.layout, functions[i]));
    return {};
  });
}

/// The slices of a row group, numbered through all tables.
std::pair<std::uint32_t, std::uint32_t> StringRows::slices_of_source(const Source& source) {
  const auto slices = slices_of(*source.table, source.strings->group);
  const auto first = static_cast<std::uint32_t>(source.first_slice) +
                     static_cast<std::uint32_t>(slices.data() - source.table->slices().data());
  return {first, first + static_cast<std::uint32_t>(slices.size())};
}

/// Adds the blocks of a row group's tokens, and notes which of them have a slice's rows.
void StringRows::add_blocks(const Source& source, Run& run) const {
  const auto first = static_cast<std::uint32_t>(run.blocks.size());
  const auto [first_slice, end_slice] = slices_of_source(source);
  for (const LoadedStrings::Codes& codes : source.strings->codes) {
    StringBlock block;
    block.payload = codes.payload;
    block.codes = codes.codes;
    block.rows = codes.rows;
    block.first_row = codes.first_row;
    block.first_code = codes.first_code;
    run.places.emplace_back(&source.reader(), codes.block);
    if (!run.by_steps) {
      block.first_tile = run.tiles;
      run.tiles += row_tiles(codes.rows);
      run.words += row_words(codes.rows);
      run.bits.push_back({nullptr, codes.first_row, codes.rows, first_slice, end_slice});
    }
    run.blocks.push_back(block);
  }
  if (run.by_steps) return add_left_slices(source, first, run);
  const auto end = static_cast<std::uint32_t>(run.blocks.size());
  for (std::uint32_t i = first_slice; i < end_slice; ++i) {
    BitSlice& slice = run.slices[i];
    slice.first_source = first;
    while (run.bits[slice.first_source].first_row + run.bits[slice.first_source].rows <=
           slice.first_row) {
      ++slice.first_source;
    }
    slice.end_source = slice.first_source;
    while (slice.end_source < end &&
           run.bits[slice.end_source].first_row < slice.first_row + slice.rows) {
      ++slice.end_source;
    }
  }
}

/// Tells each slice of the source which of the run's blocks have its rows, for test_left_rows().
/// `first`: the number of the source's first block.
void StringRows::add_left_slices(const Source& source, std::uint32_t first, Run& run) const {
  const auto end = static_cast<std::uint32_t>(run.blocks.size());
  const auto [first_slice, end_slice] = slices_of_source(source);
  for (std::uint32_t i = first_slice; i < end_slice; ++i) {
    LeftSlice& slice = run.left_slices[i];
    const std::uint32_t end_row = slice.first_row + slice.rows;
    slice.first_block = first;
    while (run.blocks[slice.first_block].first_row + run.blocks[slice.first_block].rows <=
           slice.first_row) {
      ++slice.first_block;
    }
    slice.end_block = slice.first_block;
    while (slice.end_block < end && run.blocks[slice.end_block].first_row < end_row) {
      ++slice.end_block;
    }
    slice.begins = source.strings->step_begins + slice.first_row / kLanes;
    const auto counts = std::find_if(
        source.strings->counts.begin(), source.strings->counts.end(),
        [&](const LoadedStrings::Counts& one) { return one.first_row == slice.first_row; });
    slice.counts.payload = counts->payload;
    slice.counts.parameters = counts->parameters;
    slice.is_plain = counts->is_plain;
  }
}

/// Each row group of text is a block, all slices of which have their rows in it.
void StringRows::add_text(Run& run) const {
  for (std::size_t group = 0; group < texts_.size(); ++group) {
    const Source& source = texts_[group];
    if (source.strings->column != run.column) continue;
    const StringBlock& block = run.text_blocks.emplace_back(text_->blocks()[group]);
    run.words += row_words(block.rows);
    const auto number = static_cast<std::uint32_t>(run.bits.size());
    const auto [first_slice, end_slice] = slices_of_source(source);
    run.bits.push_back({nullptr, 0, block.rows, first_slice, end_slice});
    for (std::uint32_t i = first_slice; i < end_slice; ++i) {
      run.slices[i].first_source = number;
      run.slices[i].end_source = number + 1;
    }
  }
}

Status StringRows::add_run(const StringLeaf& leaf, const std::vector<const LoadedTable*>& tables) {
  Run run;
  run.column = leaf.column;
  run.negated = leaf.filter->negated;
  run.is_required = leaf.is_required;
  run.verifies = std::none_of(runs_.begin(), runs_.end(),
                              [&leaf](const Run& other) { return other.column == leaf.column; });
  PRESSO_ASSIGN(const scan_detail::Dfa dfa, automaton_of(*leaf.filter));
  PRESSO_TRY(add_tables(leaf, dfa, run));
  for (const LoadedTable* const table : tables) {
    for (const LoadedSlice& slice : table->slices()) {
      run.slices.push_back({0, 0, slice.first, slice.rows});
      if (run.by_steps) {
        LeftSlice& left = run.left_slices.emplace_back();
        left.first_row = slice.first;
        left.rows = slice.rows;
      }
    }
  }
  for (const Source& source : sources_) {
    if (source.strings->column == run.column) add_blocks(source, run);
  }
  add_text(run);
  if (!run.text_blocks.empty()) {
    PRESSO_ASSIGN(run.text_table, lay_out_text(dfa));
  }
  run.has_all_slices = true;
  for (std::size_t i = 0; i < run.slices.size(); ++i) {
    const bool has_bits = run.slices[i].first_source != run.slices[i].end_source;
    const bool has_left =
        run.by_steps && run.left_slices[i].first_block != run.left_slices[i].end_block;
    run.has_all_slices = run.has_all_slices && (has_bits || has_left);
  }
  runs_.push_back(std::move(run));
  return {};
}

Status StringRows::prepare(const std::vector<const LoadedTable*>& tables,
                           const std::vector<StringLeaf>& leaves, bool few_are_left) {
  runs_.clear();
  counts_.clear();
  count_places_.clear();
  copies_.clear();
  status_count_ = 0;
  is_verified_ = false;
  text_tests_.clear();
  if (leaves.empty()) return {};
  add_sources(tables, leaves, few_are_left);
  PRESSO_TRY(prepare_text(leaves));
  is_verified_ = std::all_of(sources_.begin(), sources_.end(),
                             [](const Source& source) { return source.strings->is_verified; });
  for (const StringLeaf& leaf : leaves) PRESSO_TRY(add_run(leaf, tables));
  for (const Source& source : sources_) {
    if (!counts_are_read(source)) continue;
    for (const LoadedStrings::Counts& one : source.strings->counts) {
      if (one.is_plain) continue;
      IntegerBlock block;
      block.payload = one.payload;
      block.parameters = one.parameters;
      counts_.push_back(block);
      count_places_.emplace_back(&source.reader(), one.block);
    }
  }
  return place();
}

Result<StringRows::Places> StringRows::allocate_work() {
  std::uint64_t tiles = 0, words = 0, matches = 0;
  status_count_ = static_cast<std::uint32_t>(counts_.size());
  for (const Run& run : runs_) {
    tiles = std::max<std::uint64_t>(tiles, run.tiles);
    words += run.words;
    matches = std::max<std::uint64_t>(matches, run.blocks.size());
    status_count_ += static_cast<std::uint32_t>(run.blocks.size());
  }
  constexpr std::uint64_t kBytesOfWord = sizeof(std::uint32_t);
  MemoryParts parts;
  parts.add(counts_bytes_);
  Places places{};
  places.tiles_at = parts.add(tiles * kBytesOfWord);
  places.words_at = parts.add(words * kBytesOfWord);
  places.matches_at = parts.add(matches * kBytesOfWord);
  places.status_at = parts.add(status_count_ * kBytesOfWord);
  places.tested_at = parts.add(kBytesOfWord);
  places.rows_at = parts.add(runs_.size() * slices_ * kSliceWords * kBytesOfWord);
  PRESSO_ASSIGN(work_, space_.memory.allocate(parts.bytes()));
  places.work = work_.get();
  return places;
}

void StringRows::place_counts(const Places& places) {
  auto block = counts_.begin();
  for (const Source& source : sources_) {
    if (!counts_are_read(source)) continue;
    for (const LoadedStrings::Counts& one : source.strings->counts) {
      Byte* const to = places.work + source.counts_at + one.first_row * sizeof(std::uint32_t);
      if (one.is_plain) {
        copies_.push_back({to, one.payload.bytes, one.payload.size});
      } else {
        block++->out = to;
      }
    }
  }
  counts_batch_.status = places.words(places.status_at);
  counts_batch_.count = static_cast<std::uint32_t>(counts_.size());
}

/// `bits`: where those of a run's blocks go; behind them afterwards.
void StringRows::place_tokens(const Places& places, const Upload& upload, const Pieces& pieces,
                              Run& run, std::uint32_t*& bits) {
  const Byte* const there = input_.get();
  std::uint32_t* const tile_begins = places.words(places.tiles_at);
  std::size_t number = 0;
  auto table = run.table_of.begin();
  for (const Source& source : sources_) {
    if (source.strings->column != run.column) continue;
    StringTableView view = run.tables[*table].view;
    view.d_image = upload.at<Byte>(there, pieces.tables[*table++]);
    run.batch.table_bytes = std::max(run.batch.table_bytes, view.shared_bytes);
    for (const LoadedStrings::Codes& codes : source.strings->codes) {
      StringBlock& block = run.blocks[number];
      block.table = view;
      if (run.by_steps) {
        ++number;
        continue;
      }
      block.counts = places.words(source.counts_at) + codes.first_row;
      block.tile_begins = tile_begins + block.first_tile;
      block.bits = bits;
      run.bits[number++].bits = bits;
      bits += row_words(codes.rows);
    }
  }
  run.batch.blocks = upload.at<StringBlock>(there, pieces.blocks);
  run.batch.matches = places.words(places.matches_at);
  run.batch.count = static_cast<std::uint32_t>(run.blocks.size());
  run.batch.tiles = run.tiles;
}

/// The same of text, and adds the run's tests to those of the batches.
void StringRows::place_text(const Upload& upload, const Pieces& pieces, Run& run,
                            std::uint32_t*& bits) {
  if (run.text_blocks.empty()) return;
  StringTableView view = run.text_table->view;
  view.d_image = upload.at<Byte>(input_.get(), pieces.text_table);
  std::size_t number = run.bits.size() - run.text_blocks.size();
  for (StringBlock& block : run.text_blocks) {
    block.table = view;
    block.bits = bits;
    run.bits[number++].bits = bits;
    bits += row_words(block.rows);
  }
  const auto* blocks = upload.at<StringBlock>(input_.get(), pieces.text_blocks);
  for (std::size_t i = 0; i < text_tests_.size(); ++i) {
    const DecodedText::Batch& batch = text_->batches()[i];
    if (texts_[batch.first_group()].strings->column != run.column) continue;
    TextTest& test = text_tests_[i].emplace_back();
    test.rows = batch.rows().strings;
    test.rows.blocks = blocks;
    test.rows.table_bytes = view.shared_bytes;
    test.layout = run.text_table->layout;
    test.least_bytes = run.text_table->least_bytes;
    test.most_bytes = run.text_table->most_bytes;
    blocks += test.rows.count;
  }
}

/// Gives everything its place on the device, and uploads what is known.
Status StringRows::place() {
  PRESSO_ASSIGN(const Places places, allocate_work());
  place_counts(places);
  d_statuses_ = places.words(places.status_at);
  Upload upload;
  const std::size_t counts_piece = upload.add(counts_);
  std::vector<Pieces> pieces;
  const std::vector<Byte> no_image;
  for (const Run& run : runs_) {
    Pieces& of = pieces.emplace_back();
    for (const StringTable& table : run.tables) of.tables.push_back(upload.add(table.image));
    of.blocks = upload.add(run.blocks);
    of.text_table = upload.add(run.text_table ? run.text_table->image : no_image);
    of.text_blocks = upload.add(run.text_blocks);
    of.bits = upload.add(run.bits);
    of.slices = upload.add(run.slices);
    of.left_slices = upload.add(run.left_slices);
  }
  PRESSO_ASSIGN(input_, space_.memory.allocate(upload.bytes()));
  const Byte* const there = input_.get();
  std::uint32_t* status = places.words(places.status_at) + counts_.size();
  std::uint32_t* bits = places.words(places.words_at);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Run& run = runs_[i];
    place_tokens(places, upload, pieces[i], run, bits);
    place_text(upload, pieces[i], run, bits);
    run.batch.status = status;
    status += run.blocks.size();
    std::uint32_t* const row_bits = places.words(places.rows_at) + i * slices_ * kSliceWords;
    run.row_bits = row_bits;
    run.placed.sources = upload.at<BitSource>(there, pieces[i].bits);
    run.placed.slices = upload.at<BitSlice>(there, pieces[i].slices);
    run.placed.count = slices_;
    run.placed.source_count = static_cast<std::uint32_t>(run.bits.size());
    run.placed.negated = run.negated;
    run.placed.to = row_bits;
    run.left.batch = run.batch;
    run.left.slices = upload.at<LeftSlice>(there, pieces[i].left_slices);
    run.left.count = static_cast<std::uint32_t>(run.left_slices.size());
    run.left.negated = run.negated;
    run.left.keeps_others = !run.text_blocks.empty();
    run.left.to = row_bits;
    run.left.tested = places.words(places.tested_at);
  }
  counts_batch_.blocks = upload.at<IntegerBlock>(there, counts_piece);
  PRESSO_ASSIGN(pinned_, space_.memory.allocate_pinned(upload.bytes()));
  PRESSO_ASSIGN(statuses_, space_.memory.allocate_pinned(std::max<std::uint64_t>(status_count_, 1) *
                                                         sizeof(std::uint32_t)));
  upload.write(pinned_.get());
  return space_.device().copy_in(input_.get(), pinned_.get(),
                                 static_cast<std::size_t>(upload.bytes()), space_.stream);
}

/// Tells the blocks of a run which of their rows are left.
Status StringRows::tell_left(Run& run, const std::uint32_t* left) {
  run.is_told = left != nullptr;
  if (left == nullptr || run.bits.empty()) return {};
  RowBits bits = run.placed;
  bits.left = left;
  return space_.strings.take_bits(bits, space_.stream);
}

/// The text of a column is decoded once for all conditions on it.
Status StringRows::enqueue_text(std::uint32_t column, const std::uint32_t* left) {
  for (Run& run : runs_) {
    if (run.column == column && !run.text_blocks.empty()) PRESSO_TRY(tell_left(run, left));
  }
  for (std::size_t i = 0; i < text_tests_.size(); ++i) {
    const DecodedText::Batch& batch = text_->batches()[i];
    if (texts_[batch.first_group()].strings->column != column) continue;
    for (TextTest& test : text_tests_[i]) test.rows.tests_left = left != nullptr;
    PRESSO_TRY(text_->decode(batch));
    PRESSO_TRY(space_.strings.test_text(batch.rows(), text_tests_[i], space_.stream));
  }
  return {};
}

Status StringRows::place_bits(const Run& run, const std::uint32_t* left) {
  RowBits bits = run.placed;
  bits.left = left;
  return space_.strings.place_bits(bits, space_.stream);
}

Status StringRows::enqueue(const std::uint32_t* left) {
  if (runs_.empty()) return {};
  StringKernels& kernels = space_.strings;
  const Stream stream = space_.stream;
  for (const Copy& copy : copies_) {
    PRESSO_TRY(space_.device().copy_within(copy.to, copy.from, static_cast<std::size_t>(copy.bytes),
                                           stream));
  }
  if (counts_batch_.count != 0) {
    PRESSO_TRY(kernels.decode_counts(counts_batch_, !is_verified_, stream));
  }
  if (!by_steps_.empty()) {
    auto* const tested = reinterpret_cast<Byte*>(runs_.front().left.tested);
    PRESSO_TRY(space_.kernels.clear(tested, sizeof(std::uint32_t), stream));
  }
  for (Run& run : runs_) {
    if (run.verifies) PRESSO_TRY(enqueue_text(run.column, left));
    if (run.text_blocks.empty()) PRESSO_TRY(tell_left(run, left));
    if (run.by_steps) {
      LeftRows rows = run.left;
      rows.left = left;
      if (rows.keeps_others) PRESSO_TRY(place_bits(run, left));
      PRESSO_TRY(kernels.test_left(rows, stream));
    } else {
      StringBatch batch = run.batch;
      batch.tests_left = run.is_told;
      PRESSO_TRY(kernels.find(batch, {run.verifies && !is_verified_, run.layout}, stream));
      PRESSO_TRY(place_bits(run, left));
    }
    // What rows of other slices are left is not known from this condition's bits.
    if (run.is_required && run.has_all_slices) left = run.row_bits;
  }
  is_verified_ = true;
  if (status_count_ == 0) return {};
  return space_.device().copy_out(statuses_.get(), reinterpret_cast<const Byte*>(d_statuses_),
                                  status_count_ * sizeof(std::uint32_t), stream);
}

Status StringRows::check() const {
  if (runs_.empty()) return {};
  const Byte* at = statuses_.get();
  const auto next = [&at] {
    const auto status = load<std::uint32_t>(at);
    at += sizeof status;
    return status;
  };
  for (const BlockOfGroup& place : count_places_) PRESSO_TRY(error_of(next(), place));
  for (const Run& run : runs_) {
    for (const BlockOfGroup& place : run.places) PRESSO_TRY(error_of(next(), place));
  }
  return text_->check();
}

}  // namespace presso::gpu
