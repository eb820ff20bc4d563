// SPDX-License-Identifier: MIT
// Counts the texts between keys and values, one row after another.
#include "compress/table/text/json_spacing.h"

#include <algorithm>

#include "compress/table/text/text_checks.h"
#include "format/columns/schema.h"

namespace presso {

void TextVotes::add(std::string_view text) {
  if (text != last_text_) {
    if (text.size() > kMaxJsonSpacing) return;
    add(last_text_, last_votes_);
    last_text_ = text;
    last_votes_ = 0;
  }
  ++last_votes_;
}

void TextVotes::add(std::string_view text, std::uint64_t votes) {
  if (votes == 0 || counts_.size() > kMostTexts) return;
  auto found = counts_.find(text);
  if (found == counts_.end()) found = counts_.emplace(text, 0).first;
  found->second += votes;
}

void TextVotes::merge(const TextVotes& later) {
  for (const auto& [text, votes] : later.counts_) add(text, votes);
  add(later.last_text_, later.last_votes_);
}

std::string TextVotes::winner(const std::string& otherwise) const {
  TextVotes all = *this;
  all.add(last_text_, last_votes_);
  if (all.counts_.empty() || all.counts_.size() > kMostTexts) return otherwise;
  const auto most = std::max_element(
      all.counts_.begin(), all.counts_.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return most->first;
}

void JsonSpacingVotes::add(const JsonBatch& batch, Bytes text, std::size_t row) {
  const JsonMember* const first = &batch.members[batch.first_member[row]];
  const JsonMember* const last = &batch.members[batch.first_member[row + 1]] - 1;
  const auto between = [&](std::size_t begin, std::size_t end) {
    return text_of(text.subspan(begin, end - begin));
  };
  // Quotes are part of strings and keys here.
  const auto quotes = [](const JsonMember& member) {
    return member.kind == JsonKind::kString ? 1u : 0u;
  };
  const auto end_of = [&](const JsonMember& member) {
    return member.begin + member.length + quotes(member);
  };
  const std::size_t object = batch.object[row];
  const std::size_t close = text_of(text).find('}', end_of(*last));
  const std::size_t key_end = first->key_begin + first->key_length + 1;
  parts_[0].add(between(batch.begin[row], object));
  parts_[1].add(between(object + 1, first->key_begin - 1));
  parts_[2].add(between(key_end, first->begin - quotes(*first)));
  if (first != last) parts_[3].add(between(end_of(*first), first[1].key_begin - 1));
  parts_[4].add(between(end_of(*last), close));
  parts_[5].add(between(close + 1, batch.begin[row + 1]));
}

void JsonSpacingVotes::merge(const JsonSpacingVotes& later) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].merge(later.parts_[i]);
}

JsonSpacing JsonSpacingVotes::winner() const {
  JsonSpacing spacing;
  spacing.before = parts_[0].winner({});
  spacing.open = parts_[1].winner({});
  spacing.colon = parts_[2].winner(":");
  spacing.between = parts_[3].winner(spacing.colon == ":" ? "," : ", ");
  spacing.close = parts_[4].winner({});
  spacing.after = parts_[5].winner("\n");
  return spacing;
}

}  // namespace presso
