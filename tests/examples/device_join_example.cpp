// SPDX-License-Identifier: MIT
// <presso/device_join.h>: join columns of keys that lie in the memory of a GPU; with memory that
// presso allocates, by one column and by two, and in the program's own memory and on its stream.
// Skips, saying so, where there is no GPU.
#include <cuda_runtime_api.h>
#include <presso/device_join.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

/// 256-byte aligned, as all of cudaMalloc()'s; the program's end frees it.
template <class T>
T* device_memory(std::size_t count) {
  void* d_memory = nullptr;
  cudaMalloc(&d_memory, count * sizeof(T) + 1);
  return static_cast<T*>(d_memory);
}

template <class T>
T* on_device(const std::vector<T>& from, cudaStream_t stream) {
  T* const d_memory = device_memory<T>(from.size());
  cudaMemcpyAsync(d_memory, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream);
  return d_memory;
}

template <class T>
std::vector<T> from_device(const T* d_from, std::size_t count, cudaStream_t stream) {
  std::vector<T> to(count);
  cudaMemcpyAsync(to.data(), d_from, count * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return to;
}

int fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto joiner = presso::gpu::DeviceJoiner::open();
  if (!joiner.ok() && joiner.error().code == presso::ErrorCode::kNoDevice) {
    std::puts("skipped: no usable GPU");
    return 0;
  }
  if (!joiner.ok()) return fail(joiner.error().message());

  // Orders 0, 2, 4, ... and for each number below 300,000 one line.
  std::vector<std::int64_t> orders, lines;
  for (std::int64_t i = 0; i < 100'000; ++i) orders.push_back(2 * i);
  for (std::int64_t i = 0; i < 300'000; ++i) lines.push_back(i);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  presso::gpu::JoinColumn build, probe;
  build.d_keys = on_device(orders, stream);
  build.rows = orders.size();
  probe.d_keys = on_device(lines, stream);
  probe.rows = lines.size();

  // All of it: the lines of orders, in their order, with the rows of their orders.
  const auto pairs = joiner->join(
      {.build = {.keys = {build}}, .probe = {.keys = {probe}}, .ordered = true}, stream);
  if (!pairs.ok()) return fail(pairs.error().message());
  std::printf("%llu pairs\n", static_cast<unsigned long long>(pairs->size()));
  const auto of_lines = from_device(pairs->probe_rows(), pairs->size(), stream);
  const auto of_orders = from_device(pairs->build_rows(), pairs->size(), stream);
  if (pairs->size() != 100'000) return fail("another number of pairs");
  for (std::size_t i = 0; i < of_lines.size(); ++i) {
    if (of_lines[i] != 2 * i || of_orders[i] != i) return fail("another pair");
  }

  // By two columns: of the orders of two customers in turns, those of the lines' customer, 1.
  std::vector<std::int32_t> customers, ones(lines.size(), 1);
  for (std::int32_t i = 0; i < 100'000; ++i) customers.push_back(i % 2);
  presso::gpu::JoinColumn of_order, of_line;
  of_order.type = of_line.type = presso::gpu::JoinKeyType::kInt32;
  of_order.d_keys = on_device(customers, stream);
  of_order.rows = customers.size();
  of_line.d_keys = on_device(ones, stream);
  of_line.rows = ones.size();
  const auto by_two = joiner->join(
      {.build = {.keys = {build, of_order}}, .probe = {.keys = {probe, of_line}}}, stream);
  if (!by_two.ok()) return fail(by_two.error().message());
  std::printf("%llu pairs by two columns\n", static_cast<unsigned long long>(by_two->size()));
  if (by_two->size() != 50'000) return fail("another number of pairs by two columns");

  // In the program's memory and on its stream: lines without an order. No more than there are lines
  // can come out, so nothing needs to be counted first, and nothing waits.
  presso::gpu::JoinInput input;
  input.build.d_keys = build.d_keys;
  input.build.count = 100'000;
  input.probe.d_keys = probe.d_keys;
  input.probe.count = 300'000;
  input.kind = presso::gpu::JoinKind::kAnti;
  const auto join = presso::gpu::DeviceJoin::plan(input);
  if (!join.ok()) return fail(join.error().message());
  auto* const d_temporary = device_memory<unsigned char>(join->temporary_bytes());
  presso::gpu::JoinPairs room;
  room.capacity = join->most_pairs();
  room.d_probe = device_memory<std::uint32_t>(room.capacity);
  const presso::Status enqueued = join->run(d_temporary, room, stream);
  if (!enqueued.ok()) return fail(enqueued.error().message());
  presso::gpu::JoinTotals totals;
  cudaMemcpyAsync(&totals, join->totals(d_temporary), sizeof totals, cudaMemcpyDeviceToHost,
                  stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return fail("the GPU failed");
  std::printf("%llu lines without an order\n", static_cast<unsigned long long>(totals.rows()));
  cudaStreamDestroy(stream);
  return totals.rows() == 200'000 ? 0 : fail("another number of lines");
}
