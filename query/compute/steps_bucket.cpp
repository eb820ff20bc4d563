// SPDX-License-Identifier: MIT
// bucket(): assigns rows to parts by a hash of their keys. Rows with equal keys get one part on
// every machine, because the hash (query/values/hash.h, also used by groups and joins) is of the
// values and not of how they are stored: 5 has one hash as int8, int64 and decimal(38,0). The
// number is part of the documented interface (docs/distributed.md), so the hash must not change.
// Tested by tests/unit/query/answer/query_test.cpp.
#include "query/compute/steps.h"
#include "query/values/hash.h"
#include "query/values/real_key.h"

namespace presso::query {
namespace {

/// A value that fits 64 bits has the hash of those 64 bits, whatever its form.
std::uint64_t hash_whole(Int128 value) {
  const auto low = static_cast<std::int64_t>(value);
  if (value == low) return hash_word(static_cast<std::uint64_t>(low));
  return hash_pair(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(value >> 64));
}

/// All nulls have one hash; so have 0.0 and -0.0, and all NaNs (real_key()).
std::uint64_t hash_of(const Register& from, std::uint32_t row) {
  if (from.is_null(row)) return 0;
  switch (from.physical) {
    case Physical::kBool:
      return hash_word(from.as<Byte>()[row] != 0 ? 1 : 0);
    case Physical::kInt64:
      return hash_whole(from.as<std::int64_t>()[row]);
    case Physical::kInt128:
      return hash_whole(from.as<Int128>()[row]);
    case Physical::kDouble:
      return hash_word(real_key(from.as<double>()[row]));
    case Physical::kString:
      return hash_bytes(from.as<StringRef>()[row].bytes());
  }
  return 0;
}

}  // namespace

void run_bucket_step(const StepContext& c) {
  auto* const to = c.to.make<std::int64_t>();
  const auto buckets = static_cast<std::uint32_t>(c.node.parameter);
  for (std::uint32_t i = 0; i < c.count; ++i) {
    std::uint64_t hash = kHashKey;
    for (const Register* key : c.from) hash = hash_pair(hash, hash_of(*key, i));
    to[i] = part_of(hash, buckets);
  }
  merge_failures(c);
}

}  // namespace presso::query
