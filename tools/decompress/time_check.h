// SPDX-License-Identifier: MIT
// Compares the times that a compressed file stores for its blocks (FORMAT.md 7.5) with its lines.
// A search for lines of some time leaves out blocks by them, so that wrong ones hide lines. Tested
// by tests/cli/test_scan_times.py.
#pragma once

#include "presso/decompress.h"

namespace presso::cli {

/// Decodes the blocks of each member that has times, and reads their lines, on `threads` threads.
/// Errors: kBadHeader, with the block's number in the file, where a block's lines have times that
/// the file does not tell; those of read_time_facts() and of decoding.
Status check_times(const RandomAccess& file, const DecodeOptions& options, unsigned threads);

}  // namespace presso::cli
