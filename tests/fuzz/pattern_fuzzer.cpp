// SPDX-License-Identifier: MIT
// Arbitrary bytes as a regular expression and as a LIKE pattern. The first byte chooses the
// options, the second the escape character. A tree must keep what scan/syntax/parser.h promises to
// those that compile it; an error must lie within the pattern and be one line.
#include <string>

#include "scan/syntax/parser.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

using namespace scan_detail;
using Kind = Node::Kind;

constexpr int kDeepest = 2000;

SyntaxOptions options_of(std::uint8_t bits) {
  SyntaxOptions options;
  options.ignore_case = (bits & 1) != 0;
  options.multi_line = (bits & 2) == 0;
  options.dot_matches_line = (bits & 4) != 0;
  options.ungreedy = (bits & 8) != 0;
  options.verbose = (bits & 16) != 0;
  options.unicode = (bits & 32) == 0;
  options.crlf = (bits & 64) != 0;
  options.line_terminated = (bits & 128) == 0;
  return options;
}

struct Check {
  const SyntaxOptions& options;
  std::uint32_t captures = 0;

  void tree(const Node& node, int depth);
  void ranges(const Node& node) const;
  void inner_node(const Node& node) const;
};

bool touches(const CodeRange& range, CodePoint low, CodePoint high) {
  return range.low <= high && range.high >= low;
}

void Check::ranges(const Node& node) const {
  const bool bytes = node.kind == Kind::kByteClass;
  const CodeRange* before = nullptr;
  for (const CodeRange& range : node.ranges) {
    PRESSO_FUZZ_CHECK(range.low <= range.high && range.high <= (bytes ? 0xFF : 0x10FFFF));
    PRESSO_FUZZ_CHECK(before == nullptr || before->high + 1 < range.low);
    PRESSO_FUZZ_CHECK(bytes || !touches(range, 0xD800, 0xDFFF));
    PRESSO_FUZZ_CHECK(!options.line_terminated || !touches(range, '\n', '\n'));
    before = &range;
  }
}

void Check::inner_node(const Node& node) const {
  const std::size_t children = node.children.size();
  if (node.kind == Kind::kRepeat) PRESSO_FUZZ_CHECK(node.max > 0 && node.min <= node.max);
  if (node.kind == Kind::kRepeat || node.kind == Kind::kGroup) PRESSO_FUZZ_CHECK(children == 1);
  if (node.kind == Kind::kConcat || node.kind == Kind::kAlternate) PRESSO_FUZZ_CHECK(children > 1);
  for (std::size_t i = 0; node.kind == Kind::kConcat && i < children; ++i) {
    const Kind kind = node.children[i].kind;
    PRESSO_FUZZ_CHECK(kind != Kind::kEmpty);
    PRESSO_FUZZ_CHECK(i == 0 || kind != Kind::kLiteral || node.children[i - 1].kind != kind);
  }
}

void Check::tree(const Node& node, int depth) {
  PRESSO_FUZZ_CHECK(depth < kDeepest);
  const bool inner = node.kind >= Kind::kRepeat;
  PRESSO_FUZZ_CHECK(inner || node.children.empty());
  if (inner) inner_node(node);
  if (node.kind == Kind::kClass || node.kind == Kind::kByteClass) ranges(node);
  if (node.kind == Kind::kGroup) PRESSO_FUZZ_CHECK(node.capture >= 1 && node.capture <= captures);
  if (node.kind == Kind::kLiteral) {
    PRESSO_FUZZ_CHECK(!node.bytes.empty());
    PRESSO_FUZZ_CHECK(!options.line_terminated || node.bytes.find('\n') == std::string::npos);
  }
  for (const Node& child : node.children) tree(child, depth + 1);
}

void check_error(std::string_view pattern, const Error& error) {
  PRESSO_FUZZ_CHECK(error.code == ErrorCode::kInvalidArgument);
  PRESSO_FUZZ_CHECK(error.byte_offset <= pattern.size());
  PRESSO_FUZZ_CHECK(!error.what.empty() && error.what.size() < 300);
  for (const char letter : error.what) PRESSO_FUZZ_CHECK(static_cast<std::uint8_t>(letter) >= ' ');
  const std::string text = explain_pattern_error(pattern, error);
  PRESSO_FUZZ_CHECK(text.ends_with(error.what) && text.size() < 1000);
}

void check(std::string_view pattern, const Result<ParsedPattern>& parsed,
           const SyntaxOptions& options) {
  if (!parsed.ok()) return check_error(pattern, parsed.error());
  Check{options, parsed->captures}.tree(parsed->root, 0);
}

void fuzz_pattern(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return;
  const SyntaxOptions options = options_of(data[0]);
  const std::string_view pattern(reinterpret_cast<const char*>(data) + 2, size - 2);
  check(pattern, parse_pattern(pattern, options), options);
  check(pattern, parse_like(pattern, static_cast<char>(data[1]), options), options);
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_pattern(data, size);
  return 0;
}
