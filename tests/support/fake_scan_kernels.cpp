// SPDX-License-Identifier: MIT
#include "tests/support/fake_scan_kernels.h"

#include <algorithm>

namespace presso::test {
namespace {

using gpu::BatchFindings;
using gpu::BatchScanRequest;
using gpu::LineTableKind;
using gpu::LineTableView;
using gpu::ListedLine;
using gpu::LiteralTableView;
using gpu::ManyLiteralTableView;
using gpu::PlaneTableView;

/// Each function: whether a line without its '\n' is found by an engine's table, as its kernels
/// read that.
bool finds(const LineTableView& table, Bytes line) {
  const auto step = [&](std::uint32_t state, Byte byte) -> std::uint32_t {
    if (table.kind == LineTableKind::kBytes) return table.d_image[state * gpu::kBytePitch + byte];
    const std::size_t at = std::size_t{state} * table.classes + table.d_image[byte];
    if (table.kind == LineTableKind::kByteClasses) return table.d_image[gpu::kClassMapBytes + at];
    const auto* rows = reinterpret_cast<const std::uint16_t*>(table.d_image + gpu::kClassMapBytes);
    return rows[at];
  };
  std::uint32_t state = table.start;
  for (const Byte byte : line) state = step(state, byte);
  return step(state, '\n') == table.hit;
}

/// A literal as bytes and masks; `stands(i)` of the byte at `i` says whether it agrees.
template <class Agrees>
bool stands_somewhere(Bytes line, std::size_t length, const Agrees& agrees) {
  for (std::size_t at = 0; at + length <= line.size(); ++at) {
    std::size_t same = 0;
    while (same < length && agrees(same, line[at + same])) ++same;
    if (same == length) return true;
  }
  return false;
}

bool finds(const LiteralTableView& table, Bytes line) {
  return std::any_of(table.grams, table.grams + table.count, [&](const gpu::LiteralGram& gram) {
    const Byte* const wanted = table.d_image + gram.at;
    return stands_somewhere(line, gram.length, [&](std::size_t i, Byte byte) {
      return (byte & wanted[gram.length + i]) == wanted[i];
    });
  });
}

bool finds(const PlaneTableView& table, Bytes line) {
  for (std::uint32_t first = 0; first < table.count;) {
    const std::uint32_t length = table.places[first].to_end + 1;
    const bool found = stands_somewhere(line, length, [&](std::size_t i, Byte byte) {
      const gpu::PlanePlace& place = table.places[first + i];
      for (std::uint32_t plane = 0; plane < 8; ++plane) {
        const bool any = plane == 5 && place.any_case != 0;
        const bool bit = any || (byte >> plane & 1) != 0;
        if (bit == (place.flips[plane] != 0)) return false;
      }
      return true;
    });
    if (found) return true;
    first += length;
  }
  return false;
}

bool finds_in_group(const ManyLiteralTableView& table, const gpu::LiteralGroup& group, Bytes line) {
  const auto* slots = reinterpret_cast<const gpu::GramSlot*>(table.d_image + group.slots_at);
  const auto* entries = reinterpret_cast<const gpu::GramEntry*>(table.d_image + table.entries_at);
  for (std::uint32_t slot = 0; slot <= group.slot_mask; ++slot) {
    const std::uint32_t count = slots[slot].entries & ~gpu::GramSlot::kWholeGram;
    for (std::uint32_t i = 0; i < count; ++i) {
      const gpu::GramEntry& entry = entries[slots[slot].first_entry + i];
      const Byte* const wanted = table.d_image + entry.at;
      const bool found = stands_somewhere(line, entry.length, [&](std::size_t at, Byte byte) {
        const std::size_t place = at / 4 * 8 + at % 4;
        return (byte & wanted[place + 4]) == wanted[place];
      });
      if (found) return true;
    }
  }
  return false;
}

bool finds(const ManyLiteralTableView& table, Bytes line) {
  return std::any_of(
      table.groups, table.groups + table.group_count,
      [&](const gpu::LiteralGroup& group) { return finds_in_group(table, group, line); });
}

class FakeScanKernels final : public gpu::BatchKernels {
 public:
  explicit FakeScanKernels(gpu::Device& device) : device_(device) {}

  std::size_t temporary_bytes(const gpu::EngineView&, std::uint64_t,
                              const gpu::BatchWants&) override {
    return 256;
  }

  Status enqueue(const BatchScanRequest& request, gpu::Stream stream) override {
    PRESSO_TRY(device_.wait(stream));
    BatchFindings findings;
    findings.first_newline = BatchFindings::kNowhere;
    std::uint32_t newlines = 0, begin = 0;
    for (std::uint32_t at = 0; at < request.bytes; ++at) {
      const Byte byte = request.d_text[at];
      if (byte != '\n') continue;
      const Bytes line(request.d_text + begin, at - begin);
      if (std::visit([&](const auto& table) { return finds(table, line); }, *request.engine)) {
        ++findings.lines;
        if (request.wants.lines) list(request, begin, at, newlines, findings);
      }
      if (newlines++ == 0) findings.first_newline = at;
      begin = at + 1;
      findings.behind_last_newline = begin;
    }
    if (request.wants.numbers) findings.newlines = newlines;
    *request.d_findings = findings;
    return {};
  }

 private:
  static void list(const BatchScanRequest& request, std::uint32_t begin, std::uint32_t end,
                   std::uint32_t newlines, BatchFindings& findings) {
    ListedLine line;
    if (newlines > 0) {
      line = {begin, end + 1 - begin, findings.gathered_bytes, newlines};
      if (line.at + line.bytes <= request.most_gathered) {
        std::copy_n(request.d_text + begin, line.bytes, request.d_gathered + line.at);
      }
    }
    if (findings.listed < request.most_listed) request.d_listed[findings.listed] = line;
    ++findings.listed;
    findings.gathered_bytes += line.bytes;
  }

  gpu::Device& device_;
};

}  // namespace

std::shared_ptr<gpu::BatchKernels> make_fake_scan_kernels(gpu::Device& device) {
  return std::make_shared<FakeScanKernels>(device);
}

}  // namespace presso::test
