// Edit distances of one probe to several texts, given up as soon as they must exceed a limit.
//
// Myers' bit-parallel algorithm, the probe in words; the value in the last row is followed from symbol to symbol. It can
// fall by one for each symbol that is left.
#include "edits.hpp"
#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// Up to 64 symbols.
int32_t short_distance(const EditProbe& probe, const int32_t* text, int64_t length, int32_t limit) {
    const uint64_t top = uint64_t{1} << (probe.length - 1);
    uint64_t VP = ~uint64_t{0}, VN = 0;
    int64_t score = probe.length;
    for (int64_t j = 0; j < length; ++j) {
        const uint64_t PM = probe.match[probe.rows[text[j]]];
        const uint64_t D0 = (((PM & VP) + VP) ^ VP) | PM | VN;
        const uint64_t HP = VN | ~(D0 | VP), HN = D0 & VP;
        score += (HP & top) != 0;
        score -= (HN & top) != 0;
        if (score - (length - 1 - j) > limit) return limit + 1;
        const uint64_t shifted = HP << 1 | 1;
        VP = HN << 1 | ~(D0 | shifted);
        VN = shifted & D0;
    }
    return (int32_t)score;
}

// Any number of symbols: words one after another, the horizontal difference carried from each to the next.
int32_t long_distance(const EditProbe& probe, const int32_t* text, int64_t length, int32_t limit) {
    uint64_t *VP = probe.state, *VN = probe.state + probe.words;
    const uint64_t top = uint64_t{1} << ((probe.length - 1) & 63);
    int64_t score = probe.length;
    for (int64_t w = 0; w < probe.words; ++w) VP[w] = ~uint64_t{0}, VN[w] = 0;
    for (int64_t j = 0; j < length; ++j) {
        const uint64_t* PMs = probe.match + probe.rows[text[j]];
        uint64_t positive = 1, negative = 0, HP = 0, HN = 0;
        for (int64_t w = 0; w < probe.words; ++w) {
            const uint64_t PM = PMs[w] | negative, vp = VP[w], vn = VN[w];
            const uint64_t D0 = (((PM & vp) + vp) ^ vp) | PM | vn;
            HP = vn | ~(D0 | vp), HN = D0 & vp;
            const uint64_t shifted = HP << 1 | positive, shifted_negative = HN << 1 | negative;
            VP[w] = shifted_negative | ~(D0 | shifted);
            VN[w] = shifted & D0;
            positive = HP >> 63, negative = HN >> 63;
        }
        score += (HP & top) != 0;
        score -= (HN & top) != 0;
        if (score - (length - 1 - j) > limit) return limit + 1;
    }
    return (int32_t)score;
}

}  // namespace

// Of texts one after another, keeps those whose letters do not rule them out.
void edits_sift(const uint64_t* letters, const int32_t* members, int64_t count, uint64_t own, int32_t limit, int32_t* kept, int64_t* n) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; ++k) {
        kept[found] = members[k];
        found += __builtin_popcountll(letters[k] & ~own) <= limit && __builtin_popcountll(own & ~letters[k]) <= limit;
    }
    *n = found;
}

// Writes the distances of the probe to some texts, or limit + 1 where they are larger.
void edits(const EditProbe* probe, const EditTexts* texts, const int32_t* which, int64_t count, int32_t limit, int32_t* out) {
    for (int64_t k = 0; k < count; ++k) {
        const int64_t i = which[k];
        const int64_t from = texts->offsets[i], length = texts->offsets[i + 1] - from;
        if (probe->length == 0)
            out[k] = (int32_t)length;
        else if (probe->words == 1)
            out[k] = short_distance(*probe, texts->codes + from, length, limit);
        else
            out[k] = long_distance(*probe, texts->codes + from, length, limit);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
