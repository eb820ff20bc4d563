// SPDX-License-Identifier: MIT
// Decodes a file with one of the library's decoders, for golden_test.py:
//
//   decode_golden list                names of the decoders that this machine can run
//   decode_golden DECODER FILE...     a line for each file:
//                                       ok BYTES CHECKSUM       plain size, XXH3 of the content
//                                       error CODE BLOCK OFFSET "-" where there is none
//
// Decoders: the CPU levels, "reference", and "indexed", which opens the file by its index and reads
// block by block; of tables, "table-" and a CPU level, which are not listed.
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "presso/checksum.h"
#include "presso/decompress.h"
#include "presso/table.h"

namespace presso {
namespace {

using Plain = std::vector<Byte>;

Plain read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Plain(std::istreambuf_iterator<char>(file), {});
}

Result<Plain> decode_by_level(const Plain& compressed, CpuLevel level) {
  DecompressOptions options;
  options.decode.level = level;
  options.threads = 2;
  return decompress_buffer(compressed, options);
}

Result<Plain> decode_table(const Plain& compressed, CpuLevel level) {
  DecompressOptions options;
  options.decode.level = level;
  options.decode.check_zones = true;
  options.threads = 2;
  MemorySource source(compressed);
  Plain plain;
  VectorSink sink(plain);
  PRESSO_ASSIGN(const DecompressSummary done, decompress_table(source, sink, options));
  (void)done;
  return plain;
}

Result<Plain> decode_by_reference(const Plain& compressed) {
  MemorySource source(compressed);
  BlockStream stream(source, {});
  Plain plain;
  for (;;) {
    PRESSO_ASSIGN(const std::optional<BlockItem> item, stream.next());
    if (!item) return plain;
    const StoredBlock& block = item->block;
    const std::size_t done = plain.size();
    plain.resize(done + block.header.plain_bytes);
    Status status = reference_decode_block(block.header, block.payload.data(),
                                           item->dictionary.get(), true, plain.data() + done);
    if (!status.ok()) {
      status.error().block = block.number;
      status.error().byte_offset = block.file_offset;
      return std::move(status.error());
    }
  }
}

Result<Plain> decode_by_index(const Plain& compressed) {
  const MemoryRandomAccess access(compressed);
  PRESSO_ASSIGN(const CompressedFile file, CompressedFile::open(access));
  Plain plain;
  for (std::uint64_t number = 0; number < file.index().block_count(); ++number) {
    PRESSO_ASSIGN(const Buffer block, file.read_block(number));
    plain.insert(plain.end(), block.data(), block.data() + block.size());
  }
  if (plain.size() != file.plain_bytes()) return make_error(ErrorCode::kBadIndex, "plain size");
  return plain;
}

Result<Plain> decode(const std::string& decoder, const Plain& compressed) {
  if (decoder == "reference") return decode_by_reference(compressed);
  if (decoder == "indexed") return decode_by_index(compressed);
  for (const CpuLevel level : supported_cpu_levels()) {
    if (decoder == name(level)) return decode_by_level(compressed, level);
    if (decoder == "table-" + std::string(name(level))) return decode_table(compressed, level);
  }
  return make_error(ErrorCode::kInvalidArgument, "there is no decoder " + decoder);
}

std::string text_or_dash(std::uint64_t value) {
  return value == Error::kNone ? "-" : std::to_string(value);
}

void print(const Result<Plain>& plain) {
  if (plain.ok()) {
    std::printf("ok %zu %016" PRIx64 "\n", plain->size(), checksum64(*plain));
    return;
  }
  const Error& error = plain.error();
  std::printf("error %u %s %s\n", static_cast<unsigned>(error.code),
              text_or_dash(error.block).c_str(), text_or_dash(error.byte_offset).c_str());
}

void list() {
  for (const CpuLevel level : supported_cpu_levels()) {
    std::printf("%s\n", std::string(name(level)).c_str());
  }
  std::puts("reference\nindexed");
}

}  // namespace
}  // namespace presso

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "list") {
    presso::list();
    return 0;
  }
  for (int i = 2; i < count; ++i) {
    presso::print(presso::decode(arguments[1], presso::read_file(arguments[i])));
  }
  return count > 2 ? 0 : 2;
}
