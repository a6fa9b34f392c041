// What the kernel of bounded edit distances is given: one probe, and texts that may be near it.
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

struct EditProbe {
    const int32_t* text;
    int64_t length;
    int64_t words;          // of 64 symbols, at least one
    const uint64_t* match;  // [row][words]; row 0 is all zero
    const int32_t* rows;    // of every symbol its row times words, 0 if the probe lacks it
    uint64_t* state;        // scratch, 2 * words
};

struct EditTexts {
    const int32_t* codes;
    const int64_t* offsets;
};

}  // namespace seamark
