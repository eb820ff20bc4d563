// SPDX-License-Identifier: MIT
#include "presso/error.h"

#include <cerrno>
#include <cstring>

namespace presso {
namespace {

/// 8653211 -> "8,653,211".
std::string with_separators(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string_view describe(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return "success";
    case ErrorCode::kNotPresso:
      return "not a presso file";
    case ErrorCode::kUnsupportedVersion:
      return "unsupported format version";
    case ErrorCode::kTruncated:
      return "file is truncated";
    case ErrorCode::kHeaderChecksum:
      return "header checksum mismatch";
    case ErrorCode::kBadHeader:
      return "invalid header";
    case ErrorCode::kUnknownMandatorySection:
      return "unknown mandatory section";
    case ErrorCode::kSectionChecksum:
      return "section checksum mismatch";
    case ErrorCode::kBadIndex:
      return "invalid index";
    case ErrorCode::kUnknownCoding:
      return "unknown block coding";
    case ErrorCode::kMissingDictionary:
      return "missing dictionary";
    case ErrorCode::kBadMetadata:
      return "invalid metadata";
    case ErrorCode::kLostSync:
      return "no block or section where one must begin";
    case ErrorCode::kBadPayloadSize:
      return "block streams do not add up to the payload";
    case ErrorCode::kBadLength:
      return "sequence lengths do not add up to the block";
    case ErrorCode::kBadOffset:
      return "back-reference outside block and dictionary";
    case ErrorCode::kBadLiterals:
      return "more literals used than present";
    case ErrorCode::kBadEscapes:
      return "length escapes do not match the tokens";
    case ErrorCode::kContentChecksum:
      return "checksum mismatch";
    case ErrorCode::kDependencyRule:
      return "back-reference breaks the dependency rule";
    case ErrorCode::kBadTree:
      return "invalid Huffman code";
    case ErrorCode::kBadBits:
      return "a sub-stream does not end where it must";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kNoSpace:
      return "no space left";
    case ErrorCode::kExists:
      return "output already exists";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kUnsupported:
      return "not supported";
    case ErrorCode::kNoDevice:
      return "no usable GPU";
    case ErrorCode::kDeviceMemory:
      return "out of device memory";
    case ErrorCode::kDeviceLost:
      return "GPU failed";
  }
  return "unknown error";
}

std::string Error::message() const {
  std::string text;
  if (block != kNone) text += "block " + with_separators(block);
  if (byte_offset != kNone) {
    const std::string place = "compressed offset " + with_separators(byte_offset);
    text += text.empty() ? place : " (" + place + ")";
  }
  if (!text.empty()) text += ": ";
  text += describe(code);
  if (!what.empty()) text += ": " + what;
  return text;
}

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
