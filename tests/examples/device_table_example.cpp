// SPDX-License-Identifier: MIT
// <presso/device_table.h>, <presso/query_gpu.h>: load a table into the memory of a GPU once, ask it
// several times without reading its file, and take an answer that stays on the GPU. Skips, saying
// so, where there is no GPU.
#include <cuda_runtime_api.h>
#include <presso/compress_table.h>
#include <presso/device_table.h>
#include <presso/query_gpu.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

std::string sales_csv() {
  std::string csv = "day,city,price\n";
  const char* const cities[] = {"Oslo", "Rome", "Bonn"};
  std::uint32_t random = 1;
  for (int i = 0; i < 300'000; ++i) {
    random = random * 1664525 + 1013904223;
    const std::string day = std::string(i / 100'000 == 0 ? "2024-01-" : "2024-02-") + "1" +
                            std::to_string(i / 10'000 % 10);
    csv += day + ',' + cities[(random >> 16) % 3] + ',' + std::to_string(random >> 25) + ".50\n";
  }
  return csv;
}

/// Counts the rows of an answer.
class Counter final : public presso::ResultSink {
 public:
  presso::Result<bool> write(presso::ResultBatch batch, presso::Buffer) override {
    rows += batch[0].rows;
    return true;
  }
  std::uint64_t rows = 0;
};

}  // namespace

int main() {
  auto device = presso::gpu::open_query_gpu();
  if (!device.ok() && device.error().code == presso::ErrorCode::kNoDevice) {
    std::puts("skipped: no usable GPU");
    return 0;
  }
  if (!device.ok()) return fail(device.error().message());

  const std::string csv = sales_csv();
  const presso::Bytes text(reinterpret_cast<const presso::Byte*>(csv.data()), csv.size());
  presso::MemorySource once(text);
  presso::MemorySource again(text);
  std::vector<presso::Byte> file;
  presso::VectorSink sink(file);
  if (!presso::compress_table(once, &again, sink, {}).ok()) return fail("the CSV is none");
  const presso::MemoryRandomAccess access(file);
  const auto table = presso::Table::open(access);
  if (!table.ok()) return fail(table.error().message());

  // Compressed as it is, and freed when the last copy of `sales` goes.
  const auto sales = presso::gpu::DeviceTable::load(*device, {*table});
  if (!sales.ok()) return fail(sales.error().message());
  std::printf("%llu rows in %llu bytes of device memory\n",
              static_cast<unsigned long long>(sales->rows()),
              static_cast<unsigned long long>(sales->device_bytes()));

  presso::QueryOptions options;
  options.device = *device;
  for (const char* const day : {"2024-01-15", "2024-02-12"}) {
    presso::Query query = presso::Query::from(sales->tables());
    query.where(std::string("day = '") + day + "'").group_by("city").aggregate("sum(price)");
    Counter counter;
    const auto done = query.run(options, counter);
    if (!done.ok()) return fail(done.error().message());
    std::printf("%s: %llu groups, %llu bytes read, %llu in memory\n", day,
                static_cast<unsigned long long>(counter.rows),
                static_cast<unsigned long long>(done->bytes_read),
                static_cast<unsigned long long>(done->bytes_resident));
    if (counter.rows != 3 || done->bytes_read != 0) return fail("another answer");
  }

  // The same as arrays on the GPU: a stream of the program's waits for the batch's event.
  presso::Query query = presso::Query::from(sales->tables());
  query.group_by("city").aggregate("count(*) as n");
  presso::ArrowOwner<ArrowDeviceArrayStream> answer;
  const presso::Status begun = presso::gpu::run_on(query, options, *answer.out());
  if (!begun.ok()) return fail(begun.error().message());
  ArrowDeviceArray batch = {};
  if (answer->get_next(answer.get(), &batch) != 0)
    return fail(answer->get_last_error(answer.get()));
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamWaitEvent(stream, *static_cast<cudaEvent_t*>(batch.sync_event), 0);
  std::int64_t counts[3] = {};
  cudaMemcpyAsync(counts, batch.array.children[1]->buffers[1], sizeof counts,
                  cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const bool is_right = batch.array.length == 3 && counts[0] + counts[1] + counts[2] == 300'000;
  batch.array.release(&batch.array);
  cudaStreamDestroy(stream);
  return is_right ? 0 : fail("another count");
}
