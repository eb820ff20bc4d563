// SPDX-License-Identifier: MIT
// Tables that no encoder would write. The first byte chooses: an even number, that the rest is a
// file; an odd one, that the rest are choices by which a sound table is changed (table_maker.h).
// Bit 1: checksums of a file are made right first. Bit 6: no checksum of content is compared. Every
// way of reading must come to an end with a result or an error that names damage; where two succeed
// they agree, and every decoder of integers and tokens agrees with its reference decoder.
#include <algorithm>
#include <cstring>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/plane_decoder.h"
#include "decompress/columns/cpu/token_decoder.h"
#include "format/columns/table_file.h"
#include "presso/table.h"
#include "tests/fuzz/table_maker.h"
#include "tests/support/reference_integer_decoder.h"
#include "tests/support/reference_token_decoder.h"

namespace presso::fuzz {
namespace {

constexpr std::uint64_t kMostValues = 1u << 20;
constexpr std::uint64_t kMostStringBytes = 8u << 20;
constexpr std::size_t kMostText = 16u << 20;

class LimitedSink final : public ByteSink {
 public:
  Status write(Bytes bytes) override {
    if (bytes.size() > kMostText - taken_.size()) return make_error(ErrorCode::kNoSpace);
    taken_.insert(taken_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const TableBytes& taken() const { return taken_; }

 private:
  TableBytes taken_;
};

ErrorCode code_of(const Status& status) {
  return status.ok() ? ErrorCode::kOk : status.error().code;
}

/// An error is damage, or that the schema has no form of text.
void check_error(const Error& error) {
  const ErrorCode code = error.code;
  PRESSO_FUZZ_CHECK(is_damage(code) || code == ErrorCode::kNotPresso ||
                    code == ErrorCode::kContent || code == ErrorCode::kUnsupportedVersion ||
                    code == ErrorCode::kInvalidArgument || code == ErrorCode::kNoSpace);
}

/// What directories claim is tested elsewhere; here it would only take time.
bool is_small(const RowGroup& group) {
  std::uint64_t bytes = 0;
  for (const ColumnChunk& chunk : group.columns) bytes += chunk.value_bytes;
  return std::uint64_t{group.rows} * group.columns.size() <= kMostValues &&
         bytes <= kMostStringBytes;
}

void compare_integers(const ColumnBlockHeader& header, Bytes payload) {
  const IntegerParameters parameters{header.width_bytes, header.is_signed, header.floating,
                                     header.count, header.divisor};
  const TableBytes exact(payload.begin(), payload.end());  // its end is watched
  TableBytes expected(integer_bytes(header.width_bytes, header.count));
  const ErrorCode code = code_of(reference_decode_integers(parameters, exact, expected));
  for (const CpuLevel level : supported_cpu_levels()) {
    TableBytes out(expected.size());
    PRESSO_FUZZ_CHECK(code_of(decode_integers(parameters, exact, out, level)) == code);
    PRESSO_FUZZ_CHECK(code != ErrorCode::kOk || out == expected);
  }
}

void compare_tokens(const ColumnBlockHeader& header, Bytes payload) {
  const TokenDictionary dictionary;
  const TableBytes exact(payload.begin(), payload.end());
  const std::vector<std::uint32_t> counts = {header.count / 2, 0, header.count - header.count / 2};
  TableBytes expected(header.plain_bytes);
  TableBytes out(header.plain_bytes + kMaxTokenBytes);
  std::int64_t expected_offsets[4];
  std::int64_t offsets[4];
  const ErrorCode code = code_of(
      reference_decode_tokens(dictionary, exact, header.count, counts, expected, expected_offsets));
  const MutableBytes into(out.data(), header.plain_bytes);
  PRESSO_FUZZ_CHECK(
      code_of(decode_tokens(dictionary, exact, header.count, counts, into, offsets)) == code);
  if (code != ErrorCode::kOk) return;
  PRESSO_FUZZ_CHECK(std::equal(expected.begin(), expected.end(), out.begin()));
  PRESSO_FUZZ_CHECK(std::equal(offsets, offsets + 4, expected_offsets));
}

/// There is one decoder; what is damaged must not do harm.
void run_planes(const ColumnBlockHeader& header, Bytes payload) {
  Buffer with_slack;
  with_slack.append(payload);
  TableBytes out(header.plain_bytes);
  const Status decoded = decode_planes(header, with_slack.bytes(), {}, out.data());
  if (!decoded.ok()) check_error(decoded.error());
}

void compare_decoders(const StoredRowGroup& group) {
  Bytes rest = group.blocks.bytes();
  for (const ColumnBlock& block : group.directory.blocks) {
    const auto header = parse_column_block_header(rest.data());
    if (header.ok() && header->payload_bytes <= block.stored_bytes - kBlockHeaderBytes) {
      const Bytes payload = rest.subspan(kBlockHeaderBytes, header->payload_bytes);
      if (header->coding == Coding::kIntegers) compare_integers(*header, payload);
      if (header->coding == Coding::kTokens) compare_tokens(*header, payload);
      if (header->coding == Coding::kPlanes) run_planes(*header, payload);
    }
    rest = rest.subspan(block.stored_bytes);
  }
}

/// Compares the decoders of each block; false where there is a row group too large to be read.
bool walk(const TableBytes& file) {
  MemorySource source(file);
  TableStream stream(source);
  for (;;) {
    auto frame = stream.next();
    if (!frame.ok()) {
      check_error(frame.error());
      PRESSO_FUZZ_CHECK(frame.error().byte_offset <= file.size());
      return true;
    }
    if (std::holds_alternative<EndOfInput>(*frame)) return true;
    const auto* group = std::get_if<StoredRowGroup>(&*frame);
    if (group == nullptr) continue;
    if (!is_small(group->directory)) return false;
    compare_decoders(*group);
  }
}

struct Text {
  ErrorCode code = ErrorCode::kOk;
  TableBytes bytes;
  std::uint64_t damages = 0;

  bool ok() const { return code == ErrorCode::kOk; }
};

Text decompress(const TableBytes& file, DecodeOptions decode, bool salvage) {
  Text text;
  DecompressOptions options;
  options.decode = decode;
  options.threads = 1;
  options.salvage = salvage;
  options.on_damage = [&](const DecodedBlock&) { ++text.damages; };
  MemorySource source(file);
  LimitedSink sink;
  const auto done = decompress_table(source, sink, options);
  if (!done.ok()) {
    check_error(done.error());
    text.code = done.error().code;
  }
  text.bytes = sink.taken();
  return text;
}

Text read_text(const TableBytes& file, const DecodeOptions& decode) {
  MemorySource source(file);
  const auto reader = table_text(source, decode);
  Text text;
  Byte part[5000];
  while (text.bytes.size() <= kMostText) {
    const auto got = reader->read(part);
    if (!got.ok()) text.code = got.error().code;
    if (!got.ok() || *got == 0) break;
    text.bytes.insert(text.bytes.end(), part, part + *got);
  }
  return text;
}

void compare_texts(const TableBytes& file, DecodeOptions decode) {
  const Text text = decompress(file, decode, false);
  for (const CpuLevel level : supported_cpu_levels()) {
    DecodeOptions other = decode;
    other.level = level;
    const Text again =
        level == decode.level ? read_text(file, decode) : decompress(file, other, false);
    PRESSO_FUZZ_CHECK(again.code == text.code || text.code == ErrorCode::kNoSpace);
    PRESSO_FUZZ_CHECK(again.bytes == text.bytes || text.code == ErrorCode::kNoSpace);
  }
  const Text salvaged = decompress(file, decode, true);
  PRESSO_FUZZ_CHECK(!text.ok() || (salvaged.damages == 0 && salvaged.bytes == text.bytes));
  if (text.ok() || text.code == ErrorCode::kNoSpace) return;
  PRESSO_FUZZ_CHECK(!salvaged.ok() || salvaged.damages > 0);
  PRESSO_FUZZ_CHECK(salvaged.bytes.size() >= text.bytes.size());
}

bool same_rows(const ColumnView& whole, std::uint64_t first, const ColumnView& part) {
  const std::uint32_t width = is_string(part.type) ? 0 : value_bytes(part.type);
  for (std::uint64_t row = 0; row < part.rows; ++row) {
    if (whole.is_null(first + row) != part.is_null(row)) return false;
    if (is_string(part.type)) {
      const Bytes a = whole.string(first + row);
      const Bytes b = part.string(row);
      if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
    } else if (width > 0 && std::memcmp(whole.values + (first + row) * width,
                                        part.values + row * width, width) != 0) {
      return false;
    }
  }
  return true;
}

void read_group(const Table& table, std::uint64_t group, Choices& choices) {
  const std::uint32_t rows = table.row_group(group).rows;
  for (std::size_t column = 0; column < table.schema().columns.size(); ++column) {
    const auto whole = table.read(group, {&column, 1}, 0, rows);
    const std::uint32_t first = choices.below(rows);
    const std::uint32_t count = choices.below(rows - first + 1);
    const auto part = table.read(group, {&column, 1}, first, count);
    if (!whole.ok()) check_error(whole.error());
    if (!part.ok()) check_error(part.error());
    if (!whole.ok()) continue;
    PRESSO_FUZZ_CHECK(part.ok() && part->front().rows == count);
    PRESSO_FUZZ_CHECK(same_rows(whole->front().view(), first, part->front().view()));
  }
}

void read_at_random(const TableBytes& file, const DecodeOptions& decode, Choices& choices) {
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access, decode);
  if (!table.ok()) return check_error(table.error());
  std::uint64_t rows = 0;
  for (std::uint64_t group = 0; group < table->row_groups(); ++group) {
    PRESSO_FUZZ_CHECK(table->row_group(group).first_row == rows);
    rows += table->row_group(group).rows;
    if (table->row_group(group).rows * table->schema().columns.size() <= kMostValues) {
      read_group(*table, group, choices);
    }
  }
  PRESSO_FUZZ_CHECK(table->rows() == rows);
  (void)table->storage();
  RowsOptions options;
  options.form = table->schema().text;
  options.threads = 1;
  options.first_row = choices.below(300);
  options.rows = choices.below(300);
  LimitedSink sink;
  const Status written = write_rows(*table, options, sink);
  if (!written.ok()) check_error(written.error());
}

void fuzz_table(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const Byte mode = data[0];
  TableBytes file(data + 1, data + size);
  Choices choices(data + 1, size - 1);
  if ((mode & 1) != 0) file = mutated_table(choices);
  if ((mode & 3) == 2) repair(file);
  if (!walk(file)) return;
  DecodeOptions decode;
  const std::vector<CpuLevel> levels = supported_cpu_levels();
  decode.level = levels[mode / 4 % levels.size()];
  decode.verify = (mode & 64) == 0;
  decode.check_zones = (mode & 32) != 0;
  compare_texts(file, decode);
  read_at_random(file, decode, choices);
  if (file.size() > kTrailerBytes) file.resize(file.size() - kTrailerBytes);
  read_at_random(file, decode, choices);
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_table(data, size);
  return 0;
}
