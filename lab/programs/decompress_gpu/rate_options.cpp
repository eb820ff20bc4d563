// SPDX-License-Identifier: MIT
#include "lab/programs/decompress_gpu/rate_options.h"

#include <algorithm>

#include "corpora/parse_size.h"

namespace presso::gpu::bench {
namespace {

using corpora::parse_number;
using corpora::parse_size;

/// Calls `take` with each part of "a,b,c" until it refuses one.
template <class Take>
bool each_of_list(std::string_view list, Take&& take) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (!take(list.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

bool set_strategies(RateOptions& options, std::string_view list) {
  options.strategies.clear();
  return each_of_list(list, [&](std::string_view name) {
    const auto* const found = std::find_if(std::begin(kStrategyNames), std::end(kStrategyNames),
                                           [&](const auto& entry) { return entry.name == name; });
    if (found == std::end(kStrategyNames)) return false;
    options.strategies.push_back(*found);
    return true;
  });
}

bool set_verify(RateOptions& options, std::string_view list) {
  options.verify.clear();
  return each_of_list(list, [&](std::string_view word) {
    options.verify.push_back(word == "on");
    return word == "on" || word == "off";
  });
}

bool set_blocks(RateOptions& options, std::string_view list) {
  options.blocks.clear();
  return each_of_list(list, [&](std::string_view text) {
    const auto count = parse_number(text);
    if (!count || *count > UINT32_MAX) return false;
    options.blocks.push_back(static_cast<std::uint32_t>(*count));
    return true;
  });
}

bool set_bytes(RateOptions& options, std::string_view text) {
  const auto bytes = parse_size(text);
  options.bytes = bytes.value_or(0);
  return options.bytes > 0;
}

bool set_runs(RateOptions& options, std::string_view text) {
  const auto runs = parse_number(text);
  if (!runs || *runs < 1 || *runs > 100000) return false;
  options.runs = static_cast<int>(*runs);
  return true;
}

bool set_option(RateOptions& options, std::string_view name, const std::string& value) {
  if (name == "--strategies") return set_strategies(options, value);
  if (name == "--verify") return set_verify(options, value);
  if (name == "--bytes") return set_bytes(options, value);
  if (name == "--blocks") return set_blocks(options, value);
  if (name == "--runs") return set_runs(options, value);
  if (name == "--csv") return options.csv = value, !value.empty();
  // A cell of the CSV.
  if (name == "--commit") {
    return options.commit = value, value.find_first_of(",\"\n") == std::string::npos;
  }
  return false;
}

}  // namespace

std::optional<RateOptions> parse_rate_options(const std::vector<std::string>& arguments,
                                              std::string& complaint) {
  RateOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--nested") {
      options.nested = true;
    } else if (!word.starts_with("--")) {
      options.files.push_back(word);
    } else if (i + 1 == arguments.size() || !set_option(options, word, arguments[++i])) {
      complaint = "cannot use " + word + (i < arguments.size() ? " " + arguments[i] : "");
      return std::nullopt;
    }
  }
  if (options.files.empty() != options.nested) {
    complaint = "either files or --nested";
    return std::nullopt;
  }
  if (options.strategies.empty()) {
    set_strategies(options,
                   options.nested ? "mrr,sc,de,auto" : "auto,sc,mrr,mrr-multikernel,de,fused");
  }
  return options;
}

}  // namespace presso::gpu::bench
