// What the kernels of bounded edit distances are given: one probe, and texts that may be near it.
#pragma once

#include <cstdint>

namespace seamark {

// Letters of a text in 64 bits: two for each of 32 classes of symbols, set from the first and from the second such
// symbol on. An edit takes at most one symbol away and brings at most one: so at most one bit goes, and one comes.
inline uint64_t letters_of(const int32_t* text, int64_t length) {
    uint64_t bits = 0;
    for (int64_t j = 0; j < length; ++j) {
        const uint64_t first = uint64_t{1} << (text[j] & 31);
        bits |= (bits & first) << 32 | first;
    }
    return bits;
}

constexpr int64_t kEditLanes = 8;      // of the widest instruction set
constexpr int64_t kNarrowCodes = 256;  // that fit in bytes

struct EditProbe {
    int64_t length;
    int64_t words;          // of 64 symbols, at least one
    const uint64_t* match;  // [row][words]; row 0 is all zero
    const int32_t* rows;    // of every symbol its row times words, 0 if the probe lacks it
    const uint64_t* masks;  // of every narrow code the first word of its row
    uint64_t* state;        // scratch, 2 * words * kEditLanes
    int64_t* steps;         // words that were taken one symbol further are counted here, those of every lane
};

struct EditTexts {
    const int32_t* codes;
    const uint8_t* narrow;  // the same in bytes, which are quicker; null where they do not fit
    const int64_t* offsets;
};

// What letters and lengths say of edits, at least; 255 stands for more, too.
struct EditBounds {
    const uint64_t* letters;
    const int32_t* lengths;
    uint64_t own;
    int32_t length;
    uint8_t* out;
};

}  // namespace seamark
