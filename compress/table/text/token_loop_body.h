// SPDX-License-Identifier: MIT
// The loop of csv_tokenizer.h. Each file that is compiled for one kind of CPU (token_loop_avx2.cpp,
// token_loop_portable.cpp) includes it inside a namespace of its own, so it has no include guard.
// `Isa`, which that file defines, has masks(): the bits of a block of 64 bytes (token_loop.h).

/// LF, CR and CR LF all end a line.
inline bool ends_line(Byte byte) {
  return byte == '\n' || byte == '\r';
}

/// The loop's state in local variables, and the steps at a byte that matters. Without kKeep, fields
/// are only counted.
template <class Isa, bool kKeep>
class TokenMachine {
 public:
  explicit TokenMachine(TokenState& state)
      : state_(state),
        text_(state.text.data()),
        size_(state.text.size()),
        delimiter_(state.dialect.delimiter),
        // Without quotes the delimiter stands in: it is looked at first.
        quote_(state.dialect.quote != 0 ? state.dialect.quote : state.dialect.delimiter),
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
    const bool is_field = !empty || blank || !state_.dialect.trailing_delimiter;
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

  /// A quote inside quotes: doubled, or the end of the quotation. False: stop.
  bool inner_quote(std::size_t pos) {
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

  // The last block is shorter and is padded with zeros, which match nothing.
  TokenMasks block(std::size_t base) const {
    if (size_ - base >= kTokenBlock) return Isa::masks(text_ + base, delimiter_, quote_);
    Byte last[kTokenBlock] = {};
    std::memcpy(last, text_ + base, size_ - base);
    const std::uint64_t valid = (std::uint64_t{1} << (size_ - base)) - 1;
    const TokenMasks masks = Isa::masks(last, delimiter_, quote_);
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
  std::size_t at_;
  std::size_t field_begin_;
  std::size_t fields_;
};

/// The hot loop. The function is long so that a block's bits stay in a register: those for the
/// bytes that matter outside of quotes, or those for the bytes that matter inside; they are
/// exchanged where a quotation begins or ends.
template <class Isa, bool kKeep>
TokenStop TokenMachine<Isa, kKeep>::run() {
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
        push(field_begin_, pos, false, false, false);
        field_begin_ = pos + 1;
      } else if (ends_line(byte)) {
        if (at_cut(pos)) return stop(TokenStop::kEnd, size_);
        end_line(pos);
        if (state_.record_count == state_.most_records) return stop(TokenStop::kRecords, base);
      } else if (!state_.in_quotes) {
        if (pos != field_begin_) continue;  // data
        open_quotes(pos);
        bits &= masks.quote;
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
template <class Isa, bool kKeep>
TokenStop TokenMachine<Isa, kKeep>::finish() {
  if (!state_.text_ends_here) return stop(TokenStop::kEnd, size_);
  if (state_.in_quotes) return stop(TokenStop::kUnclosed, size_);
  if (fields_ > state_.record_first || field_begin_ < size_) end_line(size_);
  return stop(TokenStop::kEnd, size_);
}

template <class Isa, bool kKeep>
TokenStop run_token_loop(TokenState& state) {
  return TokenMachine<Isa, kKeep>(state).run();
}
