// SPDX-License-Identifier: MIT
// lay_out_literals(): chooses for each literal its gram, the four bytes that are rarest in texts,
// and writes its bytes and masks to the image. Declines an empty list, more than kMostGrams
// (8) literals, an empty literal, and one with a '\n' (kInvalidArgument).
#include "scan/gpu/literals/literal_table.h"

#include <algorithm>

#include "scan/bytes/byte_frequency.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kGramBytes = 4;
constexpr std::uint32_t kCaseBit = 0x20;

bool is_letter(std::uint32_t byte) {
  return (byte | kCaseBit) >= 'a' && (byte | kCaseBit) <= 'z';
}

/// Where the four bytes begin that are rarest together in texts (byte_frequency.h); 0 for a literal
/// of at most four bytes.
std::uint32_t rarest_gram(const std::string& literal) {
  std::uint32_t best = 0, best_sum = ~0u;
  for (std::uint32_t at = 0; at + kGramBytes <= literal.size(); ++at) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kGramBytes; ++i) {
      sum += scan_detail::byte_frequency(static_cast<Byte>(literal[at + i]));
    }
    if (sum < best_sum) best = at;
    best_sum = std::min(best_sum, sum);
  }
  return best;
}

/// Appends the literal's bytes and masks to the image, and chooses its gram. A literal of fewer
/// than four bytes has a gram whose mask leaves the missing ones out.
LiteralGram add_literal(const std::string& literal, bool ignore_case, std::vector<Byte>& image) {
  LiteralGram gram;
  gram.length = static_cast<std::uint32_t>(literal.size());
  gram.at = static_cast<std::uint32_t>(image.size());
  std::vector<Byte> masks;
  for (const char letter : literal) {
    const auto byte = static_cast<Byte>(letter);
    masks.push_back(static_cast<Byte>(ignore_case && is_letter(byte) ? 0xFF - kCaseBit : 0xFF));
    image.push_back(byte & masks.back());
  }
  image.insert(image.end(), masks.begin(), masks.end());
  gram.gram_offset = rarest_gram(literal);
  for (std::uint32_t i = 0; i < std::min(kGramBytes, gram.length); ++i) {
    const std::uint32_t from = gram.at + gram.gram_offset + i;
    gram.gram |= std::uint32_t{image[from]} << 8 * i;
    gram.mask |= std::uint32_t{image[from + gram.length]} << 8 * i;
  }
  return gram;
}

}  // namespace

Result<LiteralTable> lay_out_literals(const std::vector<std::string>& literals,
                                      bool ignore_ascii_case) {
  LiteralTable table;
  if (literals.empty() || literals.size() > kMostGrams) {
    return make_error(ErrorCode::kInvalidArgument, "too many literals, or none");
  }
  for (const std::string& literal : literals) {
    if (literal.empty() || literal.find('\n') != std::string::npos) {
      return make_error(ErrorCode::kInvalidArgument, "a literal is empty or has a line's end");
    }
    LiteralGram& gram = table.view.grams[table.view.count++];
    gram = add_literal(literal, ignore_ascii_case, table.image);
    if (gram.mask != 0xFFFFFFFF) table.view.masked = 1;
  }
  for (std::uint32_t i = table.view.count; i < kMostGrams; ++i) {
    table.view.grams[i] = table.view.grams[0];
  }
  return table;
}

}  // namespace presso::gpu
