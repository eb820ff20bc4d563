// SPDX-License-Identifier: MIT
#include "scan/gpu/line_counter.h"

#include <cstddef>

namespace presso::gpu {
namespace {

/// A count and two states.
struct Words {
  std::uint64_t lines = 0;
  std::uint32_t states[2] = {};
};
constexpr Words kZeroes;

}  // namespace

Result<LineCounter> LineCounter::open(Memory& memory, const scan_detail::LineDfaView& dfa,
                                      std::uint64_t largest_bytes, Stream stream) {
  LineCounter counter;
  PRESSO_ASSIGN(counter.table_, lay_out(dfa));
  const std::vector<Byte>& image = counter.table_.image;
  PRESSO_ASSIGN(counter.image_, memory.allocate(image.size()));
  PRESSO_ASSIGN(counter.words_, memory.allocate(sizeof(Words)));
  PRESSO_ASSIGN(counter.temporary_, memory.allocate(line_scan_temporary_bytes(largest_bytes)));
  Device& device = memory.device();
  PRESSO_TRY(device.copy_in(counter.image_.get(), image.data(), image.size(), stream));
  PRESSO_TRY(device.copy_in(counter.words_.get(), reinterpret_cast<const Byte*>(&kZeroes),
                            sizeof kZeroes, stream));
  LineScanRequest& request = counter.request_;
  request.table = counter.table_.view;
  request.table.d_image = counter.image_.get();
  request.d_lines = reinterpret_cast<std::uint64_t*>(counter.words_.get());
  request.d_temporary = counter.temporary_.get();
  request.temporary_bytes = counter.temporary_.bytes();
  counter.d_states_ =
      reinterpret_cast<std::uint32_t*>(counter.words_.get() + offsetof(Words, states));
  return counter;
}

Status LineCounter::add(const Byte* d_text, std::uint64_t bytes, bool is_last, Stream stream) {
  if (bytes == 0 && is_last && is_inside_) {
    return make_error(ErrorCode::kInvalidArgument, "the last piece of a text is empty");
  }
  if (bytes == 0) return {};
  request_.d_text = d_text;
  request_.bytes = bytes;
  request_.d_state_in = is_inside_ ? d_states_ + turn_ : nullptr;
  turn_ = 1 - turn_;
  request_.d_state_out = is_last ? nullptr : d_states_ + turn_;
  is_inside_ = !is_last;
  return scan_lines(request_, stream);
}

}  // namespace presso::gpu
