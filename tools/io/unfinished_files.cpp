// SPDX-License-Identifier: MIT
// A few slots are enough, because commands write at most two files at a time. The handler may only
// call what is safe in a signal handler: unlink, write, sigaction, raise. The cost is one system
// call to block and one to unblock signals for each output file. A path that is too long or comes
// when all slots are taken is not registered: its file may then survive a signal. Tested by
// tests/cli/test_failures.py.
#include "tools/io/unfinished_files.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>

namespace presso::cli {
namespace {

struct Slot {
  char path[PATH_MAX];
  std::atomic<bool> taken{false};
  // The handler may run on any thread while another one fills the slot.
  std::atomic<bool> set{false};
};
Slot slots[4];
std::atomic<bool> progress_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// The handler. After removing the files it sends itself the signal again, this time with its usual
/// effect. SIG_DFL makes the shell see the true reason, 128 plus the number.
void remove_and_die(int signal_number) {
  for (const Slot& slot : slots) {
    if (slot.set) unlink(slot.path);
  }
  if (progress_shown && write(STDERR_FILENO, "\n", 1) < 0) {
    // Nothing can be done about it here.
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal_number, &usual, nullptr);
  raise(signal_number);
}

/// Blocks the signals on this thread while a slot is changed. Another thread may still run the
/// handler, which is why `set` is written last and cleared first.
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

// Each handler blocks the other signals, so that two of them cannot remove files at once.
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
  if (path.size() >= sizeof Slot::path) return;  // open() will refuse it as well.
  for (std::size_t i = 0; i < std::size(slots); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].set = true;
    slot_ = i;
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  const SignalsBlocked blocked;
  if (!slot_) return;
  slots[*slot_].set = false;
  slots[*slot_].taken = false;
}

void set_progress_shown(bool shown) {
  progress_shown = shown;
}

}  // namespace presso::cli
