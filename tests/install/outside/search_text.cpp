// SPDX-License-Identifier: MIT
// Lays a pattern out for a GPU, which needs none.
#include <presso/text_gpu.h>

#include <cstdio>

int main() {
  const auto pattern = presso::Pattern::compile_literals({"error"});
  if (!pattern.ok()) return 1;
  const auto search = presso::gpu::TextSearch::compile(*pattern);
  if (!search.ok()) return 1;
  std::printf("%s\n", search->describe().c_str());
  return search->temporary_bytes(1 << 20) > 0 ? 0 : 1;
}
