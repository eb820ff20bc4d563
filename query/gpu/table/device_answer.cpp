// SPDX-License-Identifier: MIT
// Answers in device memory (presso/query_gpu.h): batches come from the query's stream, are staged
// in pinned memory, and are copied while the next batch is made. Tested by
// tests/simt/device_answer_test.cpp.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decompress/arrow/owned_arrow.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "presso/query_gpu.h"
#include "query/gpu/table/query_on_gpu.h"

namespace presso::gpu {
namespace {

/// What a batch's arrays have in common; it goes with the last of them.
struct BatchMemory {
  explicit BatchMemory(std::shared_ptr<QueryDevice> from, Device& of)
      : device(std::move(from)), copies(of) {}
  /// Others may get the memory as soon as it is given back.
  ~BatchMemory() {
    if (event != nullptr) static_cast<void>(copies.wait(event));
  }
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  std::shared_ptr<QueryDevice> device;  ///< goes last
  Device& copies;
  DeviceMemory memory;
  OwnedEvent copied;
  Event event = nullptr;  ///< the same: sync_event points here
};

/// What an array owns through its private_data.
struct OwnedArray {
  std::shared_ptr<BatchMemory> batch;
  std::array<const void*, 3> buffers{};
  ArrowChildren<ArrowArray> children;

  OwnedArray(std::shared_ptr<BatchMemory> from, std::size_t count)
      : batch(std::move(from)), children(count) {}
};

/// With the lengths of `like`, which lies in host memory.
ArrowArray array_of(std::unique_ptr<OwnedArray> owned, const ArrowArray& like) {
  return owning_array(std::move(owned), like.length, like.null_count, like.n_buffers);
}

/// Bytes of a buffer of a column that the query's stream has given.
std::uint64_t buffer_bytes(const ColumnSchema& column, const ArrowArray& array, std::size_t i) {
  const auto rows = static_cast<std::uint64_t>(array.length);
  if (array.buffers[i] == nullptr) return 0;
  if (i == 0) return (rows + 7) / 8;
  if (is_string(column.type)) {
    if (i == 1) return (rows + 1) * sizeof(std::int64_t);
    return static_cast<std::uint64_t>(static_cast<const std::int64_t*>(array.buffers[1])[rows]);
  }
  if (column.type == ColumnType::kBool) return (rows + 7) / 8;
  // Decimals are all handed out as those of 128 bits.
  const bool is_decimal =
      column.type == ColumnType::kDecimal64 || column.type == ColumnType::kDecimal128;
  return rows * (is_decimal ? 16 : value_bytes(column.type));
}

/// A buffer on its way: where it is, and where in the batch's memory it comes to lie.
struct Buffered {
  const void* from = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t at = 0;
};

class DeviceAnswer {
 public:
  DeviceAnswer(std::shared_ptr<QueryDevice> device, QueryOnGpu& gpu, TableSchema schema)
      : device_(std::move(device)), gpu_(gpu), schema_(std::move(schema)), pinned_(gpu.memory()) {}
  /// Copies from pinned memory must be done before that goes.
  ~DeviceAnswer() {
    if (stream_.get() != nullptr) static_cast<void>(device().wait(stream_.get()));
  }

  Status start(const Query& query, QueryOptions options) {
    PRESSO_ASSIGN(stream_, make_stream(device()));
    options.stored_types = true;  // arrays without children are copied to the device
    return query.run(options, *rows_.out());
  }

  int get_schema(ArrowSchema& out) { return of_rows(rows_->get_schema(rows_.get(), &out)); }

  /// A released array is the end.
  int get_next(ArrowDeviceArray& out) {
    out = {};
    ArrowOwner<ArrowArray> batch;
    const int status = of_rows(rows_->get_next(rows_.get(), batch.out()));
    if (status != 0 || batch.empty()) return status;
    const Status copied = without_bad_alloc([&] { return copy(*batch, out); });
    if (copied.ok()) return 0;
    const ErrorCode code = copied.error().code;
    error_ = copied.error().text();
    return code == ErrorCode::kDeviceMemory || code == ErrorCode::kOutOfMemory ? ENOMEM : EIO;
  }

  const char* last_error() const { return error_.empty() ? nullptr : error_.c_str(); }

 private:
  Device& device() const { return gpu_.memory().device(); }

  int of_rows(int status) {
    if (status == 0) return 0;
    const char* const text = rows_->get_last_error(rows_.get());
    error_ = text != nullptr ? text : "";
    return status;
  }

  Status copy(const ArrowArray& batch, ArrowDeviceArray& out) {
    const DeviceStep step(device(), "answer to the device");
    MemoryParts parts;
    std::vector<std::array<Buffered, 3>> columns(schema_.columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ArrowArray& column = *batch.children[i];
      for (std::size_t k = 0; k < static_cast<std::size_t>(column.n_buffers); ++k) {
        const std::uint64_t bytes = buffer_bytes(schema_.columns[i], column, k);
        columns[i][k] = {column.buffers[k], bytes, parts.add(bytes)};
      }
    }
    const auto memory = std::make_shared<BatchMemory>(device_, device());
    // What has no bytes needs an address all the same.
    const std::uint64_t bytes = std::max<std::uint64_t>(parts.bytes(), MemoryParts::kAlignment);
    PRESSO_ASSIGN(memory->memory, gpu_.memory().allocate(bytes));
    PRESSO_ASSIGN(memory->copied, make_event(device()));
    memory->event = memory->copied.get();
    PRESSO_ASSIGN(Byte* const piece, next_piece(bytes));
    for (const auto& buffers : columns) {
      for (const Buffered& one : buffers) {
        if (one.bytes != 0) std::memcpy(piece + one.at, one.from, one.bytes);
      }
    }
    PRESSO_TRY(device().copy_in(memory->memory.get(), piece, static_cast<std::size_t>(bytes),
                                stream_.get()));
    PRESSO_TRY(device().record(memory->event, stream_.get()));
    PRESSO_TRY(device().record(sent_[turn_].get(), stream_.get()));
    out.array = arrays_of(batch, columns, memory);
    out.device_id = gpu_.number();
    out.device_type = ARROW_DEVICE_CUDA;
    out.sync_event = &memory->event;
    return {};
  }

  /// The other one, once the copy from it is done.
  Result<Byte*> next_piece(std::uint64_t bytes) {
    turn_ = 1 - turn_;
    if (sent_[turn_].get() != nullptr) {
      PRESSO_TRY(device().wait(sent_[turn_].get()));
    } else {
      PRESSO_ASSIGN(sent_[turn_], make_event(device()));
    }
    return pinned_.piece(turn_, bytes);
  }

  static ArrowArray arrays_of(const ArrowArray& batch,
                              const std::vector<std::array<Buffered, 3>>& columns,
                              const std::shared_ptr<BatchMemory>& memory) {
    auto all = std::make_unique<OwnedArray>(memory, columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      auto owned = std::make_unique<OwnedArray>(memory, 0);
      for (std::size_t k = 0; k < columns[i].size(); ++k) {
        if (columns[i][k].from != nullptr) {
          owned->buffers[k] = memory->memory.get() + columns[i][k].at;
        }
      }
      all->children.structs[i] = array_of(std::move(owned), *batch.children[i]);
    }
    return array_of(std::move(all), batch);
  }

  std::shared_ptr<QueryDevice> device_;  ///< goes last
  QueryOnGpu& gpu_;
  TableSchema schema_;
  ArrowOwner<ArrowArrayStream> rows_;
  PinnedPieces pinned_;
  OwnedStream stream_;
  OwnedEvent sent_[2];
  unsigned turn_ = 1;
  std::string error_;
};

DeviceAnswer& answer_of(ArrowDeviceArrayStream* stream) {
  return *static_cast<DeviceAnswer*>(stream->private_data);
}

}  // namespace

Status run_on(const Query& query, const QueryOptions& options, ArrowDeviceArrayStream& out) {
  auto* const gpu = dynamic_cast<QueryOnGpu*>(options.device.get());
  if (gpu == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the device is none that open_query_gpu() gives");
  }
  return without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(TableSchema schema, query.schema());
    auto answer = std::make_unique<DeviceAnswer>(options.device, *gpu, std::move(schema));
    PRESSO_TRY(answer->start(query, options));
    out = {};
    out.device_type = ARROW_DEVICE_CUDA;
    out.get_schema = [](ArrowDeviceArrayStream* stream, ArrowSchema* to) {
      return answer_of(stream).get_schema(*to);
    };
    out.get_next = [](ArrowDeviceArrayStream* stream, ArrowDeviceArray* array) {
      return answer_of(stream).get_next(*array);
    };
    out.get_last_error = [](ArrowDeviceArrayStream* stream) {
      return answer_of(stream).last_error();
    };
    out.release = [](ArrowDeviceArrayStream* stream) {
      delete &answer_of(stream);
      stream->release = nullptr;
      stream->private_data = nullptr;
    };
    out.private_data = answer.release();
    return {};
  });
}

}  // namespace presso::gpu
