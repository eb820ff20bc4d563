// SPDX-License-Identifier: MIT
#include "scan/gpu/fused_table.h"

#include <cstring>

namespace presso::gpu {

Result<FusedTable> lay_out_fused(const scan_detail::LineDfaView& dfa) {
  PRESSO_ASSIGN(LineTable lines, lay_out(dfa, 0));  // nothing but classes in shared memory
  const LineTableView& view = lines.view;
  if (view.states * view.classes > kHitRow) {
    return make_error(ErrorCode::kUnsupported, "the automaton is too large for a fused scan");
  }
  FusedTable table{std::move(lines.image), {view, view.image_bytes}};
  const auto state_at = [&](std::size_t entry) {
    std::uint16_t state = 0;
    std::memcpy(&state, table.image.data() + kClassMapBytes + 2 * entry, 2);
    return std::uint32_t{state};
  };
  const auto place_of = [&](std::uint32_t state) {
    return state == view.hit ? kHitRow : state * view.classes;
  };
  table.image.resize(view.image_bytes + 2 * std::size_t{kHitRow + view.classes});
  for (std::uint32_t state = 0; state <= view.states; ++state) {
    for (std::uint32_t i = 0; i < view.classes; ++i) {
      const std::size_t from = std::size_t{state} * view.classes + i;
      const auto place = static_cast<std::uint16_t>(place_of(state_at(from)));
      const std::size_t to = view.image_bytes + 2 * std::size_t{place_of(state) + i};
      std::memcpy(table.image.data() + to, &place, 2);
    }
  }
  return table;
}

}  // namespace presso::gpu
