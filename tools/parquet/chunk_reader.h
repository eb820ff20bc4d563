// SPDX-License-Identifier: MIT
// Reads one column of one row group, some rows at a time: pages are found, checked, decompressed
// and decoded as rows are asked for, so that memory does not grow with a row group. Tested by
// tests/differential/parquet_oracle.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/parquet/codec.h"
#include "tools/parquet/level_reader.h"
#include "tools/parquet/values.h"

namespace presso::cli {

/// The result of a read: for each entry its levels, and the values that are not null. Columns that
/// are not repeated have an entry for each row; levels that cannot differ are left out.
struct ChunkValues {
  std::size_t entries = 0;
  std::vector<Byte> def_levels;
  std::vector<Byte> rep_levels;
  DenseValues values;  ///< as the column has them

  void clear() {
    entries = 0;
    def_levels.clear();
    rep_levels.clear();
    values.clear();
  }
};

/// The pages of a chunk, in order. For one thread.
class ChunkReader {
 public:
  /// Keeps all by reference. `place` names the chunk in errors; `read_ahead` bytes are read at a
  /// time, unless a page is larger.
  ChunkReader(const RandomAccess& file, const ParquetNode& leaf, const ParquetChunk& chunk,
              const ValueConverter& converter, std::string place, std::uint64_t read_ahead);

  /// Replaces `to` by the next rows. Errors: kInvalidArgument and kUnsupported, with the place;
  /// those of the file.
  Status read(std::uint64_t rows, ChunkValues& to);

 private:
  struct PageHeader {
    ParquetPage type = ParquetPage::kIndex;
    std::int64_t plain_bytes = -1;
    std::int64_t stored_bytes = -1;
    bool has_checksum = false;
    std::uint32_t checksum = 0;
    std::int64_t values = -1;
    ParquetEncoding encoding = ParquetEncoding::kPlain;
    ParquetEncoding def_encoding = ParquetEncoding::kRle;
    ParquetEncoding rep_encoding = ParquetEncoding::kRle;
    std::int64_t def_bytes = 0;
    std::int64_t rep_bytes = 0;
    bool compressed = true;
    std::size_t header_bytes = 0;
  };

  Error bad(const std::string& what) const;
  Error at_place(Error error) const;
  /// Makes bytes of the file from `at_` on available; fewer at the chunk's end.
  Status fill(std::uint64_t bytes);
  Result<PageHeader> read_header();
  static bool parse_header(Bytes from, PageHeader& header);
  Status next_page();
  Status open_dictionary(const PageHeader& header, Bytes stored);
  Status open_page(const PageHeader& header, Bytes stored);
  Status decompress(const PageHeader& header, Bytes stored, std::size_t plain_begin);
  Status open_levels(const PageHeader& header, Bytes& rest);
  Status open_values(const PageHeader& header, Bytes page);
  Status take(std::uint64_t entries, ChunkValues& to);
  Status take_values(std::size_t count, ChunkValues& to);
  Status read_flat(std::uint64_t rows, ChunkValues& to);
  Status read_repeated(std::uint64_t rows, ChunkValues& to);

  const RandomAccess& file_;
  const ParquetNode& leaf_;
  const ParquetChunk& chunk_;
  const ValueConverter& converter_;
  std::string place_;
  std::uint64_t read_ahead_;
  std::uint64_t at_;       ///< in the file: of the next page
  std::uint64_t page_at_;  ///< of the present one
  std::uint64_t left_;     ///< entries of the chunk that no page before had
  Buffer window_;          ///< bytes of the file
  std::uint64_t window_at_ = 0;
  Buffer page_;
  std::uint64_t page_left_ = 0;
  LevelReader defs_;
  LevelReader reps_;
  std::unique_ptr<ValueReader> values_;
  bool values_converted_ = false;  ///< values_ gives values as the column has them
  bool has_dictionary_ = false;
  DenseValues dictionary_;
  DenseValues scratch_;
  std::vector<Byte> waiting_defs_;  ///< levels that were read ahead of a row's end
  std::vector<Byte> waiting_reps_;
  std::size_t waiting_ = 0;  ///< how many of them are used
};

}  // namespace presso::cli
