// SPDX-License-Identifier: MIT
#include "tools/io/presso_check.h"

#include <algorithm>
#include <string>

#include "format/damaged_magic.h"
#include "presso/wire.h"
#include "tools/io/foreign_source.h"

namespace presso::cli {
namespace {

/// What a file of another program is, as the end of a sentence; empty if that is not known.
std::string foreign_name(Bytes begun) {
  const Result<ForeignFormat> format = foreign_format(begun);
  if (!format.ok()) return "it " + format.error().what;
  switch (*format) {
    case ForeignFormat::kGzip:
      return "this is a gzip file";
    case ForeignFormat::kZstd:
      return "this is a zstd file";
    case ForeignFormat::kLz4:
      return "this is an lz4 file";
    case ForeignFormat::kSkippable:
      return "this is a zstd or lz4 file";
    default:
      return {};
  }
}

}  // namespace

Status check_is_presso(Bytes begun, const RandomAccess* file, std::string_view path, bool salvage) {
  if (begun.size() >= sizeof kFileMagic && has_file_magic(begun.data())) return {};
  const bool can_be_salvaged = begun.size() >= kFileHeaderBytes && was_made_by_presso(begun, file);
  if (salvage && can_be_salvaged) return {};
  const std::string foreign = foreign_name(begun);
  if (!foreign.empty() && !can_be_salvaged) return make_error(ErrorCode::kNotPresso, foreign);
  if (can_be_salvaged) {
    return make_error(ErrorCode::kNotPresso,
                      "its first bytes are damaged; 'presso decompress --salvage' writes what is "
                      "intact");
  }
  PRESSO_TRY(check_is_plain(begun, file, path));
  return make_error(ErrorCode::kNotPresso, begun.empty() ? "it is empty" : "");
}

Status check_is_presso(const InputFile& input, std::string_view path) {
  if (!input.is_regular() || input.is_standard_input()) return {};
  const FdRandomAccess file(input.fd(), input.size());
  Byte begun[kMagicEvidenceBytes];
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), sizeof begun));
  PRESSO_TRY(file.read_at(0, MutableBytes(begun, count)));
  return check_is_presso(Bytes(begun, count), &file, path);
}

}  // namespace presso::cli
