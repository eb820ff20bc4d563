// SPDX-License-Identifier: MIT
// Blocks of files as they are, sound or not, with the dictionaries that they may need.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/simt/batch_case.h"
#include "tests/support/places.h"

namespace presso::gpu::test {

inline std::vector<Byte> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Everything in a file, sound or not, that begins like a block and has room for its header. Of
/// several dictionaries with one id the first counts; bad ones are left out.
struct Frames {
  std::vector<std::vector<Byte>> blocks;
  Dictionaries dictionaries;
};

inline void take_dictionary(const std::vector<Byte>& file, std::size_t at, Frames& frames) {
  const auto section = parse_section_header(file.data() + at);
  if (!section.ok() || section->parameter == 0 || section->parameter > kMaxDictionaries) return;
  const Bytes payload = Bytes(file).subspan(at + kSectionHeaderBytes);
  if (section->payload_bytes > payload.size()) return;
  auto decoded = Dictionary::decode(payload.first(section->payload_bytes));
  if (decoded.ok()) frames.dictionaries.emplace(section->parameter, *decoded);
}

inline void take_block(const std::vector<Byte>& file, std::size_t at, Frames& frames) {
  const auto header = parse_block_header(file.data() + at);
  const std::uint64_t size = header.ok() ? header->stored_bytes() : kBlockHeaderBytes;
  if (size > file.size() - at) return;
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
  frames.blocks.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
}

inline Frames find_frames(const std::vector<Byte>& file) {
  Frames frames;
  for (std::size_t at = 0; at + kBlockHeaderBytes <= file.size(); at += kFrameAlignment) {
    if (!peek_frame_kind(file.data() + at).ok()) continue;
    const Byte kind = file[at + 3];
    if (kind == 'D') take_dictionary(file, at, frames);
    if (kind == 'B' || kind == 'd') take_block(file, at, frames);
  }
  return frames;
}

/// Calls visit(file name, frames) for every golden file, those that are bad and those that are not.
template <class Visit>
void for_each_golden_file(Visit visit) {
  const std::filesystem::path golden = tests::tests_folder() / "golden";
  for (const auto& folder : {golden / "bad", golden / "files"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".presso") continue;
      visit(entry.path().filename().string(), find_frames(read_file(entry.path())));
    }
  }
}

}  // namespace presso::gpu::test
