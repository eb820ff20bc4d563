// SPDX-License-Identifier: MIT
#include "corpora/string_data.h"

#include <set>

namespace presso::corpora {
namespace {

constexpr const char* kCommentWords[] = {
    "carefully",    "quickly",      "furiously", "slyly",      "blithely",    "ironic",    "final",
    "regular",      "express",      "bold",      "pending",    "unusual",     "even",      "silent",
    "accounts",     "deposits",     "foxes",     "ideas",      "theodolites", "pinto",     "beans",
    "instructions", "dependencies", "platelets", "asymptotes", "courts",      "dolphins",  "sleep",
    "wake",         "nag",          "haggle",    "cajole",     "detect",      "integrate", "above",
    "against",      "among",        "after",     "about",      "the",         "according", "to",
    "across",       "along",
};
constexpr const char* kSchemes[] = {"http://", "https://", "ftp://"};
constexpr const char* kDomains[] = {".com", ".org", ".net", ".de", ".uk", ".edu", ".gov"};
constexpr char kPathBytes[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

void append_words(Random& random, std::size_t length, std::string& text) {
  constexpr auto kCount = static_cast<std::uint32_t>(std::size(kCommentWords));
  while (text.size() < length) {
    text += kCommentWords[random.below(kCount)];
    text += random.one_in(9) ? ". " : " ";
  }
  text.resize(length);
}

void append_letters(Random& random, std::size_t count, std::string& text) {
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + random.below(26));
}

}  // namespace

std::string repeated(const std::string& unit, std::size_t length) {
  std::string text;
  while (text.size() < length) text += unit;
  text.resize(length);
  return text;
}

Adversary kmp_adversary(std::size_t size, std::size_t length) {
  return {std::string(size, 'a'), repeated(std::string(size - 1, 'a') + 'b', length)};
}

Adversary boyer_moore_adversary(std::size_t size, std::size_t length) {
  return {std::string(size, 'a'), repeated('b' + std::string(size - 1, 'a'), length)};
}

Adversary divergent_adversary(std::size_t size, std::size_t length, std::uint32_t lane) {
  return {std::string(size, 'a'),
          repeated(std::string(4 * (lane + std::size_t{1}), 'a') + 'b', length)};
}

std::string comment(Random& random, std::size_t length, const std::vector<std::string>& sequence) {
  std::size_t inserted = 0;
  for (const std::string& part : sequence) inserted += part.size();
  std::string text;
  std::size_t left = length - inserted;
  for (const std::string& part : sequence) {
    const std::size_t before = random.below(static_cast<std::uint32_t>(left + 1));
    append_words(random, text.size() + before, text);
    text += part;
    left -= before;
  }
  append_words(random, text.size() + left, text);
  return text;
}

std::string url(Random& random, std::size_t length) {
  std::string text = kSchemes[random.below(3)];
  append_letters(random, 3 + random.below(6), text);
  text += kDomains[random.below(7)];
  text += '/';
  while (text.size() < length) {
    const bool separate = text.back() != '/' && text.size() + 1 < length && random.one_in(9);
    text += separate ? '/' : kPathBytes[random.below(sizeof kPathBytes - 1)];
  }
  return text;
}

std::string broken_url(Random& random, std::size_t length, std::size_t place) {
  std::string text = url(random, length);
  text[place] = ' ';
  return text;
}

std::string url_pattern() {
  const std::string name = "[a-z0-9]+";
  const std::string user = "(" + name + "(:" + name + ")?@)?";
  const std::string domains = "com|org|net|info|museum|travel|de|fr|uk|edu|gov|biz|asia";
  const std::string host =
      "(" + name + "([.-]" + name + ")*[.](" + domains + ")" + "|[0-9]{1,3}([.][0-9]{1,3}){3})";
  const std::string path = "(/([a-z0-9_~.-]|%[0-9a-f]{2})*)*";
  const std::string query = "([?][a-z]+=[a-z0-9]*(&[a-z]+=[a-z0-9]*)*)?";
  return "(?-u)(https?|ftps?|gopher|telnet|news)://" + user + host + "(:[0-9]{1,5})?" + path +
         query + "(#[a-z]*)?";
}

std::vector<std::string> words(Random& random, std::size_t count) {
  std::set<std::string> known;
  std::vector<std::string> made;
  while (made.size() < count) {
    std::string word;
    append_letters(random, 5 + random.below(6), word);
    if (known.insert(word).second) made.push_back(word);
  }
  return made;
}

}  // namespace presso::corpora
