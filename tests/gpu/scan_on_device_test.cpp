// SPDX-License-Identifier: MIT
// Line scans on a GPU find what a scalar run finds, with every layout of the automaton and every
// engine for literals.
#include <gtest/gtest.h>

#include "presso/gpu_devices.h"
#include "scan/gpu/literals/literal_engines.h"
#include "tests/gpu/on_device.h"
#include "tests/simt/scan_texts.h"
#include "tests/support/line_dfas.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test::scan_on_device_test {
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

  /// By the engine whose table it is.
  template <class View>
  Result<std::uint64_t> count(View table, const std::vector<Byte>& image, Bytes text) {
    PRESSO_ASSIGN(const DeviceMemory d_text, copy_of(text.data(), text.size()));
    PRESSO_ASSIGN(const DeviceMemory d_image, copy_of(image.data(), image.size()));
    PRESSO_ASSIGN(const DeviceMemory d_temporary,
                  memory_->allocate(scan_temporary_bytes(table, text.size())));
    const std::uint64_t zero = 0;
    PRESSO_ASSIGN(const DeviceMemory d_lines, copy_of(&zero, sizeof zero));
    if constexpr (requires { table.d_image; }) table.d_image = d_image.get();
    LineScan scan;
    scan.d_text = d_text.get();
    scan.bytes = text.size();
    scan.d_lines = reinterpret_cast<std::uint64_t*>(d_lines.get());
    PRESSO_TRY(scan_lines(scan, table, {d_temporary.get(), d_temporary.bytes()}, stream_.get()));
    return value_of(scan.d_lines);
  }

  void expect_right(const LineDfa& dfa, const std::vector<Byte>& text) {
    const ScalarScan expected(dfa.view(), text, true, dfa.start);
    const auto table = lay_out(dfa.view());
    ASSERT_TRUE(table.ok());
    const auto found = count(table->view, table->image, text);
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(*found, expected.ends.size()) << dfa.states << " states";
  }
};

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

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
        const auto table = lay_out_many_literals(words, ignore_case);
        ASSERT_TRUE(table.ok());
        const auto found = count(table->view, table->image, bytes_of(text));
        ASSERT_TRUE(found.ok()) << found.error().message();
        EXPECT_EQ(*found, lines_with(text, words, ignore_case)) << bytes << ' ' << words[0];
      }
    }
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
        const auto table = lay_out_planes(words, ignore_case);
        ASSERT_TRUE(table.ok());
        const auto found = count(*table, std::vector<Byte>(1), bytes_of(text));
        ASSERT_TRUE(found.ok()) << found.error().message();
        const std::uint64_t expected = presso::test::lines_with(text, words, ignore_case);
        EXPECT_EQ(*found, expected) << bytes << ' ' << words[0];
      }
    }
  }
}

}  // namespace
}  // namespace presso::gpu::test::scan_on_device_test
