// SPDX-License-Identifier: MIT
// Each apply function below turns a flag's text into a member of CompressOptions and names the
// flag, the value and what is permitted if it cannot. The texts are the help and the man page, so
// they say what an option costs and not only what it does. What a flag permits here is the range of
// its own value. Defaults are the library's, and --favor is applied by it as well, so that a
// program gets the files that the command makes. Tested by tests/cli/test_compress.py.
#include "tools/compress/flags_compress.h"

#include "tools/cli/bind.h"
#include "tools/compress/flags_dictionary.h"

namespace presso::cli {
namespace {

// Limits of values that no other header has.
constexpr std::uint64_t kMostRenewal = std::uint64_t{1} << 50;
constexpr std::uint64_t kMostDistance = kMaxBlockBytes + kMaxDictionaryBytes;

/// For --deps; auto leaves the rule to the library. The parser has checked the name.
Apply rule_into(std::optional<DependencyRule>& rule) {
  return [&rule](const Given& given) -> Status {
    rule.reset();
    if (given.value == "none") rule = DependencyRule::kNone;
    if (given.value == "strict") rule = DependencyRule::kStrict;
    if (given.value == "literal-aware") rule = DependencyRule::kLiteralAware;
    if (given.value == "two-wave") rule = DependencyRule::kTwoWave;
    if (given.value == "tile") rule = DependencyRule::kTile;
    return {};
  };
}

/// Reads --sub-block, which has to be a power of two. The format stores it as a power of two.
Apply sub_block_into(std::uint32_t& sub_block) {
  return [&sub_block](const Given& given) -> Status {
    PRESSO_ASSIGN(const std::uint64_t value,
                  parse_number(given.spelled, given.value, 4, 256, Unit::kCount));
    if (!std::has_single_bit(value)) {
      return make_error(ErrorCode::kInvalidArgument,
                        given.spelled + ": '" + given.value + "' is not a power of two");
    }
    sub_block = static_cast<std::uint32_t>(value);
    return {};
  };
}

/// Reads a size; `others` names the other values that are permitted, for the message of an error.
/// Sizes beyond 32 bits are refused by `most`.
Result<std::uint32_t> parse_size_or(const Given& given, std::uint64_t least, std::uint64_t most,
                                    const std::string& others) {
  auto size = parse_number(given.spelled, given.value, least, most);
  if (size.ok()) return static_cast<std::uint32_t>(*size);
  size.error().what += ", " + others;
  return std::move(size.error());
}

/// Reads --block-size; 0 stands for auto.
Apply block_size_into(std::uint32_t& block_bytes) {
  return [&block_bytes](const Given& given) -> Status {
    block_bytes = 0;
    if (given.value == "auto") return {};
    PRESSO_ASSIGN(block_bytes, parse_size_or(given, kMinBlockBytes, kMaxBlockBytes, "or auto"));
    return {};
  };
}

/// Reads --coding; without the flag the goal decides.
Apply coding_into(std::optional<Coding>& coding) {
  return [&coding](const Given& given) -> Status {
    coding = given.value == "bit" ? Coding::kBit : Coding::kByte;
    return {};
  };
}

/// For --dict: auto, none, a size, or a file, whose content is read at once. What begins with a
/// digit is a size, so a file of such a name needs a path, which the error says.
Apply dictionary_into(DictionaryChoice& choice) {
  return [&choice](const Given& given) -> Status {
    if (given.value == "auto" || given.value == "none") {
      // The mode is set in each branch, so that of several --dict the last one wins.
      const bool none = given.value == "none";
      choice.mode = none ? DictionaryChoice::Mode::kNone : DictionaryChoice::Mode::kAuto;
      return {};
    }
    const bool number = !given.value.empty() && given.value[0] >= '0' && given.value[0] <= '9';
    if (!number) {
      PRESSO_ASSIGN(auto content, read_dictionary_file(given));
      choice.mode = DictionaryChoice::Mode::kGiven;
      choice.content = std::make_shared<const std::vector<Byte>>(std::move(content));
      return {};
    }
    PRESSO_ASSIGN(choice.bytes,
                  parse_size_or(given, 2048, kMaxDictionaryBytes,
                                "auto, none or a FILE, if need be as ./" + given.value));
    choice.mode = DictionaryChoice::Mode::kSize;
    return {};
  };
}

/// Reads --dict-renew; 0 turns renewals off, and less than 8 MiB would not pay.
Apply renewal_into(std::uint64_t& bytes) {
  return [&bytes](const Given& given) -> Status {
    bytes = 0;
    if (given.value == "0") return {};
    PRESSO_ASSIGN(bytes, parse_number(given.spelled, given.value, 8u << 20, kMostRenewal));
    return {};
  };
}

/// For --group: a power of two. Whether the rule permits it can be told only when all flags were
/// read. The upper limit is that of the tile rule, the largest of all rules.
Apply group_into(std::uint32_t& group) {
  return [&group](const Given& given) -> Status {
    // validate() checks whether the rule permits it, because --deps may still follow.
    PRESSO_ASSIGN(const std::uint64_t value,
                  parse_number(given.spelled, given.value, 32, 32768, Unit::kCount));
    if (!std::has_single_bit(value)) {
      return make_error(
          ErrorCode::kInvalidArgument,
          given.spelled + ": '" + given.value +
              "' is not a power of two; permitted: 32, 64, 128, ... 1024; with --deps tile 1024 to "
              "32768");
    }
    group = static_cast<std::uint32_t>(value);
    return {};
  };
}

/// For --index-size: "8" or "0.5" percent, kept as thousandths. 5 is 50 thousandths; more digits
/// than one after the point are refused rather than rounded.
Apply filter_size_into(std::optional<std::uint32_t>& size) {
  return [&size](const Given& given) -> Status {
    const std::size_t point = given.value.find('.');
    std::string digits = given.value.substr(0, point);
    std::string fraction = point == std::string::npos ? "" : given.value.substr(point + 1);
    const bool sound = fraction.size() <= 1 && (point == std::string::npos || !fraction.empty());
    // The point is left out, so that the number is one of thousandths.
    fraction.resize(1, '0');
    const auto value = parse_number(given.spelled, digits + fraction, 1, kMaxFilterPermille);
    if (!sound || !value.ok()) {
      return make_error(ErrorCode::kInvalidArgument,
                        given.spelled + ": '" + given.value +
                            "' is not a percentage from 0.1 to 100 with at most one decimal");
    }
    size = static_cast<std::uint32_t>(*value);
    return {};
  };
}

/// --favor: a bundle of choices. What the user gives explicitly takes precedence over it.
Flag favor_flag(Favor& favor) {
  return {
      .name = "favor",
      .value_name = "GOAL",
      .category = kCompression,
      .brief = "the goal by which options that are not given are chosen",
      .text =
          "decode is for files to be decoded fast on a GPU: --coding byte --deps tile --dict none "
          "--window 47088, and from level 4 on fewer and longer back-references. Such files "
          "are somewhat larger. --deps, --dict SIZE and --window take precedence. archive is "
          "for what is kept for years: the highest level and --index-size 5.",
      .choices = {"ratio", "decode", "archive"},
      .default_value = "ratio",
      .apply = [&favor](const Given& given) -> Status {
        favor = given.value == "decode"    ? Favor::kDecode
                : given.value == "archive" ? Favor::kArchive
                                           : Favor::kRatio;
        return {};
      }};
}

/// The flags about dependencies between sequences, which decide how parallel a block can be
/// decoded. They matter for GPUs and vector registers; without them files are smaller.
std::vector<Flag> dependency_flags(CompressOptions& options) {
  return {
      {.name = "deps",
       .value_name = "RULE",
       .category = kCompression,
       .brief = "which bytes a back-reference may copy from",
       .text =
           "Sequences are decoded in groups. With a rule other than none, all sequences of a "
           "group can be copied at the same time, on a GPU or in vector registers: strict forbids "
           "copying from the same group, literal-aware permits its literals, two-wave also "
           "what its first wave of copies wrote. tile is two-wave byte by byte, for tiles of "
           "the block in place of groups of sequences. Two-wave makes a GPU up to a sixth faster, "
           "files up to 8 percent larger and compressing slower. auto is none, with --favor decode "
           "tile.",
       .choices = {"auto", "none", "strict", "literal-aware", "two-wave", "tile"},
       .default_value = "auto",
       .apply = rule_into(options.rule)},
      {.name = "group",
       .value_name = "N",
       .category = kExpert,
       .brief = "sequences in a group: a power of two, 32 to 1024",
       .text = "With the tile rule: bytes in a tile, a power of two from 1024 to 32768.",
       .default_value = "32, tile 2048",
       .apply = group_into(options.group)},
      {.name = "staleness",
       .value_name = "BYTES",
       .category = kExpert,
       .brief = "keep a hash table entry until it is this old",
       .text = "For level 1, and 2 with --coding byte, which have a table of single entries: an "
               "entry that no rule "
               "forbids yet is more useful than a newer one.",
       .default_value = "0",
       .apply = number_into(options.staleness, 0, kMaxBlockBytes)},
  };
}

}  // namespace

/// Judges the options as they are after --favor has filled in what was not given. Nothing is
/// printed here, as bench and compress report differently.
std::vector<Ignored> ignored_options(const CompressOptions& given) {
  const CompressOptions options = with_goal(given);
  std::vector<Ignored> ignored;
  // From these levels on the match finder has lists of places and no single entries to keep.
  const int first_without_staleness = options.coding == Coding::kBit ? 2 : 3;
  if (options.staleness && options.level >= first_without_staleness) {
    ignored.push_back({"--staleness", first_without_staleness == 2
                                          ? "has no effect from level 2 on"
                                          : "has no effect from level 3 on"});
  }
  const bool bit = options.coding == Coding::kBit;
  if (!bit && options.bit_gain_percent != 0) {
    ignored.push_back({"--bit-gain", "has no effect without --coding bit"});
  }
  if (!bit && options.sub_block_sequences != 0) {
    ignored.push_back({"--sub-block", "has no effect without --coding bit"});
  }
  const bool renewal_given = options.dictionary.renew_bytes != DictionaryChoice{}.renew_bytes;
  if (renewal_given && options.dictionary.mode != DictionaryChoice::Mode::kAuto) {
    ignored.push_back({"--dict-renew", "has no effect without --dict auto"});
  }
  return ignored;
}

/// -1 to -12, which are written as digits; --level=N is the long form. The two spellings are one
/// flag, so that the last one wins.
Flag level_flag(int& level) {
  return {
      .name = "level",
      .value_name = "N",
      .category = kCompression,
      .brief = "compression level, -1 (fastest) to -12 (smallest)",
      .text =
          "Level 1 looks at one earlier place for each position, level 2 at one that shares a long "
          "string and one that shares a short one (with --coding byte at one), levels 3 to 9 at 12 "
          "to 60 places; from level 4 on a match is taken only if the next positions have no "
          "better one (with --favor decode levels 4 to 9 follow hash chains and weigh the cost of "
          "sequences). Levels 10 to 12 search binary trees and choose the matches that the coding "
          "writes in the fewest bits. All levels decompress about equally fast. A thread takes "
          "about 10 MiB of memory at levels 1 to 9 and 40 MiB at 10 to 12, with --block-size 4M up "
          "to 30 and 90 MiB; choosing a dictionary takes up to 200 MiB.",
      .default_value = "3; 6 with byte, decode or tables, 12 with archive",
      .environment = "PRESSO_LEVEL",
      .digits = true,
      .apply = count_into(level, kMinLevel, kMaxLevel)};
}

/// --index and --index-size: they are one number, the index's size in thousandths. A size of 0
/// means no index.
std::vector<Flag> filter_flags(CompressOptions& options) {
  return {{.name = "index",
           .category = kCompression,
           .brief = "store an index that lets 'scan' skip blocks",
           .text = "For searches of rare strings: only blocks that may hold them are read. Adds 8 "
                   "percent to the compressed size (see --index-size), and takes as much memory "
                   "while compressing. Programs that do not know the index read the file all the "
                   "same.",
           .negation = "no-index",
           .apply = [&options](const Given& given) -> Status {
             options.filter_permille = given.negated ? 0 : kDefaultFilterPermille;
             return {};
           }},
          {.name = "index-size",
           .value_name = "PERCENT",
           .category = kCompression,
           .brief = "size of the index, in percent of the compressed size; implies --index",
           .text = "From 0.1 to 100, of what the file takes without the index. A larger one lets "
                   "fewer blocks through that hold no match.",
           .default_value = "8",
           .apply = filter_size_into(options.filter_permille)}};
}

/// The flags of the encoder. Those for experts are listed on their own page. They are shared with
/// `presso bench`, which measures their effect.
std::vector<Flag> encoder_flags(CompressOptions& options) {
  std::vector<Flag> flags = {
      favor_flag(options.favor),
      {.name = "coding",
       .value_name = "CODING",
       .category = kCompression,
       .brief = "how sequences are stored",
       .text =
           "bit: Huffman codes. byte: whole bytes, a third to a half larger, decoded fastest: on "
           "a GPU at up to twice the speed.",
       .choices = {"bit", "byte"},
       .default_value = "bit, decode byte",
       .apply = coding_into(options.coding)},
      {.name = "bit-gain",
       .value_name = "PERCENT",
       .category = kExpert,
       .brief = "with --coding bit: how much of a block it must save, 0 to 99",
       .text = "Blocks of which Huffman codes save less are stored with the Byte coding, which is "
               "decoded faster.",
       .default_value = "0",
       .apply = count_into(options.bit_gain_percent, 0, 99)},
      {.name = "sub-block",
       .value_name = "N",
       .category = kExpert,
       .brief = "with --coding bit: sequences in a sub-block, 4 to 256",
       .text = "Cuts a block into sub-blocks that can be decoded at the same time, in place of a "
               "fixed number of lanes. For experiments: files become larger, and only the CPU "
               "decodes them.",
       .default_value = "lanes",
       .apply = sub_block_into(options.sub_block_sequences)},
      {.name = "block-size",
       .value_name = "SIZE",
       .category = kCompression,
       .brief = "plain bytes in a block: auto, or 16K to 4M",
       .text =
           "Larger blocks compress better; smaller ones give finer access and more parallelism. "
           "auto is 1M with --coding bit, and at levels 7 to 12 4M for files from 32M on that a "
           "trial shows to become 3 percent smaller. With --coding byte or --favor decode it is "
           "256K for "
           "pipes, files below 8M and levels 1 to 3; otherwise a trial decides: 64K if files grow "
           "by less than 1 percent (5 percent with a dictionary), because a GPU "
           "decodes such blocks a quarter to a half faster; 1M if that saves half of the size, "
           "although a GPU decodes such blocks at two fifths of the rate.",
       .default_value = "auto",
       .apply = block_size_into(options.block_bytes)},
      {.name = "dict",
       .value_name = "DICT",
       .category = kCompression,
       .brief = "file dictionary: auto, none, a SIZE up to 4M, or a FILE",
       .text = "A dictionary holds what many blocks repeat. It is stored once, before the blocks, "
               "and every block may refer to it. auto takes one from level 3 on if a trial shows "
               "that it pays, not with --favor decode: pieces of the file at levels 3 and 4, "
               "trained on a sample of it above. SIZE is the largest "
               "size permitted. FILE is used as it is: one dictionary for many files, as 'presso "
               "train' makes them.",
       .default_value = "auto",
       .completion = Completion::kFile,
       .apply = dictionary_into(options.dictionary)},
      {.name = "dict-by-name",
       .category = kCompression,
       .brief = "with --dict FILE: do not store it, only name it by its checksum",
       .text = "For many small files with the same dictionary. Every command that reads them later "
               "needs --dict FILE.",
       .apply = set(options.dictionary.by_name)},
      {.name = "dict-renew",
       .value_name = "SIZE",
       .category = kExpert,
       .brief = "with --dict auto: try every SIZE whether another dictionary pays; 0: never",
       .text = "For inputs whose content changes on the way. If another dictionary pays, the rest "
               "gets it, stored as if it were a second file joined to the first. At least 8M.",
       .default_value = "256M",
       .apply = renewal_into(options.dictionary.renew_bytes)},
      {.name = "window",
       .value_name = "SIZE",
       .category = kCompression,
       .brief = "furthest distance of a back-reference",
       .text = "With --favor decode 47088, so that most of a dictionary is out of reach too.",
       .default_value = "block and dictionary",
       .apply = number_into(options.window, 1024, kMostDistance)},
      {.name = "lookahead",
       .value_name = "SIZE",
       .category = kExpert,
       .brief = "longest back-reference",
       .default_value = "unlimited",
       .apply = number_into(options.lookahead, 8, kMaxBlockBytes)},
  };
  // The flags of dependencies come last on the page, after those for everybody.
  for (Flag& flag : dependency_flags(options)) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace presso::cli
