// SPDX-License-Identifier: MIT
// Errors as values: every call of the library that can fail returns Result<T>. Nothing is thrown or
// printed across the API. The codes are part of the format's specification (FORMAT.md, section
// "Errors"): every decoder, on the CPU or on a GPU, reports the same code for the same input.
// Tested by tests/unit/format/error_test.cpp.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace presso {

/// Numbered and append-only; FORMAT.md lists the meaning of each.
enum class ErrorCode : std::uint16_t {
  kOk = 0,
  // The file as a container.
  kNotPresso = 1,           ///< does not begin with the file magic
  kUnsupportedVersion = 2,  ///< made by a newer version of the format
  kTruncated = 3,           ///< ends inside a header, a payload or before its trailer
  kHeaderChecksum = 4,      ///< a header's own checksum does not match
  kBadHeader = 5,           ///< a header field is outside its declared limits
  kUnknownMandatorySection = 6,
  kSectionChecksum = 7,     ///< a section's payload does not match its checksum
  kBadIndex = 8,            ///< index or trailer contradict the file
  kUnknownCoding = 9,       ///< a block names a coding that this version does not know
  kMissingDictionary = 10,  ///< a block names a dictionary that is not in the file
  kBadMetadata = 11,
  kLostSync = 12,  ///< neither a block nor a section where one must begin
  kContent = 13,   ///< a table where bytes are expected, or bytes where a table is
  // A block's content.
  kBadPayloadSize = 20,   ///< the streams of a block do not add up to its payload
  kBadLength = 21,        ///< sequence lengths do not add up to the block's plain size
  kBadOffset = 22,        ///< a back-reference outside block and dictionary
  kBadLiterals = 23,      ///< literal lengths exceed the literals present
  kBadEscapes = 24,       ///< escape streams are too short or not used up
  kContentChecksum = 25,  ///< decoded bytes do not match the block's checksum
  kDependencyRule = 26,   ///< a back-reference breaks the dependency rule its block records
  kBadTree = 27,          ///< a Huffman code is not complete, or not described as it must be
  kBadBits = 28,          ///< a lane's sub-stream does not end where it must
  // A table.
  kBadSchema = 29,    ///< the schema is not valid, or differs from that of the members before
  kBadRowGroup = 30,  ///< a row group's directory contradicts itself, the schema or its blocks
  // The world outside.
  kIo = 40,       ///< an operating-system call failed
  kNoSpace = 41,  ///< device full or file-size limit
  kExists = 42,   ///< output exists and may not be overwritten
  kInvalidArgument = 43,
  kOutOfMemory = 44,
  kCancelled = 45,     ///< the caller asked to stop
  kUnsupported = 46,   ///< valid request that this version or machine cannot serve
  kNoDevice = 47,      ///< no GPU that can be used; `what` says why
  kDeviceMemory = 48,  ///< the GPU's memory does not suffice
  kDeviceLost = 49,    ///< a GPU failed; what it was doing must be done again elsewhere
};

/// One-line meaning of a code, in lower case, without a full stop.
std::string_view describe(ErrorCode code);

/// Whether the compressed file is to blame: its content is not valid, or not known to this version,
/// or needs a dictionary that is missing. All other errors come from the world outside.
constexpr bool is_damage(ErrorCode code) {
  return code != ErrorCode::kOk && code < ErrorCode::kIo;
}

/// Whether the CPU may be able to do what failed with this code on a GPU. kUnsupported is among
/// them: builds without CUDA return it, and GPUs return it for blocks with sub-blocks.
constexpr bool is_of_the_device(ErrorCode code) {
  return code == ErrorCode::kNoDevice || code == ErrorCode::kDeviceMemory ||
         code == ErrorCode::kDeviceLost || code == ErrorCode::kOutOfMemory ||
         code == ErrorCode::kUnsupported;
}

/// Returns the number with commas between thousands, for messages: "8,653,211".
std::string grouped(std::uint64_t value);

/// What went wrong and where. Copyable, with no resources but its text.
struct Error {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  ErrorCode code = ErrorCode::kOk;
  std::string what;                   ///< what exactly is wrong; may be empty
  std::uint64_t block = kNone;        ///< block number within its file, or kNone
  std::uint64_t byte_offset = kNone;  ///< offset in the compressed file, or kNone

  /// "block 131 (compressed offset 8,653,211): checksum mismatch: ..."; no file name in it.
  std::string message() const;
  /// Returns the text for people: message(), or `what` alone where explains_itself().
  std::string text() const;
};

/// Whether `what` alone tells people what is wrong: "cannot open: No such file or directory" needs
/// no "input/output error: " in front. Never true if the error has a place in a file.
bool explains_itself(const Error& error);

/// An error without a place.
inline Error make_error(ErrorCode code, std::string what = {}) {
  return {code, std::move(what)};
}
/// An operating-system failure: `doing` names the call, errno gives the reason.
Error errno_error(std::string_view doing, int error_number);

/// Either a value or an Error. Test with ok() or operator bool before using either; error() of a
/// success and the value of a failure must not be asked for. There is an implicit conversion from
/// both, so that functions return whichever they have.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  Error& error() { return error_; }
  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

/// A success without a value, or an Error; its name is Status.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

/// Calls `action`, which returns a Result, and turns running out of memory in it into kOutOfMemory.
/// Used at the boundaries of the library, because containers throw.
template <class Action>
auto without_bad_alloc(Action&& action) -> decltype(action()) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kOutOfMemory);
  }
}

}  // namespace presso

#define PRESSO_CONCAT_(a, b) a##b
#define PRESSO_CONCAT(a, b) PRESSO_CONCAT_(a, b)
/// Leaves the enclosing function with the error of `expr`, if it has one.
#define PRESSO_TRY(expr)                                          \
  do {                                                            \
    auto presso_try_ = (expr);                                    \
    if (!presso_try_.ok()) return std::move(presso_try_.error()); \
  } while (false)
/// Declares or assigns `lhs` from the value of `expr`, or leaves with its error.
#define PRESSO_ASSIGN(lhs, expr) PRESSO_ASSIGN_(PRESSO_CONCAT(presso_result_, __LINE__), lhs, expr)
#define PRESSO_ASSIGN_(tmp, lhs, expr)          \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp.error()); \
  lhs = std::move(*tmp)
