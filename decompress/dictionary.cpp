// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "presso/checksum.h"
#include "presso/decompress.h"

namespace presso {
namespace {

Result<std::shared_ptr<const Dictionary>> find_named(Bytes payload, KnownDictionaries known) {
  PRESSO_ASSIGN(const DictionaryReference named, parse_dictionary_reference(payload.data()));
  for (const std::shared_ptr<const Dictionary>& one : known) {
    if (one->content().size() == named.plain_bytes && one->reference() == named) return one;
  }
  char what[128];
  std::snprintf(what, sizeof what,
                "the file was compressed with a dictionary of %" PRIu32
                " bytes and checksum %016" PRIx64 " and must be given it",
                named.plain_bytes, named.checksum);
  return make_error(ErrorCode::kMissingDictionary, what);
}

}  // namespace

DictionaryReference Dictionary::reference() const {
  return {static_cast<std::uint32_t>(size_), checksum64(content())};
}

std::shared_ptr<const Dictionary> Dictionary::from_plain(Bytes plain) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->size_ = plain.size();
  dictionary->buffer_.resize_discarding(Buffer::kSlack + plain.size());
  std::fill_n(dictionary->buffer_.data(), Buffer::kSlack, Byte{0});
  std::copy(plain.begin(), plain.end(), dictionary->buffer_.data() + Buffer::kSlack);
  return dictionary;
}

Result<std::shared_ptr<const Dictionary>> Dictionary::decode(Bytes stored,
                                                             KnownDictionaries known) {
  if (is_dictionary_reference(stored)) return find_named(stored, known);
  Buffer plain;
  std::uint32_t number = 0;
  while (!stored.empty()) {
    if (stored.size() < kBlockHeaderBytes) return make_error(ErrorCode::kTruncated, "dictionary");
    PRESSO_ASSIGN(const BlockHeader header, parse_block_header(stored.data()));
    if (header.kind != FrameKind::kDictionaryBlock || header.dictionary_id != 0 ||
        header.number != number++) {
      return make_error(ErrorCode::kBadHeader, "dictionary block");
    }
    if (header.stored_bytes() > stored.size()) {
      return make_error(ErrorCode::kTruncated, "dictionary");
    }
    if (plain.size() + header.plain_bytes > kMaxDictionaryBytes) {
      return make_error(ErrorCode::kBadHeader, "dictionary is larger than 4 MiB");
    }
    Buffer payload;  // with the slack that the decoder asks for
    payload.append(stored.subspan(kBlockHeaderBytes, header.payload_bytes));
    const std::size_t done = plain.size();
    plain.grow(done + header.plain_bytes);
    PRESSO_TRY(decode_block(header, payload.data(), nullptr, {}, plain.data() + done));
    stored = stored.subspan(static_cast<std::size_t>(header.stored_bytes()));
  }
  return from_plain(plain.bytes());
}

}  // namespace presso
