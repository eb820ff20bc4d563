// SPDX-License-Identifier: MIT
// The product's strategies of the warp decoder, in several policies.
#include "tests/simt/warp_launch.h"

namespace presso::test {

std::vector<Strategy> warp_strategies() {
  return {
      {"in turn", decode_with<gpu::InTurn, WarpPolicy<1, 8, 1>>},
      {"in turn, 2 and 8 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<2, 4, 8>>},
      {"in turn, 4 and 16 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<4, 2, 16>>},
      {"multi-round", decode_with<gpu::MultiRound<false>, WarpPolicy<1, 4, 1>>},
      {"multi-round, 2 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<8, 1, 2>>},
      {"multi-round, 16 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<16, 2, 16>>},
      {"multi-round in teams", decode_with<gpu::MultiRound<true>, WarpPolicy<1, 16, 4>>},
      {"dependency-free", decode_with<gpu::DependencyFree, WarpPolicy<1, 4, 1>>, true},
      {"dependency-free, 4 bytes", decode_with<gpu::DependencyFree, WarpPolicy<4, 4, 4>>, true},
  };
}

}  // namespace presso::test
