// SPDX-License-Identifier: MIT
#include "lab/harness/report.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace presso::harness {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result(1, '"');
  for (const char letter : text) result.append(letter == '"' ? 2 : 1, letter);
  result.push_back('"');
  return result;
}

void write_csv(std::FILE* to, const std::vector<Cell>& cells) {
  std::string line;
  for (const Cell& cell : cells) {
    if (&cell != cells.data()) line += ',';
    line += quoted(cell.text);
  }
  std::fprintf(to, "%s\n", line.c_str());
  std::fflush(to);
}

}  // namespace

Cell fixed(double value, int digits) {
  char text[512];  // of the largest double, too
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return Cell(text);
}

Cell significant(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return Cell(text);
}

Report::Report(Form form, const std::string& columns) : form_(form) {
  std::stringstream all(columns);
  for (std::string column; std::getline(all, column, ',');) {
    const std::size_t colon = column.find(':');
    names_.emplace_back(column.substr(0, colon));
    widths_.push_back(colon == std::string::npos ? 0 : std::atoi(column.c_str() + colon + 1));
  }
  form_ == Form::kCsv ? write_csv(stdout, names_) : print_aligned(names_);
}

Report::~Report() {
  if (file_ != nullptr) std::fclose(file_);
}

Status Report::also_to(const std::string& path, std::vector<std::pair<std::string, Cell>> fixed) {
  if (path.empty()) return {};
  file_ = std::fopen(path.c_str(), "a");
  if (file_ == nullptr) return errno_error(path, errno);
  std::vector<Cell> names;
  for (auto& [name, cell] : fixed) {
    names.emplace_back(name);
    fixed_.push_back(std::move(cell));
  }
  names.insert(names.end(), names_.begin(), names_.end());
  std::fseek(file_, 0, SEEK_END);
  if (std::ftell(file_) == 0) write_csv(file_, names);
  return {};
}

void Report::add(const std::vector<Cell>& cells) {
  form_ == Form::kCsv ? write_csv(stdout, cells) : print_aligned(cells);
  if (file_ == nullptr) return;
  std::vector<Cell> all = fixed_;
  all.insert(all.end(), cells.begin(), cells.end());
  write_csv(file_, all);
}

void Report::print_aligned(const std::vector<Cell>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int width = widths_[i];
    if (width == 0) continue;
    const auto room = static_cast<std::size_t>(width < 0 ? -width : width);
    const std::string& text = cells[i].text;
    const std::string blanks(room - std::min(room, text.size()), ' ');
    if (!line.empty()) line += ' ';
    line += width < 0 ? text + blanks : blanks + text;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace presso::harness
