// Strings and probes made ready for the kernels of bounded edits. Compiled once: std is allowed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "dispatch.hpp"
#include "edits.hpp"

SEAMARK_DECLARE_KERNEL(edits, const seamark::EditProbe*, const seamark::EditTexts*, const int32_t*, int64_t, int32_t, int32_t*)

namespace seamark {

// Copies of texts in codes below n_symbols, and their letters.
struct ReadyTexts {
    ReadyTexts(const int32_t* from, const int64_t* ends, int64_t n, int64_t n_symbols)
        : codes(from + ends[0], from + ends[n]), offsets(ends, ends + n + 1), letters(n) {
        for (auto& offset : offsets) offset -= ends[0];
        if (n_symbols <= kNarrowCodes) narrow.assign(codes.begin(), codes.end());
        for (int64_t i = 0; i < n; ++i) letters[i] = letters_of(text(i), length(i));
    }

    int64_t size() const { return (int64_t)letters.size(); }
    int64_t length(int64_t i) const { return offsets[i + 1] - offsets[i]; }
    const int32_t* text(int64_t i) const { return codes.data() + offsets[i]; }

    std::vector<int32_t> codes;
    std::vector<uint8_t> narrow;
    std::vector<int64_t> offsets;
    std::vector<uint64_t> letters;
};

// One probe after another, in the same memory.
class ReadyProbe {
   public:
    ReadyProbe(int64_t n_symbols, Isa isa) : rows_(n_symbols + 1, 0), kernel_(edits(isa)) {}

    void set(const int32_t* text, int64_t length) {
        forget();
        text_ = text, length_ = length;
        words_ = std::max<int64_t>(1, (length + 63) / 64);
        state_.resize(2 * words_ * kEditLanes);
        match_.assign(words_, 0);
        for (int64_t j = 0; j < length; ++j) {
            int32_t& row = rows_[text[j]];
            if (row == 0) {
                row = (int32_t)match_.size();
                match_.resize(match_.size() + words_, 0);
            }
            match_[row + j / 64] |= uint64_t{1} << (j & 63);
            if (text[j] < kNarrowCodes) masks_[text[j]] = match_[row];
        }
    }

    // Writes the distances to some texts, or limit + 1 where they are larger.
    void compare(const ReadyTexts& texts, const std::vector<int32_t>& which, int32_t limit, std::vector<int32_t>& out) {
        out.resize(which.size());
        const EditProbe probe{length_, words_, match_.data(), rows_.data(), masks_.data(), state_.data(), &steps};
        const EditTexts given{texts.codes.data(), texts.narrow.empty() ? nullptr : texts.narrow.data(), texts.offsets.data()};
        kernel_(&probe, &given, which.data(), (int64_t)which.size(), limit, out.data());
    }

    int64_t steps = 0;  // see EditProbe

   private:
    void forget() {
        for (int64_t j = 0; j < length_; ++j) {
            rows_[text_[j]] = 0;
            if (text_[j] < kNarrowCodes) masks_[text_[j]] = 0;
        }
    }

    const int32_t* text_ = nullptr;
    int64_t length_ = 0, words_ = 1;
    std::vector<int32_t> rows_;
    std::array<uint64_t, kNarrowCodes> masks_{};
    std::vector<uint64_t> match_, state_;
    decltype(edits(Isa::baseline)) kernel_;
};

}  // namespace seamark
