// SPDX-License-Identifier: MIT
// Finds places in the text of a whole column at which something stands that every match has: the
// strings of a clause, by the probes for fixed strings (scan/literal/literal_plan.h), or bytes at
// fixed distances, by those of regular expressions (scan/regex/prefilter.h). A place lies within
// the match. Costs a sweep of the vector kernels, 10 to 40 GB/s, and some nanoseconds for each
// place. Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "query/strings/needle.h"
#include "scan/bytes/kernels.h"
#include "scan/literal/literal_plan.h"
#include "scan/regex/prefilter.h"

namespace presso::query {

/// One sweep. Immutable, cheap to move.
class TextSweep {
 public:
  using Clause = scan_detail::RequiredLiterals::Clause;

  /// Returns sweeps for one clause, any of whose strings may stand in a match. For a single string
  /// with exact case there are several, by different pairs of its bytes, since texts differ in
  /// which is rare; otherwise one. None if the strings cannot be swept for (case ignored in text
  /// that is not UTF-8).
  static std::vector<TextSweep> for_strings(const Clause& clause);
  /// For the plan's pair or sequence of sets of bytes, one of which exists.
  static TextSweep for_bytes(const scan_detail::PrefilterPlan& plan);

  /// Returns the end of the places at which something can be found.
  std::size_t limit(Bytes text) const { return text.size() > reach_ ? text.size() - reach_ : 0; }
  /// Fills an empty batch with places in [from, limit) and returns where to continue; `limit` when
  /// all is swept. A place may be a false hit, except for a single string with exact case.
  std::size_t find(const scan_detail::Kernels& kernels, Bytes text, std::size_t from,
                   std::size_t limit, scan_detail::CandidateBatch& batch) const;
  /// Returns what sweeping `text` would cost besides the sweep itself, in units of a tested place.
  double cost(const scan_detail::Kernels& kernels, Bytes text) const;

 private:
  using Probe =
      std::variant<scan_detail::PairProbe, scan_detail::NibbleProbe, scan_detail::HashProbe,
                   scan_detail::StrideProbe, scan_detail::SequenceProbe>;
  static std::vector<TextSweep> for_string(const std::string& string);
  TextSweep(std::shared_ptr<const Probe> probe, std::size_t reach)
      : probe_(std::move(probe)), reach_(reach) {}
  std::size_t sweep(const scan_detail::Kernels& kernels, Bytes text, std::size_t from,
                    std::size_t limit, scan_detail::CandidateBatch& batch) const;
  /// Removes false hits as far as that is cheap.
  void confirm(Bytes text, scan_detail::CandidateBatch& batch) const;

  std::shared_ptr<const Probe> probe_;  ///< shared, so that a sweep is cheap to move
  scan_detail::HashProbe confirm_;      ///< used with NibbleProbe
  std::size_t reach_;
  std::optional<Needle> needle_;
};

}  // namespace presso::query
