// SPDX-License-Identifier: MIT
// Looks at what cuda_compiler.cu would use, in the same way, and compiles nothing.
#include "presso/query_compiler.h"

#include "query/gpu/code/code_cache.h"
#include "query/gpu/code/embedded_headers.h"
#include "query/gpu/code/nvrtc_library.h"

namespace presso::gpu {
namespace {

/// Under which the cache keeps a note: an entry like those of code, so that it is as safe, and goes
/// when it was not used for longest, or when presso or its headers are others.
CodeKey note_of(const std::string& shape, const std::string& device) {
  return {"a question on " + device, embedded_headers_sum(), shape};
}

}  // namespace

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

bool was_compiled(const std::string& shape, const std::string& device) {
  return CodeCache(CodeCache::folder_of_user()).find(note_of(shape, device), "").has_value();
}

void note_compiled(const std::string& shape, const std::string& device) {
  if (was_compiled(shape, device)) return;
  const Byte noted[] = {1};
  CodeCache(CodeCache::folder_of_user()).store(note_of(shape, device), "", noted);
}

}  // namespace presso::gpu
