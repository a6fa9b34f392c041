// Compiles landmark strings to the blocks and strips of levenshtein_layout.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "levenshtein_layout.hpp"

namespace seamark {

class LevenshteinPlan {
public:
    // Landmark k is codes[offsets[k]] .. codes[offsets[k + 1]], symbols below `n_symbols`; a register has
    // `lanes` words.
    LevenshteinPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t lanes);

    const LevenshteinLayout& layout() const { return layout_; }
    int64_t n_landmarks() const { return layout_.n_landmarks; }
    int64_t n_symbols() const { return n_symbols_; }
    int64_t lanes() const { return lanes_; }
    bool has_strips() const { return !strips_.empty(); }
    int64_t nbytes() const;

private:
    struct Free {
        void operator()(uint64_t* p) const;
    };

    int64_t n_symbols_, lanes_;
    std::unique_ptr<uint64_t[], Free> words_;
    int64_t n_words_;
    std::vector<int32_t> symbols_;
    std::vector<int64_t> columns_, empty_;
    std::vector<LevenshteinBlock> blocks_;
    std::vector<LevenshteinStrip> strips_;
    std::vector<float> lengths_;
    LevenshteinLayout layout_;

    friend class LevenshteinCompiler;
};

}  // namespace seamark
