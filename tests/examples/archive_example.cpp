// SPDX-License-Identifier: MIT
// <presso/archive_writer.h> and <presso/archive_reader.h>: the container without any decoding.
// Writes a file of one raw block by hand, then lists its frames and its block table.
#include <presso/archive_reader.h>
#include <presso/archive_writer.h>
#include <presso/checksum.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

/// A block as it is stored: header, payload, padding.
std::vector<presso::Byte> raw_block(const std::string& text) {
  presso::BlockHeader header;
  header.plain_bytes = header.payload_bytes = static_cast<std::uint32_t>(text.size());
  const auto* bytes = reinterpret_cast<const presso::Byte*>(text.data());
  header.content_checksum = presso::content_checksum({bytes, text.size()});
  std::vector<presso::Byte> stored(static_cast<std::size_t>(header.stored_bytes()));
  presso::write_block_header(header, stored.data());
  std::copy(text.begin(), text.end(), stored.begin() + presso::kBlockHeaderBytes);
  return stored;
}

presso::Status write_archive(presso::ByteSink& sink, const std::string& text) {
  presso::Metadata metadata;
  metadata.entries = {{"user.origin", "an example"}};
  presso::ArchiveWriter writer(sink);
  PRESSO_TRY(writer.begin({}, metadata));
  PRESSO_TRY(writer.add_block(raw_block(text), static_cast<std::uint32_t>(text.size())));
  return writer.finish();
}

/// Front to back, as from a pipe.
presso::Status list_frames(const std::vector<presso::Byte>& file) {
  presso::MemorySource source(file);
  presso::FrameReader reader(source);
  for (;;) {
    PRESSO_ASSIGN(const presso::Frame frame, reader.next());
    if (std::holds_alternative<presso::EndOfInput>(frame)) return {};
    if (const auto* section = std::get_if<presso::StoredSection>(&frame)) {
      std::printf("section %c of %zu bytes\n", static_cast<char>(section->header.kind),
                  section->payload.size());
    } else if (const auto* block = std::get_if<presso::StoredBlock>(&frame)) {
      std::printf("block %llu: %u bytes\n", static_cast<unsigned long long>(block->number),
                  block->header.plain_bytes);
    }
  }
}

}  // namespace

int main() {
  std::vector<presso::Byte> file;
  presso::VectorSink sink(file);
  presso::Status status = write_archive(sink, "Hello, archive.\n");
  if (status.ok()) status = list_frames(file);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().message().c_str());
    return 1;
  }
  // By the index at its end: any block without reading the others.
  const presso::MemoryRandomAccess access(file);
  const auto index = presso::ArchiveIndex::open(access);
  if (!index.ok()) return 1;
  const std::string* origin = index->members()[0].metadata.find("user.origin");
  std::printf("%llu block, from %s\n", static_cast<unsigned long long>(index->block_count()),
              origin != nullptr ? origin->c_str() : "unknown");
  return index->block_count() == 1 ? 0 : 1;
}
