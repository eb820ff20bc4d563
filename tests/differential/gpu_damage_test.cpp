// SPDX-License-Identifier: MIT
// Bad files through the host side of GPU decoding, beside decompress_stream(): the same bytes, the
// same error in the same place, in salvage the same damages. The device decodes with the CPU
// decoder, so what is compared is all that is around it: which reader finds what, where a batch
// ends, how places are counted. Files come by index, as a stream, and from pinned memory.
#include <gtest/gtest.h>

#include "tests/support/frame_map.h"
#include "tests/support/gpu_runs.h"

namespace presso::test::gpu_damage_test {
namespace {

using gpu::DecodeJob;
using gpu::GpuOptions;

/// Two batches a file, so that damage lies before and after the border between them.
GpuOptions small_slots() {
  GpuOptions options;
  options.slots = 2;
  options.slot_plain_bytes = 2 * kMinBlockBytes;
  return options;
}

class GpuDamage : public ::testing::Test {
 protected:
  /// False where a test should stop.
  bool check(const std::vector<Byte>& file) {
    for (const bool salvage : {false, true}) {
      SCOPED_TRACE(salvage ? "salvage" : "strict");
      const Seen cpu = seen_on_cpu(file, salvage);
      expect_same(gpu_.run_file(file, salvage), cpu);
      expect_same(gpu_.run_stream(file, salvage), cpu);
      PinnedBytes pinned(gpu_, file);
      DecodeJob job;
      job.memory = pinned.bytes();
      expect_same(gpu_.run(job, salvage), cpu);
      damages_ += cpu.damages.size();
      errors_ += cpu.error.code != ErrorCode::kOk;
    }
    return !HasFailure();
  }

  FakeGpu gpu_{small_slots()};
  std::vector<Byte> plain_ = log_lines(3 * kMinBlockBytes + 500, 4);
  std::vector<Byte> file_ = compressed(plain_, 2048);
  std::vector<FrameSpan> frames_ = map_frames(file_);
  std::size_t damages_ = 0, errors_ = 0;
};

TEST_F(GpuDamage, CutAnywhere) {
  for (std::size_t size = 0; size <= file_.size(); size += size < 1500 ? 3 : 41) {
    SCOPED_TRACE(size);
    if (!check({file_.begin(), file_.begin() + static_cast<std::ptrdiff_t>(size)})) return;
  }
  EXPECT_GT(errors_, 100u);
}

TEST_F(GpuDamage, AnyByteOfAHeaderChanged) {
  for (const FrameSpan& frame : frames_) {
    for (std::size_t at = 0; at < frame.header_bytes; ++at) {
      SCOPED_TRACE(std::string(1, frame.kind) + " byte " + std::to_string(at));
      std::vector<Byte> file = file_;
      file[frame.offset + at] ^= 0x21;
      if (!check(file)) return;
    }
  }
  EXPECT_GT(damages_, 100u);
}

/// A hostile writer, who makes the checksums of headers right again.
TEST_F(GpuDamage, AnyByteOfAHeaderForged) {
  for (std::size_t number = 0; number < frames_.size(); ++number) {
    const FrameSpan& frame = frames_[number];
    for (std::size_t at = 0; at + 4 < frame.header_bytes; ++at) {
      for (const Byte value : std::initializer_list<Byte>{0x00, 0x01, 0x7F, 0xFF}) {
        SCOPED_TRACE(std::string(1, frame.kind) + " byte " + std::to_string(at) + " " +
                     std::to_string(value));
        std::vector<Byte> file = file_;
        if (std::exchange(file[frame.offset + at], value) == value) continue;
        seal(file, frames_, number);
        if (!check(file)) return;
      }
    }
  }
}

TEST_F(GpuDamage, PayloadsChanged) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    std::vector<Byte> file = file_;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      file[random() % file.size()] = static_cast<Byte>(random());
    }
    if (!check(file)) return;
  }
  EXPECT_GT(damages_, 100u);
}

TEST_F(GpuDamage, FramesMissingDoubledAndInserted) {
  std::vector<std::vector<Byte>> files;
  const std::vector<Byte> noise = random_bytes(77, 3);
  for (const FrameSpan& frame : frames_) {
    if (frame.parent != FrameSpan::kNoParent) continue;
    const auto begin = static_cast<std::ptrdiff_t>(frame.offset);
    const auto end = static_cast<std::ptrdiff_t>(frame.end);
    std::vector<Byte> missing = file_, doubled = file_, inserted = file_;
    missing.erase(missing.begin() + begin, missing.begin() + end);
    doubled.insert(doubled.begin() + begin, file_.begin() + begin, file_.begin() + end);
    inserted.insert(inserted.begin() + begin, noise.begin(), noise.end());
    files.insert(files.end(), {missing, doubled, inserted});
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    if (!check(files[i])) return;
  }
}

/// Members that share batches and members that, by their dictionaries, do not.
TEST_F(GpuDamage, DamageAmongMembers) {
  const std::vector<Byte> files[] = {ManyMembers().file, PlainMembers(4, 3).file};
  std::mt19937_64 random(13);
  for (int i = 0; i < 120; ++i) {
    SCOPED_TRACE(i);
    std::vector<Byte> file = files[i % 2];
    if (i % 3 == 0) file.resize(random() % file.size());
    if (i % 3 == 1) append(file, random_bytes(1 + random() % 300, random()));
    if (!file.empty()) file[random() % file.size()] ^= 0x40;
    if (!check(file)) return;
  }
}

}  // namespace
}  // namespace presso::test::gpu_damage_test
