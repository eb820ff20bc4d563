// SPDX-License-Identifier: MIT
// How the emulator says what went wrong, and where.
#include <bit>
#include <cstring>

#include "decompress/gpu/simt/emulator/emulator_block.h"

namespace presso::simt {
namespace {

/// {0, 1, 2, 5} as "0-2, 5".
std::string ranges(std::uint32_t mask) {
  std::string text;
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int length = std::countr_one(mask >> first);
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (length > 1) text.append("-").append(std::to_string(first + length - 1));
    if (first + length >= static_cast<int>(kLanes)) break;
    mask = mask >> (first + length) << (first + length);
  }
  return text;
}

/// Literals of one file are mostly one object, but need not be.
bool same(const char* a, const char* b) {
  return a == b || std::strcmp(a, b) == 0;
}

}  // namespace

// Used in all messages; `mask` must not be 0.
std::string lanes_text(std::uint32_t mask, std::uint32_t warp) {
  return (std::popcount(mask) == 1 ? "lane " : "lanes ") + ranges(mask) + " of warp " +
         std::to_string(warp);
}

// The function's name is no part of it: line and file say more.
bool Site::operator==(const Site& other) const {
  return where.line == other.where.line && detail == other.detail && is_same_call(other) &&
         same(where.file, other.where.file);
}

bool Site::is_same_call(const Site& other) const {
  return same(name, other.name);
}

std::string Site::text() const {
  if (is_none()) return "at no collective yet";
  std::string text = name;
  if (detail != 0) text.append(" ").append(std::to_string(detail));
  text.append(" at ").append(where.file).append(":").append(std::to_string(where.line));
  return text.append(" (").append(where.function).append(")");
}

// Lane, warp and block, for messages.
std::string Block::place(const Lane& lane) const {
  return "lane " + std::to_string(lane.in_warp()) + " of warp " + std::to_string(lane.warp()) +
         " of block " + std::to_string(index_);
}

// Only the first failure is kept, since later ones are often its consequence.
void Block::record(Failure failure, const std::string& what, const std::vector<Site>& sites) {
  if (failing_) return;
  failing_ = true;
  report_.failure = failure;
  report_.what = what;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    report_.what += (i > 0 ? " and " : "") + sites[i].text();
    report_.lines.push_back(sites[i].where.line);
  }
}

// Names the lane unless the sites do.
void Block::fail(Failure failure, const std::string& what, const std::vector<Site>& sites) {
  record(failure, sites.empty() ? place(*current_) + ": " + what : what, sites);
  throw Unwind{};
}

/// A failure that lists what every lane is at and how far the named barriers are.
void Block::report_stuck(const std::string& what) {
  record(Failure::kDeadlock, what + std::to_string(index_), {});
  for (std::uint32_t number = 0; number < warps_.size(); ++number) list_lanes(number);
  for (std::size_t id = 0; id < named_.size(); ++id) {
    if (named_[id].expected == 0) continue;
    report_.what += "\n  named barrier " + std::to_string(id) + ": " +
                    std::to_string(named_[id].arrived) + " of " +
                    std::to_string(named_[id].expected) + " threads have arrived";
  }
}

/// One line for each call at which lanes of the warp are.
void Block::list_lanes(std::uint32_t number) {
  const Lane* const lanes = &lanes_[number * kLanes];
  std::uint32_t left = warps_[number].live;
  if (left != ~0u) report_.what += "\n  " + lanes_text(~left, number) + ": exited";
  while (left != 0) {
    const Site& site = lanes[std::countr_zero(left)].waits_at;
    std::uint32_t group = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      if (((left >> i) & 1) != 0 && lanes[i].waits_at == site) group |= 1u << i;
    }
    left &= ~group;
    report_.what += "\n  " + lanes_text(group, number) + ": " + site.text();
    if (!site.is_none()) report_.lines.push_back(site.where.line);
  }
}

}  // namespace presso::simt
