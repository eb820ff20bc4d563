// SPDX-License-Identifier: MIT
// Text out of .gz, .zst and .lz4 files, read in process through zlib, libzstd and liblz4: members
// and frames one after another, checksums verified. One thread decodes; what is done with the
// text is parallel as ever. Libraries are optional when presso is built.
//
// Damage is an error with the compressed offset at which it was noticed, after all text before it
// has been given out. Memory: the format's window (zstd: at most 128 MiB) and 64 KiB of input.
// Tested by tests/cli/test_scan_formats.py.
#pragma once

#include <memory>
#include <optional>

#include "presso/byte_stream.h"

namespace presso::cli {

enum class ForeignFormat { kNone, kGzip, kZstd, kLz4 };

/// By the first bytes; four are enough.
ForeignFormat foreign_format(Bytes begun);

/// Plain text of `compressed`, which is kept by reference. Errors: kUnsupported where this build
/// lacks the library.
Result<std::unique_ptr<ByteSource>> open_foreign(ForeignFormat format, ByteSource& compressed);

/// One format's decoder, fed piece by piece.
class ForeignDecoder {
 public:
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool frame_done = false;  ///< a member or frame ended with what was consumed
    const char* damage =
        nullptr;  ///< what is wrong after what was produced, in the library's words
  };

  virtual ~ForeignDecoder() = default;
  /// Decodes some of `in` into `out`.
  virtual Step step(Bytes in, MutableBytes out) = 0;
  /// Whether what follows a frame may be a further one, or padding that is to be left alone.
  virtual bool may_begin(Bytes in) const = 0;
  virtual const char* name() const = 0;
};

/// Null where the library is missing.
std::unique_ptr<ForeignDecoder> make_gzip_decoder();
std::unique_ptr<ForeignDecoder> make_zstd_decoder();
std::unique_ptr<ForeignDecoder> make_lz4_decoder();

}  // namespace presso::cli
