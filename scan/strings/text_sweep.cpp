// SPDX-License-Identifier: MIT
#include "scan/strings/text_sweep.h"

#include <algorithm>
#include <utility>

#include "presso/pattern.h"

namespace presso::query {
namespace {

using scan_detail::CandidateBatch;
using scan_detail::HashProbe;
using scan_detail::Kernels;
using scan_detail::NibbleProbe;
using scan_detail::PairProbe;
using scan_detail::SequenceProbe;
using scan_detail::StrideProbe;

}  // namespace

std::optional<TextSweep> TextSweep::for_strings(const Clause& clause) {
  const auto is_utf8 = [](const std::string& s) { return valid_utf8_prefix(s) == s.size(); };
  if (clause.ignore_ascii_case &&
      !std::all_of(clause.any_of.begin(), clause.any_of.end(), is_utf8)) {
    return std::nullopt;
  }
  scan_detail::LiteralPlan plan =
      scan_detail::plan_literals(clause.any_of, clause.ignore_ascii_case);
  std::optional<TextSweep> made;
  const auto take = [&](auto& probe) {
    using Taken = std::decay_t<decltype(probe)>;
    if constexpr (std::is_constructible_v<Probe, Taken>) {
      made = TextSweep(std::move(probe), plan.reach);
    }
  };
  std::visit(take, plan.probe);
  if (!made) return std::nullopt;
  made->confirm_ = std::move(plan.confirm);
  if (clause.any_of.size() == 1 && !clause.ignore_ascii_case)
    made->needle_.emplace(clause.any_of[0]);
  // The whole string must be inside the text to be compared.
  if (made->needle_) made->reach_ = made->needle_->size() - 1;
  return made;
}

TextSweep TextSweep::for_bytes(const scan_detail::PrefilterPlan& plan) {
  if (plan.pair) {
    return {*plan.pair, std::max(plan.pair->first.offset, plan.pair->second.offset)};
  }
  return {*plan.sequence, plan.sequence->reach};
}

std::size_t TextSweep::find(const Kernels& kernels, Bytes text, std::size_t from, std::size_t limit,
                            CandidateBatch& batch) const {
  if (const auto* pair = std::get_if<PairProbe>(&probe_)) {
    from = kernels.find_pairs(*pair, text.data(), from, limit, batch);
    if (needle_) keep_certain(text, batch);
  } else if (const auto* nibbles = std::get_if<NibbleProbe>(&probe_)) {
    from = kernels.find_nibbles(*nibbles, text.data(), from, limit, batch);
    keep_hashes(confirm_, text, batch);
  } else if (const auto* sequence = std::get_if<SequenceProbe>(&probe_)) {
    from = kernels.find_sequences(*sequence, text.data(), from, limit, batch);
  } else if (const auto* strides = std::get_if<StrideProbe>(&probe_)) {
    from = find_strided(*strides, text, from, limit, batch);
  } else {
    from = find_hashes(std::get<HashProbe>(probe_), text, from, limit, batch);
  }
  return from;
}

void TextSweep::keep_certain(Bytes text, CandidateBatch& batch) const {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const std::size_t at = batch.at[i];
    batch.at[kept] = at;
    kept += static_cast<std::size_t>(needle_->stands_at(text, at));
  }
  batch.count = kept;
}

}  // namespace presso::query
