// SPDX-License-Identifier: MIT
// Arbitrary content under arbitrary parameters: compresses, decodes by every CPU level and by the
// reference decoder, which also checks the dependency rule. The first bytes choose level, block
// size, rule, group, window, lookahead, staleness and dictionary, then how the content is made.
#include <algorithm>

#include "presso/compress.h"
#include "presso/decompress.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

CompressOptions choose_options(Choices& choices) {
  CompressOptions options;
  options.level = kMinLevel + choices.byte() % (kMaxLevel - kMinLevel + 1);
  const std::uint32_t sizes[] = {16u << 10, (16u << 10) + 1, 40000, 128u << 10};
  options.block_bytes = sizes[choices.byte() % 4];
  const Byte rule = choices.byte();
  if (rule % 6 != 5) options.rule = static_cast<DependencyRule>(rule % 6);
  if (choices.one_in(2)) {
    const bool tile = options.rule == DependencyRule::kTile;
    options.group = (tile ? 1024u : 32u) << (choices.byte() % 6);
  }
  if (choices.one_in(3)) options.window = 1024 + choices.below(200000);
  if (choices.one_in(3)) options.lookahead = 8 + choices.below(600);
  if (choices.one_in(3)) options.staleness = choices.below(5000);
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  if (choices.one_in(3)) {
    options.dictionary = {DictionaryChoice::Mode::kSize, 2048 + choices.below(60000)};
  }
  if (choices.one_in(2)) options.coding = Coding::kBit;
  if (choices.one_in(4)) options.sub_block_sequences = 4u << choices.below(7);
  options.threads = 1;
  return options;
}

/// The input's bytes, then copies from anywhere before, runs, and noise.
std::vector<Byte> make_content(Choices& choices) {
  const std::uint32_t pieces = choices.byte() % 64;
  const std::uint32_t longest = choices.one_in(4) ? 70000 : 300;
  std::vector<Byte> content;
  const std::size_t kept = std::min<std::size_t>(choices.left() / 2, 4096);
  content.assign(choices.rest(), choices.rest() + kept);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const std::uint32_t length = 1 + choices.below(longest);
    const Byte kind = choices.byte() % 4;
    if (kind < 2 && !content.empty()) {
      const std::size_t from = choices.below(static_cast<std::uint32_t>(content.size()));
      for (std::uint32_t i = 0; i < length; ++i) content.push_back(content[from + i]);
    } else if (kind == 2) {
      content.insert(content.end(), length, choices.byte());
    } else {
      for (std::uint32_t i = 0; i < length; ++i) content.push_back(choices.byte());
    }
    if (content.size() > 600000) break;
  }
  return content;
}

void check_reference(const std::vector<Byte>& compressed, const std::vector<Byte>& content) {
  MemorySource source(compressed);
  BlockStream stream(source, {});
  std::size_t done = 0;
  for (;;) {
    auto item = stream.next();
    PRESSO_FUZZ_CHECK(item.ok());
    if (!*item) break;
    const StoredBlock& block = (*item)->block;
    std::vector<Byte> out(block.header.plain_bytes);
    const Status status = reference_decode_block(block.header, block.payload.data(),
                                                 (*item)->dictionary.get(), true, out.data());
    PRESSO_FUZZ_CHECK(status.ok());
    PRESSO_FUZZ_CHECK(out.size() <= content.size() - done);
    PRESSO_FUZZ_CHECK(std::equal(out.begin(), out.end(), content.begin() + done));
    done += out.size();
  }
  PRESSO_FUZZ_CHECK(done == content.size());
}

void fuzz_round_trip(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const CompressOptions options = choose_options(choices);
  const std::vector<Byte> content = make_content(choices);
  const auto compressed = compress_buffer(content, options);
  PRESSO_FUZZ_CHECK(compressed.ok());
  for (const CpuLevel level : supported_cpu_levels()) {
    DecompressOptions decode;
    decode.decode.level = level;
    decode.threads = 1;
    const auto plain = decompress_buffer(*compressed, decode);
    PRESSO_FUZZ_CHECK(plain.ok());
    PRESSO_FUZZ_CHECK(*plain == content);
  }
  check_reference(*compressed, content);
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_round_trip(data, size);
  return 0;
}
