// SPDX-License-Identifier: MIT
// Implements part_file.h, rows in temporary files divided by parts of their keys. There are as many
// writers, each with a file, as threads have added rows at the same time; a thread takes any that
// is idle.
#include "query/rows/part_file.h"

#include <numeric>

namespace presso::query {

/// Waiting rows, and the file that they go to.
class PartFile::Writer {
 public:
  Writer(const PartFilePlan& plan, std::shared_ptr<TemporaryFile> file)
      : plan_(plan), file_(std::move(file)), rows_(plan.columns), batches_(plan.parts) {}

  Status add(std::span<const VectorView> columns, const std::uint32_t* parts, std::uint32_t count) {
    rows_.append(columns, count);
    parts_.insert(parts_.end(), parts, parts + count);
    const std::uint64_t entries = parts_.size() * (sizeof(SortEntry) + sizeof(std::uint32_t));
    return rows_.bytes() + entries < plan_.thread_bytes ? Status{} : flush();
  }

  /// Writes what waits, part by part; within a part in the order in which rows came.
  Status flush() {
    if (parts_.empty()) return {};
    const EntryArray entries = sorted_entries();
    RowSource source;
    source.rows = static_cast<std::uint32_t>(rows_.rows());
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
      source.columns.push_back(rows_.view(i, 0));
    }
    RunWriter writer(plan_.columns, file_, ~std::uint64_t{0});
    for (std::uint32_t part = 0; part < plan_.parts; ++part) {
      const std::size_t first = begins_[part], end = begins_[part + 1];
      for (std::size_t at = first; at < end;) {
        const std::size_t count = std::min<std::size_t>(end - at, RunWriter::kMostRows);
        const std::uint64_t place = file_->size();
        PRESSO_TRY(writer.add({&source, 1}, entries.entries().subspan(at, count)));
        batches_[part].push_back({file_.get(), place, static_cast<std::uint32_t>(count)});
        at += count;
      }
    }
    rows_ = RowStore(plan_.columns);
    parts_.clear();
    return {};
  }

  std::vector<Batch> take_batches(std::uint32_t part) { return std::move(batches_[part]); }
  std::uint64_t file_bytes() const { return file_->size(); }

 private:
  /// Sorts the waiting rows by part (counting sort); begins_[part] to begins_[part + 1] are the
  /// entries of a part.
  EntryArray sorted_entries() {
    begins_.assign(plan_.parts + 2, 0);
    for (const std::uint32_t part : parts_) {
      if (part != kNoPart) ++begins_[part + 2];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    EntryArray entries(begins_.back());
    for (std::size_t row = 0; row < parts_.size(); ++row) {
      if (parts_[row] == kNoPart) continue;
      entries[begins_[parts_[row] + 1]++] = {0, 0, static_cast<std::uint32_t>(row)};
    }
    return entries;
  }

  const PartFilePlan& plan_;
  std::shared_ptr<TemporaryFile> file_;
  RowStore rows_;
  std::vector<std::uint32_t> parts_;  ///< of the rows that wait
  std::vector<std::size_t> begins_;
  std::vector<std::vector<Batch>> batches_;
};

PartFile::PartFile(PartFilePlan plan)
    : plan_(std::move(plan)), batches_(plan_.parts), rows_(plan_.parts) {}
PartFile::~PartFile() = default;

/// Returns an idle writer, or a new one.
Result<PartFile::Writer*> PartFile::take_writer() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    PRESSO_ASSIGN(TemporaryFile file, TemporaryFile::create(plan_.temporary_directory));
    writers_.push_back(
        std::make_unique<Writer>(plan_, std::make_shared<TemporaryFile>(std::move(file))));
    return writers_.back().get();
  }
  Writer* const writer = idle_.back();
  idle_.pop_back();
  return writer;
}

/// The writer is taken and given back under the mutex, but written to outside of it.
Status PartFile::add(std::span<const VectorView> columns, const std::uint32_t* parts,
                     std::uint32_t count) {
  PRESSO_ASSIGN(Writer* const writer, take_writer());
  Status added = writer->add(columns, parts, count);
  const std::lock_guard lock(mutex_);
  idle_.push_back(writer);
  return added;
}

Status PartFile::finish() {
  for (const auto& writer : writers_) {
    PRESSO_TRY(writer->flush());
    for (std::uint32_t part = 0; part < plan_.parts; ++part) {
      for (const Batch& batch : writer->take_batches(part)) {
        batches_[part].push_back(batch);
        rows_[part] += batch.rows;
      }
    }
  }
  return {};
}

std::uint64_t PartFile::rows() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0});
}

std::uint64_t PartFile::file_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& writer : writers_) bytes += writer->file_bytes();
  return bytes;
}

std::vector<PartFile::Batch> PartFile::batches(std::uint32_t first, std::uint32_t end) const {
  std::vector<Batch> all;
  for (std::uint32_t part = first; part < end; ++part) {
    all.insert(all.end(), batches_[part].begin(), batches_[part].end());
  }
  return all;
}

VectorView view_from(const VectorView& view, std::uint32_t first) {
  return {view.physical,
          static_cast<const Byte*>(view.values) + physical_bytes(view.physical) * first,
          view.validity == nullptr ? nullptr : view.validity + first / 64};
}

}  // namespace presso::query
