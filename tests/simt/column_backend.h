// SPDX-License-Identifier: MIT
// Who decodes the blocks of tables of the column suites: the emulator
// (emulated_columns.h) or a GPU (tests/gpu/device_columns.h). Each test program
// has one. Outputs of a batch lie in one piece of memory, each with poison around it, so that what
// is written too far is seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "decompress/columns/gpu/columns_on_gpu.h"
#include "presso/checksum.h"

namespace presso::gpu::test {

struct IntegerCase {
  IntegerParameters parameters;
  std::vector<Byte> payload;
  std::uint64_t checksum = checksum64(payload);
};

struct ColumnOutcome {
  std::uint32_t status = 0;
  std::vector<Byte> bytes;
  std::vector<std::int64_t> offsets;  ///< of tokens
  bool is_intact = true;              ///< nothing was written beside the output
};

struct ColumnRun {
  ColumnOptions options;
  std::uint32_t seed = 1;
};

class ColumnBackend {
 public:
  virtual ~ColumnBackend() = default;

  /// Why nothing can be decoded here; empty where it can.
  virtual std::string unavailable() const = 0;
  /// Whether everything is to be tried, or, as in an emulator, what is slow only in samples.
  virtual bool is_fast() const = 0;
  virtual Result<std::vector<ColumnOutcome>> decode(const std::vector<IntegerCase>& cases,
                                                    const ColumnRun& run) = 0;
};

ColumnBackend& column_backend();

/// What the fixture calls; the laboratory has such a function for its cases.
inline Result<std::vector<ColumnOutcome>> decode_cases(const std::vector<IntegerCase>& cases,
                                                       const ColumnRun& run) {
  return column_backend().decode(cases, run);
}

inline constexpr Byte kPoison = 0xC5;
inline constexpr std::size_t kPoisonBytes = 32;

/// Pieces of one piece of memory, each at a remainder of 16 of its own.
class Pieces {
 public:
  /// Returns where the piece begins.
  std::size_t add(std::size_t bytes, std::size_t remainder = 0) {
    const std::size_t at = (end_ + kPoisonBytes + 15) / 16 * 16 + remainder;
    end_ = at + bytes;
    pieces_.push_back({at, bytes});
    return at;
  }
  std::size_t bytes() const { return end_ + kPoisonBytes; }
  std::size_t at(std::size_t piece) const { return pieces_[piece].at; }

  std::vector<Byte> part(const Byte* memory, std::size_t piece) const {
    const Byte* const begin = memory + pieces_[piece].at;
    return {begin, begin + pieces_[piece].bytes};
  }
  /// Whether what is around it holds poison.
  bool is_intact(const Byte* memory, std::size_t piece) const {
    const Byte* const begin = memory + pieces_[piece].at;
    const Byte* const end = begin + pieces_[piece].bytes;
    const auto is_poison = [](Byte byte) { return byte == kPoison; };
    return std::all_of(begin - kPoisonBytes / 2, begin, is_poison) &&
           std::all_of(end, end + kPoisonBytes / 2, is_poison);
  }

 private:
  struct Piece {
    std::size_t at;
    std::size_t bytes;
  };
  std::vector<Piece> pieces_;
  std::size_t end_ = 0;
};

/// Bytes of a block's output; what no block can have counts as none.
inline std::size_t output_bytes(const IntegerParameters& of) {
  return static_cast<std::size_t>(is_valid(of) ? values_bytes(of.rows, of.width_bytes) : 0);
}

inline IntegerBlock block_of(const IntegerCase& one, const Byte* payload, Byte* out) {
  IntegerBlock block;
  block.payload = {payload, static_cast<std::uint32_t>(one.payload.size()), one.checksum};
  block.out = out;
  block.parameters = one.parameters;
  return block;
}

inline std::vector<ColumnOutcome> outcomes_of(const std::vector<std::uint32_t>& statuses,
                                              const Pieces& pieces, const Byte* memory) {
  std::vector<ColumnOutcome> outcomes;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    outcomes.push_back({statuses[i], pieces.part(memory, i), {}, pieces.is_intact(memory, i)});
  }
  return outcomes;
}

}  // namespace presso::gpu::test
