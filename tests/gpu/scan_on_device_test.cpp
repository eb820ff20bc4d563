// SPDX-License-Identifier: MIT
// Line scans on a GPU find what a scalar run finds: texts in one piece and in many, with every
// layout of the automaton; and scans that choose their engine by a sample.
#include <gtest/gtest.h>

#include <array>

#include "presso/gpu_devices.h"
#include "scan/gpu/line_choice.h"
#include "scan/gpu/line_counter.h"
#include "scan/gpu/literals/literal_scan.h"
#include "scan/gpu/literals/many_literal_scan.h"
#include "scan/gpu/literals/plane_scan.h"
#include "tests/gpu/on_device.h"
#include "tests/simt/scan_texts.h"
#include "tests/support/line_dfas.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test {
namespace {

using presso::test::LineDfa;
using presso::test::ScalarScan;

class ScanOnDevice : public OnDevice {
 protected:
  Result<std::uint64_t> value_of(const std::uint64_t* d_value) {
    std::uint64_t value = 0;
    PRESSO_TRY(device_->copy_out(reinterpret_cast<Byte*>(&value),
                                 reinterpret_cast<const Byte*>(d_value), sizeof value,
                                 stream_.get()));
    PRESSO_TRY(device_->wait(stream_.get()));
    return value;
  }

  /// In pieces of `piece` bytes, which is a multiple of 16.
  Result<std::uint64_t> count(const LineDfa& dfa, const std::vector<Byte>& text,
                              std::size_t piece) {
    PRESSO_ASSIGN(const DeviceMemory d_text, copy_of(text.data(), text.size()));
    PRESSO_ASSIGN(LineCounter counter,
                  LineCounter::open(*memory_, dfa.view(), piece, stream_.get()));
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const std::size_t bytes = std::min(piece, text.size() - at);
      const bool is_last = at + bytes == text.size();
      PRESSO_TRY(counter.add(d_text.get() + at, bytes, is_last, stream_.get()));
    }
    return value_of(counter.d_lines());
  }

  void expect_right(const LineDfa& dfa, const std::vector<Byte>& text) {
    const ScalarScan expected(dfa.view(), text, true, dfa.start);
    for (const std::size_t piece :
         {std::size_t{1} << 30, std::size_t{1} << 20, std::size_t{4096}}) {
      const auto found = count(dfa, text, piece);
      ASSERT_TRUE(found.ok()) << found.error().message();
      EXPECT_EQ(*found, expected.ends.size()) << dfa.states << " states, pieces of " << piece;
    }
  }

  Result<std::uint64_t> count_many(const std::vector<std::string>& words, bool ignore_case,
                                   const std::string& text) {
    PRESSO_ASSIGN(const ManyLiteralTable table, lay_out_many_literals(words, ignore_case));
    PRESSO_ASSIGN(const DeviceMemory d_text,
                  copy_of(reinterpret_cast<const Byte*>(text.data()), text.size()));
    PRESSO_ASSIGN(const DeviceMemory d_image, copy_of(table.image.data(), table.image.size()));
    PRESSO_ASSIGN(const DeviceMemory d_tiles,
                  memory_->allocate(many_literal_scan_temporary_bytes(text.size())));
    const std::uint64_t zero = 0;
    PRESSO_ASSIGN(const DeviceMemory d_lines,
                  copy_of(reinterpret_cast<const Byte*>(&zero), sizeof zero));
    ManyLiteralScanRequest request;
    request.d_text = d_text.get();
    request.bytes = text.size();
    request.table = table.view;
    request.table.d_image = d_image.get();
    request.d_lines = reinterpret_cast<std::uint64_t*>(d_lines.get());
    request.d_temporary = d_tiles.get();
    request.temporary_bytes = d_tiles.bytes();
    PRESSO_TRY(scan_many_literals(request, stream_.get()));
    return value_of(request.d_lines);
  }

  /// Alone, and chosen by a sample.
  Result<std::vector<std::uint64_t>> count_by_planes(const std::vector<std::string>& words,
                                                     bool ignore_case, const std::string& text) {
    PRESSO_ASSIGN(const PlaneTableView table, lay_out_planes(words, ignore_case));
    PRESSO_ASSIGN(const LiteralTable literals, lay_out_literals(words, ignore_case));
    PRESSO_ASSIGN(const DeviceMemory d_text,
                  copy_of(reinterpret_cast<const Byte*>(text.data()), text.size()));
    PRESSO_ASSIGN(const DeviceMemory d_image,
                  copy_of(literals.image.data(), literals.image.size()));
    PRESSO_ASSIGN(const DeviceMemory d_tiles,
                  memory_->allocate(plane_scan_temporary_bytes(text.size())));
    PRESSO_ASSIGN(const DeviceMemory d_others,
                  memory_->allocate(literal_scan_temporary_bytes(text.size())));
    const std::uint64_t zeroes[3] = {};
    PRESSO_ASSIGN(const DeviceMemory d_results,
                  copy_of(reinterpret_cast<const Byte*>(zeroes), sizeof zeroes));
    auto* const d_counts = reinterpret_cast<std::uint64_t*>(d_results.get());
    PlaneScanRequest planes{d_text.get(), text.size(),   table,          d_counts,
                            {},           d_tiles.get(), d_tiles.bytes()};
    PRESSO_TRY(scan_planes(planes, stream_.get()));
    LiteralScanRequest first{d_text.get(), text.size(),    literals.view,   d_counts + 1,
                             {},           d_others.get(), d_others.bytes()};
    first.table.d_image = d_image.get();
    planes.d_lines = d_counts + 1;
    PRESSO_TRY(scan_literals_or_planes(
        first, planes, reinterpret_cast<std::uint32_t*>(d_counts + 2), stream_.get()));
    PRESSO_ASSIGN(const std::uint64_t alone, value_of(d_counts));
    PRESSO_ASSIGN(const std::uint64_t chosen, value_of(d_counts + 1));
    return std::vector<std::uint64_t>{alone, chosen};
  }
};

std::vector<Byte> text_with(std::size_t bytes, std::size_t line, const std::string& begin) {
  std::mt19937_64 random(bytes + line);
  std::vector<Byte> text;
  while (text.size() < bytes) {
    text.insert(text.end(), begin.begin(), begin.end());
    for (std::size_t left = random() % (2 * line); left > 0; --left) {
      text.push_back(static_cast<Byte>("abcdefgh user"[random() % 13]));
    }
    text.push_back('\n');
  }
  text.resize(bytes);
  return text;
}

TEST_F(ScanOnDevice, CountsWhatAScalarRunCounts) {
  const LineDfa near = presso::test::words_dfa({"error"}, {"user", "abc"});
  for (const std::size_t line : {40u, 3000u, 200000u}) {
    const std::vector<Byte> text = text_with(3000001, line, "error ");
    expect_right(near, text);
    for (const std::uint32_t states : {1u, 30u, 100u, 250u, 300u, 20000u}) {
      expect_right(presso::test::random_dfa(states, "abcd", states), text);
      if (states > 250 && line > 3000) continue;  // what no tile can tabulate takes its time
      expect_right(presso::test::counting_dfa(states), text);
    }
  }
}

TEST_F(ScanOnDevice, CountsLinesWithOneOfManyLiterals) {
  using presso::test::lines_with;
  for (const std::size_t bytes : {1u, 511u, 8193u, 100001u, 3000000u}) {
    const std::string text = presso::test::random_text(bytes, "abcdefghiJKL ", 90, bytes);
    const std::vector<std::vector<std::string>> sets = {{"a"},
                                                        {"ab", "cde", "fghiJKLa", "abcdefgh"},
                                                        {"abcd", "hgfed", "bbbbb", "Jklab"},
                                                        {"abcdefg", "ghiJKLa", "bcdabcda"},
                                                        {"abcdabcda", "gfedcbagf", "a b c d e"},
                                                        {"abcabcabc", "cdefcdefcdef", "b ", "a L"}};
    for (const auto& words : sets) {
      for (const bool ignore_case : {false, true}) {
        const auto found = count_many(words, ignore_case, text);
        ASSERT_TRUE(found.ok()) << found.error().message();
        EXPECT_EQ(*found, lines_with(text, words, ignore_case)) << bytes << ' ' << words[0];
      }
    }
  }
}

/// Whichever layout is taken, the count is right; the text is one that rows are slow on, or is not.
TEST_F(ScanOnDevice, ChoosesALayoutByASample) {
  const LineDfa dfa = presso::test::counting_dfa(200);
  const auto tables = std::array{lay_out_as(LineTableKind::kBytes, dfa.view()),
                                 lay_out_as(LineTableKind::kShared, dfa.view())};
  ASSERT_TRUE(tables[0].ok() && tables[1].ok());
  for (const bool hostile : {false, true}) {
    std::vector<Byte> text = text_with(5000000, 300, "");
    for (std::size_t at = 0; hostile && at < text.size(); ++at) {
      const std::size_t state = (at + at / 1024) % 32;  // allow(bare-32): banks
      text[at] = at % 6400 == 6399 ? '\n' : static_cast<Byte>((32 - state) % 32 * 4 + 1);
    }
    const auto d_text = copy_of(text.data(), text.size());
    const std::vector<Byte> zeroes(64);
    const auto d_result = copy_of(zeroes.data(), zeroes.size());
    const auto d_temporary = memory_->allocate(line_scan_temporary_bytes(text.size()));
    const auto d_rows = copy_of(tables[0]->image.data(), tables[0]->image.size());
    const auto d_classes = copy_of(tables[1]->image.data(), tables[1]->image.size());
    LineScanRequest requests[2];
    for (const int i : {0, 1}) {
      requests[i].d_text = d_text->get();
      requests[i].bytes = text.size();
      requests[i].table = tables[i]->view;
      requests[i].table.d_image = i == 0 ? d_rows->get() : d_classes->get();
      requests[i].d_lines = reinterpret_cast<std::uint64_t*>(d_result->get());
      requests[i].d_temporary = d_temporary->get();
      requests[i].temporary_bytes = d_temporary->bytes();
    }
    auto* const d_choice =
        reinterpret_cast<std::uint32_t*>(d_result->get() + 2 * sizeof(std::uint64_t));
    const Status status = scan_lines_by_sample(requests[0], requests[1], d_choice, stream_.get());
    ASSERT_TRUE(status.ok()) << status.error().message();
    const auto found = value_of(requests[0].d_lines);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, ScalarScan(dfa.view(), text, true, dfa.start).ends.size()) << hostile;
  }
}

TEST_F(ScanOnDevice, CountsLinesWithShortLiteralsByPlanes) {
  for (const std::size_t bytes : {1u, 1023u, 32769u, 100001u, 3000000u}) {
    const std::string text = presso::test::random_text(bytes, "abcdefghiJKL ", 90, bytes);
    const std::vector<std::vector<std::string>> sets = {
        {"a"},    {"ab"},     {"iJK"},      {"c", "dd"},
        {"hgfe"}, {"abcdef"}, {"abcdefgh"}, {"ab", "c a", "JKl"}};
    for (const auto& words : sets) {
      for (const bool ignore_case : {false, true}) {
        const auto found = count_by_planes(words, ignore_case, text);
        ASSERT_TRUE(found.ok()) << found.error().message();
        const std::uint64_t expected = presso::test::lines_with(text, words, ignore_case);
        EXPECT_EQ(*found, std::vector<std::uint64_t>(2, expected)) << bytes << ' ' << words[0];
      }
    }
  }
}

TEST_F(ScanOnDevice, TakesEitherEngineForLiterals) {
  const std::vector<std::string> words{"error"};
  const LineDfa dfa = presso::test::words_dfa(words);
  for (const bool rare : {true, false}) {
    const std::vector<Byte> text = text_with(5000000, 60, rare ? "" : "an error ");
    const auto d_text = copy_of(text.data(), text.size());
    const auto literals = lay_out_literals(words, false);
    const auto lines = lay_out(dfa.view());
    const auto d_literals = copy_of(literals->image.data(), literals->image.size());
    const auto d_lines = copy_of(lines->image.data(), lines->image.size());
    const std::vector<Byte> zeroes(256);
    const auto d_result = copy_of(zeroes.data(), zeroes.size());
    const auto d_temporary = memory_->allocate(line_scan_temporary_bytes(text.size()));
    const auto d_tiles = memory_->allocate(literal_scan_temporary_bytes(text.size()));
    auto* const d_count = reinterpret_cast<std::uint64_t*>(d_result->get());
    LiteralScanRequest first{d_text->get(),  text.size(),     literals->view, d_count, {},
                             d_tiles->get(), d_tiles->bytes()};
    first.table.d_image = d_literals->get();
    LineScanRequest second;
    second.d_text = d_text->get();
    second.bytes = text.size();
    second.table = lines->view;
    second.table.d_image = d_lines->get();
    second.d_lines = d_count;
    second.d_temporary = d_temporary->get();
    second.temporary_bytes = d_temporary->bytes();
    auto* const d_choice = reinterpret_cast<std::uint32_t*>(d_result->get() + 128);
    const Status status = scan_literals_or_lines(first, second, d_choice, stream_.get());
    ASSERT_TRUE(status.ok()) << status.error().message();
    const auto found = value_of(d_count);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, ScalarScan(dfa.view(), text, true, dfa.start).ends.size()) << rare;
  }
}

}  // namespace
}  // namespace presso::gpu::test
