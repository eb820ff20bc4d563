// SPDX-License-Identifier: MIT
// <presso/pattern.h> and <presso/scan.h>: find lines in a compressed file without writing it out.
#include <presso/compress.h>
#include <presso/pattern.h>
#include <presso/scan.h>

#include <cstdio>
#include <string>

namespace {

int fail(const presso::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main() {
  std::string text;
  for (int i = 1; i <= 50000; ++i) {
    text += "request " + std::to_string(i) + (i % 20000 == 0 ? " failed\n" : " served\n");
  }
  const auto* bytes = reinterpret_cast<const presso::Byte*>(text.data());
  const auto file = presso::compress_buffer({bytes, text.size()});
  if (!file.ok()) return fail(file.error());

  // A pattern is compiled once and may be used by any number of scans.
  const auto pattern = presso::Pattern::compile_literals({"FAILED"}, {.ignore_case = true});
  if (!pattern.ok()) return fail(pattern.error());

  // Lines come in order, whatever the number of threads.
  presso::ScanOptions options;
  options.line_numbers = true;
  presso::MemorySource source(*file);
  const auto summary = presso::scan(source, *pattern, options, [](const presso::MatchedLine& line) {
    std::printf("%llu: %.*s", static_cast<unsigned long long>(line.number),
                static_cast<int>(line.text.size()),
                reinterpret_cast<const char*>(line.text.data()));
    return true;  // false would stop here
  });
  if (!summary.ok()) return fail(summary.error());
  std::printf("%llu lines\n", static_cast<unsigned long long>(summary->lines));
  return summary->lines == 2 ? 0 : 1;
}
