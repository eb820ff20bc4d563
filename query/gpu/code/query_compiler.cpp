// SPDX-License-Identifier: MIT
// Looks at what cuda_compiler.cu would use, in the same way, and compiles nothing.
#include "presso/query_compiler.h"

#include "query/gpu/code/code_cache.h"
#include "query/gpu/code/nvrtc_library.h"

namespace presso::gpu {

QueryCompilerInfo query_compiler_info() {
  QueryCompilerInfo info;
  const auto nvrtc = NvrtcLibrary::open();
  if (nvrtc.ok()) {
    info.version = nvrtc->version().text();
    info.library = nvrtc->place();
  } else {
    info.why_no_library = nvrtc.error().what;
  }
  info.cache_folder = CodeCache::folder_of_user();
  const CodeCache::Use use = CodeCache(info.cache_folder).use();
  info.why_no_cache = use.why_not;
  info.cache_files = use.entries;
  info.cache_bytes = use.bytes;
  info.most_cache_bytes = CodeCache::kMostBytes;
  return info;
}

}  // namespace presso::gpu
