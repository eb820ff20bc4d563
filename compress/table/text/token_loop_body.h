// SPDX-License-Identifier: MIT
// The loop of csv_tokenizer.h, compiled once for each CPU level (presso_cpu_levels); AVX-512 gains
// nothing over AVX2.
#if defined(PRESSO_AVX2)
#include <immintrin.h>
#endif

#include "compress/table/text/token_loop.h"

namespace presso {
namespace PRESSO_LEVEL {

#if defined(PRESSO_AVX2)

/// The masks of 64 bytes: one comparison of 32 bytes for each of the four bytes that
/// matter, which are the delimiter, the quote, LF and CR.
struct Isa {
  struct Half {
    __m256i any;
    __m256i quote;
  };

  static Half half(const Byte* from, Byte delimiter, Byte quote) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const auto equal = [bytes](Byte byte) {
      return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(static_cast<char>(byte)));
    };
    const __m256i quotes = equal(quote);
    const __m256i line_ends = _mm256_or_si256(equal('\n'), equal('\r'));
    return {_mm256_or_si256(_mm256_or_si256(quotes, line_ends), equal(delimiter)), quotes};
  }
  static std::uint64_t bits(__m256i low, __m256i high) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
           std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
  }

  static TokenMasks masks(const Byte* from, Byte delimiter, Byte quote) {
    const Half low = half(from, delimiter, quote);
    const Half high = half(from + 32, delimiter, quote);
    return {bits(low.any, high.any), bits(low.quote, high.quote)};
  }
};

#else

/// The masks of 64 bytes, eight bytes at a time in a 64-bit word. They are combined with the byte
/// sought by exclusive-or; adding 0x7F to the low bits then carries into bit 7 unless all are 0. So
/// a clear bit 7 marks an equal byte, and a multiplication gathers the eight marks.
struct Isa {
  static constexpr std::uint64_t kOnes = 0x0101010101010101u;
  static constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7Fu;

  /// 0x00 for bytes of `word` that equal the pattern's, 0x80 for others (with noise below bit
  /// 7).
  static std::uint64_t differs(std::uint64_t word, std::uint64_t pattern) {
    const std::uint64_t x = word ^ pattern;
    return ((x & kLow) + kLow) | x;
  }
  /// The top bits of the eight bytes of `equal`, which has no others: bit i comes from byte i.
  static std::uint64_t gather(std::uint64_t equal) {
    return ((equal >> 7) * 0x0102040810204080u) >> 56;
  }

  static TokenMasks masks(const Byte* from, Byte delimiter, Byte quote) {
    const std::uint64_t delimiters = kOnes * delimiter;
    const std::uint64_t quotes = kOnes * quote;
    TokenMasks masks{0, 0};
    for (unsigned i = 0; i < 8; ++i) {
      std::uint64_t word;
      __builtin_memcpy(&word, from + 8 * i, sizeof word);
      const std::uint64_t not_quote = differs(word, quotes);
      const std::uint64_t none = not_quote & differs(word, delimiters) &
                                 differs(word, kOnes * '\n') & differs(word, kOnes * '\r');
      masks.any |= gather(~none & ~kLow) << (8 * i);
      masks.quote |= gather(~not_quote & ~kLow) << (8 * i);
    }
    return masks;
  }
};

#endif

/// LF, CR and CR LF all end a line.
inline bool ends_line(Byte byte) {
  return byte == '\n' || byte == '\r';
}

/// The loop's state in local variables, and the steps at a byte that matters. Without kKeep, fields
/// are only counted. kMerges: Dialect::merges_delimiters.
template <bool kKeep, bool kMerges>
class TokenMachine {
 public:
  explicit TokenMachine(TokenState& state)
      : state_(state),
        text_(state.text),
        size_(state.text_size),
        delimiter_(state.dialect.delimiter),
        // Without quotes the delimiter stands in: it is looked at first.
        quote_(state.dialect.quote != 0 ? state.dialect.quote : state.dialect.delimiter),
        escape_(state.dialect.escape),
        at_(state.at),
        field_begin_(state.field_begin),
        fields_(state.field_count) {
    if (state.started) return;
    state.started = true;
    begin_line(at_);
  }

  TokenStop run();

 private:
  /// A CR at the cut may be half of a CR LF, so its record is not complete.
  bool at_cut(std::size_t pos) const {
    return text_[pos] == '\r' && pos + 1 == size_ && !state_.text_ends_here;
  }

  // Writes a field; only counts it if fields are not kept.
  void push(std::size_t begin, std::size_t end, bool quoted, bool escaped, bool irregular) {
    if (kKeep) {
      Field& field = state_.fields[fields_];
      field.begin = static_cast<std::uint32_t>(begin);
      field.length = static_cast<std::uint32_t>(end - begin);
      field.quoted = quoted;
      field.escaped = escaped;
      field.irregular = irregular;
    }
    ++fields_;
  }

  /// The place after the line end at `pos`; CR LF is one.
  std::size_t behind_line_end(std::size_t pos) const {
    if (pos == size_) return pos;
    const bool pair = text_[pos] == '\r' && pos + 1 < size_ && text_[pos + 1] == '\n';
    return pos + (pair ? 2 : 1);
  }

  /// The first line from `pos` on that is no comment.
  std::size_t skip_comments(std::size_t pos) const {
    const Byte comment = state_.dialect.comment;
    while (comment != 0 && pos < size_ && text_[pos] == comment) {
      while (pos < size_ && !ends_line(text_[pos])) ++pos;
      pos = behind_line_end(pos);
    }
    return pos;
  }

  void begin_line(std::size_t pos) { at_ = field_begin_ = skip_comments(pos); }

  /// The record ends at `pos`, a line end or the end of the text; its fields were pushed.
  void end_record(std::size_t pos) {
    state_.record_end = behind_line_end(pos);
    ++state_.record_count;
    if (kKeep) {
      state_.begin[state_.record_count] = static_cast<std::uint32_t>(state_.record_end);
      state_.first_field[state_.record_count] = static_cast<std::uint32_t>(fields_);
    }
    state_.record_first = fields_;
    begin_line(state_.record_end);
  }

  /// An unquoted field ends at `pos`, and the line with it. Blank lines are no records.
  void end_line(std::size_t pos) {
    const bool empty = pos == field_begin_;
    const bool blank = empty && fields_ == state_.record_first;
    if (blank && !state_.dialect.blank_records) return begin_line(behind_line_end(pos));
    const bool is_field = !empty || blank || !(state_.dialect.trailing_delimiter || kMerges);
    if (is_field) push(field_begin_, pos, false, false, false);
    end_record(pos);
  }

  /// Ends a field whose last byte is before `pos`; the byte there decides what follows. False:
  /// stop.
  bool end_field(std::size_t pos, std::size_t begin, std::size_t end, bool irregular) {
    if (pos == size_ ? !state_.text_ends_here : ends_line(text_[pos]) && at_cut(pos)) return false;
    push(begin, end, !irregular, !irregular && state_.escaped, irregular);
    if (pos == size_ || text_[pos] != delimiter_) {
      end_record(pos);
    } else {
      at_ = field_begin_ = pos + 1;
    }
    return true;
  }

  /// The quotation ends at `pos`. Text that follows it makes the field irregular. False: stop.
  bool close_quotes(std::size_t pos) {
    state_.in_quotes = false;
    std::size_t end = pos + 1;
    while (end < size_ && text_[end] != delimiter_ && !ends_line(text_[end])) ++end;
    const bool irregular = end != pos + 1;
    return end_field(end, irregular ? state_.open : state_.open + 1, irregular ? end : pos,
                     irregular);
  }

  /// A quote inside quotes, which is doubled or the end of the quotation, or an escape. False:
  /// stop.
  bool inner_quote(std::size_t pos) {
    if (escape_ != 0 && text_[pos] == escape_) {
      state_.escaped = true;
      at_ = pos + 2;
      return true;
    }
    if (pos + 1 < size_ && text_[pos + 1] == quote_) {
      state_.escaped = true;
      at_ = pos + 2;
      return true;
    }
    if (pos + 1 == size_ && !state_.text_ends_here) return false;
    return close_quotes(pos);
  }

  /// A quotation begins at `pos`, which is kept for the error if it is never closed.
  void open_quotes(std::size_t pos) {
    state_.in_quotes = true;
    state_.escaped = false;
    state_.open = pos;
  }

  /// Whether a whole block's fields and records fit into the arrays.
  bool has_room() const {
    return state_.field_room - fields_ > kTokenBlock + 1 &&
           state_.record_room - state_.record_count > kTokenBlock + 1;
  }

  /// The masks of 64 bytes. Escapes matter where quotes matter inside of quotes.
  TokenMasks masks_of(const Byte* from) const {
    TokenMasks masks = Isa::masks(from, delimiter_, quote_);
    if (escape_ != 0) masks.quote |= Isa::masks(from, escape_, escape_).quote;
    return masks;
  }

  // The last block is shorter and is padded with zeros, which match nothing.
  TokenMasks block(std::size_t base) const {
    if (size_ - base >= kTokenBlock) return masks_of(text_ + base);
    Byte last[kTokenBlock] = {};
    __builtin_memcpy(last, text_ + base, size_ - base);
    const std::uint64_t valid = (std::uint64_t{1} << (size_ - base)) - 1;
    const TokenMasks masks = masks_of(last);
    return {masks.any & valid, masks.quote & valid};
  }

  TokenStop finish();
  /// Puts the local state back, so that the loop can go on from `base` later.
  TokenStop stop(TokenStop why, std::size_t base) {
    state_.base = base;
    state_.at = at_;
    state_.field_begin = field_begin_;
    state_.field_count = fields_;
    return why;
  }

  TokenState& state_;
  const Byte* text_;
  std::size_t size_;
  Byte delimiter_;
  Byte quote_;
  Byte escape_;
  std::size_t at_;
  std::size_t field_begin_;
  std::size_t fields_;
};

/// The hot loop. The function is long so that a block's bits stay in a register: those for the
/// bytes that matter outside of quotes, or those for the bytes that matter inside; they are
/// exchanged where a quotation begins or ends.
template <bool kKeep, bool kMerges>
TokenStop TokenMachine<kKeep, kMerges>::run() {
  for (std::size_t base = state_.base; base < size_; base += kTokenBlock) {
    if (kKeep && !has_room()) return stop(TokenStop::kRoom, base);
    const TokenMasks masks = block(base);
    std::uint64_t bits = state_.in_quotes ? masks.quote : masks.any;
    while (bits != 0) {
      const std::size_t pos = base + static_cast<std::size_t>(__builtin_ctzll(bits));
      bits &= bits - 1;
      if (pos < at_) continue;
      const Byte byte = text_[pos];
      if (byte == delimiter_) {
        if (!kMerges || pos != field_begin_) push(field_begin_, pos, false, false, false);
        field_begin_ = pos + 1;
      } else if (ends_line(byte)) {
        if (at_cut(pos)) return stop(TokenStop::kEnd, size_);
        end_line(pos);
        if (state_.record_count == state_.most_records) return stop(TokenStop::kRecords, base);
      } else if (!state_.in_quotes) {
        if (pos != field_begin_) continue;  // data
        open_quotes(pos);
        bits = masks.quote & ~((std::uint64_t{2} << (pos - base)) - 1);
      } else {
        if (!inner_quote(pos)) return stop(TokenStop::kEnd, size_);
        if (state_.in_quotes) continue;
        if (state_.record_count == state_.most_records) return stop(TokenStop::kRecords, base);
        bits = masks.any & ~((std::uint64_t{2} << (pos - base)) - 1);
      }
    }
  }
  return finish();
}

/// The end of the text, where the last record may have no line end.
template <bool kKeep, bool kMerges>
TokenStop TokenMachine<kKeep, kMerges>::finish() {
  if (!state_.text_ends_here) return stop(TokenStop::kEnd, size_);
  if (state_.in_quotes) return stop(TokenStop::kUnclosed, size_);
  if (fields_ > state_.record_first || field_begin_ < size_) end_line(size_);
  return stop(TokenStop::kEnd, size_);
}

template <bool kKeep>
TokenStop run_token_loop(TokenState& state) {
  return state.dialect.merges_delimiters ? TokenMachine<kKeep, true>(state).run()
                                         : TokenMachine<kKeep, false>(state).run();
}

}  // namespace PRESSO_LEVEL

const TokenLoops TokenLoops::PRESSO_LEVEL = {PRESSO_LEVEL::run_token_loop<true>,
                                             PRESSO_LEVEL::run_token_loop<false>};

}  // namespace presso
