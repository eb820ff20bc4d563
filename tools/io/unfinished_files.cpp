// SPDX-License-Identifier: MIT
// One slot is enough: commands write one file at a time. The handler may only call what is safe in
// a signal handler: unlink, write, sigaction, raise.
#include "tools/io/unfinished_files.h"

#include <unistd.h>
#include <climits>
#include <csignal>
#include <cstring>

namespace presso::cli {
namespace {

char unfinished_path[PATH_MAX];
volatile sig_atomic_t path_set = 0;
volatile sig_atomic_t progress_shown = 0;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void remove_and_die(int signal_number) {
  if (path_set != 0) unlink(unfinished_path);
  if (progress_shown != 0 && write(STDERR_FILENO, "\n", 1) < 0) {
    // Nothing can be done about it here.
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal_number, &usual, nullptr);
  raise(signal_number);
}

/// Blocks the signals while the slot is changed.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t set;
    sigemptyset(&set);
    for (const int one : kSignals) sigaddset(&set, one);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

void remove_unfinished_files_on_signals() {
  for (const int one : kSignals) {
    struct sigaction action {};
    if (sigaction(one, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_die;
    for (const int other : kSignals) sigaddset(&action.sa_mask, other);
    sigaction(one, &action, nullptr);
  }
}

UnfinishedFile::UnfinishedFile(const std::string& path) {
  const SignalsBlocked blocked;
  if (path.size() >= sizeof unfinished_path) return;  // open() will refuse it as well.
  std::memcpy(unfinished_path, path.c_str(), path.size() + 1);
  path_set = 1;
}

UnfinishedFile::~UnfinishedFile() {
  const SignalsBlocked blocked;
  path_set = 0;
}

void set_progress_shown(bool shown) {
  progress_shown = shown ? 1 : 0;
}

}  // namespace presso::cli
