// SPDX-License-Identifier: MIT
// choose_engine(): what decides, with the rates of an H200 in TB/s of text (NOTES.md). The first
// line that applies counts; the first three are for patterns that fixed strings alone decide:
//
//   fixed strings of up to six bytes together   planes: 3.9 to 2.9 whatever the text
//   one string with four bytes in a row that    rare literal: 4.0; 0.8 if the text is full of it
//   texts seldom hold together
//   more than 300 strings, or an automaton      many literals: 1.3 to 3.5, where an automaton of
//   that does not fit into shared memory        more than 5,000 states has 0.3 to 0.9
//   all else                                    the automaton: 1.6 to 2.4
//   no automaton (Unicode's word boundaries,    lines with strings that each match contains, which
//   too many states)                            the CPU looks at: not exact
#include "scan/gpu/search/engine.h"

#include <algorithm>

#include "scan/bytes/byte_frequency.h"

namespace presso::gpu {
namespace {

using scan_detail::LineLiterals;
using scan_detail::Matcher;

constexpr std::size_t kMostPlaneBytes = 6;
constexpr std::size_t kMostForAutomaton = 300;
/// Strings that only some of the lines with them match for are not worth it below this size: most
/// lines would come back to the CPU.
constexpr std::size_t kLeastCandidateBytes = 3;
/// The largest sum of four bytes' frequencies (scan/bytes/byte_frequency.h). "Chuz" has 525, "erro"
/// 710; chosen by hand, not by measurement.
constexpr std::uint32_t kMostRareSum = 620;
constexpr std::size_t kGramBytes = 4;

Error cannot(const char* why) {
  return make_error(ErrorCode::kUnsupported, why);
}

std::size_t bytes_of(const std::vector<std::string>& literals) {
  std::size_t bytes = 0;
  for (const std::string& literal : literals) bytes += literal.size();
  return bytes;
}

std::size_t shortest_of(const std::vector<std::string>& literals) {
  const auto least = std::min_element(
      literals.begin(), literals.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return least == literals.end() ? 0 : least->size();
}

/// Whether the literal has four bytes in a row that texts seldom hold together.
bool is_rare(const std::string& literal) {
  for (std::size_t at = 0; at + kGramBytes <= literal.size(); ++at) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kGramBytes; ++i) {
      sum += scan_detail::byte_frequency(static_cast<Byte>(literal[at + i]));
    }
    if (sum <= kMostRareSum) return true;
  }
  return false;
}

/// The fastest engine for literals, if an automaton is left out of account.
TextEngine engine_for(const std::vector<std::string>& literals) {
  if (bytes_of(literals) <= kMostPlaneBytes) return TextEngine::kPlanes;
  if (literals.size() == 1 && is_rare(literals[0])) return TextEngine::kRareLiteral;
  return TextEngine::kManyLiterals;
}

template <class Table>
Result<EngineTable> table_of(Result<Table> made, bool exact) {
  if (!made.ok()) return cannot("the engine does not hold these strings");
  if constexpr (std::is_same_v<Table, PlaneTableView>) {
    return EngineTable{{}, *made, exact};
  } else {
    return EngineTable{std::move(made->image), made->view, exact};
  }
}

/// The tables of the given engine for literals; kUnsupported where it does not hold these.
Result<EngineTable> by_literals(const LineLiterals& literals, TextEngine engine) {
  const bool ignore_case = literals.ignore_ascii_case;
  switch (engine) {
    case TextEngine::kRareLiteral:
      return table_of(lay_out_literals(literals.any_of, ignore_case), literals.exact);
    case TextEngine::kPlanes:
      return table_of(lay_out_planes(literals.any_of, ignore_case), literals.exact);
    default:
      return table_of(lay_out_many_literals(literals.any_of, ignore_case), literals.exact);
  }
}

/// The automaton over lines, laid out; kUnsupported where the pattern has none that is small
/// enough.
Result<EngineTable> by_automaton(const Matcher& matcher) {
  const auto automaton = matcher.line_automaton(kMostLineStates);
  if (!automaton) {
    return cannot("the pattern has no automaton over lines, or one that is too large");
  }
  return table_of(lay_out(automaton->dfa.view()), automaton->exact);
}

/// Whether the automaton's rows lie in shared memory, where they are fast.
bool is_small(const EngineTable& table) {
  return std::get<LineTableView>(table.view).kind != LineTableKind::kGlobal;
}

/// Decides as the file comment says: literals that decide by themselves first, unless there are so
/// few that an automaton is faster; then the automaton; last, strings that only select lines for
/// the CPU to look at.
Result<EngineTable> choose(const Matcher& matcher, const std::optional<LineLiterals>& literals) {
  const bool decide = literals && literals->exact;
  if (decide) {
    const TextEngine engine = engine_for(literals->any_of);
    if (engine != TextEngine::kManyLiterals || literals->any_of.size() > kMostForAutomaton) {
      return by_literals(*literals, engine);
    }
  }
  Result<EngineTable> automaton = by_automaton(matcher);
  if (automaton.ok() && (!decide || is_small(*automaton))) return automaton;
  if (decide || (literals && shortest_of(literals->any_of) >= kLeastCandidateBytes)) {
    return by_literals(*literals, engine_for(literals->any_of));
  }
  return automaton;
}

const char* place_of(LineTableKind kind) {
  switch (kind) {
    case LineTableKind::kBytes:
      return "rows of bytes in shared memory";
    case LineTableKind::kByteClasses:
      return "classes of bytes in shared memory";
    case LineTableKind::kShared:
      return "classes in shared memory";
    case LineTableKind::kGlobal:
      break;
  }
  return "classes in device memory";
}

std::string describe_view(const LineTableView& view) {
  return "a line automaton of " + std::to_string(view.states) + " states (" + place_of(view.kind) +
         ")";
}
std::string describe_view(const LiteralTableView& view) {
  return "a comparison with four rare bytes of " + std::to_string(view.count) +
         (view.count == 1 ? " fixed string" : " fixed strings");
}
std::string describe_view(const PlaneTableView& view) {
  return "fixed strings of " + std::to_string(view.count) + (view.count == 1 ? " byte" : " bytes") +
         " together, by planes of bits";
}
std::string describe_view(const ManyLiteralTableView& view) {
  return "a filter for many fixed strings (" + std::to_string(view.image_bytes >> 10) +
         " KiB of tables)";
}

}  // namespace

Result<EngineTable> choose_engine(const Matcher& matcher, TextEngine wanted) {
  if (matcher.spans_lines()) return cannot("matches may span lines");
  if (matcher.null_data()) return cannot("lines end at NUL bytes");
  if (wanted == TextEngine::kAutomaton) return by_automaton(matcher);
  const std::optional<LineLiterals> literals = matcher.line_literals();
  if (wanted == TextEngine::kAuto) return choose(matcher, literals);
  if (!literals) return cannot("the pattern is not a choice of fixed strings");
  return by_literals(*literals, wanted);
}

EngineView EngineTable::placed(const Byte* d_image) const {
  EngineView placed = view;
  std::visit(
      [&](auto& table) {
        if constexpr (requires { table.d_image; }) table.d_image = d_image;
      },
      placed);
  return placed;
}

TextEngine EngineTable::engine() const {
  constexpr TextEngine kEngines[] = {TextEngine::kAutomaton, TextEngine::kRareLiteral,
                                     TextEngine::kPlanes, TextEngine::kManyLiterals};
  static_assert(std::size(kEngines) == std::variant_size_v<EngineView>);
  return kEngines[view.index()];
}

std::string EngineTable::describe() const {
  return std::visit([](const auto& table) { return describe_view(table); }, view) +
         (exact ? "" : "; the CPU looks at the lines that it finds");
}

}  // namespace presso::gpu
