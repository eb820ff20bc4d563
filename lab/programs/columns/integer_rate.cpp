// SPDX-License-Identifier: MIT
// Rates of coding 4 (integers) on one core, as CSV: G values/s of encoding and decoding by shape of
// data, type and width, for each CPU level. Blocks of 65,536 values; the packed source stays in the
// second-level cache, a block of values does too up to 4 bytes. Then for decoding vector by vector
// into the same place, as a fused consumer does, and for comparing values with bounds that are not
// those of a vector, which gives a bit a value. Best of many runs.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "compress/columns/integer_encoder.h"
#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/integer_filter.h"
#include "format/columns/zone_image.h"
#include "lab/harness/command_line.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"

namespace presso {
namespace {

using namespace presso::harness;

constexpr std::uint32_t kRows = kMaxIntegerRows;

struct Shape {
  std::string name;
  Byte width_bytes;
  bool floating;
  std::function<std::uint64_t(std::uint32_t row)> value;
};

/// G values/s of the fastest of `rounds` runs.
double best_rate(int rounds, const std::function<void()>& run) {
  return kRows / best_seconds(rounds, Clock::kWall, run) / 1e9;
}

std::int64_t sign_extended(std::uint64_t value, Byte width_bytes) {
  const int unused = 64 - 8 * width_bytes;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// The middle half of the values, by rank.
ValueTest middle_half(const std::vector<Byte>& values, const Shape& shape) {
  std::vector<std::uint64_t> sorted;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + std::size_t{i} * shape.width_bytes, shape.width_bytes);
    sorted.push_back(shape.floating ? double_image(std::bit_cast<double>(value))
                                    : signed_image(sign_extended(value, shape.width_bytes)));
  }
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t least = sorted[kRows / 4];
  const std::uint64_t most = sorted[kRows / 4 * 3];
  if (shape.floating) return make_value_test(ColumnType::kDouble, least, most);
  const auto log2 = static_cast<Byte>(std::countr_zero(shape.width_bytes));
  const auto type = static_cast<Byte>(static_cast<Byte>(ColumnType::kInt8) + log2);
  return make_value_test(static_cast<ColumnType>(type), least, most);
}

double compare_rate(const IntegerParameters& parameters, Bytes payload, const ValueTest& test,
                    CpuLevel level, int rounds) {
  Buffer scratch;
  scratch.resize_discarding(kVectorScratchBytes);
  std::uint64_t bits[kVectorBits];
  return best_rate(rounds, [&] {
    for (std::uint32_t i = 0; i < vectors_of(kRows); ++i) {
      IntegerVector vector;
      if (find_integer_vector(parameters, payload, i, vector) != ErrorCode::kOk) return;
      filter_integer_vector(parameters, vector, test, bits, scratch.data(), level);
      // Not optimised away.
      asm volatile("" : : "r"(bits) : "memory");
    }
  });
}

bool measure(const Shape& shape, int rounds, Report& report) {
  std::vector<Byte> values(std::size_t{kRows} * 8);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    store<std::uint64_t>(values.data() + std::size_t{i} * shape.width_bytes, shape.value(i));
  }
  values.resize(std::size_t{kRows} * shape.width_bytes);
  const ValueTest test = middle_half(values, shape);
  for (const CpuLevel level : supported_cpu_levels()) {
    Buffer payload;
    IntegerParameters parameters;
    const double encode = best_rate(rounds / 10 + 1, [&] {
      payload.clear();
      parameters = encode_integers(values.data(), shape.width_bytes, true, shape.floating, kRows,
                                   nullptr, payload, level);
    });
    std::vector<Byte> decoded(values.size());
    bool is_same = true;
    const double decode = best_rate(rounds, [&] {
      is_same &= decode_integers(parameters, payload.bytes(), decoded, level).ok();
    });
    if (!is_same || decoded != values) return false;
    const double in_cache = best_rate(rounds, [&] {
      for (std::uint32_t vector = 0; vector < vectors_of(kRows); ++vector) {
        const MutableBytes into{decoded.data(), std::size_t{kVectorRows} * shape.width_bytes};
        is_same &= decode_integer_vectors(parameters, payload.bytes(), vector, 1, into, level).ok();
      }
    });
    const VectorEntry entry = load_vector_entry(payload.data() + kVectorEntryBytes);
    report.add({shape.name, int{shape.width_bytes}, std::string(name(level)), int{entry.kind},
                int{entry.width}, int{entry.exceptions}, parameters.divisor,
                fixed(8.0 * static_cast<double>(payload.size()) / kRows, 3), fixed(encode, 2),
                fixed(decode, 2), fixed(in_cache, 2),
                fixed(compare_rate(parameters, payload.bytes(), test, level, rounds), 2)});
  }
  return true;
}

std::vector<Shape> shapes() {
  static std::mt19937_64 random(1);
  static std::uint64_t at = 0;
  std::vector<Shape> all;
  for (const Byte bytes : {Byte{1}, Byte{2}, Byte{4}, Byte{8}}) {
    for (const std::uint32_t width : {0u, 1u, 5u, 8u, 12u, 17u, 20u, 27u, 32u, 40u, 56u}) {
      if (width > 8u * bytes) continue;
      all.push_back({"uniform", bytes, false, [width](std::uint32_t) {
                       return random() & ((std::uint64_t{1} << width) - 1);
                     }});
    }
    if (bytes < 4) continue;
    all.push_back({"hundreds", bytes, false, [](std::uint32_t) { return random() % 50 * 100; }});
    all.push_back({"outliers", bytes, false, [](std::uint32_t) {
                     return random() % 100 == 0 ? random() % (1u << 30) : random() % 1000;
                   }});
    all.push_back({"walk", bytes, false, [](std::uint32_t) { return at += random() % 16; }});
    all.push_back({"keys", bytes, false, [](std::uint32_t row) { return row / 8 * 32 + row % 8; }});
    all.push_back({"runs of 4", bytes, false,
                   [](std::uint32_t) { return at += random() % 4 == 0 ? random() % 100 : 0; }});
  }
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  all.push_back({"prices", 8, true, [bits](std::uint32_t) {
                   return bits(static_cast<double>(random() % 10000000) / 100);
                 }});
  all.push_back({"reals", 8, true, [bits](std::uint32_t) {
                   return bits(std::uniform_real_distribution<double>(-100, 100)(random));
                 }});
  return all;
}

Status run(int count, char** arguments) {
  const CommandLine line("[ROUNDS]", "Prints rates of coding 4 as CSV, best of ROUNDS (200) runs.");
  const std::vector<std::string> operands = line.parse(count, arguments, 0, 1);
  const double rounds = operands.empty() ? 200 : number_of(operands[0]).value_or(0);
  if (rounds < 1) line.refuse("ROUNDS is a number above 0");
  Report report(Report::Form::kCsv,
                "shape,bytes,level,kind,width,exceptions,divisor,bits_a_value,encode_gvps,"
                "decode_gvps,decode_in_cache_gvps,compare_gvps");
  for (const Shape& shape : shapes()) {
    if (measure(shape, static_cast<int>(rounds), report)) continue;
    return make_error(ErrorCode::kContent, shape.name + " does not come back");
  }
  return {};
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::run(count, arguments));
}
