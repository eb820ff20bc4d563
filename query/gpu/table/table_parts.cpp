// SPDX-License-Identifier: MIT
// Implements table_parts.h. Where all columns are resident nothing is read, and a part ends by its
// rows; otherwise the loader decides which row groups a part has, and resident columns are added to
// them.
#include "query/gpu/table/table_parts.h"

#include <algorithm>

namespace presso::gpu {
namespace {

constexpr std::uint32_t kRowsOfASlice = kMaxIntegerRows;

/// The blocks of a row group's strings that have rows of some slices.
LoadedStrings strings_of(const LoadedStrings& all, std::span<const LoadedSlice> slices) {
  if (all.has_bytes) return all;
  LoadedStrings some;
  some.is_verified = all.is_verified;
  some.step_begins = all.step_begins;
  for (const LoadedStrings::Codes& codes : all.codes) {
    if (overlaps(slices, codes.first_row, codes.rows)) some.codes.push_back(codes);
  }
  for (const LoadedStrings::Counts& counts : all.counts) {
    const std::uint64_t end = std::uint64_t{counts.first_row} + counts.parameters.rows;
    const bool has_rows =
        std::any_of(some.codes.begin(), some.codes.end(), [&](const LoadedStrings::Codes& codes) {
          return counts.first_row < codes.first_row + codes.rows && codes.first_row < end;
        });
    if (has_rows) some.counts.push_back(counts);
  }
  return some;
}

}  // namespace

TableParts::TableParts(const RunSpace& space, const std::vector<Table>& tables, WantedParts wanted,
                       ReadCounters& counters, unsigned threads)
    : space_(space),
      tables_(tables),
      wanted_(std::move(wanted)),
      counters_(counters),
      blocks_before_(counters.blocks),
      at_group_(tables) {
  find_residents(wanted_.columns);
  if (has_residents() && missing_.empty()) return;
  std::uint32_t strings = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].is_resident || (wanted_.string_columns >> i & 1) == 0) continue;
    strings |= 1u << sources_[i].missing;
  }
  loader_.emplace(space, tables, missing_, counters, threads, wanted_.wants,
                  StringLoading{strings, false, wanted_.takes_bytes});
}

void TableParts::find_residents(const std::vector<std::size_t>& columns) {
  if (space_.residents != nullptr) {
    residents_ = space_.residents->find(tables_, columns).value_or(residents_);
  }
  const auto is_resident = [this](std::size_t column) {
    return std::all_of(residents_.begin(), residents_.end(), [column](const auto& table) {
      return table->find_column(column).has_value();
    });
  };
  if (!columns.empty() && std::none_of(columns.begin(), columns.end(), is_resident)) {
    residents_.clear();
  }
  for (const std::size_t column : columns) {
    Source& source = sources_.emplace_back();
    source.is_resident = has_residents() && is_resident(column);
    source.missing = missing_.size();
    if (!source.is_resident) missing_.push_back(column);
  }
  for (std::size_t table = 0; table < residents_.size(); ++table) {
    for (std::uint64_t group = 0; group < tables_[table].row_groups(); ++group) {
      const ResidentGroup of = resident_group(table, group);
      const GroupReader& reader = *of.table.loaded().groups()[of.place.group].reader;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!sources_[i].is_resident) continue;
        const auto cost = reader.cost(columns[i], 0, reader.rows());
        all_.bytes += cost.bytes;
        all_.blocks += cost.blocks;
      }
    }
  }
}

TableParts::ResidentGroup TableParts::resident_group(std::size_t table, std::uint64_t group) const {
  const ResidentTable& from = *residents_[table];
  return {from, from.place(*from.find_table(tables_[table]), group)};
}

std::uint64_t TableParts::stored_bytes() const {
  return all_.bytes + (loader_ ? loader_->stored_bytes() : 0);
}

std::uint64_t TableParts::blocks_skipped() const {
  const std::uint64_t all = all_.blocks + (loader_ ? loader_->blocks() : 0);
  const std::uint64_t read = counters_.blocks - blocks_before_;
  return all - std::min(all, used_.blocks + read);
}

Result<std::optional<LoadedTable>> TableParts::next(std::uint64_t most_bytes) {
  if (!loader_) return next_of_residents();
  PRESSO_ASSIGN(std::optional<LoadedTable> read, loader_->next(most_bytes));
  if (!read || !has_residents()) return read;
  PRESSO_ASSIGN(LoadedTable part, with_residents(std::move(*read)));
  return std::optional<LoadedTable>(std::move(part));
}

Result<std::optional<LoadedTable>> TableParts::next_of_residents() {
  LoadedTable part;
  while (at_group_.has_group()) {
    const ResidentGroup from = resident_group(at_group_.table(), at_group_.group());
    LoadedGroup group = from.table.loaded().groups()[from.place.group];
    if (!part.groups_.empty() && part.rows_ + group.reader->rows() > wanted_.most_rows) break;
    group.table = at_group_.table();
    group.first_row = at_group_.first_row() + group.reader->first_row();
    PRESSO_TRY(add_slices(part, std::move(group)));
    at_group_.next();
  }
  if (part.groups_.empty()) return std::optional<LoadedTable>();
  PRESSO_ASSIGN(part, with_residents(std::move(part)));
  part.is_resident_ = true;
  return std::optional<LoadedTable>(std::move(part));
}

/// Those that are wanted of a row group.
Status TableParts::add_slices(LoadedTable& part, LoadedGroup group) const {
  const auto number = static_cast<std::uint32_t>(part.groups_.size());
  const std::size_t before = part.slices_.size();
  for (std::uint32_t first = 0; first < group.reader->rows(); first += kRowsOfASlice) {
    const std::uint32_t rows = std::min(kRowsOfASlice, group.reader->rows() - first);
    PRESSO_ASSIGN(const bool wanted, wanted_.wants(*group.reader, first, rows));
    if (!wanted) continue;
    part.slices_.push_back({number, first, rows, group.first_row + first});
    part.rows_ += rows;
  }
  if (part.slices_.size() != before) part.groups_.push_back(std::move(group));
  return {};
}

/// `read`: the missing columns, or slices alone where nothing is missing.
Result<LoadedTable> TableParts::with_residents(LoadedTable read) {
  LoadedTable part;
  part.groups_ = std::move(read.groups_);
  part.slices_ = std::move(read.slices_);
  part.rows_ = read.rows_;
  part.memory_ = std::move(read.memory_);
  part.keeps_.assign(residents_.begin(), residents_.end());
  part.vector_forms_.resize(sources_.size());
  part.forms_.resize(sources_.size());
  part.host_blocks_.resize(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) add_column(part, i, read);
  for (std::size_t i = 0; i < part.groups_.size(); ++i) add_strings(part, i, read);
  count_used(part);
  PRESSO_TRY(place(part));
  return part;
}

void TableParts::add_column(LoadedTable& part, std::size_t column, LoadedTable& read) const {
  if (!sources_[column].is_resident) {
    part.host_blocks_[column] = std::move(read.host_blocks_[sources_[column].missing]);
    part.vector_forms_[column] = read.vector_forms_[sources_[column].missing];
    return;
  }
  ColumnForms& forms = part.vector_forms_[column];
  for (const auto& table : residents_) {
    if (table->loaded().groups().empty()) continue;
    forms.add(table->loaded().vector_forms()[*table->find_column(wanted_.columns[column])]);
  }
  part.forms_[column] = common_form(column);
  for (std::size_t i = 0; i < part.groups_.size(); ++i) {
    const LoadedGroup& group = part.groups_[i];
    const ResidentGroup from = resident_group(group.table, group.reader->group());
    const auto& blocks =
        from.table.loaded().blocks_of(*from.table.find_column(wanted_.columns[column]));
    for (const LoadedSlice& slice : slices_of(part, i)) {
      TableBlock block = blocks[from.place.first_slice + slice.first / kRowsOfASlice];
      if (!part.forms_[column]) block.places = nullptr;
      part.host_blocks_[column].push_back(block);
    }
  }
}

/// The form that a column has in all resident tables; nothing: they differ, or one has none.
std::optional<UsualForm> TableParts::common_form(std::size_t column) const {
  std::optional<UsualForm> common;
  for (const auto& table : residents_) {
    if (table->loaded().groups().empty()) continue;
    const auto& of = table->loaded().form_of(*table->find_column(wanted_.columns[column]));
    if (!of || (common && !common->is_same(*of))) return std::nullopt;
    const std::uint64_t others = common ? common->others : 0;
    common = of;
    common->others += others;
  }
  return common;
}

/// Adds the strings of all columns whose strings are wanted, for a row group.
void TableParts::add_strings(LoadedTable& part, std::size_t group, LoadedTable& read) const {
  for (std::size_t column = 0; column < sources_.size(); ++column) {
    if ((wanted_.string_columns >> column & 1) == 0) continue;
    LoadedStrings made;
    if (sources_[column].is_resident) {
      const LoadedGroup& of = part.groups_[group];
      const ResidentGroup from = resident_group(of.table, of.reader->group());
      const std::size_t number = *from.table.find_column(wanted_.columns[column]);
      const LoadedStrings* const all = from.table.strings(number, from.place.group);
      if (all == nullptr) continue;
      made = strings_of(*all, slices_of(part, group));
      const bool is_first = std::none_of(part.strings_.begin(), part.strings_.end(),
                                         [column](const LoadedStrings& other) {
                                           return other.column == column && !other.has_bytes;
                                         });
      if (is_first && !made.has_bytes) made.sample = from.table.sample(number);
    } else {
      const auto found =
          std::find_if(read.strings_.begin(), read.strings_.end(), [&](const LoadedStrings& one) {
            return one.column == sources_[column].missing && one.group == group;
          });
      if (found == read.strings_.end()) continue;
      made = std::move(*found);
    }
    made.column = static_cast<std::uint32_t>(column);
    made.group = static_cast<std::uint32_t>(group);
    part.strings_.push_back(std::move(made));
  }
}

void TableParts::count_used(const LoadedTable& part) {
  for (std::size_t i = 0; i < part.groups_.size(); ++i) {
    for (std::size_t column = 0; column < sources_.size(); ++column) {
      if (!sources_[column].is_resident) continue;
      const auto cost =
          cost_of(*part.groups_[i].reader, wanted_.columns[column], slices_of(part, i));
      used_.bytes += cost.bytes;
      used_.blocks += cost.blocks;
    }
  }
}

/// What tells kernels where all blocks are.
Status TableParts::place(LoadedTable& part) const {
  std::vector<TableSlice> slices;
  for (const LoadedSlice& slice : part.slices_) {
    slices.push_back({slice.first_row, slice.rows, slice.group});
  }
  std::vector<TableBlock> blocks;
  for (const auto& column : part.host_blocks_) {
    blocks.insert(blocks.end(), column.begin(), column.end());
  }
  Upload upload;
  const std::size_t slices_piece = upload.add(slices);
  const std::size_t blocks_piece = upload.add(blocks);
  PRESSO_ASSIGN(DeviceMemory there, space_.memory.allocate(upload.bytes()));
  PRESSO_TRY(space_.copy_there(there.get(), upload));
  part.blocks_ = {upload.at<TableSlice>(there.get(), slices_piece),
                  upload.at<TableBlock>(there.get(), blocks_piece),
                  static_cast<std::uint32_t>(slices.size())};
  part.memory_.push_back(std::move(there));
  return {};
}

}  // namespace presso::gpu
