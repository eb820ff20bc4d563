// SPDX-License-Identifier: MIT
// A cubin of another NVRTC than the one that is there is as right as one of this NVRTC. So the
// version is compared only where the library is open anyway: to open it for a look would cost more
// than all else that a hit takes (7 ms against 0.02, gpu_code_tests --gtest_filter=*EachWay*).
#include "query/gpu/code/cubin_maker.h"

#include <string_view>
#include <utility>

#include "presso/checksum.h"

namespace presso::gpu {

std::uint64_t embedded_headers_sum() {
  static const std::uint64_t known = [] {
    Checksum64 sum;
    for (const EmbeddedHeader& header : embedded_headers()) {
      for (const std::string_view text :
           {std::string_view(header.name), std::string_view(header.text)}) {
        sum.add({reinterpret_cast<const Byte*>(text.data()), text.size() + 1});
      }
    }
    return sum.value();
  }();
  return known;
}

CubinMaker::CubinMaker(std::string architecture, const KernelCompilerOptions& options)
    : options_{.architecture = std::move(architecture), .more = options.more},
      cache_(!options.disk_cache      ? ""
             : options.folder.empty() ? CodeCache::folder_of_user()
                                      : options.folder) {}

Result<const NvrtcLibrary*> CubinMaker::library() {
  const std::lock_guard lock(opening_);
  if (!library_) {
    PRESSO_ASSIGN(library_, NvrtcLibrary::open());
  }
  return &*library_;
}

Result<std::vector<Byte>> CubinMaker::cubin(const std::string& source) {
  const CodeKey key{nvrtc_options(options_), embedded_headers_sum(), source};
  std::string version;
  {
    const std::lock_guard lock(opening_);
    if (library_) version = library_->version().text();
  }
  if (auto found = cache_.find(key, version)) return std::move(*found);
  PRESSO_ASSIGN(const NvrtcLibrary* const nvrtc, library());
  PRESSO_ASSIGN(std::vector<Byte> cubin, nvrtc->compile(source, options_, embedded_headers()));
  ++compiled_;
  cache_.store(key, nvrtc->version().text(), cubin);
  return cubin;
}

}  // namespace presso::gpu
