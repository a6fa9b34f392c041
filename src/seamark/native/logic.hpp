// Functions of three bits as one instruction, where there is one.
#pragma once

#include "simd.hpp"

// Defines `name(a, b, c)` on words. Its truth table is the expression's value on the table's index bits.
#ifdef __AVX512F__
#define LOGIC(name, expression)                                                                              \
    constexpr int name##_table(int a, int b, int c) { return (expression) & 0xff; }                          \
    static inline words name(words a, words b, words c) {                                                    \
        return (words)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, name##_table(0xf0, 0xcc, 0xaa)); \
    }
#else
#define LOGIC(name, expression) \
    static inline words name(words a, words b, words c) { return expression; }
#endif
