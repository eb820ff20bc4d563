// SPDX-License-Identifier: MIT
// The small headers of presso::format: <presso/error.h>, <presso/byte_stream.h>, <presso/cpu.h>,
// <presso/checksum.h>, and <presso/ordered_pipeline.h>, the driver that all parallel work runs on.
#include <presso/byte_stream.h>
#include <presso/checksum.h>
#include <presso/cpu.h>
#include <presso/error.h>
#include <presso/ordered_pipeline.h>

#include <cstdio>

namespace {

/// Result<T> is a value or an Error; PRESSO_ASSIGN leaves with the error where there is one.
presso::Result<int> half(int number) {
  if (number % 2 != 0) return presso::make_error(presso::ErrorCode::kInvalidArgument, "odd");
  return number / 2;
}
presso::Result<int> quarter(int number) {
  PRESSO_ASSIGN(const int once, half(number));
  return half(once);
}

/// Squares of 1 to 10, worked out by four threads, printed in order.
presso::Status print_squares() {
  int next = 1;
  return presso::run_ordered<int, int>(
      {4, 0},
      [&]() -> presso::Result<std::optional<int>> {
        if (next > 10) return std::optional<int>();
        return std::optional<int>(next++);
      },
      [](int number, unsigned /*worker*/) { return number * number; },
      [](int square) -> presso::Result<bool> {
        std::printf("%d ", square);
        return true;
      });
}

}  // namespace

int main() {
  const auto bad = quarter(6);
  std::printf("a quarter of 8 is %d; of 6: %s\n", *quarter(8), bad.error().message().c_str());

  std::printf("decoders here:");
  for (const presso::CpuLevel level : presso::supported_cpu_levels()) {
    std::printf(" %s", std::string(presso::name(level)).c_str());
  }
  std::printf("; in use: %s\n", std::string(presso::name(presso::cpu_level())).c_str());

  const presso::Byte bytes[] = {1, 2, 3};
  std::printf("checksum %016llx\n",
              static_cast<unsigned long long>(presso::content_checksum(bytes)));
  presso::MemorySource source(bytes);
  presso::Byte into[8];
  const auto got = presso::read_fully(source, into);
  const presso::Status printed = print_squares();
  std::printf("\n");
  return !bad.ok() && got.ok() && *got == 3 && printed.ok() ? 0 : 1;
}
