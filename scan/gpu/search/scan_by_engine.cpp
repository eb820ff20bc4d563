// SPDX-License-Identifier: MIT
// Calls the functions of whichever engine a table belongs to. It is apart from engine.cpp because
// those are only there where the build has CUDA.
#include "scan/gpu/search/engine.h"

namespace presso::gpu {

std::size_t engine_temporary_bytes(const EngineView& engine, std::uint64_t text_bytes) {
  return std::visit([&](const auto& table) { return scan_temporary_bytes(table, text_bytes); },
                    engine);
}

Status scan_by_engine(const LineScan& scan, const EngineView& engine,
                      const TemporaryMemory& temporary, CUstream_st* stream) {
  return std::visit([&](const auto& table) { return scan_lines(scan, table, temporary, stream); },
                    engine);
}

}  // namespace presso::gpu
