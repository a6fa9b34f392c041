// What bindings of kernels of strings share: checks of codes, and tiles of texts.
#pragma once

#include <algorithm>

#include "bindings.hpp"
#include "texts.hpp"

namespace seamark {

// A tile of texts is taken through all landmark blocks: its results and symbols should stay in the L2 cache.
constexpr int64_t kTileResults = 1 << 16;
constexpr int64_t kTileSymbols = 1 << 15;
constexpr int64_t kTileTexts = 16;  // at least so many, or choosing the rows of a block costs more than using them

// Refuses codes outside [0, largest]. One pass without branches: a negative code is a large unsigned one.
inline void check_codes(const int32_t* codes, int64_t n, int64_t largest) {
    uint32_t seen = 0;
    for (int64_t i = 0; i < n; ++i) seen = std::max(seen, (uint32_t)codes[i]);
    if (n > 0 && (int64_t)seen > largest) throw std::invalid_argument("codes out of range");
}

inline void check_strings(const In<int32_t, 1>& codes, const In<int64_t, 1>& offsets, int64_t largest) {
    check_offsets(offsets, codes.shape(0));
    const int64_t from = offsets.data()[0];
    check_codes(codes.data() + from, offsets.data()[offsets.shape(0) - 1] - from, largest);
}

constexpr int64_t kLongestText = 1 << 14;  // where masks of one text take length^2 / 8 bytes

inline void check_texts(const In<int32_t, 1>& codes, const In<int64_t, 1>& offsets, int64_t largest) {
    check_strings(codes, offsets, largest);
    if (offsets.shape(0) > (size_t)INT32_MAX) throw std::invalid_argument("too many texts");
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i)
        if (offsets.data()[i + 1] - offsets.data()[i] > kLongestText) throw std::invalid_argument("a text is too long");
}

inline void check_alphabet(int64_t n_symbols) {
    if (n_symbols < 0 || n_symbols >= INT32_MAX) throw std::invalid_argument("n_symbols out of range");
}

// The texts of a run, checked: symbols up to `largest`, a result for each of the landmarks.
inline Texts checked_texts(const In<int32_t, 1>& codes, const In<int64_t, 1>& offsets, const Out& out, const Stop& stop, int64_t largest,
                           int64_t n_landmarks) {
    check_strings(codes, offsets, largest);
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must have one element");
    const int64_t n = (int64_t)offsets.shape(0) - 1;
    return {codes.data(), offsets.data(), n, out.data(), row_stride(out, n, n_landmarks)};
}

// Adds to the class of a plan what all of them have.
template <typename Plan>
void add_run(nb::class_<Plan>& plan, const char* doc) {
    plan.def_prop_ro("n_landmarks", &Plan::n_landmarks, "Number of landmarks.")
        .def_prop_ro("nbytes", &Plan::nbytes, "Bytes the compiled landmarks take.")
        .def("run", &Plan::run, nb::arg("codes"), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(), doc);
}

// First text after the tile that starts at `from`.
inline int64_t tile_end(const Texts& texts, int64_t from, int64_t n_landmarks) {
    const int64_t most = std::max(kTileTexts, kTileResults / std::max<int64_t>(1, n_landmarks));
    int64_t to = from + 1;
    while (to < texts.n && to - from < most && texts.offsets[to + 1] - texts.offsets[from] <= kTileSymbols) ++to;
    return to;
}

}  // namespace seamark
