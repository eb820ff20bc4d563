// SPDX-License-Identifier: MIT
// Dictionaries in memory: slack bytes, for wide copies that reach before the content, then the
// content. They are immutable and shared by all threads. A dictionary may be stored in the file
// or only be named by size and checksum. Tested by tests/unit/compress/dictionary_test.cpp.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

/// Looks for the dictionary that the file names among those that the caller has;
/// kMissingDictionary tells the user which one is needed.
Result<std::shared_ptr<const Dictionary>> find_named(Bytes payload, KnownDictionaries known) {
  PRESSO_ASSIGN(const DictionaryReference named, parse_dictionary_reference(payload.data()));
  for (const std::shared_ptr<const Dictionary>& one : known) {
    if (one->content().size() == named.plain_bytes && one->reference() == named) return one;
  }
  char what[128];
  std::snprintf(what, sizeof what,
                "the file needs a dictionary of %" PRIu32 " bytes with checksum %016" PRIx64 "; %s",
                named.plain_bytes, named.checksum,
                known.empty() ? "none was given" : "the one that was given does not match");
  return make_error(ErrorCode::kMissingDictionary, what);
}

/// The plain size of a dictionary's blocks; on success all of their headers are sound.
Result<std::size_t> measure(Bytes stored) {
  std::size_t plain_bytes = 0;
  for (std::uint32_t number = 0; !stored.empty(); ++number) {
    if (stored.size() < kBlockHeaderBytes) return make_error(ErrorCode::kTruncated, "dictionary");
    PRESSO_ASSIGN(const BlockHeader header, parse_block_header(stored.data()));
    if (header.kind != FrameKind::kDictionaryBlock || header.dictionary_id != 0 ||
        header.number != number) {
      return make_error(ErrorCode::kBadHeader, "dictionary block");
    }
    if (header.stored_bytes() > stored.size()) {
      return make_error(ErrorCode::kTruncated, "dictionary");
    }
    plain_bytes += header.plain_bytes;
    if (plain_bytes > kMaxDictionaryBytes) {
      return make_error(ErrorCode::kBadHeader, "dictionary is larger than 4 MiB");
    }
    stored = stored.subspan(static_cast<std::size_t>(header.stored_bytes()));
  }
  return plain_bytes;
}

}  // namespace

DictionaryReference Dictionary::reference() const {
  return {static_cast<std::uint32_t>(size_), checksum64(content())};
}

/// For trials and tests, which have the content already.
std::shared_ptr<const Dictionary> Dictionary::from_plain(Bytes plain) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->size_ = plain.size();
  dictionary->buffer_.resize_discarding(Buffer::kSlack + plain.size());
  std::fill_n(dictionary->buffer_.data(), Buffer::kSlack, Byte{0});
  std::copy(plain.begin(), plain.end(), dictionary->buffer_.data() + Buffer::kSlack);
  return dictionary;
}

/// `stored`: blocks that use no dictionary themselves, or a reference. At most 4 MiB of
/// content.
Result<std::shared_ptr<const Dictionary>> Dictionary::decode(Bytes stored,
                                                             KnownDictionaries known) {
  if (is_dictionary_reference(stored)) return find_named(stored, known);
  PRESSO_ASSIGN(const std::size_t plain_bytes, measure(stored));
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->buffer_.resize_discarding(Buffer::kSlack + plain_bytes);
  Byte* plain = dictionary->buffer_.data();
  std::fill_n(plain, Buffer::kSlack, Byte{0});
  Buffer payload;  // with the slack that the decoder asks for
  while (!stored.empty()) {
    PRESSO_ASSIGN(const BlockHeader header, parse_block_header(stored.data()));
    payload.clear();
    payload.append(stored.subspan(kBlockHeaderBytes, header.payload_bytes));
    PRESSO_TRY(decode_block(header, payload.data(), nullptr, {},
                            plain + Buffer::kSlack + dictionary->size_));
    dictionary->size_ += header.plain_bytes;
    stored = stored.subspan(static_cast<std::size_t>(header.stored_bytes()));
  }
  return std::shared_ptr<const Dictionary>(std::move(dictionary));
}

}  // namespace presso
