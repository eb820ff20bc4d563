// SPDX-License-Identifier: MIT
// Runs the kernels that are generated for a pipeline (kernel_source.h) over a table in device
// memory: those of usual vectors, and then, where there are others, their decoding and the kernel
// that takes what it gives. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>
#include <memory>

#include "decompress/gpu/runtime/memory.h"
#include "query/gpu/code/kernel_compiler.h"
#include "query/gpu/code/kernel_source.h"
#include "query/gpu/table/loaded_table.h"
#include "query/gpu/table/run_space.h"

namespace presso::gpu {

struct KeyCodeTables;
struct LeafTables;

class KernelRun {
 public:
  /// Compiles the code of a pipeline for a table; nullptr: for build rows, which have no columns.
  /// `before`: shape() of the code for another part of the same table, which is used again where it
  /// suffices: most parts have vectors of the same forms, and the others are decoded, which takes
  /// less than to compile. nullptr: there is none.
  ///
  /// Errors: kUnsupported where there is no compiler, or the table has a column of several types;
  /// those of KernelCompiler and of the device.
  static Result<std::unique_ptr<KernelRun>> make(const RunSpace& space, const Pipeline& pipeline,
                                                 const LoadedTable* table, const LeafTables& leaves,
                                                 const KeyCodeTables& codes,
                                                 const QueryShape* before = nullptr);

  const QueryShape& shape() const { return shape_; }
  const std::string& source() const { return source_.text; }
  /// Enqueues the kernels; waits in between where many vectors are not usual. `pipeline`:
  /// the one that this was made for, with its places in device memory.
  Status enqueue(const Pipeline& pipeline);

 private:
  explicit KernelRun(const RunSpace& space) : space_(space) {}
  std::uint64_t values_bytes() const;
  std::uint64_t decoded_bytes(std::uint32_t vectors) const;
  std::uint32_t most_decoded() const;
  Status place_build_sides(const Pipeline& pipeline);
  Status run_others();

  const RunSpace& space_;
  QueryShape shape_;
  KernelSource source_;
  std::shared_ptr<CompiledKernels> kernels_;
  QueryArguments arguments_;
  std::uint32_t usual_blocks_ = 0;  ///< thread blocks that run at once
  std::uint32_t others_blocks_ = 0;
  DeviceMemory memory_;  ///< QueryArguments::other_count, `others`, and where usual vectors are
  DeviceMemory decoded_;
};

}  // namespace presso::gpu
