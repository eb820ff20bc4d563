// SPDX-License-Identifier: MIT
// A range is checked for its form here (kInvalidArgument), and cut at the file's end in
// range_reader.cpp. Tested by
// tests/cli/test_decompress.py.
#include "tools/decompress/flags_decompress.h"

#include "tools/cli/bind.h"
#include "tools/compress/flags_dictionary.h"
#include "tools/io/flags_files.h"

namespace presso::cli {
namespace {

// The greatest offset or number; sums of two of them do not overflow.
constexpr std::uint64_t kMost = UINT64_MAX / 2;

/// The error for a value that has another form.
Error malformed(const Given& given, std::string_view form) {
  return make_error(ErrorCode::kInvalidArgument, given.spelled + ": '" + given.value +
                                                     "' is not of the form " + std::string(form));
}

/// Parses "OFFSET:LENGTH"; without LENGTH the range goes to the end. It takes the place of a range
/// of blocks that was given before.
Status parse_bytes(const Given& given, DecodeFlags& flags) {
  const std::string& text = given.value;
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return malformed(given, "OFFSET:LENGTH");
  ByteRange range;
  PRESSO_ASSIGN(range.offset, parse_number(given.spelled, text.substr(0, colon), 0, kMost));
  if (colon + 1 < text.size()) {
    PRESSO_ASSIGN(range.length, parse_number(given.spelled, text.substr(colon + 1), 0, kMost));
  }
  flags.bytes = range;
  flags.blocks.reset();
  return {};
}

/// Parses "A-B", "A" or "A-". It takes the place of a range of bytes that was given before.
Status parse_blocks(const Given& given, DecodeFlags& flags) {
  const std::string& text = given.value;
  const std::size_t dash = text.find('-');
  BlockRange range;
  PRESSO_ASSIGN(range.first,
                parse_number(given.spelled, text.substr(0, dash), 0, kMost, Unit::kCount));
  if (dash == text.npos) {
    range.last = range.first;
  } else if (dash + 1 < text.size()) {
    PRESSO_ASSIGN(range.last,
                  parse_number(given.spelled, text.substr(dash + 1), 0, kMost, Unit::kCount));
  }
  if (range.last < range.first) return malformed(given, "A-B with A not above B");
  flags.blocks = range;
  flags.bytes.reset();
  return {};
}

}  // namespace

// The order is that of the help page.
std::vector<Flag> decode_flags(DecodeFlags& flags) {
  return {
      {.name = "bytes",
       .value_name = "OFFSET:LENGTH",
       .category = kSelection,
       .brief = "only these plain bytes",
       .text =
           "Decodes only the blocks that hold them, and writes to standard output unless an output "
           "is named. Without LENGTH the range goes to the end; "
           "a range that begins inside the file is cut at its end. Needs a file, not a pipe.",
       .apply = [&flags](const Given& given) { return parse_bytes(given, flags); }},
      {.name = "blocks",
       .value_name = "A-B",
       .category = kSelection,
       .brief = "only blocks A to B, as 'presso info --blocks' counts them",
       .text = "A alone is one block, A- is everything from A. Otherwise like --bytes.",
       .apply = [&flags](const Given& given) { return parse_blocks(given, flags); }},
      {.name = "salvage",
       .category = kSelection,
       .brief = "write every intact block of a damaged file",
       .text = "Lists on standard error what was lost, with offsets in the compressed file and in "
               "its plain content, and ends with status 2. Lost blocks are left out.",
       .apply = set(flags.salvage)},
      {.name = "check",
       .category = kPerformance,
       .brief = "compare every block with its checksum",
       .default_value = "on",
       .negation = "no-check",
       .apply = set(flags.check)},
      known_dictionary_flag(flags.dictionaries),
      threads_flag(flags.threads),
  };
}

}  // namespace presso::cli
