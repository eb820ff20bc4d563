// SPDX-License-Identifier: MIT
// Tables for fuzzing: small sound ones that have every representation and kind of text, and
// mutations of them that keep their frames in place, so that what is changed is looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/checksum.h"
#include "presso/compress_table.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/repair.h"

namespace presso::fuzz {

using TableBytes = std::vector<Byte>;

/// Lines of numbers, reals, dates, timestamps, bools and decimals.
inline std::string number_rows(int rows) {
  std::string text = "id,big,real,half,day,at,flag,price,huge\n";
  for (int i = 0; i < rows; ++i) {
    const std::string n = std::to_string(i);
    text += n + ',' + std::to_string(std::uint64_t{0x9E3779B97F4A7C15u} * unsigned(i)) + ',';
    text += std::to_string(i * 37 % 1000) + '.' + std::to_string(1 + i % 9) + ',';
    text += i % 3 == 0 ? "nan," : std::to_string(i % 7) + ".5e-07,";
    text += "2024-01-" + std::to_string(10 + i % 20) + ',';
    text += "2024-02-01 12:30:" + std::to_string(10 + i % 50) + ',';
    text += (i % 4 == 0 ? "true," : "false,") + std::to_string(i / 5) + ".25,";
    text += i % 6 == 0 ? "\n" : "1234567890123456789012345." + std::to_string(10 + i % 90) + "\n";
  }
  return text;
}

/// Strings of few kinds, of words, of noise; all null; some quoted in vain.
inline std::string string_rows(int rows) {
  const char* const words[] = {"carefully ", "final ", "deposits ", "sleep ", "quickly "};
  std::string text = "kind\tcomment\tnoise\tnone\n";
  std::uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  for (int i = 0; i < rows; ++i) {
    text += "kind " + std::to_string(i % 5) + '\t';
    if (i % 11 == 3) text += '"';
    for (std::uint32_t k = next() % 6; k > 0; --k) text += words[next() % 5];
    text += std::to_string(next() % 1000);
    if (i % 11 == 3) text += '"';
    text += '\t';
    for (std::uint32_t k = next() % 9; k > 0; --k) text += static_cast<char>(128 + next() % 100);
    text += "\t\n";
  }
  return text;
}

inline std::string json_rows(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const std::string n = std::to_string(i);
    text += i % 3 == 0 ? "{\"id\": " + n + ", \"tags\": [" + n + "], \"x\": null}\n"
                       : "{\"x\": " + n + ".5, \"id\": " + n + ", \"s\": \"a\\n" + n + "\"}\n";
  }
  return text;
}

inline TableBytes table_of(const std::string& text, std::uint32_t group_rows, Coding coding,
                           bool exact = true, const std::string& name = {}) {
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  MemorySource source(bytes);
  MemorySource types_from(bytes);
  TableBytes table;
  VectorSink sink(table);
  TableOptions options;
  options.text.name = name;
  options.text.comment = '#';
  options.exact = exact;
  options.group_rows = group_rows;
  options.compress.coding = coding;
  options.compress.threads = 1;
  PRESSO_FUZZ_CHECK(compress_table(source, &types_from, sink, options).ok());
  return table;
}

inline std::vector<TableBytes> make_tables() {
  std::vector<TableBytes> tables = {
      table_of(number_rows(300), 200, Coding::kBit),
      table_of(number_rows(40), 0, Coding::kByte, false),
      table_of(string_rows(1500), 0, Coding::kBit, true, "a.tsv"),
      table_of(string_rows(60), 25, Coding::kByte, true, "a.tsv"),
      table_of(json_rows(90), 50, Coding::kByte, true, "a.jsonl"),
      table_of("#c\nid,t\n1,a\n\n2,b\n#x\n3,\"c\"\n4,d\n# end", 3, Coding::kByte),
      table_of("id,name\n", 0, Coding::kByte),
  };
  const TableBytes end = table_of("id,t\n7,z\n8,\n", 1, Coding::kByte);
  tables.push_back(tables[5]);
  tables.back().insert(tables.back().end(), end.begin(), end.end());
  return tables;
}

/// Made once.
inline const std::vector<TableBytes>& sound_tables() {
  static const std::vector<TableBytes> tables = make_tables();
  return tables;
}

/// Where frames begin, and the end.
inline std::vector<std::size_t> frames_of(const TableBytes& table) {
  TableBytes copy = table;
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < copy.size();) {
    begins.push_back(at);
    const std::uint64_t taken = repair_frame(copy, at);
    at += static_cast<std::size_t>(taken == 0 ? 1 : taken);
  }
  begins.push_back(copy.size());
  return begins;
}

/// Another value of a byte: any, a small one, or one that is near.
inline void change_byte(Choices& choices, Byte& byte) {
  const Byte kind = choices.byte() % 4;
  const Byte value = choices.byte();
  if (kind == 0) byte = value;
  if (kind == 1) byte = value % 8;
  if (kind == 2) byte = static_cast<Byte>(byte + value % 5 - 2);
  if (kind == 3) byte = static_cast<Byte>(byte ^ 1u << value % 8);
}

/// A sound table with some bytes of some frames changed, or frames twice, left out, or in another
/// place; with right checksums of everything but plain content.
inline TableBytes mutated_table(Choices& choices) {
  const std::vector<TableBytes>& tables = sound_tables();
  TableBytes table = tables[choices.byte() % tables.size()];
  for (std::uint32_t changes = 1 + choices.below(3); changes > 0 && !table.empty(); --changes) {
    const std::vector<std::size_t> frames = frames_of(table);
    const std::size_t frame = choices.below(static_cast<std::uint32_t>(frames.size() - 1));
    const std::size_t begin = frames[frame];
    const auto size = static_cast<std::uint32_t>(frames[frame + 1] - begin);
    const auto place = [&](std::size_t at) { return table.begin() + std::ptrdiff_t(at); };
    const Byte what = choices.byte() % 16;
    if (what == 0) {
      table.erase(place(begin), place(begin + size));
    } else if (what == 1) {
      const TableBytes copy(place(begin), place(begin + size));
      table.insert(place(begin), copy.begin(), copy.end());
    } else {
      const std::uint32_t within = what % 2 == 0 ? std::min(size, 112u) : size;
      change_byte(choices, table[begin + choices.below(within)]);
    }
  }
  repair(table);
  return table;
}

}  // namespace presso::fuzz
