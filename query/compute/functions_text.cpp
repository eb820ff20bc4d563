// SPDX-License-Identifier: MIT
// Scalar functions of strings. Some are steps of their own (steps_strings.cpp); the others are
// kernels, which follow DuckDB in counting characters, apart from reverse(), which keeps only code
// points whole. New texts are copied to the program's arena. A text of more than 64 MiB is not made
// but fails.
#include <algorithm>
#include <vector>

#include "query/compute/characters.h"
#include "query/compute/functions.h"
#include "scan/unicode/letter_case.h"

namespace presso::query::text_functions {
namespace {

using Text = std::string_view;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr Text kTooLong = "a text would be longer than 64 MiB";

/// Without its first `count` characters.
Text without_first(Text text, std::int64_t count) {
  return view_of(behind(bytes_of(text), count));
}
Text first_of(Text text, std::int64_t count) {
  return text.substr(0, text.size() - without_first(text, count).size());
}

/// How many characters `count` leaves of a text; a negative one means all but as many.
std::int64_t characters_meant(Text text, std::int64_t count) {
  return count < 0 ? std::max<std::int64_t>(0, count_characters(bytes_of(text)) + count) : count;
}

Text left(const Row&, Text text, std::int64_t count) {
  return first_of(text, characters_meant(text, count));
}

Text right(const Row&, Text text, std::int64_t count) {
  const std::int64_t most = count_characters(bytes_of(text));
  return without_first(text, most - std::min(most, characters_meant(text, count)));
}

/// Pads to `length` characters at the left or right side, or cuts off the end of a longer text.
Text padded(const Row& row, Text text, std::int64_t length, Text with, bool at_left) {
  const std::int64_t missing = length - count_characters(bytes_of(text));
  if (length <= 0 || missing <= 0) return first_of(text, length);
  if (with.empty() || static_cast<std::uint64_t>(missing) > kMostBytes) return row.fail(), Text();
  std::string padding;
  Text rest;
  for (std::int64_t i = 0; i < missing && padding.size() < kMostBytes; ++i) {
    if (rest.empty()) rest = with;
    padding += take_character(rest);
  }
  if (padding.size() + text.size() > kMostBytes) return row.fail(), Text();
  return row.keep(at_left ? padding.append(text) : std::string(text).append(padding));
}
Text lpad(const Row& row, Text text, std::int64_t length, Text with) {
  return padded(row, text, length, with, true);
}
Text rpad(const Row& row, Text text, std::int64_t length, Text with) {
  return padded(row, text, length, with, false);
}

Text repeat(const Row& row, Text text, std::int64_t times) {
  if (times <= 0 || text.empty()) return {};
  if (static_cast<std::uint64_t>(times) > kMostBytes / text.size()) return row.fail(), Text();
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) all += text;
  return row.keep(all);
}

Text strip_accents(const Row& row, Text text) {
  std::string stripped;
  for (Text rest = text; !rest.empty();) {
    const std::size_t size = character_bytes(bytes_of(rest));
    const auto* const at = bytes_of(rest).data();
    const scan_detail::CodePoint code =
        size == 1 ? 0 : scan_detail::without_marks(scan_detail::decode(at, at + size).code);
    if (size == 1) stripped += rest[0];
    if (code != 0) stripped += scan_detail::encoded(code);
    rest.remove_prefix(size);
  }
  return row.keep(stripped);
}

Text reverse(const Row& row, Text text) {
  std::string reversed(text.size(), '\0');
  std::size_t at = text.size();
  while (!text.empty()) {
    const Text character = take_character(text);
    at -= character.size();
    reversed.replace(at, character.size(), character);
  }
  return row.keep(reversed);
}

/// What follows the last slash of a path.
Text parse_filename(const Row&, Text path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Part `wanted`, counted from 1, or from the end if negative; empty where there is none.
Text split_part(const Row&, Text text, Text separator, std::int64_t wanted) {
  const std::vector<Text> parts = parts_of(text, separator);
  const auto count = static_cast<std::int64_t>(parts.size());
  if (wanted < 0) wanted = wanted < -count ? 0 : count + 1 + wanted;
  return wanted < 1 || wanted > count ? Text() : parts[static_cast<std::size_t>(wanted - 1)];
}

/// Whether the set, a text, holds this character.
bool text_holds(Text set, Text character) {
  while (!set.empty()) {
    if (take_character(set) == character) return true;
  }
  return false;
}

Text ltrim(const Row&, Text text, Text set) {
  Text rest = text;
  while (!rest.empty() && text_holds(set, take_character(rest))) text = rest;
  return text;
}

/// Keeps the text up to the last character that is not in the set.
Text rtrim(const Row&, Text text, Text set) {
  std::size_t kept = 0;
  for (Text rest = text; !rest.empty();) {
    if (!text_holds(set, take_character(rest))) kept = text.size() - rest.size();
  }
  return text.substr(0, kept);
}

Text trim(const Row& row, Text text, Text set) {
  return ltrim(row, rtrim(row, text, set), set);
}

/// The code point of the first character.
std::int64_t first_code(Text text, std::int64_t of_nothing) {
  if (text.empty()) return of_nothing;
  const Bytes bytes = bytes_of(text);
  const auto decoded = scan_detail::decode(bytes.data(), bytes.data() + bytes.size());
  return decoded.bytes == 0 ? bytes[0] : decoded.code;
}
std::int64_t ascii(const Row&, Text text) {
  return first_code(text, 0);
}
std::int64_t unicode(const Row&, Text text) {
  return first_code(text, -1);
}

Text chr(const Row& row, std::int64_t code) {
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < 0 || code > 0x10FFFF || is_surrogate) return row.fail(), Text();
  return row.keep(scan_detail::encoded(static_cast<scan_detail::CodePoint>(code)));
}

/// Replaces each character of `from` by the one at its place in `to`, or drops it if there is none.
Text translate(const Row& row, Text text, Text from, Text to) {
  std::vector<std::pair<Text, Text>> pairs;
  while (!from.empty()) {
    const Text wanted = take_character(from);
    pairs.emplace_back(wanted, to.empty() ? Text() : take_character(to));
  }
  std::string changed;
  while (!text.empty()) {
    const Text character = take_character(text);
    const auto found = std::find_if(pairs.begin(), pairs.end(),
                                    [&](const auto& pair) { return pair.first == character; });
    changed += found == pairs.end() ? character : found->second;
  }
  return row.keep(changed);
}

/// The edit distance, by the usual dynamic programme over characters; the time is the product of
/// both lengths.
std::int64_t levenshtein(const Row&, Text first, Text second) {
  const std::vector<Text> a = parts_of(first, {});
  const std::vector<Text> b = parts_of(second, {});
  std::vector<std::int64_t> line(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) line[j] = static_cast<std::int64_t>(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t corner = line[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = line[j + 1];
      line[j + 1] = std::min({changed, corner + 1, line[j] + 1});
    }
  }
  return line.back();
}

std::int64_t hamming(const Row& row, Text first, Text second) {
  const std::vector<Text> a = parts_of(first, {});
  const std::vector<Text> b = parts_of(second, {});
  if (a.empty() || a.size() != b.size()) return row.fail(), 0;
  std::int64_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] == b[i] ? 0 : 1;
  return different;
}

Text hex(const Row& row, Text text) {
  std::string digits;
  for (const char c : text) {
    digits += "0123456789ABCDEF"[static_cast<Byte>(c) >> 4];
    digits += "0123456789ABCDEF"[static_cast<Byte>(c) & 15];
  }
  return row.keep(digits);
}

constexpr Text kNoPadding = "a text is padded with nothing, or would be longer than 64 MiB";
constexpr Kernel kLeft{"left", each<left>};
constexpr Kernel kRight{"right", each<right>};
constexpr Kernel kLpad{"lpad", each<lpad>, kNoPadding};
constexpr Kernel kRpad{"rpad", each<rpad>, kNoPadding};
constexpr Kernel kRepeat{"repeat", each<repeat>, kTooLong};
constexpr Kernel kStripAccents{"strip_accents", each<strip_accents>};
constexpr Kernel kReverse{"reverse", each<reverse>};
constexpr Kernel kSplitPart{"split_part", each<split_part>};
constexpr Kernel kParseFilename{"parse_filename", each<parse_filename>};
constexpr Kernel kTrim{"trim", each<trim>};
constexpr Kernel kLtrim{"ltrim", each<ltrim>};
constexpr Kernel kRtrim{"rtrim", each<rtrim>};
constexpr Kernel kAscii{"ascii", each<ascii>};
constexpr Kernel kUnicode{"unicode", each<unicode>};
constexpr Kernel kChr{"chr", each<chr>, "a number is not a code point of Unicode"};
constexpr Kernel kTranslate{"translate", each<translate>};
constexpr Kernel kLevenshtein{"levenshtein", each<levenshtein>};
constexpr Kernel kHamming{"hamming", each<hamming>, "two texts are empty, or differ in length"};
constexpr Kernel kHex{"hex", each<hex>};

/// A function of `count` strings that is exactly one step. Integer results are lengths or places,
/// hence not negative and below 2^40.
Function of_strings(Step step, Family family, std::size_t count, std::int64_t parameter = 0) {
  return {count, count, [=](Call& call) -> Result<NodeId> {
            PRESSO_TRY(convert_arguments(call, std::string(count, 's')));
            const Range range =
                family == Family::kInteger ? whole_range(0, Int128{1} << 40) : Range{};
            return call.build.step(step, family, call.arguments, parameter, range);
          }};
}

/// Without a set of characters a step that knows spaces only.
Function trimming(const Kernel& kernel, std::int64_t sides) {
  const Function of_spaces = of_strings(Step::kTrim, Family::kString, 1, sides);
  const Function of_set = of_kernel(kernel, "ss", ColumnType::kUtf8);
  return {1, 2, [=](Call& call) {
            return call.arguments.size() == 1 ? of_spaces.make(call) : of_set.make(call);
          }};
}

/// substr(text, first [, length]).
Result<NodeId> bind_substring(Call& call) {
  PRESSO_TRY(convert_arguments(call, call.arguments.size() == 2 ? "si" : "sii"));
  return call.build.step(Step::kSubstring, Family::kString, call.arguments);
}

/// concat() skips nulls, unlike `||`, whose result is null if an operand is.
Result<NodeId> concat(Call& call) {
  // A null is replaced by the empty text.
  std::vector<NodeId> parts;
  for (const NodeId argument : call.arguments) {
    const NodeId text = call.build.to_string(argument);
    PRESSO_ASSIGN(const NodeId part, call.build.coalesce({text, call.build.string("")}));
    parts.push_back(part);
  }
  return call.build.step(Step::kConcat, Family::kString, std::move(parts));
}

/// concat_ws(separator, ...) skips nulls, too. All texts are joined with a separator before each,
/// which is then cut off at the front; so the result is null where the separator is.
Result<NodeId> concat_with_separator(Call& call) {
  PRESSO_ASSIGN(const NodeId separator, string_argument(call, 0));
  Call joined{call.build, call.name, {}};
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const NodeId text = call.build.to_string(call.arguments[i]);
    joined.arguments.push_back(call.build.step(Step::kConcat, Family::kString, {separator, text}));
  }
  PRESSO_ASSIGN(const NodeId all, concat(joined));
  const NodeId length = call.build.step(Step::kLength, Family::kInteger, {separator}, 0,
                                        whole_range(0, Int128{1} << 40));
  PRESSO_ASSIGN(const NodeId first,
                call.build.arithmetic(Step::kAdd, length, call.build.integer(1)));
  return call.build.step(Step::kSubstring, Family::kString, {all, first});
}

}  // namespace

void add(Functions& functions) {
  const Range code = whole_range(-1, 0x10FFFF);
  const auto text = [&](const Kernel& kernel, std::string_view types) {
    functions[std::string(kernel.name)] = of_kernel(kernel, types, ColumnType::kUtf8);
  };
  for (const char* name : {"length", "len", "char_length", "character_length"}) {
    functions[name] = of_strings(Step::kLength, Family::kInteger, 1);
  }
  for (const char* name : {"octet_length", "strlen"}) {
    functions[name] = of_strings(Step::kByteLength, Family::kInteger, 1);
  }
  for (const char* name : {"strpos", "instr", "position"}) {
    functions[name] = of_strings(Step::kPosition, Family::kInteger, 2);
  }
  functions["lower"] = functions["lcase"] = of_strings(Step::kLower, Family::kString, 1);
  functions["upper"] = functions["ucase"] = of_strings(Step::kUpper, Family::kString, 1);
  functions["ltrim"] = trimming(kLtrim, 1);
  functions["rtrim"] = trimming(kRtrim, 2);
  functions["trim"] = trimming(kTrim, 3);
  functions["replace"] = of_strings(Step::kReplace, Family::kString, 3);
  functions["starts_with"] = of_strings(Step::kStartsWith, Family::kBool, 2);
  functions["prefix"] = functions["^@"] = functions["starts_with"];
  functions["ends_with"] = functions["suffix"] = of_strings(Step::kEndsWith, Family::kBool, 2);
  functions["contains"] = of_strings(Step::kContains, Family::kBool, 2);
  functions["substr"] = functions["substring"] = {2, 3, bind_substring};
  functions["concat"] = {1, 1000, concat};
  functions["concat_ws"] = {2, 1000, concat_with_separator};
  text(kLeft, "si");
  text(kRight, "si");
  text(kLpad, "sis");
  text(kRpad, "sis");
  text(kRepeat, "si");
  text(kReverse, "s");
  text(kStripAccents, "s");
  text(kParseFilename, "s");
  text(kSplitPart, "ssi");
  text(kTranslate, "sss");
  text(kChr, "i");
  text(kHex, "s");
  functions["ascii"] = of_kernel(kAscii, "s", ColumnType::kInt32, code);
  functions["ord"] = functions["unicode"] = of_kernel(kUnicode, "s", ColumnType::kInt32, code);
  const Range length = whole_range(0, Int128{1} << 40);
  functions["levenshtein"] = of_kernel(kLevenshtein, "ss", ColumnType::kInt64, length);
  functions["editdist3"] = functions["levenshtein"];
  functions["hamming"] = of_kernel(kHamming, "ss", ColumnType::kInt64, length);
  functions["mismatches"] = functions["hamming"];
}

}  // namespace presso::query::text_functions
