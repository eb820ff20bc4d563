// SPDX-License-Identifier: MIT
// Implements text_sweep.h, which finds the places in a column's text where a match may be, on top
// of the probes and kernels of scan.
#include "query/strings/text_sweep.h"

#include <algorithm>
#include <utility>

#include "presso/pattern.h"
#include "scan/bytes/byte_frequency.h"

namespace presso::query {
namespace {

using scan_detail::CandidateBatch;
using scan_detail::HashProbe;
using scan_detail::Kernels;
using scan_detail::NibbleProbe;
using scan_detail::PairProbe;
using scan_detail::SequenceProbe;
using scan_detail::StrideProbe;

/// Returns pairs of the three rarest bytes of the string, the rarest pair first; one pair for a
/// string of fewer bytes.
std::vector<PairProbe> pairs_of(const std::string& string) {
  std::vector<PairProbe::Place> places;
  for (std::size_t i = 0; i < std::min(string.size(), scan_detail::kMaxReach); ++i) {
    places.push_back({static_cast<std::uint32_t>(i), 0xFF, static_cast<Byte>(string[i])});
  }
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return scan_detail::byte_probability(a.value) < scan_detail::byte_probability(b.value);
  });
  if (places.size() < 3) return {{places.front(), places.back()}};
  return {{places[0], places[1]}, {places[0], places[2]}, {places[1], places[2]}};
}

}  // namespace

std::vector<TextSweep> TextSweep::for_strings(const Clause& clause) {
  const auto is_utf8 = [](const std::string& s) { return valid_utf8_prefix(s) == s.size(); };
  const bool any_case = clause.ignore_ascii_case;
  if (any_case && !std::all_of(clause.any_of.begin(), clause.any_of.end(), is_utf8)) return {};
  if (clause.any_of.size() == 1 && !any_case) return for_string(clause.any_of[0]);

  scan_detail::LiteralPlan plan = scan_detail::plan_literals(clause.any_of, any_case);
  std::vector<TextSweep> made;
  const auto take = [&](auto& probe) {
    using Taken = std::decay_t<decltype(probe)>;
    if constexpr (std::is_constructible_v<Probe, Taken>) {
      made.push_back(TextSweep(std::make_shared<const Probe>(std::move(probe)), plan.reach));
      made.back().confirm_ = std::move(plan.confirm);
    }
  };
  std::visit(take, plan.probe);
  return made;
}

std::vector<TextSweep> TextSweep::for_string(const std::string& string) {
  std::vector<TextSweep> made;
  for (const PairProbe& pair : pairs_of(string)) {
    // The string is compared as a whole, so it must lie within the text.
    made.push_back(TextSweep(std::make_shared<const Probe>(pair), string.size() - 1));
    made.back().needle_.emplace(string);
  }
  return made;
}

TextSweep TextSweep::for_bytes(const scan_detail::PrefilterPlan& plan) {
  if (plan.pair) {
    return {std::make_shared<const Probe>(*plan.pair),
            std::max(plan.pair->first.offset, plan.pair->second.offset)};
  }
  return {std::make_shared<const Probe>(*plan.sequence), plan.sequence->reach};
}

std::size_t TextSweep::find(const Kernels& kernels, Bytes text, std::size_t from, std::size_t limit,
                            CandidateBatch& batch) const {
  from = sweep(kernels, text, from, limit, batch);
  confirm(text, batch);
  return from;
}

double TextSweep::cost(const Kernels& kernels, Bytes text) const {
  constexpr double kComparison = 0.3;  // relative to finding the row and testing it
  double cost = 0;
  CandidateBatch batch;
  for (std::size_t from = 0, end = limit(text); from < end;) {
    batch.count = 0;
    from = sweep(kernels, text, from, end, batch);
    cost += kComparison * static_cast<double>(batch.count);
    confirm(text, batch);
    cost += static_cast<double>(batch.count);
  }
  return cost;
}

std::size_t TextSweep::sweep(const Kernels& kernels, Bytes text, std::size_t from,
                             std::size_t limit, CandidateBatch& batch) const {
  if (const auto* pair = std::get_if<PairProbe>(probe_.get())) {
    return kernels.find_pairs(*pair, text.data(), from, limit, batch);
  }
  if (const auto* nibbles = std::get_if<NibbleProbe>(probe_.get())) {
    return kernels.find_nibbles(*nibbles, text.data(), from, limit, batch);
  }
  if (const auto* sequence = std::get_if<SequenceProbe>(probe_.get())) {
    return kernels.find_sequences(*sequence, text.data(), from, limit, batch);
  }
  if (const auto* strides = std::get_if<StrideProbe>(probe_.get())) {
    return find_strided(*strides, text, from, limit, batch);
  }
  return find_hashes(std::get<HashProbe>(*probe_), text, from, limit, batch);
}

void TextSweep::confirm(Bytes text, CandidateBatch& batch) const {
  if (std::holds_alternative<NibbleProbe>(*probe_)) keep_hashes(confirm_, text, batch);
  if (!needle_) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const std::size_t at = batch.at[i];
    batch.at[kept] = at;
    kept += static_cast<std::size_t>(needle_->stands_at(text, at));
  }
  batch.count = kept;
}

}  // namespace presso::query
