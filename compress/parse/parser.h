// SPDX-License-Identifier: MIT
// From bytes to sequences (sequence.h): LZ77 parsing (Ziv and Lempel, 1977). A place is an earlier
// position that the bytes at the current one may repeat. Five parsers share the interface, from the
// fastest to the one that finds the fewest bits:
//   fast    (fast_parser.cpp)     one place a position, from a hash table, greedy
//   tables  (table_parser.cpp)    one place for a string, one each for a long and a short string,
//                                 or the last four places of a string
//   row     (row_parser.cpp)      up to 60 places that share a hash, greedy or lazy
//   chain   (chain_parser.cpp)    hash chains, and the cheapest way through their longest matches
//   optimal (optimal_parser.cpp)  trees of all places, and the way of the fewest bits
// All obey the block's dependency rule (dependency.h) while they choose. A parser owns its tables,
// is reused for many blocks, and gives the same sequences for the same input and parameters. Not
// thread-safe: each thread needs its own. Compared in compress/NOTES.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compress/parse/sequence.h"
#include "presso/bytes.h"
#include "presso/wire.h"

namespace presso {

/// Bits of the dictionary's table that the fast parser probes.
constexpr unsigned kFastHashBits = 14;

/// Which parser; block_encoder.cpp chooses it by level.
enum class ParserKind { kFast, kOneTable, kTwoTables, kFourPlaces, kRow, kChain, kOptimal };

/// What a parser does, as level and options say (parameters_of() in block_encoder.h).
struct ParserParameters {
  ParserKind kind = ParserKind::kChain;
  Coding coding = Coding::kByte;  ///< the coding that the sequences are for
  // For some parsers only:
  std::uint32_t lazy = 1;           ///< row: how far ahead a better match is looked for
  std::uint32_t row_key = 4;        ///< row: bytes of the strings in a row, 4 to 6
  std::uint32_t passes = 1;         ///< optimal: over a block, before the last one
  std::uint32_t hash_bits = 16;     ///< chain, optimal: of the table of chain heads or roots
  std::uint32_t depth = 32;         ///< row, chain, optimal: places tried at a position
  std::uint32_t nice_length = 64;   ///< all except fast, one and two tables: a match this
                                    ///< long is taken at once
  std::uint32_t sequence_cost = 0;  ///< row, chain, optimal: bits added to a sequence's price
  std::uint32_t acceleration = 6;   ///< the step grows by one after 2^this misses (fast) or
                                    ///< literals (tables, row)
  bool dense = false;               ///< fast: two positions of a match enter the table, not one
  // fast: an entry of the table is replaced only if it is older than this number of bytes.
  std::uint32_t staleness = 0;
  // For all parsers:
  Byte min_match = 4;
  std::uint32_t window = 0xFFFFFF;     ///< furthest distance of a match
  std::uint32_t lookahead = 0xFFFFFF;  ///< longest match
  DependencyRule rule = DependencyRule::kNone;
  std::uint32_t group = 32;  ///< sequences in a group; tile rule: bytes in a tile
  // The size of most blocks, by which the tables of a dictionary are made large enough.
  std::uint32_t block_bytes = 1u << 20;
};

/// A dictionary's content with tables to find matches in it. Immutable, shared by all threads.
struct DictionaryIndex {
  Bytes content;
  std::uint64_t serial = 0;  ///< unique in a process; 0: not made by index_dictionary()
  std::uint32_t hash_bits = 0;
  /// Position + 1 of the last occurrence of each hash, 0: none. For table parsers it holds the
  /// tables of place_tables.h.
  std::vector<std::uint32_t> head;
  /// Chain parser: for each position, position + 1 of the occurrence before it.
  std::vector<std::uint32_t> previous;
  std::vector<std::uint32_t> children;  ///< optimal parser: MatchTree's; `head` holds its roots
  std::vector<Byte> rows;               ///< row parser: all rows as bytes
};

/// Indexes `content`, which is kept by reference, for parsers with these parameters.
DictionaryIndex index_dictionary(Bytes content, const ParserParameters& parameters);

/// Fill the tables, or the rows, of an index; the parts of index_dictionary() for those
/// parsers.
void index_tables(const ParserParameters& parameters, DictionaryIndex& index);
void index_rows(const ParserParameters& parameters, DictionaryIndex& index);

/// Finds the sequences of one block after another.
class Parser {
 public:
  virtual ~Parser() = default;
  /// Replaces `sequences` by those of `plain`, at most kMaxBlockBytes. `dictionary` may be
  /// nullptr.
  virtual void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) = 0;
};

/// Makes the parser that parameters.kind names; the others make those of one kind.
std::unique_ptr<Parser> make_parser(const ParserParameters& parameters);
std::unique_ptr<Parser> make_fast_parser(const ParserParameters& parameters);
std::unique_ptr<Parser> make_table_parser(const ParserParameters& parameters);
std::unique_ptr<Parser> make_row_parser(const ParserParameters& parameters);
std::unique_ptr<Parser> make_chain_parser(const ParserParameters& parameters);
std::unique_ptr<Parser> make_optimal_parser(const ParserParameters& parameters);

}  // namespace presso
