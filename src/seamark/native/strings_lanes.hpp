// What the kernels of strings in lanes share: lanes of every width, bits of three, counts, results.
#pragma once

#include "logic.hpp"
#include "strings_layout.hpp"

namespace seamark {
namespace SEAMARK_ISA {

template <typename T>
struct Lanes {
    typedef T type __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));
};
template <typename T>
using lanes = typename Lanes<T>::type;

template <typename T>
constexpr int kLanesOf = SEAMARK_VECTOR_BYTES / (int)sizeof(T);

template <typename T>
constexpr T kTopBit = (T)((T)1 << (8 * sizeof(T) - 1));

LOGIC(differing_or, (a ^ b) | c)
LOGIC(any_of, a | b | c)
LOGIC(or_neither, a | ~(b | c))

template <typename T>
static inline lanes<T> load_lanes(const uint8_t* p) {
    lanes<T> v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Adds 1 to the lanes whose top bit is set in `rises`, takes 1 off where it is set in `falls`.
template <typename T>
static inline lanes<T> moved(lanes<T> score, lanes<T> rises, lanes<T> falls) {
#ifdef __AVX512BW__
    const __m512i ones = _mm512_set1_epi64(-1), up = (__m512i)rises, down = (__m512i)falls;
    __m512i s = (__m512i)score;
    if constexpr (sizeof(T) == 1) {
        s = _mm512_mask_sub_epi8(s, _mm512_movepi8_mask(up), s, ones);
        s = _mm512_mask_add_epi8(s, _mm512_movepi8_mask(down), s, ones);
    } else if constexpr (sizeof(T) == 2) {
        s = _mm512_mask_sub_epi16(s, _mm512_movepi16_mask(up), s, ones);
        s = _mm512_mask_add_epi16(s, _mm512_movepi16_mask(down), s, ones);
    } else if constexpr (sizeof(T) == 4) {
        s = _mm512_mask_sub_epi32(s, _mm512_movepi32_mask(up), s, ones);
        s = _mm512_mask_add_epi32(s, _mm512_movepi32_mask(down), s, ones);
    } else {
        s = _mm512_mask_sub_epi64(s, _mm512_movepi64_mask(up), s, ones);
        s = _mm512_mask_add_epi64(s, _mm512_movepi64_mask(down), s, ones);
    }
    return (lanes<T>)s;
#else
    const lanes<T> top = lanes<T>{} + kTopBit<T>;
    return score - (lanes<T>)((rises & top) == top) + (lanes<T>)((falls & top) == top);
#endif
}

template <typename T>
static inline lanes<T> smaller(lanes<T> a, lanes<T> b) {
#ifdef __AVX512BW__
    const __m512i x = (__m512i)a, y = (__m512i)b;
    if constexpr (sizeof(T) == 1) return (lanes<T>)_mm512_min_epu8(x, y);
    if constexpr (sizeof(T) == 2) return (lanes<T>)_mm512_min_epu16(x, y);
    if constexpr (sizeof(T) == 4) return (lanes<T>)_mm512_maskz_min_epu32(0xffff, x, y);
    return (lanes<T>)_mm512_maskz_min_epu64(0xff, x, y);
#else
    return a < b ? a : b;
#endif
}

// Number of bits of every lane.
template <typename T>
static inline lanes<T> count_bits(lanes<T> v) {
    words w = (words)v;
    w -= (w >> 1) & 0x5555555555555555;
    w = (w & 0x3333333333333333) + ((w >> 2) & 0x3333333333333333);
    w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0f;
    if constexpr (sizeof(T) >= 2) w = (w + (w >> 8)) & 0x00ff00ff00ff00ff;
    if constexpr (sizeof(T) >= 4) w = (w + (w >> 16)) & 0x0000ffff0000ffff;
    if constexpr (sizeof(T) == 8) w = (w + (w >> 32)) & 0x00000000ffffffff;
    return (lanes<T>)w;
}

// Sends the numbers of `n` lanes to their columns.
template <typename T>
static inline void write_row(const T* values, const int64_t* columns, int64_t n, float* row) {
    if (columns[n - 1] - columns[0] == n - 1)
        for (int64_t k = 0; k < n; ++k) row[columns[0] + k] = (float)values[k];
    else
        for (int64_t k = 0; k < n; ++k) row[columns[k]] = (float)values[k];
}

// Points the symbols of a block to their rows of matches, or back to nowhere.
static inline void point_rows(const StringLayout& plan, const StringBlock& block, int32_t* rows, bool there) {
    const int32_t* symbols = plan.symbols + block.symbols;
    const int64_t width = block.registers * SEAMARK_VECTOR_BYTES;
    for (int64_t k = 0; k < block.n_symbols; ++k) rows[symbols[k]] = there ? (int32_t)((k + 1) * width) : 0;
}

// In strings_long.cpp and jaro.cpp: one block, all texts of a run.
void long_block(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows, uint8_t* border);
void jaro_block(const StringLayout& plan, const StringBlock& block, const Texts& texts, int32_t* rows, uint8_t* taken);

}  // namespace SEAMARK_ISA
}  // namespace seamark
