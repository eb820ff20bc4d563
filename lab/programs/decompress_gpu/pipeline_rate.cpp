// SPDX-License-Identifier: MIT
// How near the pipeline comes to what PCIe allows (S7.14):
//
//   host            pinned memory to pinned memory, checksums verified
//   host-unchecked  the same without
//   device          pinned memory to device memory
//   device-odd      the same without the first plain byte: every block at an odd address
//   file            the file, through the page cache, to device memory
//
// Bare copies of 64 MiB each way give the limits: for host to host the slower of stored bytes in
// and plain bytes out, for decoding into device memory stored bytes in. Then whole runs over the
// file, median and best after one that warms up, memory and CUDA started before; the first run of
// each case is compared with the CPU decoder's bytes. A file of 1 GiB and more of plain bytes says
// most: the first and last batches overlap nothing.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/gpu.h"
#include "presso/decompress_gpu.h"

namespace presso::gpu {
namespace {

using namespace presso::harness;

/// `limit`: the seconds that PCIe takes at least.
void report(const char* what, Times times, double plain_bytes, double limit) {
  std::printf("%-44s %8.1f GB/s (best %.1f)  %5.1f %% of what PCIe allows\n", what,
              plain_bytes / times.median / 1e9, plain_bytes / times.best / 1e9,
              100 * limit / times.median);
}

const std::string kCases[] = {"host", "host-unchecked", "device", "device-odd", "file"};

struct Setup {
  Gpu& gpu;
  std::vector<Byte> plain;  ///< by the CPU
  Bytes stored;             ///< pinned
  const RandomAccess& file;
  double seconds_in, seconds_out;
  int runs;
};

Status check_bytes(Bytes plain, const Byte* found) {
  return std::equal(plain.begin(), plain.end(), found)
             ? Status()
             : make_error(ErrorCode::kContentChecksum, "these are not the CPU's bytes");
}

Status host_to_host(const Setup& setup, Decompressor& decompressor, bool verify) {
  PRESSO_ASSIGN(const PinnedMemory into, setup.gpu.pinned(setup.plain.size()));
  const auto run = [&]() -> Status {
    PRESSO_TRY(
        decompress_host(decompressor, setup.stored, {into.get(), setup.plain.size()}, verify));
    return {};
  };
  PRESSO_TRY(run());
  PRESSO_TRY(check_bytes(setup.plain, into.get()));
  PRESSO_ASSIGN(const Times times, measure(setup.runs, 1, run));
  report(verify ? "host to host, checksums" : "host to host, no checksums", times,
         static_cast<double>(setup.plain.size()), std::max(setup.seconds_in, setup.seconds_out));
  return {};
}

/// All plain bytes after the first `skipped`.
Status into_device(const Setup& setup, const char* what, Result<GpuFile> opened,
                   std::uint64_t skipped) {
  PRESSO_ASSIGN(GpuFile file, std::move(opened));
  PRESSO_ASSIGN(const DeviceBytes into, file.read({skipped, file.plain_bytes()}));
  PRESSO_ASSIGN(const PinnedMemory here, setup.gpu.pinned(into.size()));
  PRESSO_TRY(setup.gpu.copy_out(here.get(), into.data(), into.size()));
  PRESSO_TRY(
      check_bytes(Bytes(setup.plain).subspan(static_cast<std::size_t>(skipped)), here.get()));
  const MutableBytes target(into.data(), static_cast<std::size_t>(into.size()));
  PRESSO_ASSIGN(const Times times,
                measure(setup.runs, 1, [&]() -> Status { return file.read(skipped, target); }));
  report(what, times, static_cast<double>(setup.plain.size()), setup.seconds_in);
  return {};
}

Status run_case(std::size_t number, const Setup& setup, Decompressor& decompressor) {
  if (number < 2) return host_to_host(setup, decompressor, number == 0);
  if (number == 4) {
    return into_device(setup, "file to device memory", GpuFile::open(decompressor, setup.file), 0);
  }
  const bool is_odd = number == 3;
  return into_device(setup, is_odd ? "the same to odd addresses" : "pinned memory to device memory",
                     GpuFile::open(decompressor, setup.stored), is_odd ? 1 : 0);
}

Status run(int count, char** arguments) {
  int runs = 9, members = 1;
  CommandLine line("FILE.presso [RUNS [CASE...]]",
                   "Times the pipeline beside bare copies. CASE is host, host-unchecked, device, "
                   "device-odd or file (all).");
  line.add("--members N", "the file N times in a row, as members of one, in memory only (1)",
           members, 1);
  const std::vector<std::string> operands = line.parse(count, arguments, 1);
  if (operands.size() > 1) runs = static_cast<int>(number_of(operands[1]).value_or(0));
  if (runs < 1) line.refuse("RUNS is a number");
  std::vector<std::size_t> cases;
  const Take take_case = names_among(kCases, [&](std::size_t place) { cases.push_back(place); });
  for (std::size_t i = 2; i < operands.size(); ++i) {
    if (!take_case(operands[i])) line.refuse("there is no case " + operands[i]);
  }
  if (cases.empty()) cases = {0, 1, 2, 3, 4};
  PRESSO_ASSIGN(const auto gpu, Gpu::open());
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(operands[0]));
  const std::uint64_t size = file.size() * static_cast<std::uint64_t>(members);
  PRESSO_ASSIGN(const PinnedMemory stored, gpu->pinned(size));
  for (std::uint64_t at = 0; at < size; at += file.size()) {
    PRESSO_TRY(file.read_at(0, {stored.get() + at, static_cast<std::size_t>(file.size())}));
  }
  PRESSO_ASSIGN(const double in, gpu->copy_rate(true, runs));
  PRESSO_ASSIGN(const double out, gpu->copy_rate(false, runs));
  const Bytes stored_bytes(stored.get(), static_cast<std::size_t>(size));
  PRESSO_ASSIGN(std::vector<Byte> plain, decompress_buffer(stored_bytes));
  const auto plain_bytes = static_cast<double>(plain.size());
  const auto file_bytes = static_cast<double>(size);
  const Setup setup{*gpu, std::move(plain), stored_bytes, file, file_bytes / in, plain_bytes / out,
                    runs};
  std::printf(
      "%.0f plain bytes, ratio %.2f, %d time(s) the file; PCIe in %.1f GB/s, out %.1f GB/s\n",
      plain_bytes, plain_bytes / file_bytes, members, in / 1e9, out / 1e9);
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open());
  for (const std::size_t number : cases) {
    if (number < 4 || members == 1) PRESSO_TRY(run_case(number, setup, decompressor));
  }
  return {};
}

}  // namespace
}  // namespace presso::gpu

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::gpu::run(count, arguments));
}
