// SPDX-License-Identifier: MIT
#include "tests/simt/query_file.h"

#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "corpora/random.h"
#include "tests/support/places.h"

namespace presso::test {
namespace {

/// A line and the indented ones after it.
struct Paragraph {
  int line;
  std::string text;                ///< of all of them, with a space between
  std::vector<std::string> lines;  ///< the indented ones
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Paragraph> paragraphs_of(std::istream& file) {
  std::vector<Paragraph> all;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text = trimmed(line);
    if (text.empty() || text[0] == '#') continue;
    if (line[0] != ' ') {
      all.push_back({number, text, {}});
    } else if (!all.empty()) {
      all.back().text += " " + text;
      all.back().lines.push_back(text);
    }
  }
  return all;
}

/// The first word; takes it and the spaces after it from the text.
std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

std::vector<std::string> words_of(std::string text) {
  std::vector<std::string> words;
  while (!text.empty()) words.push_back(take_word(text));
  return words;
}

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + between.size()) {
    end = text.find(between, begin);
    const std::string part = trimmed(text.substr(begin, end - begin));
    parts.push_back(part == "none" ? "" : part);
    if (end == std::string::npos) break;
  }
  return parts;
}

/// "ROWS/GROUP_ROWS", "ROWS/GROUP_ROWSxTIMES". A table that has rows of its own keeps them, or so
/// many times as many.
void set_size(TableRecipe& table, const std::string& size) {
  const std::size_t slash = size.find('/');
  if (slash == std::string::npos) throw std::runtime_error("no size: " + size);
  const std::size_t times = size.find('x');
  table.times = times == std::string::npos ? 1 : std::stoul(size.substr(times + 1));
  table.group_rows = static_cast<std::uint32_t>(std::stoul(size.substr(slash + 1)));
  if (table.rows == 0) table.rows = static_cast<std::uint32_t>(std::stoul(size));
  if (table.grows) table.rows *= static_cast<std::uint32_t>(table.times);
}

/// Such a size, or "ROWS" or "ROWSx" of a table that keeps these.
void set_own_size(TableRecipe& table, const std::string& size) {
  table.rows = 0;
  if (size.find('/') != std::string::npos) return set_size(table, size);
  table.rows = static_cast<std::uint32_t>(std::stoul(size));
  table.grows = size.back() == 'x';
}

std::filesystem::path path_of(const std::string& file) {
  return tests::tests_folder() / "queries" / (file + ".txt");
}

/// "table NAMES MAKER [SIZE]", "table NAMES [SIZE]" with columns, "table NAMES like OTHER [SIZE]",
/// "table NAME in FILE", "table NAME = FILE + FILE".
void read_table(const Paragraph& paragraph, QueryFile& file) {
  std::string line = paragraph.text.substr(
      0, paragraph.text.find(paragraph.lines.empty() ? "\n" : paragraph.lines[0]));
  take_word(line);
  const std::vector<std::string> words = words_of(line);
  TableRecipe recipe;
  if (words.size() > 1 && words[1] == "=") {
    for (std::size_t i = 2; i < words.size(); i += 2) recipe.files.push_back(words[i]);
  } else if (words.size() > 2 && words[1] == "in") {
    recipe = read_query_file(path_of(words[2])).tables[words[0]];
  } else if (words.size() > 2 && words[1] == "like") {
    recipe = file.tables[words[2]];
  } else if (!paragraph.lines.empty()) {
    recipe.maker = "columns";
    recipe.columns = paragraph.lines;
  } else if (words.size() > 1) {
    recipe.maker = words[1];
  }
  const bool has_size = std::isdigit(static_cast<unsigned char>(words.back()[0])) != 0;
  if (has_size) set_own_size(recipe, words.back());
  for (const std::string& name : split(words[0], ",")) file.tables[name] = recipe;
}

void read_setting(std::string text, QueryTest& test) {
  const std::string kind = take_word(text);
  const std::string key = take_word(text);
  if (kind == "least" || kind == "most") {
    (kind == "least" ? test.least : test.most)[key] =
        text == "all" ? ~std::uint64_t{0} : std::stoull(text);
  } else if (kind == "run") {
    test.runs[key] = text;
  } else {
    (test.statements.empty() ? test.expected : test.statements.back().expected)[key] = text;
  }
}

const QueryTest& test_of(const QueryFile& file, const std::string& name) {
  for (const QueryTest& test : file.tests) {
    if (test.name == name) return test;
  }
  throw std::runtime_error("no test " + name);
}

void read_paragraph(const Paragraph& paragraph, QueryFile& file) {
  std::string rest = paragraph.text;
  const std::string word = take_word(rest);
  if (word == "table") return read_table(paragraph, file);
  if (word == "let") {
    const std::string name = take_word(rest);
    if (name == "in") {
      file.alternatives = read_query_file(path_of(rest)).alternatives;
      return;
    }
    take_word(rest);  // the equals sign
    file.alternatives[name] = split(rest, " | ");
    return;
  }
  if (word == "test") {
    file.tests.emplace_back();
    file.tests.back().name = rest;
    file.tests.back().line = paragraph.line;
    return;
  }
  if (file.tests.empty()) throw std::runtime_error("a statement before the first test");
  QueryTest& test = file.tests.back();
  if (word == "as") {
    const QueryTest& other = test_of(file, rest);
    test.statements.insert(test.statements.end(), other.statements.begin(), other.statements.end());
  } else if (word == "sizes") {
    test.sizes = words_of(rest);
  } else if (word == "run" || word == "expect" || word == "least" || word == "most") {
    read_setting(paragraph.text, test);
  } else {
    test.statements.push_back({paragraph.text, {}});
  }
}

/// A name in braces; those of regular expressions are digits.
struct Slot {
  std::size_t begin = std::string::npos;
  std::size_t end = 0;
  std::string bound;  ///< {bound=name}
  std::string name;
};

Slot find_slot(const std::string& text, std::size_t from = 0) {
  Slot slot;
  for (std::size_t at = text.find('{', from); at != std::string::npos;
       at = text.find('{', at + 1)) {
    if (at + 1 >= text.size() || std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)
      continue;
    slot.begin = at;
    slot.end = text.find('}', at) + 1;
    slot.name = text.substr(at + 1, slot.end - at - 2);
    const std::size_t equals = slot.name.find('=');
    if (equals == std::string::npos) return slot;
    slot.bound = slot.name.substr(0, equals);
    slot.name = slot.name.substr(equals + 1);
    return slot;
  }
  return slot;
}

const std::vector<std::string>& alternatives_of(const QueryFile& file, const std::string& name) {
  const auto found = file.alternatives.find(name);
  if (found == file.alternatives.end()) throw std::runtime_error("no alternatives for " + name);
  return found->second;
}

/// All combinations. A name has one value in a statement.
void combine(const QueryFile& file, const QueryStatement& statement,
             std::vector<QueryStatement>& all) {
  const Slot slot = find_slot(statement.text);
  if (slot.begin == std::string::npos) {
    all.push_back(statement);
    return;
  }
  const std::string braces = "{" + slot.name + "}";
  for (const std::string& value : alternatives_of(file, slot.name)) {
    QueryStatement one = statement;
    for (std::size_t at = 0; (at = one.text.find(braces, at)) != std::string::npos;) {
      one.text.replace(at, braces.size(), value);
    }
    combine(file, one, all);
  }
}

/// At random: each {name} for itself, but {x=name} is what {x} stands for after it.
std::string draw(const QueryFile& file, std::string text, corpora::Random& random,
                 std::map<std::string, std::string>& bound) {
  for (Slot slot = find_slot(text); slot.begin != std::string::npos; slot = find_slot(text)) {
    std::string value;
    if (const auto known = bound.find(slot.name); known != bound.end()) {
      value = known->second;
    } else {
      const auto& from = alternatives_of(file, slot.name);
      value =
          draw(file, from[random.below(static_cast<std::uint32_t>(from.size()))], random, bound);
    }
    if (!slot.bound.empty()) bound[slot.bound] = value;
    text.replace(slot.begin, slot.end - slot.begin, value);
  }
  return text;
}

}  // namespace

QueryFile read_query_file(const std::filesystem::path& path) {
  QueryFile file;
  file.name = path.stem().string();
  file.path = path.string();
  std::ifstream stream(path);
  for (const Paragraph& paragraph : paragraphs_of(stream)) {
    try {
      read_paragraph(paragraph, file);
    } catch (const std::exception& error) {
      throw std::runtime_error(file.path + ":" + std::to_string(paragraph.line) + ": " +
                               error.what());
    }
  }
  return file;
}

std::vector<QueryStatement> statements_of(const QueryFile& file, const QueryTest& test,
                                          bool takes_few) {
  std::vector<QueryStatement> all;
  const auto drawn = test.runs.find("random");
  if (drawn == test.runs.end()) {
    for (const QueryStatement& statement : test.statements) combine(file, statement, all);
    return all;
  }
  const std::uint64_t count = std::stoull(drawn->second) / (takes_few ? 5 : 1);
  std::uint64_t seed = 0;
  for (const char letter : test.name) seed = seed * 31 + static_cast<unsigned char>(letter);
  corpora::Random random(seed);
  while (all.size() < count) {
    const auto which = random.below(static_cast<std::uint32_t>(test.statements.size()));
    QueryStatement one = test.statements[which];
    std::map<std::string, std::string> bound;
    one.text = draw(file, one.text, random, bound);
    all.push_back(std::move(one));
  }
  return all;
}

std::map<std::string, TableRecipe> tables_of(const QueryFile& file, const std::string& size) {
  std::map<std::string, TableRecipe> tables = file.tables;
  for (auto& [name, table] : tables) {
    if (table.maker == "keyed") {
      table.maker = size;
    } else if (table.group_rows == 0 && size.find('/') != std::string::npos) {
      set_size(table, size);
    }
  }
  return tables;
}

QueryTables query_tables(const std::string& file, const std::string& size) {
  return QueryTables(tables_of(read_query_file(path_of(file)), size));
}

std::vector<std::string> query_statements(const std::string& file, const std::string& test) {
  const QueryFile all = read_query_file(path_of(file));
  std::vector<std::string> texts;
  for (const QueryStatement& one : statements_of(all, test_of(all, test), false)) {
    texts.push_back(one.text);
  }
  return texts;
}

}  // namespace presso::test
