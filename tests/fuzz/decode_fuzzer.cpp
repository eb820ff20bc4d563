// SPDX-License-Identifier: MIT
// Arbitrary bytes as a compressed file in a pipe. The first byte says whether checksums are made
// right first, and which decoder is used. Salvage must come to an end, and whatever decodes without
// salvage must decode to the same with it.
#include <algorithm>

#include "presso/decompress.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/repair.h"

namespace presso::fuzz {
namespace {

/// Takes up to a limit of bytes, so that a small input cannot ask for all of the memory.
class LimitedSink final : public ByteSink {
 public:
  Status write(Bytes bytes) override {
    constexpr std::size_t kMost = 32u << 20;
    if (bytes.size() > kMost - taken_.size()) return make_error(ErrorCode::kNoSpace);
    taken_.insert(taken_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const std::vector<Byte>& taken() const { return taken_; }

 private:
  std::vector<Byte> taken_;
};

void fuzz_decode(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const Byte mode = data[0];
  std::vector<Byte> file(data + 1, data + size);
  if ((mode & 1) != 0) repair(file);
  const std::vector<CpuLevel> levels = supported_cpu_levels();
  DecompressOptions options;
  options.decode.level = levels[mode / 2 % levels.size()];
  options.decode.verify = (mode & 64) == 0;
  options.threads = 1;

  MemorySource source(file);
  LimitedSink plain;
  const auto summary = decompress_stream(source, plain, options);
  if (!summary.ok()) {
    PRESSO_FUZZ_CHECK(summary.error().code != ErrorCode::kOk);
    PRESSO_FUZZ_CHECK(summary.error().code == ErrorCode::kNoSpace ||
                      summary.error().byte_offset <= file.size());
  }

  options.salvage = true;
  std::uint64_t damages = 0;
  options.on_damage = [&](const DecodedBlock&) { ++damages; };
  MemorySource again(file);
  LimitedSink salvaged;
  const auto salvage = decompress_stream(again, salvaged, options);
  PRESSO_FUZZ_CHECK(salvage.ok() || salvage.error().code == ErrorCode::kNoSpace);
  PRESSO_FUZZ_CHECK(!summary.ok() || (damages == 0 && salvaged.taken() == plain.taken()));
  if (summary.ok() || summary.error().code == ErrorCode::kNoSpace) return;
  PRESSO_FUZZ_CHECK(!salvage.ok() || damages > 0);
  PRESSO_FUZZ_CHECK(salvaged.taken().size() >= plain.taken().size() || !salvage.ok());
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_decode(data, size);
  return 0;
}
