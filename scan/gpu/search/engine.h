// SPDX-License-Identifier: MIT
// Chooses which engine searches for a pattern on a GPU, and makes its tables. Host code; the
// engines' kernels are in scan/gpu/lines (automata) and scan/gpu/literals. Test:
// tests/unit/scan/gpu/engine_choice_test.cpp.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "presso/text_gpu.h"
#include "scan/gpu/lines/line_scan.h"
#include "scan/gpu/literals/literal_engines.h"
#include "scan/matching/matcher.h"

namespace presso::gpu {

/// The tables of one engine, as its kernels know them.
using EngineView =
    std::variant<LineTableView, LiteralTableView, PlaneTableView, ManyLiteralTableView>;

/// A pattern's engine, with its tables in host memory. The owner copies `image` to the device once
/// and then passes placed() to the kernels.
struct EngineTable {
  std::vector<Byte> image;  ///< for device memory; may be empty
  EngineView view;          ///< without the image's place
  /// Whether the lines that it finds match. If false, they only may match, and the CPU looks at
  /// them; all other lines do not match in either case.
  bool exact = true;

  /// The view of an image that lies at `d_image`.
  EngineView placed(const Byte* d_image) const;
  TextEngine engine() const;
  std::string describe() const;
};

/// Chooses by the pattern alone, as the text is not known yet; engine.cpp lists what decides.
/// Error: kUnsupported, saying why no engine, or not the one that is `wanted`, can search.
Result<EngineTable> choose_engine(const scan_detail::Matcher& matcher,
                                  TextEngine wanted = TextEngine::kAuto);

/// These call scan_temporary_bytes() and scan_lines() of the engine that the view belongs to.
std::size_t engine_temporary_bytes(const EngineView& engine, std::uint64_t text_bytes);
Status scan_by_engine(const LineScan& scan, const EngineView& engine,
                      const TemporaryMemory& temporary, CUstream_st* stream);

}  // namespace presso::gpu
