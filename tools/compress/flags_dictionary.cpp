// SPDX-License-Identifier: MIT
// A dictionary is read when its flag is read, so that a missing one is reported before any file is
// opened. An empty one, or one of more than 4 MiB, is refused (kInvalidArgument). Tested by
// tests/cli/test_compress.py.
#include "tools/compress/flags_dictionary.h"

#include "presso/byte_stream.h"
#include "tools/cli/bind.h"
#include "tools/io/input_file.h"

namespace presso::cli {
namespace {

/// The error with the flag and its value in front.
Error about(const Given& given, Error error) {
  const std::string said = error.what;
  error.what = given.spelled + ": '" + given.value + "'" + (said.empty() ? "" : ": ") + said;
  return error;
}

/// Reads a dictionary, up to one byte more than it may have so that a larger one is noticed. It is
/// read as a whole; an input without an end stops at the limit as well.
Result<std::vector<Byte>> read_file(const std::string& path) {
  PRESSO_ASSIGN(const InputFile file, InputFile::open(path));
  FdSource source(file.fd());
  std::vector<Byte> content(std::size_t{kMaxDictionaryBytes} + 1);
  PRESSO_ASSIGN(const std::size_t got, read_fully(source, content));
  // An empty dictionary would change nothing, so the name is probably wrong.
  if (got == 0 || got > kMaxDictionaryBytes) {
    return make_error(ErrorCode::kInvalidArgument, "a dictionary has 1 byte to 4 MiB");
  }
  content.resize(got);
  return content;
}

}  // namespace

/// Memory that runs out is an error of the flag as well.
Result<std::vector<Byte>> read_dictionary_file(const Given& given) {
  auto content = without_bad_alloc([&] { return read_file(given.value); });
  if (!content.ok()) return about(given, std::move(content.error()));
  return content;
}

/// --dict where files are decompressed: it may be given several times, and files choose by
/// identifier. A file whose dictionary is not among them is refused when it is opened.
Flag known_dictionary_flag(std::vector<std::shared_ptr<const Dictionary>>& known) {
  return {.name = "dict",
          .value_name = "FILE",
          .category = kSelection,
          .brief = "dictionary of files that do not hold theirs",
          .text =
              "For files that were compressed with --dict FILE --dict-by-name. May be given "
              "several times; each compressed file takes the one that it names.",
          .completion = Completion::kFile,
          .apply = [&known](const Given& given) -> Status {
            PRESSO_ASSIGN(const auto content, read_dictionary_file(given));
            known.push_back(Dictionary::from_plain(content));
            return {};
          }};
}

}  // namespace presso::cli
