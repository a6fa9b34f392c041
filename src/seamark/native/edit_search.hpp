// The nearest of many strings by edits, each comparison given up at the last of the nearest so far. Compiled once.
#pragma once

#include <cstdint>
#include <vector>

#include "dispatch.hpp"
#include "edits_ready.hpp"

namespace seamark {

// What was found for some queries, one after another: of each the nearest first, of equal ones the smaller number.
struct EditsNear {
    std::vector<int64_t> counts, numbers;
    std::vector<int32_t> edits;
    int64_t compared = 0, steps = 0;  // texts; words taken one symbol further
};

class EditSearch {
   public:
    // Texts in codes below n_symbols, in the order of their lengths; `numbers` decide between equal edits.
    EditSearch(const int32_t* codes, const int64_t* offsets, int64_t n, const int64_t* numbers, int64_t n_symbols, Isa isa);

    // The `most` nearest of each query that are within its limit. Any number of threads may search at once.
    EditsNear near(const int32_t* codes, const int64_t* offsets, int64_t n, const int32_t* limits, int64_t most, const uint8_t* stop) const;

    int64_t n_symbols() const { return n_symbols_; }

   private:
    class Search;

    ReadyTexts texts_;
    std::vector<int32_t> lengths_;
    std::vector<int64_t> numbers_;
    int64_t n_symbols_;
    Isa isa_;
};

}  // namespace seamark
