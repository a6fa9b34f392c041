// Compiles landmark strings to the blocks of strings_layout.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "strings_layout.hpp"

namespace seamark {

class StringPlan {
public:
    // Landmark k is codes[offsets[k]] .. codes[offsets[k + 1]], symbols below `n_symbols`; a block has up to
    // `registers` registers of `register_bytes`.
    StringPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t register_bytes,
               int64_t registers, StringMeasure measure, double weight);

    StringLayout layout() const;
    int64_t n_landmarks() const { return (int64_t)lengths_.size(); }
    int64_t n_symbols() const { return n_symbols_; }
    // Bytes that a kernel needs for texts of so many symbols in all, and in the longest.
    int64_t scratch(int64_t symbols, int64_t longest) const;
    int64_t nbytes() const;

private:
    struct Free {
        void operator()(uint8_t* p) const;
    };

    void add_narrow(int64_t bytes, int64_t longest, int64_t shortest);
    void add_long();
    void add_block(const int64_t* landmarks, int64_t n, int64_t bytes, int64_t registers, int64_t word, int64_t words);
    void add_places(int64_t landmark);
    void add_lane(StringBlock& block, int64_t landmark, int64_t lane, int64_t word, int64_t words);
    void pad_lane(const StringBlock& block, int64_t lane, int64_t pads);
    int64_t row_of(StringBlock& block, int32_t symbol);
    int64_t take(int64_t n);
    void store();

    const int32_t* codes_;
    const int64_t* offsets_;
    int64_t n_symbols_, register_bytes_, registers_;
    StringMeasure measure_;
    double weight_;
    std::vector<int64_t> lengths_;
    std::vector<int32_t> rows_;  // of the open block's symbols; 0: none yet
    std::vector<uint8_t> made_;
    std::unique_ptr<uint8_t[], Free> bytes_;
    int64_t n_bytes_ = 0;
    std::vector<int32_t> symbols_;
    std::vector<int64_t> columns_;
    std::vector<StringBlock> blocks_;
};

}  // namespace seamark
