// SPDX-License-Identifier: MIT
// Functions of strings. Lengths and places count characters (characters.h). Results that are parts
// of an operand point into it; new texts go to the program's arena and live until its next run.
// Case mapping is the simple one of Unicode (one code point for one); trim() removes spaces only.
// Tested by compute_test.cpp (CountsCharactersOfStrings).
#include <algorithm>
#include <string>

#include "query/compute/characters.h"
#include "query/compute/steps.h"
#include "scan/unicode/letter_case.h"

namespace presso::query {
namespace {

StringRef ref(Bytes text) {
  return {text.data(), text.size()};
}

/// substr(text, first, length) as in DuckDB: places count from 1, and from the end if `first` is
/// negative; a negative length takes the characters before the place. Any pair of numbers is
/// allowed; what lies outside the text is empty. The text is passed over up to three times.
StringRef substring(Bytes text, std::int64_t first, std::int64_t length, bool has_length) {
  // Characters are counted only where a place is meant from the end.
  const std::int64_t count = first < 0 || length < 0 ? count_characters(text) : 0;
  if (first < 0) {
    first = count + std::max(first, -count - (std::int64_t{1} << 32)) + 1;
  }
  std::int64_t begin = first - 1;  // in characters, may lie outside
  if (!has_length) return ref(behind(text, begin));
  length = std::clamp(length, -(std::int64_t{1} << 32), std::int64_t{1} << 40);
  std::int64_t end = 0;
  if (__builtin_add_overflow(begin, length, &end)) end = std::int64_t{1} << 40;
  if (length < 0) std::swap(begin, end);
  begin = std::max<std::int64_t>(begin, 0);
  if (end <= begin) return {};
  const Bytes rest = behind(text, begin);
  return ref(rest.first(rest.size() - behind(rest, end - begin).size()));
}

/// SQL's TRIM removes the space character and no other white space.
bool is_space(Byte byte) {
  return byte == ' ';
}

/// `sides` is the step's parameter: bit 0 the left side, bit 1 the right side. Copies nothing.
StringRef trim_text(Bytes text, std::int64_t sides) {
  if ((sides & 1) != 0) {
    while (!text.empty() && is_space(text.front())) text = text.subspan(1);
  }
  if ((sides & 2) != 0) {
    while (!text.empty() && is_space(text.back())) text = text.first(text.size() - 1);
  }
  return ref(text);
}

std::string_view view_of_text(const StringRef& text) {
  return query::view_of(text.bytes());
}

/// ASCII letters are changed by a bit; invalid bytes are copied.
StringRef change_case(const StepContext& c, Bytes text, bool upper) {
  std::string changed;
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const Byte byte = text[0];
    if (byte < 0x80) {
      const bool other = upper ? byte >= 'a' && byte <= 'z' : byte >= 'A' && byte <= 'Z';
      changed += static_cast<char>(other ? byte ^ 0x20 : byte);
    } else if (size == 1) {
      changed += static_cast<char>(byte);
    } else {
      const auto code = scan_detail::decode(text.data(), text.data() + text.size()).code;
      changed += scan_detail::encoded(upper ? scan_detail::upper_case(code)
                                            : scan_detail::lower_case(code));
    }
    text = text.subspan(size);
  }
  return c.strings.add(bytes_of(changed));
}

/// All occurrences from left to right, without looking into what was inserted. An empty `old`
/// changes nothing.
StringRef replace_in_text(const StepContext& c, const StringRef& text, const StringRef& old,
                          const StringRef& with) {
  if (old.size == 0) return text;
  std::string changed(view_of_text(text));
  std::size_t at = 0;
  while ((at = changed.find(view_of_text(old), at)) != std::string::npos) {
    changed.replace(at, static_cast<std::size_t>(old.size), view_of_text(with));
    at += static_cast<std::size_t>(with.size);
  }
  return c.strings.add(bytes_of(changed));
}

/// All operands of one row; nulls were decided before.
StringRef concatenated(const StepContext& c, std::uint32_t row) {
  std::string joined;
  for (const Register* from : c.from) joined += view_of_text(from->as<StringRef>()[row]);
  return c.strings.add(bytes_of(joined));
}

/// Returns the place of the first occurrence, in characters from 1, or 0 if there is none. The
/// search is by bytes, which finds characters in UTF-8.
std::int64_t position(const StringRef& text, const StringRef& part) {
  const std::size_t at = view_of_text(text).find(view_of_text(part));
  if (at == std::string_view::npos) return 0;
  return count_characters(text.bytes().first(at)) + 1;
}

/// Calls `apply` for the rows that are not null. Unlike the arithmetic loops it skips nulls, as
/// string functions cost more than a branch.
template <class T, class Apply>
void for_rows(const StepContext& c, Apply apply) {
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = c.to.is_null(i) ? T{} : apply(i);
}

/// The steps whose result is a string; substring is the default.
void strings_of_strings(const StepContext& c, const StringRef* a) {
  switch (c.node.step) {
    case Step::kLower:
      return for_rows<StringRef>(
          c, [&](std::uint32_t i) { return change_case(c, a[i].bytes(), false); });
    case Step::kUpper:
      return for_rows<StringRef>(
          c, [&](std::uint32_t i) { return change_case(c, a[i].bytes(), true); });
    case Step::kTrim:
      return for_rows<StringRef>(
          c, [&](std::uint32_t i) { return trim_text(a[i].bytes(), c.node.parameter); });
    case Step::kReplace:
      return for_rows<StringRef>(c, [&](std::uint32_t i) {
        return replace_in_text(c, a[i], c.from[1]->as<StringRef>()[i],
                               c.from[2]->as<StringRef>()[i]);
      });
    case Step::kConcat:
      return for_rows<StringRef>(c, [&](std::uint32_t i) { return concatenated(c, i); });
    default:
      return for_rows<StringRef>(c, [&](std::uint32_t i) {
        const bool has_length = c.from.size() > 2;
        return substring(a[i].bytes(), c.from[1]->as<std::int64_t>()[i],
                         has_length ? c.from[2]->as<std::int64_t>()[i] : 0, has_length);
      });
  }
}

}  // namespace

/// `a` is the first operand of every step of this group.
void run_string_step(const StepContext& c) {
  const StringRef* const a = c.from[0]->as<StringRef>();
  const auto b = [&c](std::uint32_t i) { return view_of_text(c.from[1]->as<StringRef>()[i]); };
  switch (c.node.step) {
    case Step::kStringTest:
      return for_rows<Byte>(
          c, [&](std::uint32_t i) { return Byte{c.node.test->matches(a[i].bytes())}; });
    case Step::kLength:
      return for_rows<std::int64_t>(
          c, [&](std::uint32_t i) { return count_characters(a[i].bytes()); });
    case Step::kByteLength:
      return for_rows<std::int64_t>(
          c, [&](std::uint32_t i) { return static_cast<std::int64_t>(a[i].size); });
    case Step::kStartsWith:
      return for_rows<Byte>(
          c, [&](std::uint32_t i) { return Byte{view_of_text(a[i]).starts_with(b(i))}; });
    case Step::kEndsWith:
      return for_rows<Byte>(
          c, [&](std::uint32_t i) { return Byte{view_of_text(a[i]).ends_with(b(i))}; });
    case Step::kContains:
      return for_rows<Byte>(c, [&](std::uint32_t i) {
        return Byte{view_of_text(a[i]).find(b(i)) != std::string_view::npos};
      });
    case Step::kPosition:
      return for_rows<std::int64_t>(
          c, [&](std::uint32_t i) { return position(a[i], c.from[1]->as<StringRef>()[i]); });
    default:
      return strings_of_strings(c, a);
  }
}

}  // namespace presso::query
