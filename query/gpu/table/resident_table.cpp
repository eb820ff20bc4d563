// SPDX-License-Identifier: MIT
// Implements resident_table.h: finds, for tables and columns, the resident table that has the most
// of them. Resident tables are held weakly here, so that a handle that goes gives its memory back.
#include "query/gpu/table/resident_table.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"
#include "query/gpu/table/string_places.h"
#include "query/gpu/table/usual_columns.h"

namespace presso::gpu {

Result<std::shared_ptr<const ResidentTable>> ResidentTable::load(const RunSpace& space,
                                                                 std::vector<Table> tables,
                                                                 std::vector<std::size_t> columns,
                                                                 unsigned threads) {
  const DeviceStep step(space.device(), "load table");
  std::shared_ptr<ResidentTable> made(new ResidentTable(std::move(tables), std::move(columns)));
  const WantsRows all = [](const GroupReader&, std::uint32_t, std::uint32_t) -> Result<bool> {
    return true;
  };
  TableLoader loader(space, made->tables_, made->columns_, made->counters_, threads, all,
                     {std::nullopt, true, true});
  PRESSO_ASSIGN(std::optional<LoadedTable> loaded, loader.load_all());
  if (loaded) {
    made->loaded_ = std::move(*loaded);
    PRESSO_TRY(UsualColumns::make(space, made->loaded_));
    PRESSO_TRY(StringPlaces::make(space, made->loaded_));
  }
  PRESSO_TRY(made->read_dictionaries(threads));
  made->bytes_read_ = made->counters_.bytes;
  made->find_places();
  return std::shared_ptr<const ResidentTable>(std::move(made));
}

/// Readers decode these when they are first asked for, and keep them.
Status ResidentTable::read_dictionaries(unsigned threads) const {
  using Group = const LoadedGroup*;
  Group next = loaded_.groups().data();
  const Group end = next + loaded_.groups().size();
  const auto read = [this](const LoadedGroup& group) -> Status {
    for (const std::size_t column : columns_) {
      const Representation stored = group.reader->chunk(column).representation;
      if (stored == Representation::kDictionary) {
        PRESSO_TRY(group.reader->dictionary(column));
      } else if (stored == Representation::kToken) {
        PRESSO_TRY(group.reader->tokens(column));
      }
    }
    return {};
  };
  return run_ordered<Group, Status>(
      {threads, 0},
      [&]() -> Result<std::optional<Group>> {
        return next == end ? std::nullopt : std::optional(next++);
      },
      [&](Group group, unsigned) { return read(*group); },
      [](Status done) -> Result<bool> {
        PRESSO_TRY(std::move(done));
        return true;
      });
}

void ResidentTable::find_places() {
  for (const Table& table : tables_) {
    places_.emplace_back(static_cast<std::size_t>(table.row_groups()));
  }
  const std::vector<LoadedGroup>& groups = loaded_.groups();
  std::size_t slice = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    places_[groups[i].table][static_cast<std::size_t>(groups[i].reader->group())] = {i, slice};
    while (slice < loaded_.slices().size() && loaded_.slices()[slice].group == i) ++slice;
  }
  strings_.assign(columns_.size(), std::vector<const LoadedStrings*>(groups.size()));
  for (const LoadedStrings& strings : loaded_.strings()) {
    strings_[strings.column][strings.group] = &strings;
  }
}

std::optional<std::size_t> ResidentTable::find_table(const Table& table) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [&table](const Table& own) {
    return &TableAccess::index(own) == &TableAccess::index(table);
  });
  if (found == tables_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tables_.begin());
}

std::optional<std::size_t> ResidentTable::find_column(std::size_t column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

const LoadedStrings* ResidentTable::strings(std::size_t column, std::size_t group) const {
  return strings_[column][group];
}

const StringSample& ResidentTable::sample(std::size_t column) const {
  const auto& of_groups = strings_[column];
  return (*std::find_if(of_groups.begin(), of_groups.end(),
                        [](const LoadedStrings* strings) {
                          return strings != nullptr && !strings->has_bytes;
                        }))
      ->sample;
}

bool ResidentTable::has_values(std::size_t column) const {
  return std::all_of(strings_[column].begin(), strings_[column].end(),
                     [](const LoadedStrings* strings) { return strings == nullptr; });
}

void ResidentTables::add(std::shared_ptr<const ResidentTable> table) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tables_, [](const auto& one) { return one.expired(); });
  tables_.push_back(std::move(table));
}

std::optional<std::vector<std::shared_ptr<const ResidentTable>>> ResidentTables::find(
    const std::vector<Table>& tables, const std::vector<std::size_t>& columns) const {
  const std::lock_guard lock(mutex_);
  const auto known_columns = [&columns](const ResidentTable& table) {
    return std::count_if(columns.begin(), columns.end(), [&table](std::size_t column) {
      return table.find_column(column).has_value();
    });
  };
  std::vector<std::shared_ptr<const ResidentTable>> found;
  for (const Table& table : tables) {
    std::shared_ptr<const ResidentTable> best;
    for (const auto& one : tables_) {
      auto candidate = one.lock();
      if (candidate == nullptr || !candidate->find_table(table)) continue;
      if (best == nullptr || known_columns(*candidate) > known_columns(*best)) {
        best = std::move(candidate);
      }
    }
    if (best == nullptr) return std::nullopt;
    found.push_back(std::move(best));
  }
  return found;
}

std::shared_ptr<const GroupReader> ResidentTables::group(const Table& table,
                                                         std::uint64_t group) const {
  auto found = find({table}, {});
  if (!found) return nullptr;
  std::shared_ptr<const ResidentTable> from = std::move(found->front());
  const std::size_t number = from->place(*from->find_table(table), group).group;
  const GroupReader* const reader = from->loaded().groups()[number].reader.get();
  return {std::move(from), reader};
}

bool ResidentTables::have_values(const std::vector<Table>& tables,
                                 const std::vector<std::size_t>& columns) const {
  const auto found = find(tables, columns);
  if (!found) return false;
  return std::all_of(found->begin(), found->end(), [&columns](const auto& table) {
    return std::all_of(columns.begin(), columns.end(), [&table](std::size_t column) {
      const auto number = table->find_column(column);
      return number && table->has_values(*number);
    });
  });
}

}  // namespace presso::gpu
