// SPDX-License-Identifier: MIT
// Errors as text. `message()` has place, kind and detail; `text()` leaves place and kind out
// where the detail says all, as for a file that cannot be opened. Tested by
// tests/unit/format/error_test.cpp.
#include "presso/error.h"

#include <cerrno>
#include <cstring>

namespace presso {
namespace {

/// One line for each ErrorCode; a code that is missing here reads as "unknown error". The command's
/// line about a damaged block (tools/decompress/damage.cpp) consists of these words, the block's
/// place, and the range of plain bytes that are lost.
struct Meaning {
  ErrorCode code;
  std::string_view text;
};

constexpr Meaning kMeanings[] = {
    {ErrorCode::kOk, "success"},
    {ErrorCode::kNotPresso, "not a presso file"},
    {ErrorCode::kUnsupportedVersion, "unsupported format version"},
    {ErrorCode::kTruncated, "file is truncated"},
    {ErrorCode::kHeaderChecksum, "header checksum mismatch"},
    {ErrorCode::kBadHeader, "invalid header"},
    {ErrorCode::kUnknownMandatorySection, "unknown mandatory section"},
    {ErrorCode::kSectionChecksum, "checksum mismatch in a section"},
    {ErrorCode::kBadIndex, "invalid index"},
    {ErrorCode::kUnknownCoding, "unknown block coding"},
    {ErrorCode::kMissingDictionary, "missing dictionary"},
    {ErrorCode::kBadMetadata, "invalid metadata"},
    {ErrorCode::kLostSync, "the compressed data is corrupt (no block or section begins here)"},
    {ErrorCode::kContent, "a table where bytes are expected, or bytes where a table is"},
    {ErrorCode::kBadPayloadSize,
     "the compressed data is corrupt (the streams of a block do not fill it)"},
    {ErrorCode::kBadLength, "the compressed data is corrupt (lengths do not add up to the block)"},
    {ErrorCode::kBadOffset,
     "the compressed data is corrupt (a back-reference leads out of the block)"},
    {ErrorCode::kBadLiterals, "the compressed data is corrupt (more literals used than present)"},
    {ErrorCode::kBadEscapes,
     "the compressed data is corrupt (length escapes do not match the tokens)"},
    {ErrorCode::kContentChecksum, "checksum mismatch"},
    {ErrorCode::kDependencyRule,
     "the compressed data is corrupt (a back-reference breaks its rule)"},
    {ErrorCode::kBadTree, "the compressed data is corrupt (invalid Huffman code)"},
    {ErrorCode::kBadBits, "the compressed data is corrupt (a stream has the wrong end)"},
    {ErrorCode::kBadSchema, "bad schema of a table"},
    {ErrorCode::kBadRowGroup, "bad directory of a row group"},
    {ErrorCode::kIo, "input/output error"},
    {ErrorCode::kNoSpace, "no space left"},
    {ErrorCode::kExists, "output already exists"},
    {ErrorCode::kInvalidArgument, "invalid argument"},
    {ErrorCode::kOutOfMemory, "out of memory"},
    {ErrorCode::kCancelled, "cancelled"},
    {ErrorCode::kUnsupported, "not supported"},
    {ErrorCode::kNoDevice, "no usable GPU"},
    {ErrorCode::kDeviceMemory, "out of device memory"},
    {ErrorCode::kDeviceLost, "GPU failed"},
};

}  // namespace

std::string_view describe(ErrorCode code) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.code == code) return meaning.text;
  }
  return "unknown error";
}

std::string grouped(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

// True of errors of the most general codes, if they have a text and no place.
bool explains_itself(const Error& error) {
  const bool has_place = error.block != Error::kNone || error.byte_offset != Error::kNone;
  const bool is_general = error.code == ErrorCode::kIo ||
                          error.code == ErrorCode::kInvalidArgument ||
                          error.code == ErrorCode::kUnsupported;
  return is_general && !has_place && !error.what.empty();
}

std::string Error::message() const {
  std::string text;
  if (block != kNone) text += "block " + grouped(block);
  if (byte_offset != kNone) {
    const std::string place = "compressed offset " + grouped(byte_offset);
    text += text.empty() ? place : " (" + place + ")";
  }
  if (!text.empty()) text += ": ";
  text += describe(code);
  if (!what.empty()) text += ": " + what;
  return text;
}

std::string Error::text() const {
  return explains_itself(*this) ? what : message();
}

/// errno's values for a full disk, an existing file and missing memory have codes of their own; all
/// others are kIo.
Error errno_error(std::string_view doing, int error_number) {
  ErrorCode code = ErrorCode::kIo;
  if (error_number == ENOSPC || error_number == EFBIG || error_number == EDQUOT) {
    code = ErrorCode::kNoSpace;
  } else if (error_number == EEXIST) {
    code = ErrorCode::kExists;
  } else if (error_number == ENOMEM) {
    code = ErrorCode::kOutOfMemory;
  }
  return make_error(code, std::string(doing) + ": " + std::strerror(error_number));
}

}  // namespace presso
