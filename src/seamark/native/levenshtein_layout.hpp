// How compiled Levenshtein landmarks lie in memory: plain data, read by the kernel of every instruction set.
//
// A landmark symbol is one bit of a 64-bit word, `lanes` words are a register. All words of a plan lie in
// one array, aligned to the largest register; offsets into it count words.
#pragma once

#include <cstdint>

#include "texts.hpp"

namespace seamark {

constexpr int64_t kWordBits = 64;
constexpr int64_t kRegisterBytes = 64;  // of the widest instruction set

// Match masks (PM): one row per symbol that occurs. Row 0 is all zero: symbols that occur elsewhere or nowhere.
struct LevenshteinMatches {
    int64_t symbols;    // offset into `symbols`: the symbol of row 1, 2, ...
    int64_t n_symbols;
    int64_t words;      // (n_symbols + 1) rows of `width` words
    int64_t width;
};

// Landmarks of 1..64 symbols, one or several in a word. Registers come in pairs: the words of a landmark
// group lie in one pair, as one AVX-512 permutation picks words from two registers.
struct LevenshteinBlock {
    LevenshteinMatches matches;
    int64_t pairs;     // 1..kBlockPairs
    int64_t single;    // 1: no word holds two landmarks, so no carry has to be kept from crossing
    int64_t masks;     // for all registers each: ~H, ~(H | Lb), Lb, with H the top and Lb the low bits of landmarks
    int64_t groups;    // per group of `lanes` landmarks: their words' numbers in the pair, then their segments as bit masks
    int64_t columns;   // offset into `columns`: the landmarks of the groups, ascending in a group
    int64_t n_groups[2];  // of each pair, one pair after the other
};

// Some words of `n_landmarks` <= lanes long landmarks, one landmark per lane. The strips of one group of
// landmarks follow each other from the first to the last.
struct LevenshteinStrip {
    LevenshteinMatches matches;
    int64_t words;       // 2..kStripWords, per lane
    int64_t first, last;
    int64_t segments;    // `words` registers: which bits are landmark symbols
    int64_t columns;     // offset into `columns`
    int64_t n_landmarks;
};

constexpr int64_t kBlockPairs = 2;
constexpr int64_t kStripWords = 4;

struct LevenshteinLayout {
    const uint64_t* words;
    const int32_t* symbols;
    const int64_t* columns;
    const LevenshteinBlock* blocks;
    const LevenshteinStrip* strips;
    const int64_t* empty;  // columns of landmarks of length 0
    const float* lengths;  // of every landmark
    int64_t n_blocks, n_strips, n_empty, n_landmarks;
};

}  // namespace seamark
