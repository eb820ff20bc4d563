// SPDX-License-Identifier: MIT
// Checks the columns of a DeviceJoiner's request and makes them fit for the kernels, which want one
// key column for each side. Several columns are packed into one by the ranges of their build keys;
// columns whose ranges take more than 64 bits together are numbered first (key_packing.cuh). Memory
// that is misaligned for kernels is copied. Tested by tests/simt/device_joiner_keys_test.cpp.
#pragma once

#include <vector>

#include "query/gpu/join/join_scratch.h"

namespace presso::gpu {

/// Properties of a key type.
struct KeyTypeFacts {
  const char* name;
  std::uint32_t bytes;  ///< 4 or 8; 0 for an unknown type
  bool is_signed;
};
KeyTypeFacts facts_of(JoinKeyType type);

/// kInvalidArgument if the request contradicts itself, or memory is missing or misaligned.
Status check_request(const JoinRequest& request);

/// A column of both sides; both use the range of the build keys.
struct KeyPartPair {
  KeyPart build;
  KeyPart probe;
};

/// Prepares one request. What it makes is kept by the scratch.
class KeyColumns {
 public:
  /// The request must have been checked, and `scratch` must have begun.
  KeyColumns(const JoinRequest& request, JoinScratch& scratch)
      : request_(request), scratch_(scratch) {}

  /// Returns the input of a plan. Enqueues what makes its columns, and waits where ranges are
  /// looked for. Errors: kUnsupported (keys that do not fit together and are to be merged, or have
  /// too many build rows), and those of the scratch and of launches.
  Result<JoinInput> input();

 private:
  using Parts = std::vector<KeyPartPair>;
  struct Sides {
    JoinRows build;
    JoinRows probe;
  };

  // Single steps. await() makes the stream wait for the columns' events; bits_of() returns a bitmap
  // in whole words, copied if necessary.
  Status await(const JoinSide& side);
  JoinInput plain_input() const;
  Result<const std::uint32_t*> bits_of(const void* d_bits, std::uint64_t first, std::uint64_t rows);
  /// A side without its keys.
  Result<JoinRows> selected_rows(const JoinSide& side);
  /// Adds one column's keys and validity to a side.
  Status add_keys(const JoinColumn& column, JoinRows& rows);
  /// Finds the ranges of build columns, and waits. If no row takes part the range is a single
  /// place.
  Result<std::vector<JoinKeyRange>> find_ranges(const std::vector<KeyColumn>& columns);

  Status make_one(JoinInput& input);
  Status make_several(JoinInput& input);
  Result<Parts> parts_of(const JoinInput& input);
  Result<KeyPart> part_of(const JoinColumn& column);
  /// Returns as many columns or fewer, whose keys fit into 64 bits together.
  Result<Parts> fitting(const Parts& columns, JoinInput& input);
  /// Replaces columns by one of numbers.
  Result<KeyPartPair> number(const Parts& parts, const JoinInput& input);
  Result<NumberedSide> numbered_side(const JoinRows& rows);
  /// Packs both sides' columns, which fit, into one with keys of `key_bytes`.
  Result<Sides> pack(const Parts& parts, std::uint32_t key_bytes, const JoinInput& input);
  Result<JoinRows> pack_side(PackedKeys& keys, const JoinRows& rows);

  const JoinRequest& request_;
  JoinScratch& scratch_;
};

}  // namespace presso::gpu
