// SPDX-License-Identifier: MIT
// Answers as Arrow's device arrays: in the emulated device's memory there is what the CPU's stream
// has, and all of it is given back, whoever releases what first.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "format/columns/arrow_type.h"
#include "presso/device_table.h"
#include "presso/query_gpu.h"
#include "presso/table_writer.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/query_cases.h"

namespace presso::device_answer_test {
namespace {

using namespace test;
using Stream = ArrowOwner<ArrowDeviceArrayStream>;
using HostStream = ArrowOwner<ArrowArrayStream>;

/// A batch that is released in the end.
struct Batch {
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { reset(); }
  bool empty() const { return array.array.release == nullptr; }
  void reset() {
    if (!empty()) array.array.release(&array.array);
  }

  ArrowDeviceArray array = {};
};

QueryOptions options_with(std::shared_ptr<QueryDevice> device) {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  return options;
}

std::string bytes_at(const void* data, std::size_t bytes) {
  return std::string(static_cast<const char*>(data), bytes);
}

/// Of all buffers; `format`: of the column.
void expect_same_column(const ArrowArray& found, const ArrowArray& expected,
                        const std::string& format) {
  ASSERT_EQ(found.length, expected.length);
  EXPECT_EQ(found.null_count, expected.null_count);
  EXPECT_EQ(found.offset, 0);
  EXPECT_EQ(found.n_children, 0);
  EXPECT_EQ(found.dictionary, nullptr);
  ASSERT_EQ(found.n_buffers, expected.n_buffers);
  const auto rows = static_cast<std::size_t>(found.length);
  const bool is_string = format == "U" || format == "Z";
  for (std::size_t i = 0; i < static_cast<std::size_t>(found.n_buffers); ++i) {
    ASSERT_EQ(found.buffers[i] == nullptr, expected.buffers[i] == nullptr) << format << i;
    if (found.buffers[i] == nullptr) continue;
    EXPECT_NE(found.buffers[i], expected.buffers[i]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found.buffers[i]) % 256, 0u);
    std::size_t bytes = (rows + 7) / 8;
    if (i == 1 && is_string) bytes = (rows + 1) * 8;
    if (i == 2) {
      std::int64_t end = 0;
      std::memcpy(&end, static_cast<const std::int64_t*>(expected.buffers[1]) + rows, sizeof end);
      bytes = static_cast<std::size_t>(end);
    }
    if (i == 1 && !is_string && format != "b") {
      bytes = rows * (format[0] == 'd' ? 16 : format == "i" || format == "tdD" ? 4 : 8);
    }
    EXPECT_TRUE(bytes_at(found.buffers[i], bytes) == bytes_at(expected.buffers[i], bytes))
        << format << ", buffer " << i;
  }
}

/// The number of batches.
int expect_same_answer(const Query& query, const std::shared_ptr<QueryDevice>& device) {
  Stream found;
  HostStream expected;
  const Status done = gpu::run_on(query, options_with(device), *found.out());
  EXPECT_TRUE(done.ok()) << done.error().message();
  QueryOptions on_cpu = options_with(nullptr);
  on_cpu.stored_types = true;
  EXPECT_TRUE(query.run(on_cpu, *expected.out()).ok());
  EXPECT_EQ(found->device_type, ARROW_DEVICE_CUDA);
  ArrowOwner<ArrowSchema> schema;
  EXPECT_EQ(found->get_schema(found.get(), schema.out()), 0);
  for (int batches = 0;; ++batches) {
    Batch batch;
    ArrowOwner<ArrowArray> host;
    EXPECT_EQ(found->get_next(found.get(), &batch.array), 0);
    EXPECT_EQ(expected->get_next(expected.get(), host.out()), 0);
    EXPECT_EQ(batch.empty(), host.empty());
    if (batch.empty() || host.empty()) return batches;
    EXPECT_EQ(batch.array.device_type, ARROW_DEVICE_CUDA);
    EXPECT_EQ(batch.array.device_id, 0);
    EXPECT_NE(batch.array.sync_event, nullptr);
    EXPECT_NE(*static_cast<gpu::Event*>(batch.array.sync_event), nullptr);
    const ArrowArray& all = batch.array.array;
    EXPECT_EQ(all.length, host->length);
    EXPECT_EQ(all.n_children, schema->n_children);
    for (std::int64_t i = 0; i < all.n_children; ++i) {
      expect_same_column(*all.children[i], *host->children[i], schema->children[i]->format);
    }
  }
}

TEST(DeviceAnswer, HasTheBuffersOfTheCpusAnswer) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto faults = std::make_shared<EmulatedFaults>();
  {
    const auto device = make_emulated_query_device(faults);
    Query rows = Query::from(*made.table);
    rows.where("maybe < 100")
        .select(
            "id, day, price, word, maybe, real, wide, price > 500 as dear, cast(run as int) as "
            "run, "
            "case when run > 3 then word end as some");
    EXPECT_EQ(expect_same_answer(rows, device), 3);  // of as many row groups
    const auto loaded = gpu::DeviceTable::load(device, {*made.table});
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(expect_same_answer(query_of(*made.table, {"", "word, maybe", "sum(price), max(day)"}),
                                 device),
              1);
    EXPECT_EQ(expect_same_answer(query_of(*made.table, {"id < 0", "word", "count(*)"}), device), 0);
    EXPECT_EQ(faults->live_bytes, loaded->device_bytes());
    EXPECT_EQ(faults->live_handles, 0u);
  }
  EXPECT_EQ(faults->live_bytes, 0u);
}

TEST(DeviceAnswer, HasNestedValuesOfArrowAsJson) {
  const ArrowType item{"l", "item", ARROW_FLAG_NULLABLE, {}, {}, {}};
  const ArrowType list{"+l", "", ARROW_FLAG_NULLABLE, {item}, {}, {}};
  TableSchema schema;
  schema.columns.push_back(column_of(list));
  schema.columns[0].name = "c";
  schema.columns[0].arrow_type = serialise_arrow_type(list);
  const std::string texts = "[1,null][]";
  const std::int64_t offsets[] = {0, 8, 10};
  ColumnView view;
  view.rows = 2;
  view.values = reinterpret_cast<const Byte*>(texts.data());
  view.offsets = offsets;
  std::vector<Byte> file;
  VectorSink sink(file);
  auto writer = TableWriter::open(sink, schema);
  ASSERT_TRUE(writer.ok() && writer->append({&view, 1}).ok() && writer->close().ok());
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok());
  const auto device = make_emulated_query_device(std::make_shared<EmulatedFaults>());
  EXPECT_EQ(expect_same_answer(Query::from(*table), device), 1);
}

TEST(DeviceAnswer, ComesInBatches) {
  std::string csv = "id,name\n";
  for (int i = 0; i < 200'000; ++i) {
    csv.append(std::to_string(i)).append(",n").append(std::to_string(i % 7)).append("\n");
  }
  const MadeTable made(csv, 1u << 20);
  const auto faults = std::make_shared<EmulatedFaults>();
  Query query = Query::from(*made.table);
  query.select("id, name");
  EXPECT_GT(expect_same_answer(query, make_emulated_query_device(faults)), 2);
  EXPECT_EQ(faults->live_bytes, 0u);
  EXPECT_EQ(faults->live_handles, 0u);
}

TEST(DeviceAnswer, BatchesAndTheirColumnsOutliveTheStream) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto faults = std::make_shared<EmulatedFaults>();
  ArrowOwner<ArrowArray> column;
  std::string expected;
  {
    Batch batch;
    {
      Stream stream;
      Query query = query_of(*made.table, {"", "run", "count(*)"});
      query.order_by("run");
      ASSERT_TRUE(
          gpu::run_on(query, options_with(make_emulated_query_device(faults)), *stream.out()).ok());
      ASSERT_EQ(stream->get_next(stream.get(), &batch.array), 0);
    }
    ASSERT_FALSE(batch.empty());
    // As a consumer moves a child out.
    *column.out() = *batch.array.array.children[0];
    batch.array.array.children[0]->release = nullptr;
  }
  ASSERT_EQ(column->length, 9);
  const auto* const runs = static_cast<const std::int64_t*>(column->buffers[1]);
  for (std::int64_t i = 0; i < 9; ++i) EXPECT_EQ(runs[i], i);
  EXPECT_GT(faults->live_bytes, 0u);
  column.reset();
  EXPECT_EQ(faults->live_bytes, 0u);
  EXPECT_EQ(faults->live_handles, 0u);
}

TEST(DeviceAnswer, ErrorsOfTheQueryAreHandedOn) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const auto device = make_emulated_query_device();
  Stream stream;
  Query wrong = Query::from(*made.table);
  wrong.select("nought");
  EXPECT_FALSE(gpu::run_on(wrong, options_with(device), *stream.out()).ok());
  Query right = Query::from(*made.table);
  right.select("id");
  const Status refused = gpu::run_on(right, options_with(nullptr), *stream.out());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  Query failing = Query::from(*made.table);
  failing.select("wide * wide * wide as far");
  ASSERT_TRUE(gpu::run_on(failing, options_with(device), *stream.out()).ok());
  Batch batch;
  EXPECT_EQ(stream->get_next(stream.get(), &batch.array), EINVAL);
  EXPECT_TRUE(batch.empty());
  const std::string text = stream->get_last_error(stream.get());
  EXPECT_NE(text.find("does not fit into int64"), std::string::npos) << text;
}

TEST(DeviceAnswer, EveryStepMayFail) {
  const MadeTable made(make_csv(3000, 7), 1024);
  const Query query = query_of(*made.table, {"maybe > -100", "word", "sum(price)"});
  struct Fault {
    std::uint64_t EmulatedFaults::*which;
    std::uint64_t EmulatedFaults::*count;
    int status;
    const char* message;
  };
  for (const Fault& fault :
       {Fault{&EmulatedFaults::allocation, &EmulatedFaults::allocations, ENOMEM, "out of device"},
        Fault{&EmulatedFaults::pinned_allocation, &EmulatedFaults::pinned_allocations, ENOMEM,
              "out of memory"},
        Fault{&EmulatedFaults::launch, &EmulatedFaults::launches, EIO, "GPU failed"}}) {
    const auto read = [&query](const std::shared_ptr<EmulatedFaults>& faults, std::string& error) {
      Stream stream;
      EXPECT_TRUE(
          gpu::run_on(query, options_with(make_emulated_query_device(faults)), *stream.out()).ok());
      Batch batch;
      const int status = stream->get_next(stream.get(), &batch.array);
      if (status != 0) error = stream->get_last_error(stream.get());
      return status;
    };
    const auto whole = std::make_shared<EmulatedFaults>();
    std::string error;
    ASSERT_EQ(read(whole, error), 0);
    for (std::uint64_t i = 0; i < (*whole).*fault.count; ++i) {
      const auto faults = std::make_shared<EmulatedFaults>();
      (*faults).*fault.which = i;
      const int status = read(faults, error);
      // What fails in the query is EIO, as in any answer's stream.
      EXPECT_TRUE(status == fault.status || status == EIO) << status;
      EXPECT_NE(error.find(fault.message), std::string::npos) << error;
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
  }
}

}  // namespace
}  // namespace presso::device_answer_test
