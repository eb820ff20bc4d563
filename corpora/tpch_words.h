// SPDX-License-Identifier: MIT
// The word lists of the TPC-H specification, sections 4.2.2.13, 4.2.2.14 and 4.2.3. In the text's
// grammar the specification leaves open how often each word comes; the weights here follow the
// published data, where four nouns and a dozen adjectives make up most of the text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace presso::corpora::tpch {

using Words = std::string_view;

inline constexpr std::array<Words, 92> kColours = {
    "almond",   "antique",   "aquamarine", "azure",      "beige",     "bisque",    "black",
    "blanched", "blue",      "blush",      "brown",      "burlywood", "burnished", "chartreuse",
    "chiffon",  "chocolate", "coral",      "cornflower", "cornsilk",  "cream",     "cyan",
    "dark",     "deep",      "dim",        "dodger",     "drab",      "firebrick", "floral",
    "forest",   "frosted",   "gainsboro",  "ghost",      "goldenrod", "green",     "grey",
    "honeydew", "hot",       "indian",     "ivory",      "khaki",     "lace",      "lavender",
    "lawn",     "lemon",     "light",      "lime",       "linen",     "magenta",   "maroon",
    "medium",   "metallic",  "midnight",   "mint",       "misty",     "moccasin",  "navajo",
    "navy",     "olive",     "orange",     "orchid",     "pale",      "papaya",    "peach",
    "peru",     "pink",      "plum",       "powder",     "puff",      "purple",    "red",
    "rose",     "rosy",      "royal",      "saddle",     "salmon",    "sandy",     "seashell",
    "sienna",   "sky",       "slate",      "smoke",      "snow",      "spring",    "steel",
    "tan",      "thistle",   "tomato",     "turquoise",  "violet",    "wheat",     "white",
    "yellow"};

inline constexpr std::array<Words, 6> kTypes1 = {"STANDARD", "SMALL",   "MEDIUM",
                                                 "LARGE",    "ECONOMY", "PROMO"};
inline constexpr std::array<Words, 5> kTypes2 = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED",
                                                 "BRUSHED"};
inline constexpr std::array<Words, 5> kTypes3 = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
inline constexpr std::array<Words, 5> kContainers1 = {"SM", "LG", "MED", "JUMBO", "WRAP"};
inline constexpr std::array<Words, 8> kContainers2 = {"CASE", "BOX",  "BAG", "JAR",
                                                      "PKG",  "PACK", "CAN", "DRUM"};
inline constexpr std::array<Words, 5> kSegments = {"AUTOMOBILE", "BUILDING", "FURNITURE",
                                                   "MACHINERY", "HOUSEHOLD"};
inline constexpr std::array<Words, 5> kPriorities = {"1-URGENT", "2-HIGH", "3-MEDIUM",
                                                     "4-NOT SPECIFIED", "5-LOW"};
inline constexpr std::array<Words, 4> kInstructions = {"DELIVER IN PERSON", "COLLECT COD", "NONE",
                                                       "TAKE BACK RETURN"};
inline constexpr std::array<Words, 7> kModes = {"REG AIR", "AIR",  "RAIL", "SHIP",
                                                "TRUCK",   "MAIL", "FOB"};
inline constexpr std::array<Words, 5> kRegions = {"AFRICA", "AMERICA", "ASIA", "EUROPE",
                                                  "MIDDLE EAST"};

struct Nation {
  Words name;
  std::uint32_t region;
};
inline constexpr std::array<Nation, 25> kNations = {{
    {"ALGERIA", 0},       {"ARGENTINA", 1}, {"BRAZIL", 1}, {"CANADA", 1},
    {"EGYPT", 4},         {"ETHIOPIA", 0},  {"FRANCE", 3}, {"GERMANY", 3},
    {"INDIA", 2},         {"INDONESIA", 2}, {"IRAN", 4},   {"IRAQ", 4},
    {"JAPAN", 2},         {"JORDAN", 4},    {"KENYA", 0},  {"MOROCCO", 0},
    {"MOZAMBIQUE", 0},    {"PERU", 1},      {"CHINA", 2},  {"ROMANIA", 3},
    {"SAUDI ARABIA", 4},  {"VIETNAM", 2},   {"RUSSIA", 3}, {"UNITED KINGDOM", 3},
    {"UNITED STATES", 1},
}};

/// A word and how many of 256 draws give it; the weights of a list are scaled to 256.
struct Weighted {
  Words word;
  std::uint32_t weight;
};

inline constexpr std::array<Weighted, 45> kNouns = {{
    {"packages", 36},     {"requests", 36},    {"accounts", 36},      {"deposits", 36},
    {"foxes", 14},        {"ideas", 12},       {"theodolites", 9},    {"pinto beans", 11},
    {"instructions", 11}, {"dependencies", 7}, {"excuses", 6},        {"platelets", 6},
    {"asymptotes", 5},    {"courts", 2},       {"dolphins", 2},       {"multipliers", 1},
    {"sauternes", 1},     {"warthogs", 1},     {"frets", 1},          {"dinos", 1},
    {"attainments", 1},   {"somas", 1},        {"Tiresias'", 1},      {"patterns", 1},
    {"forges", 1},        {"braids", 1},       {"hockey players", 1}, {"frays", 1},
    {"warhorses", 1},     {"dugouts", 1},      {"notornis", 1},       {"epitaphs", 1},
    {"pearls", 1},        {"tithes", 1},       {"waters", 1},         {"orbits", 1},
    {"gifts", 1},         {"sheaves", 1},      {"depths", 1},         {"sentiments", 1},
    {"decoys", 1},        {"realms", 1},       {"pains", 1},          {"grouches", 1},
    {"escapades", 1},
}};

inline constexpr std::array<Weighted, 40> kVerbs = {{
    {"sleep", 20},    {"wake", 20},    {"are", 20},   {"cajole", 20}, {"haggle", 20},
    {"nag", 20},      {"use", 20},     {"boost", 10}, {"affix", 5},   {"detect", 5},
    {"integrate", 5}, {"maintain", 1}, {"nod", 1},    {"was", 1},     {"lose", 1},
    {"sublate", 1},   {"solve", 1},    {"thrash", 1}, {"promise", 1}, {"engage", 1},
    {"hinder", 1},    {"print", 1},    {"x-ray", 1},  {"breach", 1},  {"eat", 1},
    {"grow", 1},      {"impress", 1},  {"mold", 1},   {"poach", 1},   {"serve", 1},
    {"run", 1},       {"dazzle", 1},   {"snooze", 1}, {"doze", 1},    {"unwind", 1},
    {"kindle", 1},    {"play", 1},     {"hang", 1},   {"believe", 1}, {"doubt", 1},
}};

inline constexpr std::array<Weighted, 29> kAdjectives = {{
    {"special", 16},  {"pending", 20}, {"unusual", 20}, {"express", 20}, {"regular", 44},
    {"final", 44},    {"ironic", 30},  {"even", 22},    {"bold", 22},    {"silent", 10},
    {"furious", 1},   {"sly", 1},      {"careful", 1},  {"blithe", 1},   {"quick", 1},
    {"fluffy", 1},    {"slow", 1},     {"quiet", 1},    {"ruthless", 1}, {"thin", 1},
    {"close", 1},     {"dogged", 1},   {"daring", 1},   {"brave", 1},    {"stealthy", 1},
    {"permanent", 1}, {"enticing", 1}, {"idle", 1},     {"busy", 1},
}};

inline constexpr std::array<Weighted, 28> kAdverbs = {{
    {"furiously", 35},  {"slyly", 35},     {"carefully", 35}, {"blithely", 35},  {"quickly", 28},
    {"fluffily", 14},   {"slowly", 8},     {"quietly", 4},    {"ruthlessly", 2}, {"thinly", 1},
    {"closely", 1},     {"doggedly", 1},   {"daringly", 1},   {"bravely", 1},    {"stealthily", 1},
    {"permanently", 1}, {"enticingly", 1}, {"idly", 1},       {"busily", 1},     {"regularly", 1},
    {"finally", 1},     {"ironically", 1}, {"evenly", 1},     {"boldly", 1},     {"silently", 1},
    {"sometimes", 1},   {"always", 1},     {"never", 1},
}};

inline constexpr std::array<Weighted, 46> kPrepositions = {{
    {"about", 20},     {"above", 18},       {"according to", 20},
    {"across", 20},    {"after", 18},       {"against", 18},
    {"along", 18},     {"alongside of", 2}, {"among", 18},
    {"around", 2},     {"at", 2},           {"atop", 2},
    {"before", 2},     {"behind", 2},       {"beneath", 2},
    {"beside", 2},     {"besides", 2},      {"between", 2},
    {"beyond", 2},     {"by", 2},           {"despite", 2},
    {"during", 2},     {"except", 2},       {"for", 2},
    {"from", 2},       {"in place of", 2},  {"inside", 2},
    {"instead of", 2}, {"into", 2},         {"near", 2},
    {"of", 2},         {"on", 2},           {"outside", 2},
    {"over", 2},       {"past", 2},         {"since", 2},
    {"through", 2},    {"throughout", 2},   {"to", 2},
    {"toward", 2},     {"under", 2},        {"until", 2},
    {"up", 2},         {"upon", 2},         {"without", 2},
    {"within", 2},
}};

inline constexpr std::array<Weighted, 18> kAuxiliaries = {{
    {"do", 1},
    {"may", 1},
    {"might", 1},
    {"shall", 1},
    {"will", 1},
    {"would", 1},
    {"can", 1},
    {"could", 1},
    {"should", 1},
    {"ought to", 1},
    {"must", 1},
    {"will have to", 1},
    {"shall have to", 1},
    {"could have to", 1},
    {"should have to", 1},
    {"must have to", 1},
    {"need to", 1},
    {"try to", 1},
}};

inline constexpr std::array<Weighted, 6> kTerminators = {{
    {". ", 50},
    {"; ", 3},
    {": ", 3},
    {"? ", 3},
    {"! ", 3},
    {"-- ", 2},
}};

}  // namespace presso::corpora::tpch
