// SPDX-License-Identifier: MIT
// The C stream of a table. When its batches are used up, the next ones are decoded together,
// one for each thread, and handed out one by one. Nothing runs between two calls, so a consumer
// may stop at any time. Tested by tests/unit/decompress/arrow/export_test.cpp.
#include <deque>

#include "decompress/arrow/arrow_export.h"
#include "decompress/arrow/arrow_rows.h"
#include "decompress/arrow/stream_frame.h"
#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

/// One caller at a time, as Arrow's interface demands. Holds about one batch for each thread.
class TableStream final : public StreamSource {
 public:
  TableStream(ArrowRows rows, unsigned threads) : rows_(std::move(rows)), threads_(threads) {}

  Result<const TableSchema*> schema() override { return &rows_.schema(); }

  /// An array without release function, as `out` is left at the end, means that no batch
  /// follows.
  Status next(ArrowArray& out) override {
    if (ready_.empty() && status_.ok()) status_ = decode();
    if (ready_.empty()) return status_;
    std::swap(out, *ready_.front().get());
    ready_.pop_front();
    return {};
  }

 private:
  /// Fills ready_ with up to one batch for each thread. On an error those before it are still
  /// given.
  Status decode() {
    unsigned wanted = threads_;
    return run_ordered<ArrowRows::Batch, Result<ArrowBatches>>(
        {threads_, threads_},
        [&]() -> Result<std::optional<ArrowRows::Batch>> {
          if (wanted == 0) return std::optional<ArrowRows::Batch>();
          --wanted;
          return rows_.next();
        },
        [&](const ArrowRows::Batch& batch, unsigned) -> Result<ArrowBatches> {
          PRESSO_ASSIGN(std::vector<ColumnData> columns, rows_.read(batch));
          return arrow_batches(rows_.schema(), std::move(columns));
        },
        [&](Result<ArrowBatches> batches) -> Result<bool> {
          if (!batches.ok()) return std::move(batches.error());
          for (auto& batch : *batches) ready_.push_back(std::move(batch));
          return true;
        });
  }

  ArrowRows rows_;
  unsigned threads_;
  std::deque<ArrowOwner<ArrowArray>> ready_;
  Status status_;  ///< the error of the batch after those in ready_
};

}  // namespace

// The table's file must outlive the stream; the Table itself is copied.
Status export_stream(const Table& table, const ArrowOptions& options, ArrowArrayStream& out) {
  return without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(ArrowRows rows, ArrowRows::make(table, options));
    open_stream(std::make_unique<TableStream>(std::move(rows), threads_or_all(options.threads)),
                out);
    return {};
  });
}

}  // namespace presso
