// Jaro–Winkler similarities of texts to landmarks.
//
// Symbols match if they are equal and at most w places apart. In the order of the text, each takes the first free
// symbol of the landmark that it matches. Since equal symbols only compete with each other, and windows move to the
// right, this is a merge of two sorted lists of places for every symbol: the same from either side, so symmetric.
#include "strings_lanes.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int64_t kPrefix = 4;        // symbols of a common prefix that count
constexpr double kPrefixFrom = 0.7;   // similarity above which they do

inline int64_t window(int64_t a, int64_t b) {
    const int64_t half = (a > b ? a : b) / 2;
    return half > 0 ? half - 1 : 0;
}

// `matched` symbols, `moved` of them out of order, of texts of so many symbols.
inline double similarity(double matched, double moved, double prefix, double length, double other, double weight) {
    const double half = (double)((int64_t)moved / 2);
    double value = matched > 0 ? (matched / length + matched / other + (matched - half) / matched) / 3.0 : 0.0;
    if (length + other == 0) value = 1.0;  // both are empty
    return value > kPrefixFrom ? value + prefix * weight * (1.0 - value) : value;
}

template <typename T>
struct Counts {
    lanes<T> matched, moved, prefix;
};

// One register of landmarks. `taken` keeps the bit that each text symbol took.
template <typename T>
Counts<T> compare(const uint8_t* match, const int32_t* rows, const int32_t* text, int64_t length, lanes<T> wide, lanes<T> reach,
                  uint8_t* taken) {
    const int64_t w = window(length, 0);
    lanes<T> used{}, equal = ~lanes<T>{}, prefix{};
    for (int64_t j = 0; j < length; ++j) {
        const lanes<T> PM = load_lanes<T>(match + rows[text[j]]);
        const lanes<T> free = PM & reach & ~used, bit = free & (lanes<T>{} - free);
        used |= bit;
        memcpy(taken + j * SEAMARK_VECTOR_BYTES, &bit, sizeof bit);
        if (j < kPrefix) {
            const T place = (T)((T)1 << j);
            equal &= (lanes<T>)((PM & place) == place);
            prefix -= equal;
        }
        // The window begins at place 0 until the text is w places ahead; w is that of the longer of the two.
        reach += reach;
        if (j < w)
            reach |= (T)1;
        else if (j < 8 * (int64_t)sizeof(T))
            reach |= (lanes<T>)(wide > (T)j) & (T)1;
    }
    lanes<T> left = used, moved{};
    for (int64_t j = 0; j < length; ++j) {
        const lanes<T> took = (lanes<T>)(load_lanes<T>(taken + j * SEAMARK_VECTOR_BYTES) != 0);
        const lanes<T> bit = left & (lanes<T>{} - left) & took;
        moved -= (lanes<T>)((load_lanes<T>(match + rows[text[j]]) & bit) == 0) & took;
        left ^= bit;
    }
    return {count_bits<T>(used), moved, prefix};
}

template <typename T>
void lanes_by_texts(const StringLayout& plan, const StringBlock& block, const Texts& texts, const int32_t* rows, uint8_t* taken) {
    const int64_t* columns = plan.columns + block.columns;
    T lengths[kLanesOf<T>], wide[kLanesOf<T>], reach[kLanesOf<T>];
    for (int64_t u = 0; u < block.registers; ++u) {
        const int64_t first = u * kLanesOf<T>, n = block.n - first < kLanesOf<T> ? block.n - first : kLanesOf<T>;
        const uint8_t* match = plan.bytes + block.matches + u * SEAMARK_VECTOR_BYTES;
        memcpy(lengths, plan.bytes + block.lengths + u * SEAMARK_VECTOR_BYTES, sizeof lengths);
        for (int k = 0; k < kLanesOf<T>; ++k) wide[k] = (T)window(lengths[k], 0);
        int64_t last = -1;  // length of the text before: many texts have the same window
        for (int64_t i = 0; i < texts.n; ++i) {
            const int64_t length = texts.offsets[i + 1] - texts.offsets[i];
            if (length != last)
                for (int k = 0; k < kLanesOf<T>; ++k) {
                    const int64_t w = window(lengths[k], length);
                    reach[k] = w >= 8 * (int64_t)sizeof(T) - 1 ? (T)-1 : (T)(((T)1 << (w + 1)) - 1);
                }
            last = length;
            const Counts<T> counts = compare<T>(match, rows, texts.codes + texts.offsets[i], length,
                                                load_lanes<T>((const uint8_t*)wide), load_lanes<T>((const uint8_t*)reach), taken);
            T matched[kLanesOf<T>], moved[kLanesOf<T>], prefix[kLanesOf<T>];
            memcpy(matched, &counts.matched, sizeof matched);
            memcpy(moved, &counts.moved, sizeof moved);
            memcpy(prefix, &counts.prefix, sizeof prefix);
            float values[kLanesOf<T>];
            for (int k = 0; k < kLanesOf<T>; ++k)
                values[k] = (float)similarity(matched[k], moved[k], prefix[k], (double)length, lengths[k], plan.weight);
            write_row(values, columns + first, n, texts.out + i * texts.stride);
        }
    }
}

// A landmark too long for a lane, by the places of each of its symbols; see StringPlan::add_places.
struct Places {
    const int32_t *starts, *places, *symbols;
    int64_t length;
};

double long_similarity(const Places& landmark, const int32_t* rows, const int32_t* text, int64_t length, double weight, int32_t* next,
                       int64_t n_symbols, uint8_t* used) {
    const int64_t w = window(length, landmark.length), shorter = length < landmark.length ? length : landmark.length;
    memcpy(next, landmark.starts, sizeof(int32_t) * (n_symbols + 1));
    memset(used, 0, landmark.length);
    uint8_t* taken = used + landmark.length;
    int64_t matched = 0, moved = 0, prefix = 0;
    for (int64_t j = 0; j < length; ++j) {
        const int32_t symbol = rows[text[j]], end = landmark.starts[symbol + 1];
        int32_t& at = next[symbol];
        while (at < end && landmark.places[at] < j - w) ++at;
        taken[j] = at < end && landmark.places[at] <= j + w;
        if (taken[j]) used[landmark.places[at++]] = 1, ++matched;
    }
    for (int64_t j = 0, k = 0; j < length; ++j) {
        if (!taken[j]) continue;
        while (!used[k]) ++k;
        moved += landmark.symbols[k++] != rows[text[j]];
    }
    while (prefix < kPrefix && prefix < shorter && landmark.symbols[prefix] == rows[text[prefix]]) ++prefix;
    return similarity((double)matched, (double)moved, (double)prefix, (double)length, (double)landmark.length, weight);
}

void long_by_texts(const StringLayout& plan, const StringBlock& block, const Texts& texts, int32_t* rows, uint8_t* scratch) {
    const int32_t* starts = (const int32_t*)(plan.bytes + block.matches);
    const int32_t* symbols = (const int32_t*)(plan.bytes + block.segments);
    const Places landmark = {starts, (const int32_t*)(plan.bytes + block.lengths), symbols, starts[block.n_symbols + 1]};
    int32_t* next = (int32_t*)scratch;
    uint8_t* used = scratch + sizeof(int32_t) * (block.n_symbols + 2);
    for (int64_t k = 0; k < block.n_symbols; ++k) rows[plan.symbols[block.symbols + k]] = (int32_t)k + 1;
    for (int64_t i = 0; i < texts.n; ++i)
        texts.out[i * texts.stride + plan.columns[block.columns]] =
            (float)long_similarity(landmark, rows, texts.codes + texts.offsets[i], texts.offsets[i + 1] - texts.offsets[i], plan.weight,
                                   next, block.n_symbols, used);
}

}  // namespace

void jaro_block(const StringLayout& plan, const StringBlock& block, const Texts& texts, int32_t* rows, uint8_t* taken) {
    if (block.bytes == 0) return long_by_texts(plan, block, texts, rows, taken);
    if (block.bytes == 1) lanes_by_texts<uint8_t>(plan, block, texts, rows, taken);
    if (block.bytes == 2) lanes_by_texts<uint16_t>(plan, block, texts, rows, taken);
    if (block.bytes == 4) lanes_by_texts<uint32_t>(plan, block, texts, rows, taken);
    if (block.bytes == 8) lanes_by_texts<uint64_t>(plan, block, texts, rows, taken);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
