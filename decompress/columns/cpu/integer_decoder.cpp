// SPDX-License-Identifier: MIT
// decode_integers(): checks each vector once, then hands it to the loop of the CPU level, which
// cannot fail. Bounds are never looked at in a loop over values. Tested by
// tests/unit/decompress/columns, against the reference decoder.
#include "decompress/columns/cpu/integer_decoder.h"

#include "decompress/columns/cpu/integer_vector.h"
#include "format/cpu_loops.h"

namespace presso {
namespace {

/// Copies the fields that the loop needs into a plain struct.
IntegerVectorJob make_job(const IntegerParameters& parameters, const IntegerVector& vector,
                          Byte* out) {
  IntegerVectorJob job;
  job.words = vector.words;
  job.out = out;
  job.base = vector.entry.base;
  job.divisor = parameters.divisor;
  job.rows = vector.rows;
  job.runs = vector.runs;
  job.exceptions_at = exceptions_at(vector.entry, vector.rows);
  job.kind = vector.entry.kind;
  job.width = vector.entry.width;
  job.width2 = vector.entry.width2;
  job.exceptions = vector.entry.exceptions;
  job.width_bytes = parameters.width_bytes;
  return job;
}

}  // namespace

// Vectors are checked in order, so the fault of the first faulty one is reported.
ErrorCode find_integer_vector(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t vector, IntegerVector& found) {
  // Checks before the entry is read: the directory must be there in full.
  const std::uint64_t directory = std::uint64_t{vectors_of(parameters.rows)} * kVectorEntryBytes;
  if (payload.size() % 4 != 0 || payload.size() < directory) return ErrorCode::kBadPayloadSize;
  const std::uint64_t payload_words = (payload.size() - directory) / 4;
  const VectorEntry entry = load_vector_entry(payload.data() + vector * kVectorEntryBytes);
  const bool is_inside = entry.word_offset <= payload_words;
  const Byte* const words =
      payload.data() + directory + (is_inside ? 4 * std::uint64_t{entry.word_offset} : 0);
  const std::uint32_t rows = vector_rows(parameters.rows, vector);
  const VectorCheck check = check_vector(
      parameters, entry, rows,
      [&](std::uint32_t at) { return load<std::uint32_t>(words + 4 * at); },
      is_inside ? payload_words - entry.word_offset : 0);
  found = {entry, words, rows, check.runs};
  return check.code;
}

// Names the vector, since the byte offset of a block says little about it.
Error integer_vector_error(ErrorCode code, std::uint32_t vector) {
  return make_error(code, "vector " + std::to_string(vector));
}

// For scans, which find vectors themselves and decode them one at a time.
void decode_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           Byte* into, CpuLevel level) {
  loops_for<IntegerVectorLoops>(level).decode(make_job(parameters, vector, into));
}

/// Lets a scan decode only the vectors in which it has found rows.
Status decode_integer_vectors(const IntegerParameters& parameters, Bytes payload,
                              std::uint32_t first_vector, std::uint32_t vectors, MutableBytes into,
                              CpuLevel level) {
  if (!is_valid(parameters)) return make_error(ErrorCode::kBadHeader, "integer parameters");
  const std::uint32_t all = vectors_of(parameters.rows);
  if (first_vector > all || vectors > all - first_vector) {
    return make_error(ErrorCode::kInvalidArgument, "vectors that the block does not have");
  }
  // Only the block's last vector may be short.
  const std::uint32_t end_row =
      first_vector + vectors == all ? parameters.rows : (first_vector + vectors) * kVectorRows;
  const std::uint32_t rows = vectors == 0 ? 0 : end_row - first_vector * kVectorRows;
  if (into.size() != values_bytes(rows, parameters.width_bytes)) {
    return make_error(ErrorCode::kInvalidArgument, "size of the integers' buffer");
  }
  const std::uint64_t directory = std::uint64_t{all} * kVectorEntryBytes;
  if (payload.size() % 4 != 0 || payload.size() < directory) {
    return make_error(ErrorCode::kBadPayloadSize);
  }
  const auto decode = loops_for<IntegerVectorLoops>(level).decode;
  for (std::uint32_t i = 0; i < vectors; ++i) {
    IntegerVector vector;
    const ErrorCode code = find_integer_vector(parameters, payload, first_vector + i, vector);
    if (code != ErrorCode::kOk) return integer_vector_error(code, first_vector + i);
    Byte* const out = into.data() + values_bytes(i * kVectorRows, parameters.width_bytes);
    decode(make_job(parameters, vector, out));
  }
  return {};
}

// Parameters are checked before vectors_of(), whose result would mean nothing otherwise.
Status decode_integers(const IntegerParameters& parameters, Bytes payload, MutableBytes into,
                       CpuLevel level) {
  if (!is_valid(parameters)) return make_error(ErrorCode::kBadHeader, "integer parameters");
  return decode_integer_vectors(parameters, payload, 0, vectors_of(parameters.rows), into, level);
}

}  // namespace presso
