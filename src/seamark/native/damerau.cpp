// Damerau–Levenshtein distances, unrestricted: landmarks in lanes, the matrix row by row.
//
// A swap joins a text symbol at row i and the last earlier row k that equals the landmark's symbol at column j, and the
// last earlier column l that equals the text's symbol (Lowrance and Wagner 1975). It can only be the cheapest way if k or
// l is next to its partner (Zhao and Sahni 2020), so two remembered values replace the whole matrix: what stood before the
// last match in each column, and before the last match in this row.
#include "damerau.hpp"

#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int32_t kFar = 1 << 29;

static inline ints load_ints(const int32_t* p) {
    ints v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_ints(int32_t* p, ints v) { memcpy(p, &v, sizeof v); }

static inline ints smaller(ints a, ints b) {
#if defined(__AVX512BW__)
    return (ints)_mm512_maskz_min_epi32(0xffff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (ints)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return a < b ? a : b;
#endif
}

// The smaller of `value` and `other`, which counts only where `there` is.
static inline ints smaller_where(ints there, ints value, ints other) {
#if defined(__AVX512BW__)
    const __mmask16 mask = _mm512_movepi32_mask((__m512i)there);
    return (ints)_mm512_mask_min_epi32((__m512i)value, mask, (__m512i)value, (__m512i)other);
#else
    return smaller(value, there ? other : value);
#endif
}

struct Rows {
    int32_t *last, *now, *crossed, *matched;  // rows i - 1 and i; before the last match of a column, and its row
};

void start(const Rows& rows, int64_t longest) {
    for (int64_t j = -1; j <= longest; ++j) {
        store_ints(rows.last + j * kFloats, ints{} + (j < 0 ? kFar : (int32_t)j));
        store_ints(rows.now + j * kFloats, ints{} + kFar);
        store_ints(rows.crossed + j * kFloats, ints{} + kFar);
        store_ints(rows.matched + j * kFloats, ints{} - kFar);
    }
}

// Row i, of a text symbol; `now` holds row i - 2 on entry.
void next_row(const Rows& rows, const int32_t* symbols, int64_t longest, int32_t symbol, int32_t i) {
    ints column = ints{} - kFar, before_match = ints{} + kFar;  // of the last match in this row
    ints above = load_ints(rows.now), left = ints{} + i;        // rows i - 2 and i, one column to the left
    store_ints(rows.now, left);
    ints diagonal = load_ints(rows.last), corner = load_ints(rows.last - kFloats);  // row i - 1, one and two to the left
    for (int64_t j = 1; j <= longest; ++j) {
        const int64_t at = j * kFloats;
        const ints up = load_ints(rows.last + at), matched = load_ints(rows.matched + at), crossed = load_ints(rows.crossed + at);
        const ints equal = load_ints(symbols + at - kFloats) == symbol;
        ints value = smaller(smaller(left, up), diagonal + equal) + 1;
        const ints down = crossed + (i - matched), across = before_match + ((int32_t)j - column);
        value = smaller_where(column == (int32_t)j - 1, value, down);
        value = smaller_where(matched == i - 1, value, across);
        column = equal ? ints{} + (int32_t)j : column;
        before_match = equal ? above : before_match;
        store_ints(rows.crossed + at, equal ? corner : crossed);
        store_ints(rows.matched + at, equal ? ints{} + i : matched);
        above = load_ints(rows.now + at);
        store_ints(rows.now + at, value);
        left = value;
        corner = diagonal;
        diagonal = up;
    }
}

void group_by_text(const DamerauGroup& group, const int32_t* text, int64_t length, int32_t* scratch, float* row) {
    const int64_t size = (group.longest + 2) * kFloats;
    Rows rows = {scratch + kFloats, scratch + size + kFloats, scratch + 2 * size + kFloats, scratch + 3 * size + kFloats};
    start(rows, group.longest);
    for (int64_t i = 1; i <= length; ++i) {
        next_row(rows, group.symbols, group.longest, text[i - 1], (int32_t)i);
        int32_t* swapped = rows.last;
        rows.last = rows.now;
        rows.now = swapped;
    }
    for (int64_t k = 0; k < group.n; ++k) row[group.columns[k]] = (float)rows.last[group.lengths[k] * kFloats + k];
}

}  // namespace

void damerau_lanes(int64_t* lanes) { *lanes = kFloats; }

void damerau(const DamerauJob* job, const Texts* texts) {
    for (int64_t g = 0; g < job->n_groups; ++g)
        for (int64_t i = 0; i < texts->n && !stopped(job->stop); ++i)
            group_by_text(job->groups[g], texts->codes + texts->offsets[i], texts->offsets[i + 1] - texts->offsets[i], job->scratch,
                          texts->out + i * texts->stride);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
