// SPDX-License-Identifier: MIT
// The backend of batch_suite.cpp in the emulator: the steps of decode_batch with the kernels'
// bodies, on memory of exactly the size that the interface asks for. A class derived from it
// decodes by variants of the decoders.
#pragma once

#include <memory>

#include "tests/simt/batch_backend.h"
#include "tests/simt/emulated_launcher.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {

class EmulatedBatches : public BatchBackend {
 public:
  std::string unavailable() const override { return {}; }
  std::uint32_t scale() const override { return 1; }
  std::uint32_t few_blocks() const override { return kFewBlocks; }
  bool reports_races() const override { return false; }

  Result<BatchOutcome> decode(const BatchCase& batch, const BatchLayout& layout,
                              const BatchRun& run) override {
    const auto blocks = static_cast<std::uint32_t>(layout.spans.size());
    const presso::test::PlacedBytes stored(Bytes(layout.stored), 0);
    presso::test::PlacedBytes plain(std::vector<Byte>(layout.plain_bytes, BatchLayout::kPoison), 0);
    presso::test::PlacedBytes temporary(temporary_bytes(run, blocks, batch.plain_bytes()), 0);
    std::vector<std::uint32_t> statuses(blocks, 0xDEADBEEF);
    std::vector<std::unique_ptr<presso::test::PlacedBytes>> contents;
    const std::vector<DictionarySpan> dictionaries = place(batch.dictionaries, contents);

    BatchArguments arguments;
    arguments.d_stored = stored.data();
    arguments.d_plain = plain.data();
    arguments.d_spans = layout.spans.data();
    arguments.blocks = blocks;
    arguments.largest_plain_bytes = batch.largest_plain_bytes();
    arguments.d_dictionaries = dictionaries.data();
    arguments.d_status = statuses.data();
    arguments.d_temporary = temporary.data();
    arguments.temporary_bytes = temporary.size();
    PRESSO_TRY(enqueue(arguments, batch.plain_bytes(), run));
    return BatchOutcome{std::move(statuses), {plain.data(), plain.data() + plain.size()}, true};
  }

 protected:
  /// Decodes the batch, which holds `plain_bytes`, as `run` says.
  virtual Status enqueue(const BatchArguments& arguments, std::uint64_t /*plain_bytes*/,
                         const BatchRun& run) {
    EmulatedLauncher launcher(run.seed);
    return enqueue_batch(arguments, run.options, launcher);
  }

 private:
  static std::vector<DictionarySpan> place(
      const Dictionaries& dictionaries,
      std::vector<std::unique_ptr<presso::test::PlacedBytes>>& contents) {
    std::vector<DictionarySpan> spans(kMaxDictionaries + 1);
    for (const auto& [id, dictionary] : dictionaries) {
      contents.push_back(
          std::make_unique<presso::test::PlacedBytes>(dictionary->content(), id % 16));
      spans[id] = {contents.back()->data(), static_cast<std::uint32_t>(contents.back()->size())};
    }
    return spans;
  }
};

}  // namespace presso::gpu::test
