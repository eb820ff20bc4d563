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

using Columns = std::vector<ColumnData>;

/// One caller at a time, as Arrow's interface demands. Holds up to one decoded batch for each
/// thread.
class TableStream final : public StreamSource {
 public:
  TableStream(ArrowRows rows, unsigned threads) : rows_(std::move(rows)), threads_(threads) {}

  Result<const TableSchema*> schema() override { return &rows_.schema(); }

  /// An array without release function, as `out` is left at the end, means that no batch
  /// follows.
  Status next(ArrowArray& out) override {
    if (ready_.empty() && status_.ok()) status_ = decode();
    if (ready_.empty()) return status_;
    hand_over(std::move(ready_.front()), out);
    ready_.pop_front();
    return {};
  }

 private:
  /// Fills ready_ with up to one batch for each thread. On an error those before it are still
  /// given.
  Status decode() {
    unsigned wanted = threads_;
    return run_ordered<ArrowRows::Batch, Result<Columns>>(
        {threads_, threads_},
        [&]() -> Result<std::optional<ArrowRows::Batch>> {
          if (wanted == 0) return std::optional<ArrowRows::Batch>();
          --wanted;
          return rows_.next();
        },
        [&](const ArrowRows::Batch& batch, unsigned) { return rows_.read(batch); },
        [&](Result<Columns> columns) -> Result<bool> {
          if (!columns.ok()) return std::move(columns.error());
          ready_.push_back(std::move(*columns));
          return true;
        });
  }

  ArrowRows rows_;
  unsigned threads_;
  std::deque<Columns> ready_;
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
