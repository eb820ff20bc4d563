// SPDX-License-Identifier: MIT
// Tables that stay in a GPU's memory: loaded once, compressed as they are, and then asked as often
// as one likes at the speed of that memory. Needs no CUDA header.
//
//   presso::QueryOptions options;
//   PRESSO_ASSIGN(options.device, presso::gpu::open_query_gpu());
//   PRESSO_ASSIGN(const auto sales, presso::gpu::DeviceTable::load(options.device, {table}));
//   presso::Query query = presso::Query::from(sales.tables());
//   query.group_by("city").aggregate("sum(price)");
//   query.run(options, sink);  // reads no block of the file
//
// Everything that a query with this device reads from these tables on the GPU, be they its first
// table or are joined to it, is taken from there; columns that were not loaded are read from the
// files. QuerySummary::bytes_read and bytes_resident say how much came from where.
//
// Tested by tests/simt/device_table_test.cpp and tests/simt/loaded_table_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "presso/query.h"

namespace presso::gpu {

/// Which columns are loaded.
struct DeviceTableOptions {
  /// Names; empty: all columns that GPUs can read (see DeviceTable::left_out()).
  std::vector<std::string> columns;
  unsigned threads = 0;  ///< that read the files; 0: all
};

/// A table in device memory. It is a handle: copies are the same table, whose memory is given back
/// when the last of them and the last query over it are gone; the device may keep some of that
/// memory for its next queries, as it does with all memory. The handle keeps the device alive.
/// Handles may be copied, used and destroyed by any thread, also while the device answers a query.
/// load() counts as a query, of which a device runs one at a time.
class DeviceTable {
 public:
  /// Reads the columns of a table in one or several files, whose columns are the same and whose
  /// rows come one after another, as in Query::from(), to the memory of `device`, which
  /// open_query_gpu() has given. Waits. Every block is compared with its checksum; those of strings
  /// that are stored as bytes are when a query decodes them.
  ///
  /// The tables' files must stay open and as they are: blocks that are in device memory and
  /// dictionaries are not read again, but directories of row groups and some rows, by which queries
  /// are planned, and columns that are not on the device or that the CPU works with. Damage to
  /// blocks that were loaded does not matter any more.
  ///
  /// Errors: those of the files with block and offset; kDeviceMemory where the columns do not fit,
  /// also into QueryGpuOptions::max_device_bytes, kOutOfMemory, kDeviceLost: nothing of the table
  /// is left on the device then. kInvalidArgument: no such column, tables with other columns, or a
  /// device that is none of open_query_gpu(). kUnsupported, with the reason: a column that was
  /// named is stored in a form that GPUs do not read.
  static Result<DeviceTable> load(std::shared_ptr<QueryDevice> device, std::vector<Table> tables,
                                  const DeviceTableOptions& options = {});

  /// The tables to build queries on. They are copies of the loaded ones and refer to the same
  /// files.
  const std::vector<Table>& tables() const;
  std::uint64_t rows() const;
  /// Names of the columns that were loaded, in the order of the table or of the options.
  const std::vector<std::string>& columns() const;
  /// If no columns were named: a column that was not loaded, such as a decimal of 128 bits, and
  /// why.
  struct LeftOut {
    std::string name;
    std::string why;
  };
  const std::vector<LeftOut>& left_out() const;
  /// Bytes of device memory that the table takes.
  std::uint64_t device_bytes() const;
  /// Stored bytes of the blocks that were read from the files to load it.
  std::uint64_t bytes_read() const;

 private:
  struct Body;
  explicit DeviceTable(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace presso::gpu
