// How landmark strings lie in lanes: plain data, read by the kernels of every instruction set.
//
// A landmark has a lane of its own: the narrowest of 8, 16, 32 and 64 bits that holds one bit for each of its
// symbols. Arithmetic of such lanes keeps carries and shifts of neighbours apart by itself. A landmark of more
// than 64 symbols has several words, in as many blocks. All bytes of a plan lie in one array, aligned to the
// largest register.
#pragma once

#include <cstdint>

#include "texts.hpp"

namespace seamark {

enum class StringMeasure : int { substring = 0, lcs = 1, osa = 2, jaro = 3 };

struct StringBlock {
    int64_t bytes;      // of a lane: 1, 2, 4, 8; 0: a landmark by its places, see StringPlan::add_places
    int64_t registers;  // 1, 2 or 4
    int64_t n;          // landmarks; lanes beyond them are idle
    int64_t columns;    // offset into `columns`: the landmarks of the lanes, ascending unless they are long
    int64_t first, last;  // whether it holds the landmarks' first and last symbols
    int64_t n_symbols;  // different ones
    int64_t symbols;    // offset into `symbols`: the symbol of row 1, 2, ...
    int64_t matches;    // (n_symbols + 1) rows of `registers` registers; row 0: of all other symbols
    int64_t segments;   // `registers` registers: which bits are symbols
    int64_t lengths;    // the same: numbers of symbols, in all blocks of a landmark together
};

struct StringLayout {
    const uint8_t* bytes;
    const int32_t* symbols;
    const int64_t* columns;
    const StringBlock* blocks;
    int64_t n_blocks, n_landmarks;
    StringMeasure measure;
    double weight;  // of a common prefix, in Jaro–Winkler similarities
};

// What a kernel may write to besides the results.
struct StringScratch {
    int32_t* rows;   // an entry per symbol and one more, zero on entry and on return
    uint8_t* bytes;  // as many as StringPlan::scratch says
};

}  // namespace seamark
