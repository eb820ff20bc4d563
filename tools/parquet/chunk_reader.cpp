// SPDX-License-Identifier: MIT
// A page's header has no length of its own, so bytes are read ahead, and more of them where they do
// not hold the header. Sizes in headers are compared with what the file has before memory is
// allocated.
#include "tools/parquet/chunk_reader.h"

#include <algorithm>

#include "tools/parquet/thrift.h"

namespace presso::cli {
namespace {

constexpr std::uint64_t kUsualHeaderBytes = 4096;
constexpr std::size_t kLevelsAtOnce = 4096;
constexpr std::int64_t kMaxPageBytes = std::int64_t{1} << 31;

std::size_t count_of(const std::vector<Byte>& levels, std::size_t from, int level) {
  return static_cast<std::size_t>(std::count(levels.begin() + static_cast<std::ptrdiff_t>(from),
                                             levels.end(), static_cast<Byte>(level)));
}

/// Whether a level is above the highest, which its bits allow.
bool has_higher(const std::vector<Byte>& levels, std::size_t from, int most) {
  return std::any_of(levels.begin() + static_cast<std::ptrdiff_t>(from), levels.end(),
                     [most](Byte level) { return level > most; });
}

}  // namespace

ChunkReader::ChunkReader(const RandomAccess& file, const ParquetNode& leaf,
                         const ParquetChunk& chunk, const ValueConverter& converter,
                         std::string place, std::uint64_t read_ahead)
    : file_(file),
      leaf_(leaf),
      chunk_(chunk),
      converter_(converter),
      place_(std::move(place)),
      read_ahead_(read_ahead),
      at_(chunk.begin),
      page_at_(chunk.begin),
      left_(chunk.values) {}

Error ChunkReader::at_place(Error error) const {
  error.what = place_ + ", byte " + grouped(page_at_) + ": " + error.what;
  return error;
}

Error ChunkReader::bad(const std::string& what) const {
  return at_place(make_error(ErrorCode::kInvalidArgument, what));
}

Status ChunkReader::fill(std::uint64_t bytes) {
  const std::uint64_t rest = chunk_.begin + chunk_.bytes - at_;
  const std::uint64_t needed = std::min(bytes, rest);
  const bool is_there = at_ >= window_at_ && at_ + needed <= window_at_ + window_.size();
  if (is_there) return {};
  window_.resize_discarding(std::min(rest, std::max(needed, read_ahead_)));
  window_at_ = at_;
  return file_.read_at(at_, window_.mutable_bytes());
}

bool ChunkReader::parse_header(Bytes from, PageHeader& header) {
  ThriftReader in(from);
  const auto data_page = [&](int id, ThriftType type) {
    if (id == 1) {
      header.values = in.read_int(type);
    } else if (id == 2) {
      header.encoding = static_cast<ParquetEncoding>(in.read_int(type));
    } else if (id == 3 && header.type == ParquetPage::kData) {
      header.def_encoding = static_cast<ParquetEncoding>(in.read_int(type));
    } else if (id == 4 && header.type == ParquetPage::kData) {
      header.rep_encoding = static_cast<ParquetEncoding>(in.read_int(type));
    } else {
      in.skip(type);
    }
  };
  const auto second_page = [&](int id, ThriftType type) {
    if (id == 4) {
      header.encoding = static_cast<ParquetEncoding>(in.read_int(type));
    } else if (id == 5) {
      header.def_bytes = in.read_int(type);
    } else if (id == 6) {
      header.rep_bytes = in.read_int(type);
    } else if (id == 7) {
      header.compressed = in.read_bool(type);
    } else if (id == 1) {
      header.values = in.read_int(type);
    } else {
      in.skip(type);
    }
  };
  in.read_struct([&](int id, ThriftType type) {
    if (id == 1) {
      header.type = static_cast<ParquetPage>(in.read_int(type));
    } else if (id == 2) {
      header.plain_bytes = in.read_int(type);
    } else if (id == 3) {
      header.stored_bytes = in.read_int(type);
    } else if (id == 4) {
      header.checksum = static_cast<std::uint32_t>(in.read_int(type));
      header.has_checksum = true;
    } else if ((id == 5 || id == 7) && type == ThriftType::kStruct) {
      in.read_struct(data_page);
    } else if (id == 8 && type == ThriftType::kStruct) {
      in.read_struct(second_page);
    } else {
      in.skip(type);
    }
  });
  header.header_bytes = in.position();
  return in.ok();
}

Result<ChunkReader::PageHeader> ChunkReader::read_header() {
  const std::uint64_t rest = chunk_.begin + chunk_.bytes - at_;
  page_at_ = at_;
  for (std::uint64_t bytes = kUsualHeaderBytes; rest > 0; bytes *= 8) {
    PRESSO_TRY(fill(bytes));
    PageHeader header;
    const Bytes there = window_.bytes().subspan(at_ - window_at_);
    if (parse_header(there, header)) return header;
    if (there.size() >= rest) break;
  }
  return bad(rest == 0 ? "the column ends before its last value" : "the page's header is damaged");
}

/// Opens the next page of data. A dictionary is read on the way, other pages are passed over.
Status ChunkReader::next_page() {
  for (;;) {
    PRESSO_ASSIGN(const PageHeader header, read_header());
    if (header.stored_bytes < 0 || header.plain_bytes < 0 || header.plain_bytes > kMaxPageBytes ||
        static_cast<std::uint64_t>(header.stored_bytes) >
            chunk_.begin + chunk_.bytes - at_ - header.header_bytes) {
      return bad("the size of the page is damaged");
    }
    const auto stored_bytes = static_cast<std::uint64_t>(header.stored_bytes);
    PRESSO_TRY(fill(header.header_bytes + stored_bytes));
    const Bytes stored =
        window_.bytes().subspan(at_ - window_at_ + header.header_bytes, stored_bytes);
    at_ += header.header_bytes + stored_bytes;
    if (header.has_checksum && page_checksum(stored).value_or(header.checksum) != header.checksum) {
      return bad("the page's checksum does not match");
    }
    if (header.type == ParquetPage::kDictionary) {
      PRESSO_TRY(open_dictionary(header, stored));
    } else if (header.type == ParquetPage::kData || header.type == ParquetPage::kDataV2) {
      PRESSO_TRY(open_page(header, stored));
      if (page_left_ > 0) return {};
    }
  }
}

/// Sets page_: the first `plain_begin` bytes as they are stored, the others decompressed.
Status ChunkReader::decompress(const PageHeader& header, Bytes stored, std::size_t plain_begin) {
  const auto plain_bytes = static_cast<std::size_t>(header.plain_bytes);
  const ParquetCodec codec = header.compressed ? chunk_.codec : ParquetCodec::kNone;
  if (plain_bytes < plain_begin || plain_begin > stored.size() ||
      plain_bytes - plain_begin > most_page_bytes(codec, stored.size() - plain_begin)) {
    return bad("the size of the page is damaged");
  }
  page_.resize_discarding(plain_bytes);
  std::copy_n(stored.begin(), plain_begin, page_.data());
  if (plain_bytes == plain_begin) return {};
  const Status done = decompress_page(codec, stored.subspan(plain_begin),
                                      page_.mutable_bytes().subspan(plain_begin));
  return done.ok() ? Status() : at_place(done.error());
}

Status ChunkReader::open_dictionary(const PageHeader& header, Bytes stored) {
  if (header.encoding != ParquetEncoding::kPlain &&
      header.encoding != ParquetEncoding::kPlainDictionary) {
    return bad("the dictionary has an unknown encoding");
  }
  PRESSO_TRY(decompress(header, stored, 0));
  const std::size_t least = std::max<std::size_t>(stored_width(leaf_), 1);
  const std::size_t most = leaf_.type == ParquetType::kBoolean     ? 8 * page_.size()
                           : leaf_.type == ParquetType::kByteArray ? page_.size() / 4
                                                                   : page_.size() / least;
  if (header.values < 0 || static_cast<std::uint64_t>(header.values) > most) {
    return bad("the dictionary's number of values is damaged");
  }
  dictionary_.clear();
  scratch_.clear();
  const auto count = static_cast<std::size_t>(header.values);
  const auto reader = make_value_reader(ParquetEncoding::kPlain, leaf_, page_.bytes(), count);
  DenseValues& plain = converter_.is_same() ? dictionary_ : scratch_;
  if (count > 0 && !reader->read(count, plain)) return bad("the dictionary is damaged");
  if (!converter_.is_same() && !converter_.convert(scratch_, dictionary_)) {
    return bad("a value of the dictionary is out of range");
  }
  has_dictionary_ = true;
  return {};
}

Status ChunkReader::open_page(const PageHeader& header, Bytes stored) {
  if (header.values < 0 || static_cast<std::uint64_t>(header.values) > left_) {
    return bad("the page's number of values is damaged");
  }
  std::size_t levels_bytes = 0;
  if (header.type == ParquetPage::kDataV2) {
    if (header.def_bytes < 0 || header.rep_bytes < 0 || header.def_bytes > header.plain_bytes ||
        header.rep_bytes > header.plain_bytes - header.def_bytes) {
      return bad("the size of the page's levels is damaged");
    }
    levels_bytes = static_cast<std::size_t>(header.def_bytes + header.rep_bytes);
  }
  PRESSO_TRY(decompress(header, stored, levels_bytes));
  page_left_ = static_cast<std::uint64_t>(header.values);
  left_ -= page_left_;
  Bytes rest = page_.bytes();
  PRESSO_TRY(open_levels(header, rest));
  return open_values(header, rest);
}

/// Finds the levels at the front of the page, and moves `rest` after them.
Status ChunkReader::open_levels(const PageHeader& header, Bytes& rest) {
  const auto open = [&](int most, ParquetEncoding encoding, std::int64_t bytes,
                        LevelReader& reader) -> Status {
    const bool is_second = header.type == ParquetPage::kDataV2;
    std::uint64_t length = is_second ? static_cast<std::uint64_t>(bytes) : 0;
    const bool is_packed = !is_second && encoding == ParquetEncoding::kBitPacked;
    if (!is_second && most == 0) return {};
    if (is_packed) {
      length = (page_left_ * LevelReader::bits_of(most) + 7) / 8;
    } else if (!is_second) {
      if (encoding != ParquetEncoding::kRle || rest.size() < 4) return bad("levels are damaged");
      length = load<std::uint32_t>(rest.data());
      rest = rest.subspan(4);
    }
    if (length > rest.size()) return bad("levels are cut off");
    reader = LevelReader(rest.first(length), most, is_packed);
    rest = rest.subspan(length);
    return {};
  };
  PRESSO_TRY(open(leaf_.rep_level, header.rep_encoding, header.rep_bytes, reps_));
  return open(leaf_.def_level, header.def_encoding, header.def_bytes, defs_);
}

Status ChunkReader::open_values(const PageHeader& header, Bytes page) {
  const bool has_codes = header.encoding == ParquetEncoding::kPlainDictionary ||
                         header.encoding == ParquetEncoding::kRleDictionary;
  if (has_codes) {
    if (!has_dictionary_) return bad("the page needs a dictionary, which is missing");
    values_ = make_code_reader(dictionary_, converter_.width(), page);
  } else {
    values_ = make_value_reader(header.encoding, leaf_, page, page_left_);
  }
  values_converted_ = has_codes || converter_.is_same();
  if (values_ != nullptr) return {};
  return bad("the page has encoding " + std::to_string(static_cast<int>(header.encoding)) +
             ", which is unknown or not for this type, or it is damaged");
}

Status ChunkReader::take_values(std::size_t count, ChunkValues& to) {
  if (count == 0) return {};
  if (values_converted_) {
    return values_->read(count, to.values) ? Status() : bad("the page's values are damaged");
  }
  scratch_.clear();
  if (!values_->read(count, scratch_)) return bad("the page's values are damaged");
  return converter_.convert(scratch_, to.values) ? Status() : bad("a value is out of range");
}

/// Takes entries of the present page of a column that is not repeated.
Status ChunkReader::take(std::uint64_t entries, ChunkValues& to) {
  std::size_t present = entries;
  if (leaf_.def_level > 0) {
    const std::size_t before = to.def_levels.size();
    to.def_levels.resize(before + entries);
    if (!defs_.read(to.def_levels.data() + before, entries) ||
        has_higher(to.def_levels, before, leaf_.def_level)) {
      return bad("the page's definition levels are damaged");
    }
    present = count_of(to.def_levels, before, leaf_.def_level);
  }
  to.entries += entries;
  page_left_ -= entries;
  return take_values(present, to);
}

Status ChunkReader::read_flat(std::uint64_t rows, ChunkValues& to) {
  while (rows > 0) {
    if (page_left_ == 0) PRESSO_TRY(next_page());
    const std::uint64_t taken = std::min(rows, page_left_);
    PRESSO_TRY(take(taken, to));
    rows -= taken;
  }
  return {};
}

/// A row ends where the next one begins, at repetition level 0, so levels are read ahead. They
/// never lie in another page than the values that are read next.
Status ChunkReader::read_repeated(std::uint64_t rows, ChunkValues& to) {
  std::uint64_t begun = 0;
  for (;;) {
    if (waiting_ == waiting_reps_.size()) {
      if (page_left_ == 0 && left_ == 0) break;
      if (page_left_ == 0) PRESSO_TRY(next_page());
      const std::size_t some = std::min<std::uint64_t>(page_left_, kLevelsAtOnce);
      waiting_ = 0;
      waiting_reps_.resize(some);
      waiting_defs_.resize(some);
      if (!reps_.read(waiting_reps_.data(), some) || !defs_.read(waiting_defs_.data(), some) ||
          has_higher(waiting_reps_, 0, leaf_.rep_level) ||
          has_higher(waiting_defs_, 0, leaf_.def_level)) {
        return bad("the page's levels are damaged");
      }
      page_left_ -= some;
    }
    const std::size_t before = to.def_levels.size();
    for (; waiting_ < waiting_reps_.size(); ++waiting_) {
      if (waiting_reps_[waiting_] == 0 && ++begun > rows) break;
      if (begun == 0) return bad("a row begins in the middle");
      to.rep_levels.push_back(waiting_reps_[waiting_]);
      to.def_levels.push_back(waiting_defs_[waiting_]);
    }
    PRESSO_TRY(take_values(count_of(to.def_levels, before, leaf_.def_level), to));
    if (begun > rows) break;
  }
  to.entries = to.def_levels.size();
  return begun >= rows ? Status() : bad("the column ends before its last row");
}

Status ChunkReader::read(std::uint64_t rows, ChunkValues& to) {
  to.clear();
  return leaf_.rep_level > 0 ? read_repeated(rows, to) : read_flat(rows, to);
}

}  // namespace presso::cli
