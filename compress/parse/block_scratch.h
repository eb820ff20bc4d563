// SPDX-License-Identifier: MIT
// What the fast, table and row parsers need for a block besides their tables: room for the most
// sequences that a block can have, so that they write without checks, and the tracker of the
// dependency rule (dependency.h). Each parser has one and keeps it from block to block.
#pragma once

#include <utility>

#include "compress/parse/dependency.h"
#include "compress/parse/parser.h"

namespace presso {

/// The sequences and the tracker of one parser.
class BlockScratch {
 public:
  explicit BlockScratch(const ParserParameters& parameters)
      : parameters_(parameters), tracker_(parameters.rule, parameters.group) {}

  /// Replaces `sequences` by what parse(tracker, out) writes from `out` on; it returns the end.
  /// Without a rule the tracker is a NoTracker, a value, so that the rule costs nothing;
  /// otherwise it is a DependencyTracker&.
  template <class Parse>
  void collect(std::size_t plain_bytes, Sequences& sequences, Parse&& parse) {
    found_.resize(plain_bytes / parameters_.min_match +
                  plain_bytes / literal_run_limit(parameters_.rule) + 1);
    Sequence* const out = found_.data();
    sequences.assign(out, begin_and_parse(plain_bytes, out, parse));
  }

 private:
  template <class Parse>
  Sequence* begin_and_parse(std::size_t plain_bytes, Sequence* out, Parse& parse) {
    if (parameters_.rule == DependencyRule::kNone) return parse(NoTracker(), out);
    tracker_.begin_block(plain_bytes);
    return parse(tracker_, out);
  }

  const ParserParameters parameters_;
  DependencyTracker tracker_;
  Sequences found_;
};

}  // namespace presso
