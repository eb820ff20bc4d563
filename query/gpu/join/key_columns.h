// SPDX-License-Identifier: MIT
// The columns of a DeviceJoiner's request, checked and made fit for the kernels: one column of keys
// a side. Several are packed into one by the ranges of their build keys; what takes more than 64
// bits is numbered before (key_packing.cuh).
#pragma once

#include <vector>

#include "query/gpu/join/join_scratch.h"

namespace presso::gpu {

struct KeyTypeFacts {
  const char* name;
  std::uint32_t bytes;  ///< 4 or 8; 0: there is no such type
  bool is_signed;
};
KeyTypeFacts facts_of(JoinKeyType type);

/// kInvalidArgument: what is asked for contradicts itself, or memory is missing or misaligned.
Status check_request(const JoinRequest& request);

/// A column of both sides, with the same range.
struct KeyPartPair {
  KeyPart build;
  KeyPart probe;
};

class KeyColumns {
 public:
  /// Of a request that has been checked. `scratch` has begun, and keeps what is made here.
  KeyColumns(const JoinRequest& request, JoinScratch& scratch)
      : request_(request), scratch_(scratch) {}

  /// What a plan is made of; enqueues what makes its columns, and waits where ranges are looked
  /// for. Errors: kUnsupported (keys that do not fit together and are to be merged, or have too
  /// many build rows), and those of the scratch and of launches.
  Result<JoinInput> input();

 private:
  using Parts = std::vector<KeyPartPair>;
  struct Sides {
    JoinRows build;
    JoinRows probe;
  };

  Status await(const JoinSide& side);
  JoinInput plain_input() const;
  Result<const std::uint32_t*> bits_of(const void* d_bits, std::uint64_t first, std::uint64_t rows);
  Result<JoinRows> selected_rows(const JoinSide& side);  ///< without keys
  Status add_keys(const JoinColumn& column, JoinRows& rows);
  /// One place where no row takes part. Waits.
  Result<std::vector<JoinKeyRange>> find_ranges(const std::vector<KeyColumn>& columns);

  Status make_one(JoinInput& input);
  Status make_several(JoinInput& input);
  Result<Parts> parts_of(const JoinInput& input);
  Result<KeyPart> part_of(const JoinColumn& column);
  /// As many columns or fewer, whose keys fit into 64 bits together.
  Result<Parts> fitting(const Parts& columns, JoinInput& input);
  Result<KeyPartPair> number(const Parts& parts, const JoinInput& input);
  Result<NumberedSide> numbered_side(const JoinRows& rows);
  /// Both sides' columns, which fit, as one of keys of `key_bytes`.
  Result<Sides> pack(const Parts& parts, std::uint32_t key_bytes, const JoinInput& input);
  Result<JoinRows> pack_side(PackedKeys& keys, const JoinRows& rows);

  const JoinRequest& request_;
  JoinScratch& scratch_;
};

}  // namespace presso::gpu
