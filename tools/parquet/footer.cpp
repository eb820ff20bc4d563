// SPDX-License-Identifier: MIT
// Reads the footer of a Parquet file. What it says is checked as far as memory and places depend on
// it: the schema's tree, the number of columns in each row group, and that chunks lie in the file.
#include <algorithm>

#include "tools/parquet/parquet_format.h"
#include "tools/parquet/thrift.h"

namespace presso::cli {
namespace {

constexpr std::uint64_t kFooterTail = 8;  ///< length and magic
constexpr int kMaxSchemaDepth = 48;
constexpr int kMaxLevel = 255;

Error bad_footer(const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument, "the Parquet file's footer is damaged: " + what);
}

/// An element of the flat list in which the schema's tree is written.
struct SchemaElement {
  ParquetNode node;
  std::int64_t children = 0;
  bool has_type = false;
};

TimeUnit read_unit(ThriftReader& in, ThriftType type) {
  TimeUnit unit = TimeUnit::kMicro;
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    if (id >= 1 && id <= 3) unit = static_cast<TimeUnit>(id);
    in.skip(of);
  });
  return unit;
}

/// The parameters of a logical type: those of decimals, times and integers.
void read_parameters(ThriftReader& in, ParquetNode& node) {
  in.read_struct([&](int id, ThriftType type) {
    const bool is_time =
        node.meaning == ParquetMeaning::kTime || node.meaning == ParquetMeaning::kTimestamp;
    if (is_time && id == 1) {
      node.utc = in.read_bool(type);
    } else if (is_time && id == 2) {
      node.unit = read_unit(in, type);
    } else if (node.meaning == ParquetMeaning::kDecimal && id == 1) {
      node.scale = static_cast<int>(in.read_int(type));
    } else if (node.meaning == ParquetMeaning::kDecimal && id == 2) {
      node.precision = static_cast<int>(in.read_int(type));
    } else if (node.meaning == ParquetMeaning::kInteger && id == 1) {
      node.bits = static_cast<int>(in.read_int(type));
    } else if (node.meaning == ParquetMeaning::kInteger && id == 2) {
      node.is_signed = in.read_bool(type);
    } else {
      in.skip(type);
    }
  });
}

void read_logical(ThriftReader& in, ThriftType type, ParquetNode& node) {
  using M = ParquetMeaning;
  constexpr M kMeanings[] = {M::kNone,      M::kString,  M::kMap,     M::kList,
                             M::kEnum,      M::kDecimal, M::kDate,    M::kTime,
                             M::kTimestamp, M::kUnusual, M::kInteger, M::kUnknown,
                             M::kJson,      M::kBson,    M::kUuid,    M::kHalf};
  if (type != ThriftType::kStruct) return in.fail();
  in.read_struct([&](int id, ThriftType of) {
    const bool is_known = id > 0 && id < static_cast<int>(std::size(kMeanings));
    node.meaning = is_known ? kMeanings[id] : M::kUnusual;
    if (of != ThriftType::kStruct) return in.fail();
    read_parameters(in, node);
  });
}

void set_integer(ParquetNode& node, int bits, bool is_signed) {
  node.meaning = ParquetMeaning::kInteger;
  node.bits = bits;
  node.is_signed = is_signed;
}

void set_time(ParquetNode& node, ParquetMeaning meaning, TimeUnit unit) {
  node.meaning = meaning;
  node.unit = unit;
  // Converted types do not say it; the format's rules for old files do.
  node.utc = true;
}

/// The meaning of a converted type, which old files have instead of a logical one.
void set_converted(ParquetNode& node, std::int64_t converted) {
  using M = ParquetMeaning;
  constexpr M kPlain[] = {M::kString, M::kMap, M::kMap, M::kList, M::kEnum, M::kDecimal, M::kDate};
  if (converted >= 0 && converted <= 6) node.meaning = kPlain[converted];
  if (converted == 7) set_time(node, M::kTime, TimeUnit::kMilli);
  if (converted == 8) set_time(node, M::kTime, TimeUnit::kMicro);
  if (converted == 9) set_time(node, M::kTimestamp, TimeUnit::kMilli);
  if (converted == 10) set_time(node, M::kTimestamp, TimeUnit::kMicro);
  if (converted >= 11 && converted <= 14) set_integer(node, 8 << (converted - 11), false);
  if (converted >= 15 && converted <= 18) set_integer(node, 8 << (converted - 15), true);
  if (converted == 19) node.meaning = M::kJson;
  if (converted == 20) node.meaning = M::kBson;
  if (converted == 21) node.meaning = M::kInterval;
}

SchemaElement read_element(ThriftReader& in) {
  SchemaElement element;
  ParquetNode& node = element.node;
  std::int64_t converted = -1;
  ParquetNode logical;
  in.read_struct([&](int id, ThriftType type) {
    if (id == 1) {
      node.type = static_cast<ParquetType>(in.read_int(type));
      element.has_type = true;
    } else if (id == 2) {
      node.width = static_cast<std::uint32_t>(in.read_int(type));
    } else if (id == 3) {
      node.repetition = static_cast<ParquetRepetition>(in.read_int(type));
    } else if (id == 4) {
      node.name = in.read_text(type);
    } else if (id == 5) {
      element.children = in.read_int(type);
    } else if (id == 6) {
      converted = in.read_int(type);
    } else if (id == 7) {
      node.scale = static_cast<int>(in.read_int(type));
    } else if (id == 8) {
      node.precision = static_cast<int>(in.read_int(type));
    } else if (id == 10) {
      read_logical(in, type, logical);
    } else {
      in.skip(type);
    }
  });
  set_converted(node, converted);
  if (logical.meaning != ParquetMeaning::kNone) {
    node.meaning = logical.meaning;
    node.unit = logical.unit;
    node.utc = logical.utc;
    node.bits = logical.bits;
    node.is_signed = logical.is_signed;
    if (logical.meaning == ParquetMeaning::kDecimal) {
      node.scale = logical.scale;
      node.precision = logical.precision;
    }
  }
  return element;
}

using StoredRange = std::optional<std::pair<std::string, std::string>>;

/// The older fields are kept apart until the column is known.
void read_statistics(ThriftReader& in, ThriftType type, ParquetChunk& chunk) {
  std::optional<std::string> bounds[2][2];
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    if (id == 1 || id == 2 || id == 5 || id == 6) {
      const bool is_least = id == 2 || id == 6;
      bounds[id > 4 ? 1 : 0][is_least ? 0 : 1] = in.read_text(of);
    } else if (id == 3) {
      chunk.nulls = static_cast<std::uint64_t>(in.read_int(of));
    } else {
      in.skip(of);
    }
  });
  const auto range_of = [](auto& pair) {
    return pair[0] && pair[1] ? StoredRange({*std::move(pair[0]), *std::move(pair[1])})
                              : StoredRange();
  };
  chunk.range = range_of(bounds[1]);
  chunk.old_range = range_of(bounds[0]);
}

/// Keeps the ranges that are in the order of the column's type: those that the list of orders says
/// so of, or the older ones, whose order is that of signed integers.
void trust_ranges(const std::vector<bool>& orders, ParquetFooter& footer) {
  for (ParquetRowGroup& group : footer.row_groups) {
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      ParquetChunk& chunk = group.chunks[i];
      const ParquetNode& leaf = *footer.leaves[i];
      const bool is_whole = leaf.type == ParquetType::kInt32 || leaf.type == ParquetType::kInt64;
      const bool is_signed = leaf.meaning != ParquetMeaning::kInteger || leaf.is_signed;
      const bool has_order = i < orders.size() && orders[i];
      if (!has_order) chunk.range.reset();
      if (!chunk.range && is_whole && is_signed) chunk.range = std::move(chunk.old_range);
      chunk.old_range.reset();
    }
  }
}

ParquetChunk read_chunk_metadata(ThriftReader& in, ThriftType type, ParquetChunk chunk) {
  std::int64_t data = 0;
  std::int64_t dictionary = 0;
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    if (id == 1) {
      chunk.type = static_cast<ParquetType>(in.read_int(of));
    } else if (id == 4) {
      chunk.codec = static_cast<ParquetCodec>(in.read_int(of));
    } else if (id == 5) {
      chunk.values = static_cast<std::uint64_t>(in.read_int(of));
    } else if (id == 7) {
      chunk.bytes = static_cast<std::uint64_t>(in.read_int(of));
    } else if (id == 9) {
      data = in.read_int(of);
    } else if (id == 11) {
      dictionary = in.read_int(of);
    } else if (id == 12) {
      read_statistics(in, of, chunk);
    } else {
      in.skip(of);
    }
  });
  // Some writers give 0 where there is no dictionary.
  chunk.begin = static_cast<std::uint64_t>(dictionary > 0 && dictionary < data ? dictionary : data);
  return chunk;
}

ParquetChunk read_chunk(ThriftReader& in, ThriftType type) {
  ParquetChunk chunk;
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    if (id == 1) {
      chunk.in_other_file = !in.read_binary(of).empty();
    } else if (id == 3) {
      chunk = read_chunk_metadata(in, of, chunk);
    } else {
      chunk.encrypted = chunk.encrypted || id == 8 || id == 9;
      in.skip(of);
    }
  });
  return chunk;
}

ParquetRowGroup read_row_group(ThriftReader& in, ThriftType type) {
  ParquetRowGroup group;
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    if (id == 1) {
      in.read_list(of, [&](ThriftType each) { group.chunks.push_back(read_chunk(in, each)); });
    } else if (id == 3) {
      group.rows = static_cast<std::uint64_t>(in.read_int(of));
    } else {
      in.skip(of);
    }
  });
  return group;
}

/// Whether the order of a column is that of its type, the first of a union.
bool read_order(ThriftReader& in, ThriftType type) {
  bool by_type = false;
  if (type != ThriftType::kStruct) in.fail();
  in.read_struct([&](int id, ThriftType of) {
    by_type = by_type || id == 1;
    in.skip(of);
  });
  return by_type;
}

/// Makes the tree of the elements from `next` on.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::vector<SchemaElement>& elements) : elements_(elements) {}

  /// Takes an element and those below it. `parent` has the levels so far.
  Result<ParquetNode> take(const ParquetNode* parent, int depth) {
    if (next_ >= elements_.size()) return bad_footer("the schema ends too early");
    if (depth > kMaxSchemaDepth) return bad_footer("the schema is nested too deeply");
    SchemaElement& element = elements_[next_++];
    ParquetNode node = std::move(element.node);
    if (parent != nullptr) PRESSO_TRY(set_levels(node, *parent));
    node.leaf = leaves_;
    const auto rest = static_cast<std::int64_t>(elements_.size() - next_);
    if (element.children < 0 || element.children > rest) return bad_footer("number of fields");
    if (element.children == 0 && parent != nullptr) {
      PRESSO_TRY(check_leaf(element, node));
      ++leaves_;
    }
    for (std::int64_t i = 0; i < element.children; ++i) {
      PRESSO_ASSIGN(ParquetNode child, take(&node, depth + 1));
      node.children.push_back(std::move(child));
    }
    return node;
  }

  bool is_at_end() const { return next_ == elements_.size(); }

 private:
  static Status set_levels(ParquetNode& node, const ParquetNode& parent) {
    const int repetition = static_cast<int>(node.repetition);
    if (repetition < 0 || repetition > 2) return bad_footer("repetition of '" + node.name + "'");
    node.def_level = parent.def_level + (repetition != 0 ? 1 : 0);
    node.rep_level = parent.rep_level + (repetition == 2 ? 1 : 0);
    if (node.def_level > kMaxLevel) return bad_footer("too many levels");
    return {};
  }

  static Status check_leaf(const SchemaElement& element, const ParquetNode& node) {
    const int type = static_cast<int>(node.type);
    if (!element.has_type || type < 0 || type > 7) {
      return bad_footer("column '" + node.name + "' has no type");
    }
    if (node.type == ParquetType::kFixed && (node.width == 0 || node.width > 1u << 24)) {
      return bad_footer("column '" + node.name + "' has values of " + std::to_string(node.width) +
                        " bytes");
    }
    return {};
  }

  std::vector<SchemaElement>& elements_;
  std::size_t next_ = 0;
  std::size_t leaves_ = 0;
};

void collect_leaves(const ParquetNode& node, std::vector<const ParquetNode*>& leaves) {
  if (node.is_leaf()) leaves.push_back(&node);
  for (const ParquetNode& child : node.children) collect_leaves(child, leaves);
}

Status check_chunks(const ParquetFooter& footer, std::uint64_t file_bytes) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < footer.row_groups.size(); ++i) {
    const ParquetRowGroup& group = footer.row_groups[i];
    const std::string name = "row group " + std::to_string(i + 1);
    rows += group.rows;
    if (group.chunks.size() != footer.leaves.size() || group.rows > footer.rows) {
      return bad_footer(name + ": number of columns or rows");
    }
    for (std::size_t column = 0; column < group.chunks.size(); ++column) {
      const ParquetChunk& chunk = group.chunks[column];
      const ParquetNode& leaf = *footer.leaves[column];
      const std::string of_column = name + ", column '" + leaf.name + "': ";
      if (chunk.encrypted) {
        return make_error(ErrorCode::kUnsupported, of_column + "is encrypted");
      }
      if (chunk.in_other_file) {
        return make_error(ErrorCode::kUnsupported, of_column + "lies in another file");
      }
      if (chunk.type != leaf.type) return bad_footer(of_column + "another type than the schema's");
      if (chunk.begin > file_bytes || chunk.bytes > file_bytes - chunk.begin) {
        return bad_footer(of_column + "lies beyond the end of the file");
      }
      if (leaf.rep_level == 0 && chunk.values != group.rows) {
        return bad_footer(of_column + std::to_string(chunk.values) + " values for " +
                          std::to_string(group.rows) + " rows");
      }
    }
  }
  return rows == footer.rows ? Status() : bad_footer("number of rows");
}

/// The footer's bytes, which stand before its length and the magic at the file's end.
Result<std::vector<Byte>> footer_bytes(const RandomAccess& file) {
  const std::uint64_t size = file.size();
  Byte tail[kFooterTail] = {};
  if (size < kFooterTail + kParquetMagic.size()) {
    return make_error(ErrorCode::kInvalidArgument, "the Parquet file is cut off");
  }
  PRESSO_TRY(file.read_at(size - kFooterTail, tail));
  const std::string_view magic(reinterpret_cast<const char*>(tail + 4), 4);
  if (magic == "PARE") {
    return make_error(ErrorCode::kUnsupported, "the Parquet file is encrypted");
  }
  if (magic != kParquetMagic) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the Parquet file is cut off: it does not end with PAR1");
  }
  const auto length = load<std::uint32_t>(tail);
  if (length > size - kFooterTail - kParquetMagic.size()) return bad_footer("its length");
  std::vector<Byte> bytes(length);
  PRESSO_TRY(file.read_at(size - kFooterTail - length, bytes));
  return bytes;
}

}  // namespace

Result<std::unique_ptr<ParquetFooter>> read_parquet_footer(const RandomAccess& file) {
  PRESSO_ASSIGN(const std::vector<Byte> bytes, footer_bytes(file));
  auto footer = std::make_unique<ParquetFooter>();
  std::vector<SchemaElement> elements;
  std::vector<bool> orders;
  ThriftReader in(bytes);
  in.read_struct([&](int id, ThriftType type) {
    if (id == 2) {
      in.read_list(type, [&](ThriftType of) {
        if (of != ThriftType::kStruct) return in.fail();
        elements.push_back(read_element(in));
      });
    } else if (id == 3) {
      footer->rows = static_cast<std::uint64_t>(in.read_int(type));
    } else if (id == 4) {
      in.read_list(type,
                   [&](ThriftType of) { footer->row_groups.push_back(read_row_group(in, of)); });
    } else if (id == 7) {
      in.read_list(type, [&](ThriftType of) { orders.push_back(read_order(in, of)); });
    } else {
      in.skip(type);
    }
  });
  if (!in.ok()) return bad_footer("it cannot be read");
  TreeBuilder builder(elements);
  PRESSO_ASSIGN(footer->root, builder.take(nullptr, 0));
  if (!builder.is_at_end()) return bad_footer("elements beside the schema's root");
  if (footer->root.children.empty()) return bad_footer("there is no column");
  collect_leaves(footer->root, footer->leaves);
  PRESSO_TRY(check_chunks(*footer, file.size()));
  trust_ranges(orders, *footer);
  return footer;
}

}  // namespace presso::cli
