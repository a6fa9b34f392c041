// Levenshtein distances of texts to landmarks: Myers' bit-parallel algorithm, landmarks in words in lanes.
//
// A column of the dynamic programming matrix is kept as vertical differences: VP has a bit where the value
// rises from one landmark symbol to the next, VN where it falls. Reading one text symbol updates both.
// With s = (PM & VP) + VP, which carries along runs of VP above a match, and in the terms of Hyyrö (2003)
//     HN = D0 & VP = (~s | PM) & VP               since VP and VN share no bit
//    ~HP = ~VN & (D0 | VP) = ~VN & (s | PM | VP)
//     VP = HN << 1 | (~(PM | VN) & ~HP << 1)      PM | VN differs from D0 only where HN << 1 decides
//     VN = (PM | VN) & ~(~HP << 1)
// The complement of HP is what is kept: the shift then brings in HP = 1, the border of the matrix, for free.
#include "levenshtein_layout.hpp"
#include "logic.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace seamark {
namespace SEAMARK_ISA {

namespace {

typedef int32_t narrow_ints __attribute__((vector_size(SEAMARK_VECTOR_BYTES / 2)));
typedef float narrow_floats __attribute__((vector_size(SEAMARK_VECTOR_BYTES / 2)));
typedef uint8_t lane_bytes __attribute__((vector_size(SEAMARK_VECTOR_BYTES / 8)));

LOGIC(both, a & b & c)
LOGIC(horizontal_negative, (~a | b) & c)      // of s, PM, VP
LOGIC(not_horizontal_positive, ~a & (b | c))  // of VN, s, PM | VP
LOGIC(vertical_positive, a | (~b & c))        // of HN << 1, PM | VN, ~HP << 1
LOGIC(vertical_negative, (~a | b) & c)        // of ~HP << 1, Lb, PM | VN

static inline words load_words(const uint64_t* p) {
    words v;
    memcpy(&v, p, sizeof v);
    return v;
}

// One text symbol for U registers, independent chains that hide each other's latency. Where landmarks share
// words, `keep` clears the top bits of VP, so no carry crosses to the next landmark, and the low bits: these
// are 0 after the first symbol, but the shifts bring the neighbour's bits there.
template <int U, bool Single>
inline void advance(const uint64_t* match, const words* keep, const words* low, words* VP, words* VN) {
    for (int u = 0; u < U; ++u) {
        const words PM = load_words(match + u * kWords);
        const words vp = Single ? VP[u] : VP[u] & keep[u];
        const words sum = (Single ? PM & vp : both(PM, VP[u], keep[u])) + vp;
        const words HN = horizontal_negative(sum, PM, vp);
        const words nHP = not_horizontal_positive(VN[u], sum, PM | vp);
        const words HNs = HN + HN, nHPs = nHP + nHP;
        const words matched = PM | VN[u];
        VP[u] = vertical_positive(HNs, matched, nHPs);
        VN[u] = Single ? ~nHPs & matched : vertical_negative(nHPs, low[u], matched);
    }
}

#if defined(__AVX512BW__)
#define SHUFFLE(table, v) (words) _mm512_shuffle_epi8((__m512i)(table), (__m512i)(v))
#define SUM_BYTES(v) (words) _mm512_sad_epu8((__m512i)(v), _mm512_setzero_si512())
#elif defined(__AVX2__)
#define SHUFFLE(table, v) (words) _mm256_shuffle_epi8((__m256i)(table), (__m256i)(v))
#define SUM_BYTES(v) (words) _mm256_sad_epu8((__m256i)(v), _mm256_setzero_si256())
#endif

// Number of bits of p minus number of bits of q, in every lane: bits of p plus zero bits of q, less 64.
static inline words difference(words p, words q) {
#ifdef SHUFFLE
    words ones;  // byte k of each 16: bits of k
    for (int k = 0; k < kWords; ++k) ones[k] = k % 2 ? 0x0403030203020201 : 0x0302020102010100;
    const words zeros = 0x0404040404040404 - ones;
    const words nibble = words{} + 0x0f0f0f0f0f0f0f0f;
    const words count_p = SHUFFLE(ones, p & nibble) + SHUFFLE(ones, (p >> 4) & nibble);
    const words count_q = SHUFFLE(zeros, q & nibble) + SHUFFLE(zeros, (q >> 4) & nibble);
    return SUM_BYTES(count_p + count_q) - (uint64_t)kWordBits;
#else
    q = ~q;
    p -= (p >> 1) & 0x5555555555555555;
    q -= (q >> 1) & 0x5555555555555555;
    p = (p & 0x3333333333333333) + ((p >> 2) & 0x3333333333333333);
    q = (q & 0x3333333333333333) + ((q >> 2) & 0x3333333333333333);
    p = (p & 0x0f0f0f0f0f0f0f0f) + ((p >> 4) & 0x0f0f0f0f0f0f0f0f);
    p += (q & 0x0f0f0f0f0f0f0f0f) + ((q >> 4) & 0x0f0f0f0f0f0f0f0f);
    p += p >> 8;
    p = (p & 0x00ff00ff00ff00ff) + ((p >> 16) & 0x00ff00ff00ff00ff);
    return ((p + (p >> 32)) & 0xffff) - (uint64_t)kWordBits;
#endif
}

// The words numbered by `index`, of two registers.
static inline words pick(const words* from, words index) {
#ifdef __AVX512F__
    return (words)_mm512_permutex2var_epi64((__m512i)from[0], (__m512i)index, (__m512i)from[1]);
#else
    uint64_t all[2 * kWords];
    memcpy(all, from, sizeof all);
    words picked;
    for (int k = 0; k < kWords; ++k) picked[k] = all[index[k]];
    return picked;
#endif
}

// Adds up the vertical differences of every landmark of some groups, all in one pair of registers.
static inline void finish(const uint64_t* group, const int64_t* columns, int64_t n_groups, const words* VP,
                          const words* VN, int64_t length, float* row) {
    for (int64_t g = 0; g < n_groups; ++g, group += 2 * kWords, columns += kWords) {
        const words index = load_words(group), segment = load_words(group + kWords);
        const words distance = difference(pick(VP, index) & segment, pick(VN, index) & segment) + (uint64_t)length;
        const narrow_floats values = __builtin_convertvector(__builtin_convertvector(distance, narrow_ints), narrow_floats);
        if (columns[kWords - 1] - columns[0] == kWords - 1)
            memcpy(row + columns[0], &values, sizeof values);
        else
            for (int k = 0; k < kWords; ++k) row[columns[k]] = values[k];
    }
}

template <int U, bool Single>
void block_by_texts(const LevenshteinLayout& plan, const LevenshteinBlock& block, const int32_t* rows,
                    const Texts& texts) {
    const uint64_t* match = plan.words + block.matches.words;
    const uint64_t* groups = plan.words + block.groups;
    const int64_t* columns = plan.columns + block.columns;
    words start[U], keep[U], low[U];
    for (int u = 0; u < U; ++u) {
        const uint64_t* masks = plan.words + block.masks + u * kWords;
        start[u] = load_words(masks);
        keep[u] = load_words(masks + U * kWords);
        low[u] = load_words(masks + 2 * U * kWords);
    }
    for (int64_t i = 0; i < texts.n; ++i) {
        const int32_t* text = texts.codes + texts.offsets[i];
        const int64_t length = texts.offsets[i + 1] - texts.offsets[i];
        if (length == 0) continue;
        words VP[U], VN[U] = {};
        for (int u = 0; u < U; ++u) VP[u] = ~words{};
        advance<U, Single>(match + rows[text[0]], start, low, VP, VN);
        for (int64_t j = 1; j < length; ++j) advance<U, Single>(match + rows[text[j]], keep, low, VP, VN);
        if (!Single)
            for (int u = 0; u < U; ++u) VP[u] &= ~low[u];
        float* row = texts.out + i * texts.stride;
        finish(groups, columns, block.n_groups[0], VP, VN, length, row);
        if (U > 2)
            finish(groups + block.n_groups[0] * 2 * kWords, columns + block.n_groups[0] * kWords, block.n_groups[1],
                   VP + U - 2, VN + U - 2, length, row);
    }
}

// One text against a strip of S words per lane. Between words, and through `border` between strips, go two
// bits per lane and text symbol: HN and ~HP of the row in between (Myers' blocks, 1999).
template <int S, bool First, bool Last>
inline void strip_by_text(const uint64_t* match, const int32_t* rows, const int32_t* text, int64_t length,
                          uint8_t* border, words* VP, words* VN) {
    for (int64_t j = 0; j < length; ++j, border += kWords) {
        const uint64_t* PMs = match + rows[text[j]];
        words negative{}, not_positive{};
        if (!First) {
            lane_bytes bits;
            memcpy(&bits, border, sizeof bits);
            negative = __builtin_convertvector(bits, words);
            not_positive = negative & 1;
            negative >>= 1;
        }
        for (int s = 0; s < S; ++s) {
            const words PM = load_words(PMs + s * kWords), matched = PM | VN[s];
            const words equal = PM | negative;
            const words sum = (equal & VP[s]) + VP[s];
            const words HN = horizontal_negative(sum, equal, VP[s]);
            const words nHP = not_horizontal_positive(VN[s], sum, equal | VP[s]);
            const words HNs = (HN + HN) | negative, nHPs = (nHP + nHP) | not_positive;
            negative = HN >> 63;
            not_positive = nHP >> 63;
            VP[s] = vertical_positive(HNs, matched, nHPs);
            VN[s] = ~nHPs & matched;
        }
        if (!Last) {
            const lane_bytes bits = __builtin_convertvector(negative + negative + not_positive, lane_bytes);
            memcpy(border, &bits, sizeof bits);
        }
    }
}

template <int S, bool First, bool Last>
void strip_by_texts(const LevenshteinLayout& plan, const LevenshteinStrip& strip, const int32_t* rows,
                    uint8_t* border, const Texts& texts) {
    const uint64_t* match = plan.words + strip.matches.words;
    const uint64_t* segments = plan.words + strip.segments;
    const int64_t* columns = plan.columns + strip.columns;
    for (int64_t i = 0; i < texts.n; ++i) {
        const int64_t from = texts.offsets[i] - texts.offsets[0], length = texts.offsets[i + 1] - texts.offsets[i];
        if (length == 0) continue;
        words VP[S], VN[S] = {};
        for (int s = 0; s < S; ++s) VP[s] = ~words{};
        strip_by_text<S, First, Last>(match, rows, texts.codes + texts.offsets[i], length, border + from * kWords, VP, VN);
        words change{};
        for (int s = 0; s < S; ++s) {
            const words segment = load_words(segments + s * kWords);
            change += difference(VP[s] & segment, VN[s] & segment);
        }
        float* row = texts.out + i * texts.stride;
        for (int64_t k = 0; k < strip.n_landmarks; ++k)
            row[columns[k]] = (First ? (float)length : row[columns[k]]) + (float)(int64_t)change[k];
    }
}

template <int S>
void strip_of(const LevenshteinLayout& plan, const LevenshteinStrip& strip, const int32_t* rows, uint8_t* border,
              const Texts& texts) {
    if (strip.first && strip.last) return strip_by_texts<S, true, true>(plan, strip, rows, border, texts);
    if (strip.first) return strip_by_texts<S, true, false>(plan, strip, rows, border, texts);
    if (strip.last) return strip_by_texts<S, false, true>(plan, strip, rows, border, texts);
    strip_by_texts<S, false, false>(plan, strip, rows, border, texts);
}

// Points the symbols of a match table to their rows.
void fill_rows(const LevenshteinLayout& plan, const LevenshteinMatches& matches, int32_t* rows) {
    const int32_t* symbols = plan.symbols + matches.symbols;
    for (int64_t k = 0; k < matches.n_symbols; ++k) rows[symbols[k]] = (int32_t)((k + 1) * matches.width);
}

void clear_rows(const LevenshteinLayout& plan, const LevenshteinMatches& matches, int32_t* rows) {
    const int32_t* symbols = plan.symbols + matches.symbols;
    for (int64_t k = 0; k < matches.n_symbols; ++k) rows[symbols[k]] = 0;
}

void trivial(const LevenshteinLayout& plan, const Texts& texts) {
    for (int64_t i = 0; i < texts.n; ++i) {
        const int64_t length = texts.offsets[i + 1] - texts.offsets[i];
        float* row = texts.out + i * texts.stride;
        if (length == 0 && plan.n_landmarks > 0) memcpy(row, plan.lengths, sizeof(float) * plan.n_landmarks);
        for (int64_t k = 0; k < plan.n_empty; ++k) row[plan.empty[k]] = (float)length;
    }
}

}  // namespace

// How many words the plan has to put in a register.
void levenshtein_lanes(int64_t* lanes) { *lanes = kWords; }

// `rows` is scratch of one entry per symbol and one more, zero on entry and on return; `border` is scratch of
// kWords bytes per text symbol, used only by plans with strips.
void levenshtein(const LevenshteinLayout* layout, const Texts* tile, int32_t* rows, uint8_t* border,
                 const uint8_t* stop) {
    const LevenshteinLayout& plan = *layout;
    const Texts& texts = *tile;
    trivial(plan, texts);
    for (int64_t b = 0; b < plan.n_blocks && !stopped(stop); ++b) {
        const LevenshteinBlock& block = plan.blocks[b];
        fill_rows(plan, block.matches, rows);
        if (block.pairs == 1)
            block.single ? block_by_texts<2, true>(plan, block, rows, texts) : block_by_texts<2, false>(plan, block, rows, texts);
        else
            block.single ? block_by_texts<4, true>(plan, block, rows, texts) : block_by_texts<4, false>(plan, block, rows, texts);
        clear_rows(plan, block.matches, rows);
    }
    for (int64_t b = 0; b < plan.n_strips && !stopped(stop); ++b) {
        const LevenshteinStrip& strip = plan.strips[b];
        fill_rows(plan, strip.matches, rows);
        if (strip.words == 2) strip_of<2>(plan, strip, rows, border, texts);
        if (strip.words == 3) strip_of<3>(plan, strip, rows, border, texts);
        if (strip.words == 4) strip_of<4>(plan, strip, rows, border, texts);
        clear_rows(plan, strip.matches, rows);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
