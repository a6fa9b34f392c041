// Edit distances of one probe to several texts, given up as soon as they must exceed a limit.
//
// Myers' bit-parallel algorithm, the probe in words, one text in each lane. Bit i of D0 says that the value did not grow
// along its diagonal into row i: so the value is followed on the diagonal that ends in the last cell. It never falls there.
#include "edits.hpp"
#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int64_t kStrip = 4;  // symbols between two looks at what can be given up

typedef int64_t integers __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));

static_assert(kWords <= kEditLanes, "a probe has no room for so many lanes");

// The texts of one group.
template <typename Code>
struct Lanes {
    const Code* from[kWords];
    int64_t lengths[kWords];
    int64_t longest = 0, shortest = INT64_MAX;

    // Lanes without a text of their own repeat the first.
    Lanes(const Code* codes, const int64_t* offsets, const int32_t* which, int64_t used) {
        for (int lane = 0; lane < kWords; ++lane) {
            const int64_t i = which[lane < used ? lane : 0];
            from[lane] = codes + offsets[i];
            lengths[lane] = offsets[i + 1] - offsets[i];
            if (lengths[lane] > longest) longest = lengths[lane];
            if (lengths[lane] < shortest) shortest = lengths[lane];
        }
    }

    // The symbol at j; beyond the end of a text any.
    Code symbol(int lane, int64_t j) const { return j < lengths[lane] ? from[lane][j] : 0; }
};

// The row in which each text's last diagonal is, and the value there.
struct Diagonal {
    integers row, score;
    int64_t last, limit;

    template <typename Code>
    Diagonal(const Lanes<Code>& lanes, int64_t length, int32_t most) : last(length), limit(most) {
        for (int lane = 0; lane < kWords; ++lane) {
            row[lane] = length - lanes.lengths[lane];
            score[lane] = row[lane] < 0 ? -row[lane] : row[lane];
        }
    }

    // Adds what the word that begins at row `first` says of those whose diagonal passes through it.
    void follow(words D0, int64_t first) {
        const words at = (words)row - (uint64_t)first;
        const int64_t rows = last - first < 64 ? last - first : 64;
        const integers inside = at < (words{} + (uint64_t)rows);
        const words bit = (words{} + 1) << (at & 63);
        score -= inside & ((D0 & bit) == 0);
    }

    // Whether some text may still be near.
    bool open() const {
        const integers left = (score <= limit) & (row < last);
        int64_t any = 0;
        for (int lane = 0; lane < kWords; ++lane) any |= left[lane];
        return any != 0;
    }
};

struct Column {
    words D0, HP, HN;

    // PM: where the probe's symbols match; VP, VN: the vertical differences before this column.
    Column(words PM, words VP, words VN) {
        D0 = (((PM & VP) + VP) ^ VP) | PM | VN;
        HP = VN | ~(D0 | VP), HN = D0 & VP;
    }
};

uint64_t mask_of(const EditProbe& probe, int32_t code) { return probe.match[probe.rows[code]]; }
uint64_t mask_of(const EditProbe& probe, uint8_t code) { return probe.masks[code]; }

// Probes of up to 64 symbols.
template <typename Code>
void short_group(const EditProbe& probe, const Lanes<Code>& lanes, Diagonal& diagonal) {
    words VP = ~words{}, VN{};
    for (int64_t j = 0; j < lanes.longest && diagonal.open(); j += kStrip) {
        words PMs[kStrip]{};
        if (j + kStrip <= lanes.shortest) {
            for (int64_t t = 0; t < kStrip; ++t)
                for (int lane = 0; lane < kWords; ++lane) PMs[t][lane] = mask_of(probe, lanes.from[lane][j + t]);
        } else {
            for (int64_t t = 0; t < kStrip; ++t)
                for (int lane = 0; lane < kWords; ++lane) PMs[t][lane] = mask_of(probe, lanes.symbol(lane, j + t));
        }
        for (int64_t t = 0; t < kStrip; ++t) {
            const Column column(PMs[t], VP, VN);
            const words shifted = column.HP << 1 | 1;
            VP = column.HN << 1 | ~(column.D0 | shifted);
            VN = shifted & column.D0;
            diagonal.follow(column.D0, 0);
            diagonal.row += 1;
        }
        *probe.steps += kStrip * kWords;
    }
}

// Any number of symbols: words one after another, the horizontal difference carried from each to the next. Only words
// within `limit` rows of the main diagonal are done: no path within the limit leaves them, and what is assumed outside,
// values that grow by one with each row or column, is never too small.
template <typename Code>
void long_group(const EditProbe& probe, const Lanes<Code>& lanes, Diagonal& diagonal, int64_t limit) {
    uint64_t* const state = probe.state;
    const auto load_words = [&](int64_t k) { words v; memcpy(&v, state + k * kWords, sizeof v); return v; };
    const auto keep_words = [&](int64_t k, words v) { memcpy(state + k * kWords, &v, sizeof v); };
    for (int64_t w = 0; w < probe.words; ++w) keep_words(2 * w, ~words{}), keep_words(2 * w + 1, words{});
    for (int64_t j = 0; j < lanes.longest; ++j) {
        if (j % kStrip == 0 && !diagonal.open()) return;
        const uint64_t* PMs[kWords];
        for (int lane = 0; lane < kWords; ++lane) PMs[lane] = probe.match + probe.rows[lanes.symbol(lane, j)];
        const int64_t first = j > limit ? (j - limit) / 64 : 0, end = (j + limit) / 64 + 1;
        const int64_t last = end < probe.words ? end : probe.words;
        words positive = words{} + 1, negative{};
        for (int64_t w = first; w < last; ++w) {
            words PM = negative;
            for (int lane = 0; lane < kWords; ++lane) PM[lane] |= PMs[lane][w];
            const Column column(PM, load_words(2 * w), load_words(2 * w + 1));
            const words shifted = column.HP << 1 | positive;
            keep_words(2 * w, (column.HN << 1 | negative) | ~(column.D0 | shifted));
            keep_words(2 * w + 1, shifted & column.D0);
            positive = column.HP >> 63, negative = column.HN >> 63;
            diagonal.follow(column.D0, 64 * w);
        }
        diagonal.row += 1;
        *probe.steps += (last - first) * kWords;
    }
}

template <typename Code>
void groups(const EditProbe& probe, const Code* codes, const int64_t* offsets, const int32_t* which, int64_t count, int32_t limit,
            int32_t* out) {
    for (int64_t k = 0; k < count; k += kWords) {
        const int64_t used = count - k < kWords ? count - k : kWords;
        const Lanes<Code> lanes(codes, offsets, which + k, used);
        Diagonal diagonal(lanes, probe.length, limit);
        if (probe.words == 1)
            short_group(probe, lanes, diagonal);
        else
            long_group(probe, lanes, diagonal, limit);
        for (int64_t lane = 0; lane < used; ++lane) out[k + lane] = (int32_t)(diagonal.score[lane] <= limit ? diagonal.score[lane] : limit + 1);
    }
}

// Which of the next kBytes bytes equal another, one bit each.
#if defined(__AVX2__)
constexpr int64_t kBytes = 32;
uint32_t equal_bytes(const uint8_t* from, uint8_t other) {
    const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(some, _mm256_set1_epi8((char)other)));
}
#else
constexpr int64_t kBytes = 8;
uint32_t equal_bytes(const uint8_t* from, uint8_t other) {
    uint32_t bits = 0;
    for (int64_t k = 0; k < kBytes; ++k) bits |= (uint32_t)(from[k] == other) << k;
    return bits;
}
#endif

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

// Writes lower bounds of the edits between the probe and the texts [from, to).
void edits_bounds(const EditBounds* job, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
        const int32_t gone = __builtin_popcountll(job->letters[i] & ~job->own), come = __builtin_popcountll(job->own & ~job->letters[i]);
        const int32_t longer = job->lengths[i] - job->length, apart = longer < 0 ? -longer : longer;
        const int32_t most = gone > come ? gone : come, least = apart > most ? apart : most;
        job->out[i] = (uint8_t)(least < 255 ? least : 255);
    }
}

// Gathers the texts of [from, to) with one bound; `kept` has room for all.
void edits_level(const uint8_t* bounds, int64_t from, int64_t to, int32_t level, int32_t* kept, int64_t* n) {
    int64_t found = 0, i = from;
    for (; i + kBytes <= to; i += kBytes)
        for (uint32_t equal = equal_bytes(bounds + i, (uint8_t)level); equal; equal &= equal - 1)
            kept[found++] = (int32_t)(i + __builtin_ctz(equal));
    for (; i < to; ++i)
        if (bounds[i] == level) kept[found++] = (int32_t)i;
    *n = found;
}

// Writes the distances of the probe to some texts, or limit + 1 where they are larger.
void edits(const EditProbe* probe, const EditTexts* texts, const int32_t* which, int64_t count, int32_t limit, int32_t* out) {
    if (texts->narrow)
        groups(*probe, texts->narrow, texts->offsets, which, count, limit, out);
    else
        groups(*probe, texts->codes, texts->offsets, which, count, limit, out);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
