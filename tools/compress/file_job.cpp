// SPDX-License-Identifier: MIT
// Data is safe at every step: an output never replaces a file without leave, it is on disk before
// the input is removed, and an input that has changed meanwhile stays. This is the only place that
// decides about overwriting and removing. What it declines: an output that is the input itself,
// binary data on a terminal, and removing an input that has changed. Tested by
// tests/cli/test_failures.py and tests/cli/test_compress.py.
#include "tools/compress/file_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tools/cli/message.h"
#include "tools/io/prompt.h"

namespace presso::cli {
namespace {

/// Whether reading would wait for somebody to type.
bool is_terminal_input(const std::string& path) {
  return path == kStandardInput && isatty(STDIN_FILENO) != 0;
}

/// Whether the file at `path` may be replaced: with -f, or if somebody at the terminal agrees. A
/// script is never asked, because standard input is no terminal there.
bool may_overwrite(const std::string& path, const FileOptions& options) {
  if (options.force) return true;
  return confirm("'" + path + "' exists; overwrite it?");
}

/// Whether `path` is still the file that was opened, with nothing written to it since. Both size
/// and time are compared, since a program may keep one of them.
bool is_unchanged(const InputFile& input, const std::string& path) {
  struct stat now {};
  if (stat(path.c_str(), &now) != 0) return false;
  const struct stat& then = input.about();
  return same_file(now, then) && now.st_size == then.st_size &&
         now.st_mtim.tv_sec == then.st_mtim.tv_sec && now.st_mtim.tv_nsec == then.st_mtim.tv_nsec;
}

/// Makes a rename durable before the input is removed. Failures are ignored, since the rename
/// itself was done.
void sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == path.npos ? "." : path.substr(0, slash + 1);
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  if (fsync(fd) != 0) errno = 0;
  close(fd);
}

}  // namespace

/// The inputs of a command: its operands, with directories expanded, or standard input without any.
/// Error: kInvalidArgument where several inputs would have one output.
Result<std::vector<std::string>> job_inputs(std::vector<std::string> operands,
                                            const FileOptions& options) {
  // Typing compressed input is hardly ever meant; -f permits it.
  if (operands.empty()) {
    if (is_terminal_input(std::string(kStandardInput)) && !options.force) {
      return make_error(ErrorCode::kInvalidArgument,
                        "no file given and standard input is a terminal");
    }
    operands.emplace_back(kStandardInput);
  }
  std::vector<std::string> inputs = expand_operands(operands, options.recursive);
  // One name for several inputs would keep the last one only.
  if (inputs.size() > 1 && !options.output.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "-o names one output, but there are " +
                                                       std::to_string(inputs.size()) +
                                                       " inputs; -c writes them one after another");
  }
  return inputs;
}

/// An input can also be standard output itself, as in `presso compress x >> x`.
bool is_input_itself(const InputFile& input, const std::string& path) {
  struct stat about {};
  const int found = path.empty() ? fstat(STDOUT_FILENO, &about) : stat(path.c_str(), &about);
  return found == 0 && S_ISREG(about.st_mode) && same_file(about, input.about());
}

/// Opens the output unless it is the input itself, which writing would destroy. Reports problems.
/// The check comes before the output is opened, which may be a file that is written to in place.
std::optional<OutputFile> open_output(const InputFile& input, const OutputRequest& request,
                                      const FileOptions& options) {
  if (!is_input_itself(input, request.path)) return open_output(request, options);
  error(request.path.empty() ? "standard output" : request.path,
        "is the input itself; not written");
  return std::nullopt;
}

/// Opens the output by its name, or standard output for an empty one. Asks or refuses before it
/// replaces something; refuses to write binary data to a terminal. Reports problems and returns
/// nullopt.
std::optional<OutputFile> open_output(const OutputRequest& request, const FileOptions& options) {
  const std::string name = request.path.empty() ? "standard output" : request.path;
  if (request.path.empty()) {
    if (request.binary && !options.force && isatty(STDOUT_FILENO) != 0) {
      error(name, "binary data not written to a terminal; -f writes it, -o names a file");
      return std::nullopt;
    }
    return OutputFile::standard_output();
  }
  // The question is asked before the input is read. OutputFile checks once more when it renames.
  const bool there = would_be_replaced(request.path);
  const bool overwrite = there ? may_overwrite(request.path, options) : options.force;
  if (there && !overwrite) {
    error(name, "exists; not overwritten (-f overwrites)");
    return std::nullopt;
  }
  Result<OutputFile> output = OutputFile::create(request.path, {overwrite, request.sparse});
  if (!output.ok()) {
    error(name, output.error());
    return std::nullopt;
  }
  return std::move(*output);
}

/// The sink remembers its error, which tells whether input or output failed.
void report_failure(const std::string& input_name, const Error& problem, OutputFile& output,
                    bool pipe_may_close) {
  if (!output.sink().failed()) return error(input_name, problem);
  if (!output.sink().closed_pipe()) return error(output.name(), output.sink().error());
  if (!pipe_may_close) fail_silently();
}

/// Makes the new file visible under its name, and then removes the input if that was asked for. The
/// input stays where the output is no new file, or if the input has changed while it was read; the
/// output's directory is synchronised to disk first. False, with a message, where something failed.
bool finish_output(const std::string& input_name, const InputFile& input, OutputFile& output,
                   const FileAttributes& attributes, const FileOptions& options) {
  const bool new_file = output.is_new_file();
  const Status committed = output.commit(attributes);
  if (!committed.ok()) {
    error(output.name(), committed.error());
    return false;
  }
  // An input is removed only if its content is in a new file; a pipe or device may have lost it.
  if (!options.remove_source || !new_file || !input.is_regular() || input.is_standard_input()) {
    return true;
  }
  sync_directory_of(output.name());
  if (!is_unchanged(input, input_name)) {
    error(input_name, "changed while it was read; not removed");
    return false;
  }
  if (unlink(input_name.c_str()) == 0) return true;
  error(input_name, errno_error("cannot remove", errno));
  return false;
}

/// What a new file takes over from a regular input: permission bits, time and owner. A pipe has
/// none of these to take over.
FileAttributes attributes_of(const InputFile& input) {
  FileAttributes attributes;
  if (!input.is_regular() || input.is_standard_input()) return attributes;
  attributes.mode = input.about().st_mode & 0777;
  attributes.modified = input.about().st_mtim;
  attributes.owner = {input.about().st_uid, input.about().st_gid};
  return attributes;
}

}  // namespace presso::cli
