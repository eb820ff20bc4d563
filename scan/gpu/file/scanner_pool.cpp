// SPDX-License-Identifier: MIT
// ScannerPool: long texts are cut at line ends into pieces of about 1 MiB, which a team of threads
// searches.
#include "scan/gpu/file/scanner_pool.h"

#include <new>
#include <utility>

namespace presso::gpu {
namespace {

using scan_detail::Chunk;
using scan_detail::Findings;
using scan_detail::FoundLine;
using scan_detail::LineScanner;
using scan_detail::LineScanOptions;
using scan_detail::SearchedChunk;

/// The least text that is worth waking a thread for: it takes some hundred microseconds to search.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Cuts at line ends about kPieceBytes apart; the first is 0 and the last the text's length.
std::vector<std::size_t> cuts_of(Bytes text) {
  std::vector<std::size_t> cuts{0};
  while (cuts.back() < text.size()) {
    const std::size_t wanted = cuts.back() + kPieceBytes;
    cuts.push_back(wanted < text.size() ? scan_detail::line_end(text, wanted) : text.size());
  }
  return cuts;
}

/// Joins the findings of a piece that begins at byte `begin` of the text to those of the pieces
/// before it. Places, line numbers and spans are shifted by what came before.
void append(Findings& all, Findings piece, std::size_t begin) {
  for (FoundLine& line : piece.found) {
    line.begin += begin;
    line.end += begin;
    line.number += all.newlines;
    line.first_span += all.spans.size();
    all.found.push_back(line);
  }
  all.spans.insert(all.spans.end(), piece.spans.begin(), piece.spans.end());
  all.lines += piece.lines;
  all.matches += piece.matches;
  all.newlines += piece.newlines;
}

}  // namespace

ScannerPool::ScannerPool(const scan_detail::Matcher& matcher, const LineScanOptions& options,
                         CpuLevel level, unsigned threads)
    : matcher_(matcher),
      options_(options),
      level_(level),
      counter_(matcher, LineScanOptions(), level),
      team_(threads) {}

ScannerPool::Scanner ScannerPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Scanner scanner = std::move(free_.back());
      free_.pop_back();
      return scanner;
    }
  }
  return std::make_unique<LineScanner>(matcher_, options_, level_);
}

void ScannerPool::give_back(Scanner scanner) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(scanner));
}

Findings ScannerPool::scan_piece(Bytes text) {
  Scanner scanner = take();
  Findings findings = scanner->scan(text);
  give_back(std::move(scanner));
  return findings;
}

Result<Findings> ScannerPool::scan(Bytes text) {
  if (text.size() <= 2 * kPieceBytes) return scan_piece(text);
  const std::vector<std::size_t> cuts = cuts_of(text);
  std::vector<Findings> pieces(cuts.size() - 1);
  {
    const std::lock_guard lock(team_mutex_);
    PRESSO_TRY(team_.run(pieces.size(), [&](std::size_t i) -> Status {
      try {
        pieces[i] = scan_piece(text.subspan(cuts[i], cuts[i + 1] - cuts[i]));
      } catch (const std::bad_alloc&) {
        return make_error(ErrorCode::kOutOfMemory);
      }
      return {};
    }));
  }
  Findings all;
  for (std::size_t i = 0; i < pieces.size(); ++i) append(all, std::move(pieces[i]), cuts[i]);
  return all;
}

SearchedChunk ScannerPool::search_one(Chunk chunk) {
  Scanner scanner = take();
  SearchedChunk searched = scan_detail::search_chunk(std::move(chunk), *scanner);
  give_back(std::move(scanner));
  return searched;
}

Result<std::vector<SearchedChunk>> ScannerPool::search(std::vector<Chunk> chunks) {
  std::vector<SearchedChunk> searched(chunks.size());
  const auto search_at = [&](std::size_t i) -> Status {
    try {
      searched[i] = search_one(std::move(chunks[i]));
    } catch (const std::bad_alloc&) {
      return make_error(ErrorCode::kOutOfMemory);
    }
    return {};
  };
  std::size_t bytes = 0;
  for (const Chunk& chunk : chunks) bytes += chunk.text.size();
  if (bytes > 2 * kPieceBytes) {
    const std::lock_guard lock(team_mutex_);
    PRESSO_TRY(team_.run(chunks.size(), search_at));
  } else {
    for (std::size_t i = 0; i < chunks.size(); ++i) PRESSO_TRY(search_at(i));
  }
  return searched;
}

std::uint64_t ScannerPool::count(Bytes text) {
  const std::lock_guard lock(counter_mutex_);
  return counter_.scan(text).lines;
}

}  // namespace presso::gpu
