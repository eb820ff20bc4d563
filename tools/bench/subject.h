// SPDX-License-Identifier: MIT
// The interface of a codec that presso bench measures: at one level, over independent blocks of one
// size. Compressed data stay in memory between compress() and decompress(); nothing is read or
// written meanwhile. Implemented by presso_subject.cpp and peers.cpp. Tested by
// tests/cli/test_reports.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/bytes.h"
#include "presso/compress.h"
#include "presso/error.h"

namespace presso::cli {

/// A file in memory, how it is cut into blocks, and how many threads work on it.
struct BenchInput {
  Bytes plain;
  std::uint32_t block_bytes = 0;
  unsigned threads = 1;

  /// The last block may be shorter than the others.
  std::size_t blocks() const { return (plain.size() + block_bytes - 1) / block_bytes; }
  Bytes block(std::size_t number) const {
    const std::size_t begin = number * block_bytes;
    return plain.subspan(begin, std::min<std::size_t>(block_bytes, plain.size() - begin));
  }
};

/// Counts the matching lines of plain text or of a presso file.
using LineCounter = std::function<Result<std::uint64_t>(ByteSource&)>;

/// A codec at a level. compress() is called before everything else. Its methods are called by one
/// thread; they use the threads of the input themselves.
class Subject {
 public:
  virtual ~Subject() = default;

  /// The name and level in the table.
  virtual std::string codec() const = 0;
  virtual int level() const = 0;
  /// Whether decompress() can verify checksums; then it is measured with and without.
  virtual bool has_checksums() const { return false; }

  /// Compresses the input; this is what is timed. A second call replaces the first one's result.
  virtual Status compress(const BenchInput& input) = 0;
  /// The size of the last result, in the form that would be stored.
  virtual std::uint64_t compressed_bytes() const = 0;
  /// Where the time of the last compress() went, if that is known.
  virtual std::optional<CompressSeconds> work() const { return std::nullopt; }
  /// Prepares decoding, between compress() and decompress(); it is not timed.
  virtual Status prepare_decompress() { return {}; }
  /// Decodes everything. `out` has room for the plain bytes and Buffer::kSlack more.
  virtual Status decompress(const BenchInput& input, bool verify, Byte* out) = 0;
  /// Counts lines in what compress() made. presso's search decodes blocks itself; for the others
  /// one thread decodes and passes the text on to the same search, as `zstd -dc | ...` would.
  virtual Result<std::uint64_t> scan(const BenchInput& input, const LineCounter& count) = 0;
  /// False for plain text, which is only there to be searched.
  virtual bool is_codec() const { return true; }
};

/// The input as it is, for comparison if scans are measured.
std::unique_ptr<Subject> make_plain_subject();
/// presso with these options, of which the block size and the threads are the input's.
std::unique_ptr<Subject> make_presso_subject(const CompressOptions& options);

/// A codec of another project, which may have been missing when presso was built.
struct Peer {
  std::string name;
  std::vector<int> levels;
  std::unique_ptr<Subject> (*make)(int level);  ///< null if its library was not found
};
/// lz4, zlib, libdeflate and zstd, in this order.
const std::vector<Peer>& peers();

}  // namespace presso::cli
