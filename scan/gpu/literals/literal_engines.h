// SPDX-License-Identifier: MIT
// Counting and marking the lines of a text in device memory that hold one of some literals: three
// engines, which find the same and differ in what they are fast for (figures: NOTES.md).
//
//   LiteralTableView      one to eight literals. 4 TB/s for one that is rare; 0.8 to 1.3 where most
//                         steps of 2 KiB hold something like it
//   PlaneTableView        up to eight bytes of literals together: 3.9 TB/s for one byte, 2.4 for
//                         eight, whatever the text
//   ManyLiteralTableView  any number: 1.3 to 3.5 TB/s, the longer the faster; much slower where
//                         most of the text is hits
//
// Calls and errors are those of scan_lines() for an automaton (scan/gpu/lines/line_scan.h).
#pragma once

#include "scan/gpu/lines/line_scan.h"
#include "scan/gpu/literals/literal_table.h"
#include "scan/gpu/literals/many_literal_table.h"
#include "scan/gpu/literals/plane_table.h"

namespace presso::gpu {

/// The device memory that scan_lines() needs with such a table for texts of up to that length, in
/// bytes: one for each tile, and one more.
std::size_t scan_temporary_bytes(const LiteralTableView& table, std::uint64_t text_bytes);
std::size_t scan_temporary_bytes(const PlaneTableView& table, std::uint64_t text_bytes);
std::size_t scan_temporary_bytes(const ManyLiteralTableView& table, std::uint64_t text_bytes);

/// Searches for few literals. `table`: from lay_out_literals(), with d_image set.
Status scan_lines(const LineScan& scan, const LiteralTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream);
/// Searches for short literals. `table`: from lay_out_planes(); it needs no image.
Status scan_lines(const LineScan& scan, const PlaneTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream);
/// Searches for many literals. `table`: from lay_out_many_literals(), with d_image set.
Status scan_lines(const LineScan& scan, const ManyLiteralTableView& table,
                  const TemporaryMemory& temporary, CUstream_st* stream);

}  // namespace presso::gpu
