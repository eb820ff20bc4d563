// SPDX-License-Identifier: MIT
// Implements numbered_text_rows.h. Errors: those of DecodedText, such as too little device memory.
#include "query/gpu/table/numbered_text_rows.h"

namespace presso::gpu {

Status NumberedTextRows::prepare() {
  std::vector<StoredText> groups;
  for (const LoadedStrings& strings : table_.strings()) {
    if (!strings.has_bytes) continue;
    const LoadedGroup& group = table_.groups()[strings.group];
    groups.push_back({&strings, group.reader.get(), column_, to_.rows + group.first_row});
  }
  return text_.prepare(groups);
}

Status NumberedTextRows::enqueue(const StringIndex& index) const {
  for (const DecodedText::Batch& batch : text_.batches()) {
    PRESSO_TRY(text_.decode(batch));
    NumberBatch rows = batch.rows();
    rows.index = index;
    rows.numbers = to_.rows;
    rows.none = to_.none;
    rows.adds = to_.adds;
    PRESSO_TRY(space_.strings.number_rows(rows, false, space_.stream));
  }
  return {};
}

}  // namespace presso::gpu
