// SPDX-License-Identifier: MIT
#include "lab/programs/decompress_gpu/device_batch.h"

namespace presso::gpu::bench {

using harness::as;

constexpr int kPoison = 0xA5;
constexpr std::uint64_t kPlainAlignment = 256;

Status DeviceBatch::place_dictionaries(const BlockFile& file) {
  std::vector<DictionarySpan> table(kMaxDictionaries + 1);
  for (std::size_t id = 1; id < table.size(); ++id) {
    const auto& dictionary = file.dictionaries[id];
    if (dictionary == nullptr || dictionary->content().empty()) continue;
    const Bytes content = dictionary->content();
    PRESSO_ASSIGN(DeviceMemory copy, gpu_.allocate(content.size()));
    PRESSO_TRY(gpu_.copy_in(copy.get(), content.data(), content.size()));
    table[id] = {copy.get(), static_cast<std::uint32_t>(content.size())};
    dictionaries_.push_back(std::move(copy));
  }
  PRESSO_ASSIGN(dictionary_table_, gpu_.copy_of(table));
  return {};
}

Status DeviceBatch::replicate(const BlockFile& file, std::uint64_t replicas) {
  const std::uint64_t stored_bytes = file.stored.size();
  PRESSO_ASSIGN(stored_, gpu_.allocate(stored_bytes * replicas));
  PRESSO_TRY(gpu_.copy_in(stored_.get(), file.stored.data(), stored_bytes));
  for (std::uint64_t i = 0; i < replicas; ++i) {
    for (BlockSpan span : file.spans) {
      span.stored_offset += i * stored_bytes;
      span.plain_offset += i * period_;
      spans_.push_back(span);
    }
  }
  return gpu_.repeat(stored_.get(), stored_bytes, stored_bytes * replicas);
}

Status DeviceBatch::place(const BlockFile& file, std::uint64_t plain_bytes) {
  period_ = round_up(file.plain.size(), kPlainAlignment);
  const std::uint64_t fitting = (plain_bytes + file.plain.size() - 1) / file.plain.size();
  const std::uint64_t replicas = std::max<std::uint64_t>(fitting, 1);
  PRESSO_TRY(place_dictionaries(file));
  PRESSO_TRY(replicate(file, replicas));
  PRESSO_ASSIGN(plain_, gpu_.allocate(period_ * replicas));
  PRESSO_ASSIGN(found_, gpu_.pinned(period_ * replicas));
  expected_ = file.plain;
  PRESSO_ASSIGN(spans_memory_, gpu_.copy_of(spans_));
  PRESSO_ASSIGN(statuses_, gpu_.allocate(spans_.size() * sizeof(std::uint32_t)));
  return {};
}

Status DeviceBatch::prepare(const Setting& setting) {
  setting_ = setting;
  setting_bytes_ = 0;
  arguments_ = {};
  for (std::uint32_t block = 0; block < setting.blocks; ++block) {
    const std::uint32_t bytes = spans_[block].plain_bytes;
    setting_bytes_ += bytes;
    arguments_.largest_plain_bytes = std::max(arguments_.largest_plain_bytes, bytes);
  }
  arguments_.temporary_bytes =
      setting.variant
          ? lab::temporary_bytes(*setting.variant, setting.blocks, setting_bytes_, setting.options)
          : temporary_bytes(setting.blocks, setting_bytes_, setting.options);
  temporary_.reset();
  PRESSO_ASSIGN(temporary_, gpu_.allocate(arguments_.temporary_bytes));
  arguments_.d_stored = stored_.get();
  arguments_.d_plain = plain_.get();
  arguments_.d_spans = as<const BlockSpan>(spans_memory_);
  arguments_.blocks = setting.blocks;
  arguments_.d_dictionaries = as<const DictionarySpan>(dictionary_table_);
  arguments_.d_status = as<std::uint32_t>(statuses_);
  arguments_.d_temporary = temporary_.get();
  return {};
}

Result<bool> DeviceBatch::left_correct_bytes() {
  const std::uint64_t end =
      spans_[setting_.blocks - 1].plain_offset + spans_[setting_.blocks - 1].plain_bytes;
  PRESSO_TRY(gpu_.copy_out(found_.get(), plain_.get(), end));
  PRESSO_ASSIGN(const auto statuses, gpu_.values<std::uint32_t>(statuses_.get(), setting_.blocks));
  for (std::uint32_t block = 0; block < setting_.blocks; ++block) {
    const BlockSpan& span = spans_[block];
    const Byte* const found = found_.get() + span.plain_offset;
    const auto expected =
        expected_.begin() + static_cast<std::ptrdiff_t>(span.plain_offset % period_);
    if (statuses[block] != static_cast<std::uint32_t>(ErrorCode::kOk)) return false;
    if (!std::equal(found, found + span.plain_bytes, expected)) return false;
  }
  return true;
}

Result<bool> DeviceBatch::is_correct() {
  for (const DeviceMemory* memory : {&plain_, &statuses_}) {
    PRESSO_TRY(gpu_.fill(memory->get(), kPoison, memory->bytes()));
  }
  PRESSO_TRY(decode());
  return left_correct_bytes();
}

Status DeviceBatch::decode() {
  if (!setting_.variant) return decode_batch(arguments_, setting_.options, gpu_.stream());
  return lab::decode_batch(*setting_.variant, arguments_, setting_bytes_, setting_.options,
                           gpu_.stream());
}

}  // namespace presso::gpu::bench
