// SPDX-License-Identifier: MIT
// Team: pieces are numbers, handed out under the mutex; a run has ended when all pieces are done.
#include "decompress/gpu/runtime/team.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace presso::gpu {

/// Starts the helping threads, only once: threads that the system refuses are not asked for again.
void Team::start() {
  if (helpers_.capacity() > 0 || threads_ < 2) return;
  try {
    helpers_.reserve(threads_ - 1);
    while (helpers_.size() + 1 < threads_) helpers_.emplace_back([this] { loop(); });
  } catch (const std::system_error&) {  // go on with fewer
  } catch (const std::bad_alloc&) {
  }
}

// No run may be under way.
Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begun_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return stopping_ || next_ < pieces_; });
    if (stopping_) return;
    work(lock);
  }
}

void Team::work(std::unique_lock<std::mutex>& lock) {
  while (next_ < pieces_) {
    const std::size_t piece = next_++;
    const Task& task = *task_;
    lock.unlock();
    Status done = task(piece);
    lock.lock();
    if (!done.ok() && (failure_.ok() || piece < failed_piece_)) {
      failed_piece_ = piece;
      failure_ = std::move(done);
    }
    if (++done_ == pieces_) finished_.notify_one();
  }
}

// The lock also makes what the pieces wrote visible to the caller.
Status Team::run(std::size_t pieces, const Task& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  pieces_ = pieces;
  next_ = done_ = 0;
  failure_ = {};
  if (pieces > 1) {
    start();
    begun_.notify_all();
  }
  work(lock);
  finished_.wait(lock, [this] { return done_ == pieces_; });
  pieces_ = 0;
  return std::move(failure_);
}

Status run_over_bytes(Team& team, std::uint64_t bytes, std::uint64_t piece_bytes,
                      const std::function<Status(std::uint64_t, std::uint64_t)>& task) {
  const auto pieces = static_cast<std::size_t>((bytes + piece_bytes - 1) / piece_bytes);
  return team.run(pieces, [&](std::size_t piece) {
    const std::uint64_t begin = piece * piece_bytes;
    return task(begin, std::min(begin + piece_bytes, bytes));
  });
}

}  // namespace presso::gpu
