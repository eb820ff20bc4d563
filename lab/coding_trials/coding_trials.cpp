// SPDX-License-Identifier: MIT
// What other codes would make of the Bit coding's symbols: longer and shorter code words (sources:
// S7.18), rANS (S7.23), codes that blocks share. Ratios count headers, the index left out; decoding
// is that of symbols alone, on one thread. Figures: compress/NOTES.md.
#include <cstdio>

#include "compress/encode/block_encoder.h"
#include "lab/coding_trials/interleaved_codes.h"
#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/timing.h"

namespace presso::trials {
namespace {

using namespace presso::harness;

constexpr unsigned kLeastLimit = 8, kMostLimit = 15;

struct CodeTotals {
  std::uint64_t bits = 0;
  double seconds = 0;  ///< decoding, the fastest of some times
};

class Trials {
 public:
  explicit Trials(const CompressOptions& options)
      : options_(options),
        parameters_(parameters_of(options)),
        parser_(make_parser(parameters_.parser)) {}

  /// False: a decoder was wrong.
  bool run(const char* name, Bytes plain) {
    blocks_.clear();
    for (Bytes rest = plain; !rest.empty();) {
      const Bytes block = rest.first(std::min<std::size_t>(rest.size(), options_.block_bytes));
      blocks_.push_back(streams_of(block, parameters_, *parser_));
      rest = rest.subspan(block.size());
    }
    std::uint64_t stored = 0, lists = 0, symbols = 0;
    for (const SymbolStreams& block : blocks_) {
      stored += block.stored_bytes;
      lists += block.list_bits;
      symbols += block.symbols.size();
    }
    count_file();
    const auto ratio = [&](std::uint64_t bits) {
      return 8.0 * double(plain.size()) / double(bits);
    };
    std::printf("%s: %zu blocks, ratio as stored %.3f, lists of code lengths %.2f %%\n", name,
                blocks_.size(), ratio(8 * stored), 100.0 * double(lists) / double(8 * stored));
    const std::uint64_t rest = 8 * stored - coded_bits();
    for (unsigned limit = kLeastLimit; limit <= kMostLimit; ++limit) {
      std::uint64_t bits = rest;
      for (const SymbolStreams& block : blocks_) bits += huffman_bits(block.counts, limit);
      std::printf("  words up to %2u bits: ratio %.3f\n", limit, ratio(bits));
    }
    std::printf("  codes of the file or of the block: ratio %.3f\n",
                ratio(rest + file_list_ + bits_with([&](std::size_t) { return file_; })));
    std::printf(
        "  of the block before or of the block: ratio %.3f\n",
        ratio(rest + bits_with([&](std::size_t i) { return blocks_[i > 0 ? i - 1 : 0].counts; })));
    const auto huffman = make_huffman();
    const auto rans = make_rans();
    bool right = true;
    for (const auto& [code, label] : {std::pair{huffman.get(), "Huffman"}, {rans.get(), "rANS"}}) {
      const CodeTotals totals = code_all(*code, right);
      std::printf("  %-7s ratio %.3f, %4.0f million symbols a second\n", label,
                  ratio(rest - lane_bits() + totals.bits), 1e-6 * double(symbols) / totals.seconds);
    }
    return right;
  }

 private:
  /// Code words, as the encoder's limits are.
  std::uint64_t coded_bits() const {
    std::uint64_t bits = 0;
    for (const SymbolStreams& block : blocks_) bits += encoder_bits(block.counts);
    return bits;
  }

  static std::uint64_t encoder_bits(const Counts& counts) {
    const BitParameters limits;
    const auto first_of_others = bit::first_symbol(bit::kLiteralLengths);
    Counts first{}, others = counts;  // literals and commands have the same limit
    for (std::uint32_t i = 0; i < first_of_others; ++i) first[i] = std::exchange(others[i], 0);
    return huffman_bits(first, limits.literal_limit) + huffman_bits(others, limits.sequence_limit);
  }

  void count_file() {
    file_.fill(0);
    file_list_ = 0;
    for (const SymbolStreams& block : blocks_) {
      file_list_ = std::max(file_list_, block.list_bits);
      for (std::size_t i = 0; i < file_.size(); ++i) file_[i] += block.counts[i];
    }
  }

  /// What tells 32 lanes apart, which codes of their own count anew.
  std::uint64_t lane_bits() const { return blocks_.size() * 32 * 11; }

  /// Code words where each block takes codes that fit other counts, model_of(its number), with
  /// words for all symbols, if that is smaller than its own codes with their list.
  template <class ModelOf>
  std::uint64_t bits_with(ModelOf model_of) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Counts model = model_of(i);
      for (std::uint32_t& count : model) count = std::max(count, 1u);
      const SymbolStreams& block = blocks_[i];
      const std::uint64_t other =
          huffman_bits_under(block.counts, model, BitParameters{}.literal_limit);
      bits += std::min(encoder_bits(block.counts), other - std::min(other, block.list_bits));
    }
    return bits;
  }

  CodeTotals code_all(InterleavedCode& code, bool& right) const {
    CodeTotals totals;
    std::vector<std::uint16_t> symbols;
    for (const SymbolStreams& block : blocks_) {
      totals.bits += code.encode(block) + code.model_bits();
      totals.seconds +=
          best_seconds(5, Clock::kWall, [&] { code.decode(block.sequences, symbols); });
      if (symbols != block.symbols) {
        std::fprintf(stderr, "coding_trials: wrong symbols\n");
        right = false;
      }
    }
    return totals;
  }

  CompressOptions options_;
  EncoderParameters parameters_;
  std::unique_ptr<Parser> parser_;
  std::vector<SymbolStreams> blocks_;
  Counts file_{};                ///< of all blocks
  std::uint64_t file_list_ = 0;  ///< bits of the largest list
};

Result<bool> run(int count, char** arguments) {
  CompressOptions options;
  options.coding = Coding::kBit;
  static constexpr const char* kFavors[] = {"decode"};
  CommandLine line("FILE...", "Tries other codes. Exit status 1 where a decoder was wrong.");
  line.add("--level N", "as presso compress has it", options.level, kMinLevel);
  line.add("--block-size BYTES", "plain bytes of a block", options.block_bytes, kMinBlockBytes);
  line.add("--favor decode", "shapes that decode fast",
           names_among(kFavors, [&](std::size_t) { options.favor = Favor::kDecode; }));
  const std::vector<std::string> paths = line.parse(count, arguments);
  if (options.level > kMaxLevel || options.block_bytes > kMaxBlockBytes) {
    line.refuse("there is no such level, or no such block");
  }
  Trials trials(options);
  bool right = true;
  for (const std::string& path : paths) {
    PRESSO_ASSIGN(const std::vector<Byte> text, read_file(path));
    right &= trials.run(path.c_str(), text);
  }
  return right;
}

}  // namespace
}  // namespace presso::trials

int main(int count, char** arguments) {
  return presso::harness::exit_status(presso::trials::run(count, arguments));
}
