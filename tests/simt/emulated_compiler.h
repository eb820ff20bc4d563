// SPDX-License-Identifier: MIT
// Compiles the kernels of a query for the emulator: the build's own C++ compiler makes a shared
// library of the source, which runs through the same launches as the other kernels of tests
// (faulty_launches.h), with the build's sanitizers.
//
// A source takes 0.2 s, since the headers are compiled beforehand (tests/simt/CMakeLists.txt:
// kernel_headers); whoever edits one of them must build again before tests run. Nothing is
// optimised: tests that compile 137 sources took as long with -O1, and compiling by clang with
// sanitizers twice as long. Libraries stay in a folder of the build for later runs and for test
// programs that run at the same time. Their names hash the source, the text of all headers and the
// options; of two sources with one name the second is refused. The folder is trusted, as the build
// is, which empties it when it compiles the headers anew.
#pragma once

#include <memory>
#include <string>

#include "query/gpu/code/kernel_compiler.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::test {

/// `faults`: when compile() fails, which is then kNoDevice, and what it counts; launches count as
/// any other. `seed`: of the order in which lanes run. `cache`: the folder of libraries, which
/// is made where it is missing; empty: that of the build.
///
/// Thread-safe. kNoDevice: the build's compiler or its headers are not on this machine;
/// kInvalidArgument, so that no query goes on by the CPU instead: the compiler's first messages, or
/// the kernel that the source lacks. Kernels say that the device runs two thread blocks at once.
std::shared_ptr<gpu::KernelCompiler> make_emulated_compiler(std::shared_ptr<EmulatedFaults> faults,
                                                            std::uint32_t seed = 1,
                                                            std::string cache = {});

}  // namespace presso::test
