// SPDX-License-Identifier: MIT
// Colours are kept in the form in which the user wrote them and become escape sequences once for
// each command. Values are checked here, so that nothing can go wrong while lines are printed.
// Tested by tests/cli/scan_against_rg.py.
#include "tools/scan/scan_colors.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace presso::cli {
namespace {

// The names stand in the order of the escape codes 30 to 37.
constexpr std::array<std::string_view, 8> kNames = {"black", "red",     "green", "yellow",
                                                    "blue",  "magenta", "cyan",  "white"};

/// The error for a value of --colors, with what is permitted.
Error refuse_color(std::string_view value, std::string_view why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "--colors: '" + std::string(value) + "': " + std::string(why));
}

/// The parts of a text between the separators; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Parses a component of a colour: 0 to 255, decimal or hexadecimal with 0x.
std::optional<unsigned> component(std::string_view text) {
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  if (text.empty() || text.size() > 3) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const std::string_view digits = "0123456789abcdef";
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t digit = digits.find(lower);
    if (digit == digits.npos || (!hex && digit > 9)) return std::nullopt;
    value = value * (hex ? 16 : 10) + static_cast<unsigned>(digit);
  }
  if (value > 255) return std::nullopt;
  return value;
}

/// The colour in the form in which ColorSpec keeps it: a name, "N" or "N,N,N" in decimal; nullopt
/// if it is none.
std::optional<std::string> color(std::string_view text) {
  if (std::find(kNames.begin(), kNames.end(), text) != kNames.end()) return std::string(text);
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() != 1 && parts.size() != 3) return std::nullopt;
  std::string result;
  for (const std::string_view part : parts) {
    const std::optional<unsigned> value = component(part);
    if (!value) return std::nullopt;
    result += (result.empty() ? "" : ",") + std::to_string(*value);
  }
  return result;
}

/// Sets or clears a style; returns false if there is no such style.
bool set_style(ColorSpec& spec, std::string_view style) {
  const bool on = style.substr(0, 2) != "no";
  if (!on) style.remove_prefix(2);
  if (style == "bold") {
    spec.bold = on;
  } else if (style == "intense") {
    spec.intense = on;
  } else if (style == "underline") {
    spec.underline = on;
  } else {
    return false;
  }
  return true;
}

/// The escape sequence of a colour; `base` is 30 for the foreground and 40 for the background.
/// Intense names are numbers 8 to 15 of the palette with 256 colours, as ripgrep writes them.
std::string color_sequence(const std::string& color, bool intense, unsigned base) {
  if (color.empty()) return {};
  const auto name = std::find(kNames.begin(), kNames.end(), color);
  const std::string extended = "\x1b[" + std::to_string(base + 8);
  if (name != kNames.end()) {
    const auto index = static_cast<unsigned>(name - kNames.begin());
    if (intense) return extended + ";5;" + std::to_string(8 + index) + "m";
    return "\x1b[" + std::to_string(base + index) + "m";
  }
  if (color.find(',') == color.npos) return extended + ";5;" + color + "m";
  std::string triple = color;
  std::replace(triple.begin(), triple.end(), ',', ';');
  return extended + ";2;" + triple + "m";
}

}  // namespace

/// The escape sequence of the look, which begins with a reset of what was before. The reset keeps
/// looks from adding up when one field follows another.
std::string ColorSpec::sequence() const {
  std::string text(kColorReset);
  if (bold) text += "\x1b[1m";
  if (underline) text += "\x1b[4m";
  text += color_sequence(foreground, intense, 30);
  return text + color_sequence(background, intense, 40);
}

/// Applies one --colors value, TYPE:ATTRIBUTE:VALUE or TYPE:none. Error: kInvalidArgument, with
/// what would have been right. A later value changes only the attribute that it names.
Status ScanColors::apply(std::string_view value) {
  const std::vector<std::string_view> parts = split(value, ':');
  ColorSpec* const spec = parts[0] == "path"     ? &path
                          : parts[0] == "line"   ? &line
                          : parts[0] == "column" ? &column
                          : parts[0] == "match"  ? &match
                                                 : nullptr;
  if (spec == nullptr) return refuse_color(value, "the type is path, line, column or match");
  if (parts.size() == 2 && parts[1] == "none") {
    *spec = ColorSpec();
    return {};
  }
  if (parts.size() != 3)
    return refuse_color(value, "the form is TYPE:ATTRIBUTE:VALUE or TYPE:none");
  if (parts[1] == "style") {
    if (set_style(*spec, parts[2])) return {};
    return refuse_color(value,
                        "the style is bold, intense or underline, or one with 'no' before it");
  }
  if (parts[1] != "fg" && parts[1] != "bg") {
    return refuse_color(value, "the attribute is fg, bg or style");
  }
  std::optional<std::string> chosen = color(parts[2]);
  if (!chosen) {
    return refuse_color(
        value,
        "the colour is black, red, green, yellow, blue, magenta, cyan, white, a number "
        "up to 255 or three of them with commas between");
  }
  (parts[1] == "fg" ? spec->foreground : spec->background) = std::move(*chosen);
  return {};
}

}  // namespace presso::cli
