// Comparisons of texts with landmarks in lanes, bit-parallel: one bit per landmark symbol, one text symbol at a time.
//
// Edit distances keep a column of the dynamic programming matrix as vertical differences, VP where the value rises
// and VN where it falls (Myers 1999, in the terms of Hyyrö 2003). A landmark that may begin anywhere in the text has
// zeros along the upper border: nothing is shifted in, and the value at the landmark's last symbol, the lane's top bit,
// is followed from symbol to symbol for its smallest (Sellers 1980).
#include "strings_lanes.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// The smallest edit distance to any substring. Below a landmark that does not fill its lane all symbols match.
template <typename T, int U>
struct Substring {
    lanes<T> VP[U], VN[U], score[U], best[U];

    inline void start(const lanes<T>* segments, const lanes<T>* lengths) {
        for (int u = 0; u < U; ++u) {
            VP[u] = segments[u];
            VN[u] = lanes<T>{};
            score[u] = best[u] = lengths[u];
        }
    }

    inline void read(int u, lanes<T> PM) {
        const lanes<T> sum = (PM & VP[u]) + VP[u];
        const words D0 = (words)VN[u] | differing_or((words)sum, (words)VP[u], (words)PM);
        const lanes<T> HP = (lanes<T>)or_neither((words)VN[u], D0, (words)VP[u]);
        const lanes<T> HN = (lanes<T>)D0 & VP[u];
        score[u] = moved<T>(score[u], HP, HN);
        best[u] = smaller<T>(best[u], score[u]);
        const lanes<T> HPs = HP + HP, HNs = HN + HN;
        VP[u] = (lanes<T>)or_neither((words)HNs, D0, (words)HPs);
        VN[u] = HPs & (lanes<T>)D0;
    }

    inline lanes<T> value(int u, lanes<T>) const { return best[u]; }
};

// The length of the longest common subsequence: the zeros of S (Hyyrö 2004).
template <typename T, int U>
struct Common {
    lanes<T> S[U];

    inline void start(const lanes<T>*, const lanes<T>*) {
        for (int u = 0; u < U; ++u) S[u] = ~lanes<T>{};
    }

    inline void read(int u, lanes<T> PM) {
        const lanes<T> matched = S[u] & PM;
        S[u] = (S[u] + matched) | (S[u] - matched);
    }

    inline lanes<T> value(int u, lanes<T>) const { return count_bits<T>(~S[u]); }
};

// Optimal string alignment: neighbours may be swapped as one edit, and are then left alone.
template <typename T, int U>
struct Alignment {
    lanes<T> VP[U], VN[U], D0[U], before[U];

    inline void start(const lanes<T>* segments, const lanes<T>*) {
        for (int u = 0; u < U; ++u) {
            VP[u] = segments[u];
            VN[u] = D0[u] = before[u] = lanes<T>{};
        }
    }

    inline void read(int u, lanes<T> PM) {
        const lanes<T> open = ~D0[u] & PM;
        const lanes<T> swapped = (open + open) & before[u];
        const lanes<T> sum = (PM & VP[u]) + VP[u];
        D0[u] = (lanes<T>)any_of(differing_or((words)sum, (words)VP[u], (words)PM), (words)VN[u], (words)swapped);
        const lanes<T> HP = (lanes<T>)or_neither((words)VN[u], (words)D0[u], (words)VP[u]);
        const lanes<T> HN = D0[u] & VP[u];
        const lanes<T> HPs = (HP + HP) | (T)1, HNs = HN + HN;
        VP[u] = (lanes<T>)or_neither((words)HNs, (words)D0[u], (words)HPs);
        VN[u] = HPs & D0[u];
        before[u] = PM;
    }

    // How much the value differs from the text's length, which is that of the upper border.
    inline lanes<T> value(int u, lanes<T> segment) const {
        return count_bits<T>(VP[u] & segment) - count_bits<T>(VN[u] & segment);
    }
};

template <typename T>
struct SignedOf;
template <>
struct SignedOf<uint8_t> { typedef int8_t type; };
template <>
struct SignedOf<uint16_t> { typedef int16_t type; };
template <>
struct SignedOf<uint32_t> { typedef int32_t type; };
template <>
struct SignedOf<uint64_t> { typedef int64_t type; };

// All texts through the lanes of one block. With `Offset` values are signed and count from the text's length.
template <typename T, int U, template <typename, int> class State, bool Offset>
void block_by_texts(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows) {
    typedef typename SignedOf<T>::type S;
    const uint8_t* match = plan.bytes + block.matches;
    const int64_t* columns = plan.columns + block.columns;
    lanes<T> segments[U], lengths[U];
    memcpy(segments, plan.bytes + block.segments, sizeof segments);
    memcpy(lengths, plan.bytes + block.lengths, sizeof lengths);
    for (int64_t i = 0; i < texts.n; ++i) {
        const int32_t* text = texts.codes + texts.offsets[i];
        const int64_t length = texts.offsets[i + 1] - texts.offsets[i];
        State<T, U> state;
        state.start(segments, lengths);
        for (int64_t j = 0; j < length; ++j) {
            const uint8_t* PMs = match + rows[text[j]];
#pragma GCC unroll 4
            for (int u = 0; u < U; ++u) state.read(u, load_lanes<T>(PMs + u * SEAMARK_VECTOR_BYTES));
        }
        alignas(SEAMARK_VECTOR_BYTES) T values[U * kLanesOf<T>];
        for (int u = 0; u < U; ++u) {
            const lanes<T> value = state.value(u, segments[u]);
            memcpy(values + u * kLanesOf<T>, &value, sizeof value);
        }
        float* row = texts.out + i * texts.stride;
        if (Offset) {
            alignas(SEAMARK_VECTOR_BYTES) float sums[U * kLanesOf<T>];
            for (int k = 0; k < U * kLanesOf<T>; ++k) sums[k] = (float)((S)values[k] + length);
            write_row(sums, columns, block.n, row);
        } else {
            write_row(values, columns, block.n, row);
        }
    }
}

template <typename T, template <typename, int> class State, bool Offset>
void block_of(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows) {
    if (block.registers == 1) block_by_texts<T, 1, State, Offset>(plan, block, texts, rows);
    if (block.registers == 2) block_by_texts<T, 2, State, Offset>(plan, block, texts, rows);
    if (block.registers == 4) block_by_texts<T, 4, State, Offset>(plan, block, texts, rows);
}

template <template <typename, int> class State, bool Offset>
void narrow_block(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows) {
    if (block.bytes == 1) block_of<uint8_t, State, Offset>(plan, block, texts, rows);
    if (block.bytes == 2) block_of<uint16_t, State, Offset>(plan, block, texts, rows);
    if (block.bytes == 4) block_of<uint32_t, State, Offset>(plan, block, texts, rows);
    if (block.bytes == 8) block_of<uint64_t, State, Offset>(plan, block, texts, rows);
}

}  // namespace

// What the plan has to know: bytes of a register, and how many of them a block may have.
void string_registers(int64_t* bytes, int64_t* most) {
    *bytes = SEAMARK_VECTOR_BYTES;
    *most = SEAMARK_VECTOR_BYTES == 64 ? 4 : 2;  // so that a block's state stays in registers
}

void string_values(const StringLayout* layout, const Texts* tile, const StringScratch* scratch, const uint8_t* stop) {
    const StringLayout& plan = *layout;
    const Texts& texts = *tile;
    for (int64_t b = 0; b < plan.n_blocks && !stopped(stop); ++b) {
        const StringBlock& block = plan.blocks[b];
        point_rows(plan, block, scratch->rows, true);
        if (plan.measure == StringMeasure::jaro)
            jaro_block(plan, block, texts, scratch->rows, scratch->bytes);
        else if (!block.first || !block.last)
            long_block(plan, block, texts, scratch->rows, scratch->bytes);
        else if (plan.measure == StringMeasure::substring)
            narrow_block<Substring, false>(plan, block, texts, scratch->rows);
        else if (plan.measure == StringMeasure::lcs)
            narrow_block<Common, false>(plan, block, texts, scratch->rows);
        else
            narrow_block<Alignment, true>(plan, block, texts, scratch->rows);
        point_rows(plan, block, scratch->rows, false);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
