// SPDX-License-Identifier: MIT
#include "tools/damage.h"

#include "tools/cli/bind.h"
#include "tools/cli/message.h"

namespace presso::cli {

void report_damage(const std::string& path, const DecodedBlock& block) {
  std::string text = block.status.ok() ? "damaged" : block.status.error().message();
  if (block.plain_bytes != 0) {
    text += "; " + grouped(block.plain_bytes) + " bytes at plain offset " +
            grouped(block.plain_offset) + " lost";
  }
  error(path, text);
}

}  // namespace presso::cli
