// Landmarks of more than 64 symbols, a word at a time for all texts of a run.
//
// Between a word and the next one go, per lane and text symbol, a few bits through `border`: the horizontal differences
// of the matrix row in between (Myers' blocks), the swaps that reach over it, or the carry of a sum.
#include "strings_lanes.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

typedef uint8_t lane_bytes __attribute__((vector_size(SEAMARK_VECTOR_BYTES / 8)));

static inline words bits_in(const uint8_t* border) {
    lane_bytes bits;
    memcpy(&bits, border, sizeof bits);
    return __builtin_convertvector(bits, words);
}

static inline void bits_out(uint8_t* border, words value) {
    const lane_bytes bits = __builtin_convertvector(value, lane_bytes);
    memcpy(border, &bits, sizeof bits);
}

// Edit distances: bit 0 of the border is HP, bit 1 HN, bit 2 a swap.
template <bool Anywhere>
struct LongEdits {
    words VP, VN, D0, before, score, best;

    inline void start(words segments, words lengths) {
        VP = segments;
        VN = D0 = before = words{};
        score = best = lengths;
    }

    inline words read(words PM, words in) {
        const words positive = in & 1, negative = (in >> 1) & 1, equal = PM | negative;
        const words open = ~D0 & PM, sum = (equal & VP) + VP;
        D0 = (sum ^ VP) | equal | VN;
        if (!Anywhere) D0 |= ((open << 1) | (in >> 2)) & before;
        const words HP = VN | ~(D0 | VP), HN = D0 & VP;
        if (Anywhere) {
            score += (HP >> 63) - (HN >> 63);
            best = smaller<uint64_t>(best, score);
        }
        const words HPs = (HP << 1) | positive, HNs = (HN << 1) | negative;
        VP = HNs | ~(D0 | HPs);
        VN = HPs & D0;
        before = PM;
        return (HP >> 63) | (HN >> 63) << 1 | (open >> 63) << 2;
    }

    inline words value(words segments) const {
        return Anywhere ? best : count_bits<uint64_t>(VP & segments) - count_bits<uint64_t>(VN & segments);
    }
};

struct LongCommon {
    words S;

    inline void start(words, words) { S = ~words{}; }

    inline words read(words PM, words in) {
        const words matched = S & PM, sum = S + matched, all = sum + in;
        const words out = ((words)(sum < S) | (words)(all < sum)) & 1;
        S = all | (S - matched);
        return out;
    }

    inline words value(words segments) const { return count_bits<uint64_t>(~S & segments); }
};

// What comes in at the upper border of the matrix: edits of whole landmarks rise along it.
template <typename State, bool Sums>
void word_by_texts(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows, uint8_t* border,
                   uint64_t first) {
    const uint8_t* match = plan.bytes + block.matches;
    const int64_t* columns = plan.columns + block.columns;
    const words segments = load_lanes<uint64_t>(plan.bytes + block.segments);
    const words lengths = load_lanes<uint64_t>(plan.bytes + block.lengths);
    for (int64_t i = 0; i < texts.n; ++i) {
        const int64_t from = texts.offsets[i] - texts.offsets[0], length = texts.offsets[i + 1] - texts.offsets[i];
        const int32_t* text = texts.codes + texts.offsets[i];
        uint8_t* bits = border + from * kWords;
        State state;
        state.start(segments, lengths);
        for (int64_t j = 0; j < length; ++j, bits += kWords) {
            const words in = block.first ? words{} + first : bits_in(bits);
            bits_out(bits, state.read(load_lanes<uint64_t>(match + rows[text[j]]), in));
        }
        const words value = state.value(segments);
        float* row = texts.out + i * texts.stride;
        for (int64_t k = 0; k < block.n; ++k) {
            const float before = !Sums ? 0.0f : !block.first ? row[columns[k]] : first ? (float)length : 0.0f;
            row[columns[k]] = before + (float)(int64_t)value[k];
        }
    }
}

}  // namespace

void long_block(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows, uint8_t* border) {
    if (plan.measure == StringMeasure::substring)
        word_by_texts<LongEdits<true>, false>(plan, block, texts, rows, border, 0);
    if (plan.measure == StringMeasure::lcs) word_by_texts<LongCommon, true>(plan, block, texts, rows, border, 0);
    if (plan.measure == StringMeasure::osa) word_by_texts<LongEdits<false>, true>(plan, block, texts, rows, border, 1);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
