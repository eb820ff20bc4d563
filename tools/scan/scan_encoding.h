// SPDX-License-Identifier: MIT
// Text of other encodings as UTF-8 (--encoding). A byte order mark decides, as in ripgrep: UTF-16
// with one is converted, whatever was asked for. What is no character becomes U+FFFD, so that the
// rest of the text is searched. UTF-16 and Windows-1252 are converted here; for other encodings
// iconv(3) is asked, which knows what the system's C library has. Memory: 64 KiB of the text and
// what becomes of them. Tested by tests/cli/test_scan_encoding.py.
#pragma once

#include <memory>
#include <string>

#include "presso/byte_stream.h"
#include "presso/decompress.h"

namespace presso::cli {

/// What --encoding was set to.
struct ScanEncoding {
  bool looks_for_mark = true;  ///< false for "none"
  std::string name;            ///< empty: UTF-8, or whatever it is, which is searched as it is
};

/// Reads the value of --encoding: "auto", "none" or the name of an encoding in any letter case.
/// Error kInvalidArgument: a name that nobody knows.
Result<ScanEncoding> parse_encoding(const std::string& name);

/// Whether a text that begins so has to be converted.
bool needs_recoding(Bytes begun, const ScanEncoding& encoding);

/// `text` as UTF-8, by its mark or else by `encoding`.
std::unique_ptr<ByteSource> recoded_text(std::unique_ptr<ByteSource> text,
                                         const ScanEncoding& encoding);

/// The plain text of a presso file, decoded block by block by the thread that reads. Damage is an
/// error after the text before it. `file` is kept by reference.
std::unique_ptr<ByteSource> decoded_text(ByteSource& file, const DecodeOptions& options);

}  // namespace presso::cli
