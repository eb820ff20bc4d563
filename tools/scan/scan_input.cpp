// SPDX-License-Identifier: MIT
// Files are recognised by their content and never by their names. Text that gzip, zstd or lz4
// compressed, and that of a table, is decoded by one thread in order; xz, bzip2 and other formats
// that cannot be read are errors. Pipes, standard input and files that claim to be empty are read
// in order as well. Other files, plain ones and presso's, can be read at any place. With
// --no-search-zip, files of other compressors are searched as plain bytes. Tested by
// tests/cli/test_scan_files.py and tests/cli/test_unusual_files.py.
#include "tools/scan/scan_input.h"

#include <sys/stat.h>

#include <algorithm>

#include "decompress/utf16_mark.h"
#include "format/damaged_magic.h"
#include "presso/scan.h"
#include "presso/table.h"
#include "presso/wire.h"

namespace presso::cli {
namespace {

/// The least size of a plain file that is worth a second thread.
constexpr std::uint64_t kParallelBytes = 1 << 20;

/// Adds to the error of a file whose content cannot be read that --no-search-zip searches its bytes
/// as they are: of one in a compressed format that presso, or this build, does not know (xz, bzip2
/// and others), and of one of presso's that is damaged. ripgrep would search them without a word.
Error not_searched(Error error) {
  if (error.code == ErrorCode::kUnsupported || error.code == ErrorCode::kNotPresso) {
    error.what += "; --no-search-zip searches its bytes";
  }
  return error;
}

/// Ends the text where the source has an error, and keeps the error for later.
class UntilErrorSource final : public ByteSource {
 public:
  UntilErrorSource(ByteSource& source, std::optional<Error>& error)
      : source_(source), error_(error) {}

  /// Turns a read error into the end of the text and keeps it, so that what was readable before is
  /// searched and the error reported after it.
  Result<std::size_t> read(MutableBytes into) override {
    if (error_) return std::size_t{0};
    Result<std::size_t> got = source_.read(into);
    if (got.ok()) return got;
    error_ = std::move(got.error());
    return std::size_t{0};
  }

 private:
  ByteSource& source_;
  std::optional<Error>& error_;
};

/// Keeps what is read from another source.
class KeepingSource final : public ByteSource {
 public:
  KeepingSource(ByteSource& source, Buffer& kept) : source_(source), kept_(kept) {}

  Result<std::size_t> read(MutableBytes into) override {
    Result<std::size_t> got = source_.read(into);
    if (got.ok()) kept_.append(into.first(*got));
    return got;
  }

 private:
  ByteSource& source_;
  Buffer& kept_;
};

/// The size of a regular file. A file that claims to be empty, as those of /proc do, is read as a
/// stream.
std::uint64_t regular_size(int fd) {
  struct stat about {};
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  return static_cast<std::uint64_t>(about.st_size);
}

}  // namespace

/// Learns by the first bytes what the input is. A regular file that was named is read at any place;
/// standard input, a pipe, or a file that claims to be empty, in order.
Result<ScanInput> ScanInput::open(int fd, bool is_stdin, const ScanSettings& settings,
                                  const std::string& name) {
  ScanInput input;
  // A pipe cannot be read twice, so its first bytes are put back in front of the rest.
  Byte magic[kMagicEvidenceBytes];
  const std::uint64_t size = is_stdin ? 0 : regular_size(fd);
  std::size_t got = 0;
  input.stream_ = std::make_unique<FdSource>(fd);
  if (size > 0) {
    input.file_ = std::make_unique<FdRandomAccess>(fd, size);
    got = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof magic));
    PRESSO_TRY(input.file_->read_at(0, MutableBytes(magic, got)));
  } else {
    PRESSO_ASSIGN(got, read_fully(*input.stream_, magic));
    input.magic_.append(Bytes(magic, got));
    input.begun_ = std::make_unique<PrefixedSource>(input.magic_.bytes(), *input.stream_);
  }
  PRESSO_TRY(input.look_at(Bytes(magic, got), settings, name));
  const bool is_presso = got >= sizeof kFileMagic && has_file_magic(magic);
  PRESSO_TRY(input.recode(Bytes(magic, got), is_presso, settings));
  return input;
}

/// Tells the format from the first bytes and opens what is needed to read it.
Status ScanInput::look_at(Bytes begun, const ScanSettings& settings, const std::string& name) {
  const bool is_presso = begun.size() >= sizeof kFileMagic && has_file_magic(begun.data());
  ForeignFormat format = ForeignFormat::kNone;
  if (settings.search_zip && !is_presso) {
    Result<ForeignFormat> found = foreign_format(begun);
    if (!found.ok()) return not_searched(std::move(found.error()));
    format = *found;
  }
  is_plain_ = !is_presso && format == ForeignFormat::kNone;
  if (is_plain_ && settings.search_zip) {
    Status plain = check_is_plain(begun, file_.get(), name);
    if (!plain.ok()) return not_searched(std::move(plain.error()));
  }
  // --blocks is about presso's blocks, so that other files are errors rather than searched whole.
  if (!is_presso && settings.blocks.is_limit(0)) {
    return make_error(ErrorCode::kInvalidArgument, "has no blocks, which --blocks asks for");
  }
  // The text of a table is made row by row, so it has no blocks of text that could be skipped.
  if (begins_table(begun)) {
    if (settings.blocks.is_limit(0)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "is a table, whose text has no blocks, which --blocks asks for");
    }
    DecodeOptions decode;
    decode.verify = settings.check;
    foreign_ = table_text(begun_ ? *begun_ : *stream_, decode);
    return {};
  }
  if (format == ForeignFormat::kNone) {
    if (file_) scanned_.emplace(*file_, is_presso);
    return {};
  }
  ByteSource& below = begun_ ? *begun_ : *stream_;
  Result<std::unique_ptr<ByteSource>> opened = open_foreign(format, below);
  if (!opened.ok()) return not_searched(std::move(opened.error()));
  foreign_ = std::move(*opened);
  return {};
}

/// Whether the text of a presso file, which is not a table, is UTF-16 with a byte order mark.
bool ScanInput::is_utf16_in_presso(const ScanSettings& settings) {
  DecodeOptions decode;
  decode.verify = settings.check;
  decode.dictionaries = settings.dictionaries;
  if (scanned_) {
    if (const ArchiveIndex* const index = scanned_->index()) {
      return begins_with_utf16_mark(*index, *file_, decode);
    }
    RangeSource source(*file_, 0, file_->size());
    return begins_with_utf16_mark(source, decode);
  }
  // A pipe: what is read to learn this is put back in front of the rest.
  KeepingSource keeping(*begun_, kept_);
  const bool is_utf16 = begins_with_utf16_mark(keeping, decode);
  replayed_ = std::move(begun_);
  begun_ = std::make_unique<PrefixedSource>(kept_.bytes(), *replayed_);
  return is_utf16;
}

/// Text that has to be converted takes the way of text that another program compressed. Error: it
/// has to be, and --blocks asks for a part of it.
Status ScanInput::recode(Bytes begun, bool is_presso, const ScanSettings& settings) {
  const ScanEncoding& encoding = settings.encoding;
  // The text of a table was converted when it was made.
  if (!encoding.looks_for_mark || begins_table(begun)) return {};
  if (foreign_) {
    foreign_ = recoded_text(std::move(foreign_), encoding);
    return {};
  }
  const bool needed = is_presso && encoding.name.empty() ? is_utf16_in_presso(settings)
                                                         : needs_recoding(begun, encoding);
  if (!needed) return {};
  if (settings.blocks.is_limit(0)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "its text is converted to UTF-8, so --blocks cannot choose a part of it; "
                      "--encoding=none searches its bytes");
  }
  std::unique_ptr<ByteSource>& below = begun_ ? begun_ : stream_;
  DecodeOptions decode;
  decode.verify = settings.check;
  decode.dictionaries = settings.dictionaries;
  std::unique_ptr<ByteSource> text =
      is_presso ? decoded_text(*below, decode) : std::make_unique<PrefixedSource>(Bytes{}, *below);
  foreign_ = recoded_text(std::move(text), encoding);
  scanned_.reset();
  is_plain_ = false;
  is_recoded_ = true;
  return {};
}

// A stream is not small, because its length is not known.
bool ScanInput::small() const {
  return file_ && file_->size() < kParallelBytes;
}

/// Searches the input by the way that its kind allows.
Result<ScanSummary> ScanInput::scan(const Pattern& pattern, const ScanOptions& options,
                                    const LineCallback& on_line) {
  if (foreign_) {
    UntilErrorSource source(*foreign_, cut_short_);
    return presso::scan(source, pattern, options, on_line);
  }
  if (scanned_) return presso::scan(*scanned_, pattern, options, on_line);
  return presso::scan(*begun_, pattern, options, on_line);
}

}  // namespace presso::cli
