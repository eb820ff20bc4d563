// SPDX-License-Identifier: MIT
#include "scan/gpu/table/string_rows.h"

#include <algorithm>

#include "scan/strings/condition_automaton.h"

namespace presso::gpu {
namespace {

constexpr std::uint64_t kSliceWords = kMaxIntegerRows / kLanes;

Result<scan_detail::Dfa> automaton_of(const query::Filter& filter) {
  auto dfa = query::condition_automaton(filter.test->condition());
  if (dfa.ok()) return dfa;
  return make_error(ErrorCode::kUnsupported, "the automaton is too large for a GPU");
}

}  // namespace

Status StringRows::add_sources(const std::vector<const LoadedTable*>& tables,
                               const std::vector<StringLeaf>& leaves) {
  sources_.clear();
  slices_ = 0;
  MemoryParts counts;
  for (const LoadedTable* const table : tables) {
    slices_ += static_cast<std::uint32_t>(table->slices().size());
    for (const LoadedStrings& tokens : table->strings()) {
      const bool is_asked =
          std::any_of(leaves.begin(), leaves.end(),
                      [&tokens](const StringLeaf& leaf) { return leaf.column == tokens.column; });
      if (!is_asked) continue;
      const GroupReader& reader = *table->groups()[tokens.group].reader;
      if (tokens.has_bytes) {
        return make_error(ErrorCode::kUnsupported,
                          "conditions on strings that are stored as bytes");
      }
      sources_.push_back({table, &tokens, counts.add(reader.rows() * sizeof(std::uint32_t))});
    }
  }
  counts_bytes_ = counts.bytes();
  return {};
}

/// An automaton for each source, all in the same layout.
Status StringRows::add_tables(const StringLeaf& leaf, Run& run) const {
  PRESSO_ASSIGN(const scan_detail::Dfa dfa, automaton_of(*leaf.filter));
  std::vector<TokenFunctions> functions;
  const TokenDictionary* last = nullptr;
  bool is_chosen = false;
  for (const Source& source : sources_) {
    if (source.tokens->column != leaf.column) continue;
    const std::size_t column = leaf.filter->column;
    PRESSO_ASSIGN(const TokenDictionary* const tokens, source.reader().tokens(column));
    if (tokens == last) {
      functions.push_back(functions.back());
    } else {
      PRESSO_ASSIGN(TokenFunctions made, token_functions(dfa, *tokens));
      functions.push_back(std::move(made));
    }
    last = tokens;
    if (is_chosen) continue;
    run.layout = choose_layout(functions.back(), source.tokens->sample);
    is_chosen = true;
  }
  for (const TokenFunctions& one : functions) {
    if (!fits(run.layout, one)) run.layout = StringLayout::kWide;
  }
  for (const TokenFunctions& one : functions) {
    PRESSO_ASSIGN(StringTable table, lay_out(run.layout, one));
    run.tables.push_back(std::move(table));
  }
  return {};
}

void StringRows::add_blocks(const std::vector<const LoadedTable*>& tables, Run& run) const {
  for (const LoadedTable* const table : tables) {
    for (const LoadedSlice& slice : table->slices()) {
      run.slices.push_back({0, 0, slice.first, slice.rows});
    }
  }
  std::size_t number = 0;  // of the source
  std::size_t first_slice = 0;
  const LoadedTable* last = tables[0];
  for (const Source& source : sources_) {
    for (; last != source.table; last = tables[++number]) first_slice += last->slices().size();
    if (source.tokens->column != run.column) continue;
    const auto first = static_cast<std::uint32_t>(run.blocks.size());
    for (const LoadedStrings::Codes& codes : source.tokens->codes) {
      StringBlock block;
      block.payload = codes.payload;
      block.codes = codes.codes;
      block.rows = codes.rows;
      block.first_tile = run.tiles;
      run.tiles += row_tiles(codes.rows);
      run.words += row_words(codes.rows);
      run.blocks.push_back(block);
      run.bits.push_back({nullptr, codes.first_row, codes.rows});
      run.places.emplace_back(&source.reader(), codes.block);
    }
    const auto end = static_cast<std::uint32_t>(run.blocks.size());
    const std::vector<LoadedSlice>& slices = source.table->slices();
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].group != source.tokens->group) continue;
      BitSlice& slice = run.slices[first_slice + i];
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
}

Status StringRows::add_run(const StringLeaf& leaf, const std::vector<const LoadedTable*>& tables) {
  Run run;
  run.column = leaf.column;
  run.negated = leaf.filter->negated;
  run.verifies = std::none_of(runs_.begin(), runs_.end(),
                              [&leaf](const Run& other) { return other.column == leaf.column; });
  PRESSO_TRY(add_tables(leaf, run));
  add_blocks(tables, run);
  runs_.push_back(std::move(run));
  return {};
}

Status StringRows::prepare(const std::vector<const LoadedTable*>& tables,
                           const std::vector<StringLeaf>& leaves) {
  runs_.clear();
  counts_.clear();
  count_places_.clear();
  copies_.clear();
  status_count_ = 0;
  is_verified_ = false;
  if (leaves.empty()) return {};
  PRESSO_TRY(add_sources(tables, leaves));
  is_verified_ = std::all_of(sources_.begin(), sources_.end(),
                             [](const Source& source) { return source.tokens->is_verified; });
  for (const StringLeaf& leaf : leaves) PRESSO_TRY(add_run(leaf, tables));
  for (const Source& source : sources_) {
    for (const LoadedStrings::Counts& one : source.tokens->counts) {
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

void StringRows::place_counts(Byte* work, std::uint32_t* status) {
  auto block = counts_.begin();
  for (const Source& source : sources_) {
    for (const LoadedStrings::Counts& one : source.tokens->counts) {
      Byte* const to = work + source.counts_at + one.first_row * sizeof(std::uint32_t);
      if (one.is_plain) {
        copies_.push_back({to, one.payload.bytes, one.payload.size});
      } else {
        block++->out = to;
      }
    }
  }
  counts_batch_.status = status;
  counts_batch_.count = static_cast<std::uint32_t>(counts_.size());
}

/// Gives everything its place on the device, and uploads what is known.
Status StringRows::place() {
  std::uint64_t tiles = 0, words = 0, blocks = 0;
  status_count_ = static_cast<std::uint32_t>(counts_.size());
  for (const Run& run : runs_) {
    tiles = std::max<std::uint64_t>(tiles, run.tiles);
    words = std::max<std::uint64_t>(words, run.words);
    blocks = std::max<std::uint64_t>(blocks, run.blocks.size());
    status_count_ += static_cast<std::uint32_t>(run.blocks.size());
  }
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  MemoryParts parts;
  parts.add(counts_bytes_);
  const std::uint64_t tiles_at = parts.add(tiles * kWord);
  const std::uint64_t words_at = parts.add(words * kWord);
  const std::uint64_t matches_at = parts.add(blocks * kWord);
  const std::uint64_t status_at = parts.add(status_count_ * kWord);
  const std::uint64_t run_words = slices_ * kSliceWords;
  const std::uint64_t rows_at = parts.add(runs_.size() * run_words * kWord);
  PRESSO_ASSIGN(work_, memory_.allocate(parts.bytes()));
  Byte* const work = work_.get();
  const auto words_of = [work](std::uint64_t at) {
    return reinterpret_cast<std::uint32_t*>(work + at);
  };
  std::uint32_t* status = words_of(status_at);
  d_statuses_ = status;
  place_counts(work, status);
  status += counts_.size();

  Upload upload;
  struct Pieces {
    std::vector<std::size_t> tables;
    std::size_t blocks, bits, slices;
  };
  const std::size_t counts_piece = upload.add(counts_);
  std::vector<Pieces> pieces;
  for (const Run& run : runs_) {
    Pieces& of = pieces.emplace_back();
    for (const StringTable& table : run.tables) of.tables.push_back(upload.add(table.image));
    of.blocks = upload.add(run.blocks);
    of.bits = upload.add(run.bits);
    of.slices = upload.add(run.slices);
  }
  PRESSO_ASSIGN(input_, memory_.allocate(upload.bytes()));
  const Byte* const there = input_.get();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Run& run = runs_[i];
    std::uint32_t* bits = words_of(words_at);
    std::uint32_t* tile_begins = words_of(tiles_at);
    std::size_t number = 0, table = 0;
    for (const Source& source : sources_) {
      if (source.tokens->column != run.column) continue;
      StringTableView view = run.tables[table].view;
      view.d_image = upload.at<Byte>(there, pieces[i].tables[table++]);
      run.batch.table_bytes = std::max(run.batch.table_bytes, view.shared_bytes);
      for (const LoadedStrings::Codes& codes : source.tokens->codes) {
        StringBlock& block = run.blocks[number];
        block.table = view;
        block.counts = words_of(source.counts_at) + codes.first_row;
        block.tile_begins = tile_begins + block.first_tile;
        block.bits = bits;
        run.bits[number++].bits = bits;
        bits += row_words(codes.rows);
      }
    }
    run.batch.blocks = upload.at<StringBlock>(there, pieces[i].blocks);
    run.batch.status = status;
    run.batch.matches = words_of(matches_at);
    run.batch.count = static_cast<std::uint32_t>(run.blocks.size());
    run.batch.tiles = run.tiles;
    status += run.blocks.size();
    std::uint32_t* const row_bits = words_of(rows_at) + i * run_words;
    run.row_bits = row_bits;
    run.placed = {upload.at<BitSource>(there, pieces[i].bits),
                  upload.at<BitSlice>(there, pieces[i].slices), slices_, run.negated, row_bits};
  }
  counts_batch_.blocks = upload.at<IntegerBlock>(there, counts_piece);
  PRESSO_ASSIGN(pinned_, memory_.allocate_pinned(upload.bytes()));
  PRESSO_ASSIGN(statuses_,
                memory_.allocate_pinned(std::max<std::uint64_t>(status_count_, 1) * kWord));
  upload.write(pinned_.get());
  return memory_.device().copy_in(input_.get(), pinned_.get(),
                                  static_cast<std::size_t>(upload.bytes()), stream_);
}

Status StringRows::enqueue() {
  if (runs_.empty()) return {};
  for (const Copy& copy : copies_) {
    PRESSO_TRY(memory_.device().copy_within(copy.to, copy.from,
                                            static_cast<std::size_t>(copy.bytes), stream_));
  }
  if (counts_batch_.count != 0) {
    PRESSO_TRY(kernels_.decode_counts(counts_batch_, !is_verified_, stream_));
  }
  for (const Run& run : runs_) {
    PRESSO_TRY(kernels_.find(run.batch, {run.verifies && !is_verified_, run.layout}, stream_));
    PRESSO_TRY(kernels_.place_bits(run.placed, stream_));
  }
  is_verified_ = true;
  return memory_.device().copy_out(statuses_.get(), reinterpret_cast<const Byte*>(d_statuses_),
                                   status_count_ * sizeof(std::uint32_t), stream_);
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
  return {};
}

}  // namespace presso::gpu
