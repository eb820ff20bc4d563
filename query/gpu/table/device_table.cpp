// SPDX-License-Identifier: MIT
// DeviceTable::load(): checks which columns GPUs can read, and loads them. kInvalidArgument for a
// device that open_query_gpu() did not make, for no tables, and for a column that does not exist. A
// column that GPUs cannot read is kUnsupported if it was named; otherwise it is left out.
#include "presso/device_table.h"

#include <set>
#include <utility>

#include "presso/ordered_pipeline.h"
#include "query/gpu/table/query_on_gpu.h"
#include "query/rows/table_facts.h"

namespace presso::gpu {

struct DeviceTable::Body {
  std::shared_ptr<QueryDevice> device;  ///< goes last
  std::shared_ptr<const ResidentTable> table;
  std::vector<std::string> columns;
  std::vector<LeftOut> left_out;
};

namespace {

/// Why a column cannot be on a device; kUnsupported, or an error of the directories.
Status check_column(const std::vector<std::shared_ptr<const GroupReader>>& groups,
                    std::size_t column) {
  for (const auto& group : groups) PRESSO_TRY(check_form(*group, column));
  return {};
}

Result<std::vector<std::shared_ptr<const GroupReader>>> open_groups(
    const std::vector<Table>& tables) {
  std::vector<std::shared_ptr<const GroupReader>> groups;
  for (const Table& table : tables) {
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      PRESSO_ASSIGN(auto opened, GroupReader::open(table, group));
      groups.push_back(std::move(opened));
    }
  }
  return groups;
}

/// Each column once, in the order in which they are named.
Result<std::vector<std::size_t>> find_columns(const Table& table,
                                              const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  std::set<std::size_t> known;
  for (const std::string& name : names) {
    const auto column = table.find_column(name);
    if (!column) {
      return make_error(ErrorCode::kInvalidArgument, "there is no column '" + name + "'");
    }
    if (known.insert(*column).second) columns.push_back(*column);
  }
  return columns;
}

}  // namespace

Result<DeviceTable> DeviceTable::load(std::shared_ptr<QueryDevice> device,
                                      std::vector<Table> tables,
                                      const DeviceTableOptions& options) {
  auto* const gpu = dynamic_cast<QueryOnGpu*>(device.get());
  if (gpu == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      "tables are loaded to what open_query_gpu() gives");
  }
  if (tables.empty()) return make_error(ErrorCode::kInvalidArgument, "there is no table");
  PRESSO_TRY(query::input_columns(tables, {}));
  return without_bad_alloc([&]() -> Result<DeviceTable> {
    auto body = std::make_shared<Body>();
    PRESSO_ASSIGN(std::vector<std::size_t> columns, find_columns(tables[0], options.columns));
    {
      PRESSO_ASSIGN(const auto groups, open_groups(tables));
      for (const std::size_t column : columns) PRESSO_TRY(check_column(groups, column));
      const std::size_t all = tables[0].schema().columns.size();
      for (std::size_t column = 0; options.columns.empty() && column < all; ++column) {
        const Status fits = check_column(groups, column);
        if (fits.ok()) {
          columns.push_back(column);
          continue;
        }
        if (fits.error().code != ErrorCode::kUnsupported) return fits.error();
        body->left_out.push_back({tables[0].schema().columns[column].name, fits.error().what});
      }
    }
    for (const std::size_t column : columns) {
      body->columns.push_back(tables[0].schema().columns[column].name);
    }
    PRESSO_ASSIGN(body->table, gpu->load(std::move(tables), std::move(columns),
                                         threads_or_all(options.threads)));
    body->device = std::move(device);
    return DeviceTable(std::move(body));
  });
}

const std::vector<Table>& DeviceTable::tables() const {
  return body_->table->tables();
}

std::uint64_t DeviceTable::rows() const {
  return body_->table->loaded().rows();
}

const std::vector<std::string>& DeviceTable::columns() const {
  return body_->columns;
}

const std::vector<DeviceTable::LeftOut>& DeviceTable::left_out() const {
  return body_->left_out;
}

std::uint64_t DeviceTable::device_bytes() const {
  return body_->table->loaded().device_bytes();
}

std::uint64_t DeviceTable::bytes_read() const {
  return body_->table->bytes_read();
}

}  // namespace presso::gpu
