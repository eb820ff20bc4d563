// SPDX-License-Identifier: MIT
// make_bit_automaton() makes the tables in three steps: it numbers the positions, finds out which
// follow which, and merges those that cannot be told apart. Both directions are made, because the
// engine reads lines forwards and then backwards.

#include "scan/regex/bit_automaton.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace presso::scan_detail {
namespace {

/// The number of a position before or after merging.
using Position = std::uint32_t;
/// A set of positions, ascending.
using Positions = std::vector<Position>;

Error too_large(std::size_t positions) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the pattern is too large for the bitset engine (" + std::to_string(positions) +
                        " positions or more; it takes " +
                        std::to_string(BitAutomaton::kMostPositions) +
                        "): lower its counts of repetitions, turn Unicode off where ASCII will "
                        "do, or choose another engine");
}

/// Builds one automaton. run() must succeed before merge(), merge() comes before build().
class Construction {
 public:
  explicit Construction(const Program& program) : program_(program) {}

  /// Numbers the positions and finds which follow which. Returns false if there are too many of
  /// either.
  bool run() {
    number();
    if (places_.size() > kMostRaw) return false;
    visited_.assign(program_.insts.size(), 0);
    start_ = closure(program_.start);
    follows_.resize(places_.size());
    std::size_t edges = 0;
    for (Position p = 0; p < places_.size(); ++p) {
      if (places_[p].op == Inst::Op::kMatch) continue;
      follows_[p] = closure(places_[p].next);
      edges += follows_[p].size();
      if (edges > kMostEdges) return false;
    }
    return true;
  }

  /// Merges reading positions that follow the same positions and lead to the same ones: they become
  /// one position that reads the bytes of all of them. This undoes most of what writing characters
  /// out in UTF-8 multiplied.
  void merge() {
    std::vector<Positions> precedes(places_.size());
    for (Position p = 0; p < places_.size(); ++p) {
      for (const Position next : follows_[p]) precedes[next].push_back(p);
    }
    for (const Position first : start_) precedes[first].push_back(kStart);
    std::map<std::pair<Positions, Positions>, Position> known;
    std::vector<Position> merged(places_.size());
    std::vector<Place> places;
    std::vector<Positions> follows;
    for (Position p = 0; p < places_.size(); ++p) {
      const auto fresh = static_cast<Position>(places.size());
      Position to = fresh;
      if (places_[p].op == Inst::Op::kBytes) {
        to = known.try_emplace({precedes[p], follows_[p]}, fresh).first->second;
      }
      merged[p] = to;
      if (to == fresh) {
        places.push_back(places_[p]);
        follows.push_back(std::move(follows_[p]));
      } else {
        for (unsigned i = 0; i < 4; ++i) places[to].bytes[i] |= places_[p].bytes[i];
      }
    }
    places_ = std::move(places);
    follows_ = std::move(follows);
    for (Positions& list : follows_) rename(list, merged);
    rename(start_, merged);
    for (Position& position : position_of_) position = merged[position];
  }

  /// Makes the tables from the merged positions.
  BitAutomaton build() const {
    BitAutomaton made;
    made.program = &program_;
    made.positions = places_.size();
    made.words = (places_.size() + kBitsInWord - 1) / kBitsInWord;
    made.position_of = position_of_;
    made.start = set_of(start_);
    fill_reads(made);
    made.stops.assign(made.words, 0);
    std::vector<Positions> forward(places_.size());
    std::vector<Positions> backward(places_.size());
    for (Position p = 0; p < places_.size(); ++p) {
      if (places_[p].op != Inst::Op::kBytes) set_bit(made.stops.data(), p);
      if (places_[p].op == Inst::Op::kMatch) made.match = p;
      if (places_[p].op == Inst::Op::kLook) {
        Positions mirrored;
        for (const Position next : follows_[p]) mirrored.push_back(mirror(next));
        made.look_positions.push_back({p, places_[p].look, set_of(follows_[p]), set_of(mirrored)});
        continue;
      }
      forward[p] = follows_[p];
      for (const Position next : follows_[p]) backward[mirror(next)].push_back(mirror(p));
    }
    for (Positions& list : backward) std::sort(list.begin(), list.end());
    made.forward = moves_of(forward);
    made.backward = moves_of(backward);
    return made;
  }

  std::size_t positions() const { return places_.size(); }
  /// The memory that build() takes at most.
  std::size_t table_bytes() const {
    const std::size_t words = places_.size() / kBitsInWord + 1;
    return 8 * words * (2 * places_.size() + 2 * program_.classes);
  }

 private:
  static constexpr std::size_t kMostRaw = 4 * BitAutomaton::kMostPositions;
  static constexpr std::size_t kMostEdges = std::size_t{1} << 23;
  static constexpr Position kStart = ~Position{0};

  /// A position while it is being made: what it does, and where it goes on.
  struct Place {
    Inst::Op op = Inst::Op::kBytes;
    Look look = Look::kLineStart;
    InstId next = 0;
    std::array<BitWord, 4> bytes{};  ///< that it reads
  };

  /// Numbers the positions. The compiler makes programs from their end, so going by falling number
  /// of the instruction makes neighbours in the pattern neighbours here, which turns most moves
  /// into shifts. The instructions that let a match begin further on come last.
  void number() {
    first_of_.assign(program_.insts.size(), 0);
    position_of_.assign(program_.transitions.size(), 0);
    for (InstId id = program_.unanchored; id-- > 0;) {
      const Inst& inst = program_.insts[id];
      first_of_[id] = static_cast<Position>(places_.size());
      if (inst.op == Inst::Op::kBytes) {
        number_readers(inst);
      } else if (inst.op == Inst::Op::kLook || inst.op == Inst::Op::kMatch) {
        places_.push_back({inst.op, inst.look, inst.next, {}});
      }
      count_of_.push_back(static_cast<Position>(places_.size()) - first_of_[id]);
    }
    std::reverse(count_of_.begin(), count_of_.end());
  }

  /// Numbers the positions of one reading instruction: one for each instruction that it leads to.
  void number_readers(const Inst& inst) {
    const std::size_t first = places_.size();
    for (std::uint32_t i = inst.first; i < inst.first + inst.count; ++i) {
      const Transition& transition = program_.transitions[i];
      std::size_t place = first;
      while (place < places_.size() && places_[place].next != transition.next) ++place;
      if (place == places_.size()) {
        places_.push_back({Inst::Op::kBytes, Look::kLineStart, transition.next, {}});
      }
      for (unsigned byte = transition.low; byte <= transition.high; ++byte) {
        set_bit(places_[place].bytes.data(), byte);
      }
      position_of_[i] = static_cast<Position>(place);
    }
  }

  /// The positions that are reached from `from` without reading and without passing a look.
  Positions closure(InstId from) {
    Positions found;
    ++generation_;
    stack_.assign(1, from);
    while (!stack_.empty()) {
      const InstId id = stack_.back();
      stack_.pop_back();
      if (std::exchange(visited_[id], generation_) == generation_) continue;
      const Inst& inst = program_.insts[id];
      if (inst.op == Inst::Op::kSplit) {
        const auto targets = program_.targets_of(inst);
        stack_.insert(stack_.end(), targets.begin(), targets.end());
      } else if (inst.op == Inst::Op::kSave) {
        stack_.push_back(inst.next);
      } else {
        for (Position i = 0; i < count_of_[id]; ++i) found.push_back(first_of_[id] + i);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  static void rename(Positions& list, const std::vector<Position>& as) {
    for (Position& position : list) position = as[position];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  Position mirror(Position p) const { return static_cast<Position>(places_.size() - 1 - p); }

  std::vector<BitWord> set_of(const Positions& list) const {
    std::vector<BitWord> set((places_.size() + kBitsInWord - 1) / kBitsInWord, 0);
    for (const Position position : list) set_bit(set.data(), position);
    return set;
  }

  /// Fills the sets of positions that read each class of bytes, in both directions.
  void fill_reads(BitAutomaton& made) const {
    made.reads.assign(program_.classes * made.words, 0);
    made.reads_backward = made.reads;
    made.start_backward.assign(made.words, 0);
    for (const Position p : start_) set_bit(made.start_backward.data(), mirror(p));
    for (Position p = 0; p < places_.size(); ++p) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        if (!test_bit(places_[p].bytes.data(), byte)) continue;
        const std::size_t row = program_.class_of[byte] * made.words;
        set_bit(made.reads.data() + row, p);
        set_bit(made.reads_backward.data() + row, mirror(p));
      }
    }
  }

  /// The up to four distances at which most positions follow others; these become shifts.
  std::vector<unsigned> distances(const std::vector<Positions>& follows) const {
    std::array<std::size_t, kBitsInWord> count{};
    for (Position p = 0; p < follows.size(); ++p) {
      for (const Position next : follows[p]) {
        if (next >= p && next - p < kBitsInWord) ++count[next - p];
      }
    }
    std::vector<unsigned> best(kBitsInWord);
    for (unsigned i = 0; i < kBitsInWord; ++i) best[i] = i;
    std::stable_sort(best.begin(), best.end(),
                     [&](unsigned a, unsigned b) { return count[a] > count[b]; });
    best.resize(BitMoves::kMostShifts);
    std::erase_if(best, [&](unsigned by) { return count[by] == 0; });
    return best;
  }

  /// Makes the moves of one direction; equal rows are stored once.
  BitMoves moves_of(const std::vector<Positions>& follows) const {
    const std::size_t words = (places_.size() + kBitsInWord - 1) / kBitsInWord;
    BitMoves moves;
    moves.others.assign(words, 0);
    moves.row_of.assign(places_.size(), 0);
    moves.shift_by = distances(follows);
    moves.shift_from.assign(moves.shift_by.size() * words, 0);
    std::map<Positions, std::uint32_t> rows;
    for (Position p = 0; p < follows.size(); ++p) {
      Positions rest;
      for (const Position next : follows[p]) {
        const auto shift = std::find(moves.shift_by.begin(), moves.shift_by.end(), next - p);
        if (shift == moves.shift_by.end()) {
          rest.push_back(next);
        } else {
          const auto number = static_cast<std::size_t>(shift - moves.shift_by.begin());
          set_bit(moves.shift_from.data() + number * words, p);
        }
      }
      if (!rest.empty()) add_row(p, rest, rows, moves);
    }
    return moves;
  }

  /// Adds the moves from position p, whose targets are not just the next one. Equal sets of targets
  /// share a row.
  void add_row(Position p, const Positions& to, std::map<Positions, std::uint32_t>& rows,
               BitMoves& moves) const {
    set_bit(moves.others.data(), p);
    const auto [row, is_new] = rows.try_emplace(to, static_cast<std::uint32_t>(moves.rows.size()));
    moves.row_of[p] = row->second;
    if (!is_new) return;
    const std::vector<BitWord> set = set_of(to);
    moves.rows.insert(moves.rows.end(), set.begin(), set.end());
  }

  const Program& program_;
  std::vector<Place> places_;
  std::vector<Positions> follows_;
  Positions start_;
  std::vector<Position> first_of_;  ///< by instruction
  std::vector<Position> count_of_;
  std::vector<Position> position_of_;
  std::vector<std::uint32_t> visited_;
  std::uint32_t generation_ = 0;
  std::vector<InstId> stack_;
};

}  // namespace

/// Makes the bit automaton: builds positions (Glushkov 1961), merges equal ones, and lays out the
/// tables. Error: kInvalidArgument where there are more positions than kMostPositions or the tables
/// take more than `max_bytes`.
Result<BitAutomaton> make_bit_automaton(const Program& program, std::size_t max_bytes) {
  Construction construction(program);
  if (!construction.run()) return too_large(construction.positions());
  construction.merge();
  const bool fits = construction.positions() <= BitAutomaton::kMostPositions &&
                    construction.table_bytes() <= max_bytes;
  if (!fits) return too_large(construction.positions());
  return construction.build();
}

}  // namespace presso::scan_detail
