// SPDX-License-Identifier: MIT
// Counting and finding the matching lines of text that lies in device memory, in the manner of
// presso/gpu_batch.h: ask for sizes, copy a table to the device once, then enqueue on a stream.
// Needs no CUDA header.
//
//   auto search = presso::gpu::TextSearch::compile(*pattern);
//   // d_table: search->table() copied to device memory
//   presso::gpu::TextArguments text;
//   text.d_text = d_text;
//   text.bytes = bytes;
//   text.d_table = d_table;
//   text.d_lines = d_count;
//   text.temporary_bytes = search->temporary_bytes(bytes);
//   text.d_temporary = d_temporary;
//   // Afterwards, in stream order, *d_count is the number of matching lines.
//   auto status = search->run(text, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "presso/bytes.h"
#include "presso/error.h"
#include "presso/pattern.h"

struct CUstream_st;  // cudaStream_t points to one

namespace presso::gpu {

/// The engine that searches the text. All of them find the same lines; rates were measured on one
/// H200 (scan/gpu/NOTES.md).
enum class TextEngine : std::uint8_t {
  kAuto,         ///< by the pattern: the fastest by measurement (scan/gpu/NOTES.md)
  kAutomaton,    ///< any pattern that has an automaton over lines: 1.6 to 2.4 TB/s
  kRareLiteral,  ///< up to eight fixed strings: 4 TB/s for one that is rare, 0.8 for a frequent one
  kPlanes,       ///< fixed strings of up to eight bytes together: 3.9 to 2.4 TB/s for any text
  kManyLiterals,  ///< any number of fixed strings: 1.3 to 3.5 TB/s where most lines hold none
};

/// Where a matching line is, in bytes from the text's beginning. Trivially copyable.
struct LinePlace {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< where its '\n' is, or the text's end
};

/// A text and where results go. Device memory throughout.
struct TextArguments {
  /// 16-byte aligned; nothing outside of the text is read. The text begins at the beginning of a
  /// line and ends at the end of one, whether or not the last line has a '\n'.
  const Byte* d_text = nullptr;
  std::uint64_t bytes = 0;
  const Byte* d_table = nullptr;     ///< a copy of TextSearch::table(), 16-byte aligned
  std::uint64_t* d_lines = nullptr;  ///< gets the number of matching lines
  /// nullptr, or gets the places of the first `most_places` matching lines, in the text's order.
  /// Where there are fewer (*d_lines tells), the rest stays as it is.
  LinePlace* d_places = nullptr;
  std::uint64_t most_places = 0;
  void* d_temporary = nullptr;  ///< 256-byte aligned
  std::size_t temporary_bytes = 0;
};

/// A pattern laid out for a GPU. Immutable, cheap to copy (a shared pointer), safe to use from any
/// number of threads and on any number of streams at once, each call with temporary memory and
/// results of its own.
class TextSearch {
 public:
  /// Host work only: takes up to a second for automata of thousands of states. Errors:
  /// kUnsupported where a GPU alone cannot tell the lines in which the pattern matches (it has no
  /// automaton over lines of at most 65,534 states and is no choice of fixed strings; it has
  /// conditions; its matches may span lines; PatternOptions::null_data), or where `engine` cannot.
  static Result<TextSearch> compile(const Pattern& pattern, TextEngine engine = TextEngine::kAuto);

  /// What must lie in device memory while kernels run; may be empty. Valid as long as a copy of
  /// this object.
  Bytes table() const;
  /// Returns the device memory that run() needs for texts of up to `text_bytes` bytes. `places`:
  /// whether d_places will be given.
  std::size_t temporary_bytes(std::uint64_t text_bytes, bool places = false) const;
  /// The engine that was chosen; never kAuto.
  TextEngine engine() const;
  /// For people: the engine and its size.
  std::string describe() const;

  /// Enqueues the search on `stream` of the current device and returns. Nothing is allocated,
  /// synchronised or copied between host and device; a stream that is being captured gets the
  /// kernels as nodes of its graph. Arguments are read before the call returns, memory when the
  /// kernels run. No text makes it fail or read outside of its memory. Errors: kInvalidArgument
  /// (memory missing, too small or misaligned), kNoDevice, kDeviceLost.
  Status run(const TextArguments& text, CUstream_st* stream) const;

 private:
  struct State;
  explicit TextSearch(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace presso::gpu
