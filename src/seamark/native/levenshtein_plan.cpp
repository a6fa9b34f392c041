#include "levenshtein_plan.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

namespace seamark {

namespace {

// Where a landmark lies: which word, and its lowest bit in it.
struct Place {
    int64_t landmark, word, bit;
};

struct Packing {
    std::vector<Place> places;
    int64_t n_words = 0;
};

uint64_t low_bits(int64_t n) { return n >= kWordBits ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Best-fit decreasing: the longest landmark left goes to the word where it leaves the least room.
Packing best_fit(const int64_t* landmarks, int64_t n, const std::vector<int64_t>& lengths) {
    std::vector<int64_t> by_length[kWordBits + 1];
    for (int64_t k = 0; k < n; ++k) by_length[lengths[landmarks[k]]].push_back(landmarks[k]);
    std::vector<int64_t> by_room[kWordBits + 1];
    Packing packing;
    for (int64_t length = kWordBits; length > 0; --length)
        for (int64_t landmark : by_length[length]) {
            int64_t room = length;
            while (room <= kWordBits && by_room[room].empty()) ++room;
            if (room > kWordBits) by_room[room = kWordBits].push_back(packing.n_words++);
            const int64_t word = by_room[room].back();
            by_room[room].pop_back();
            by_room[room - length].push_back(word);
            packing.places.push_back({landmark, word, kWordBits - room});
        }
    return packing;
}

// One packing per pair of registers, each of consecutive landmarks: results leave whole registers at a time.
std::vector<Packing> pack_consecutive(const std::vector<int64_t>& landmarks, const std::vector<int64_t>& lengths,
                                      int64_t pair_words) {
    std::vector<Packing> pairs;
    const int64_t n = (int64_t)landmarks.size();
    for (int64_t from = 0, to; from < n; from = to) {
        int64_t bits = 0;
        for (to = from; to < n && bits + lengths[landmarks[to]] <= pair_words * kWordBits; ++to) bits += lengths[landmarks[to]];
        Packing packing = best_fit(&landmarks[from], to - from, lengths);
        while (packing.n_words > pair_words) {
            to -= packing.n_words - pair_words;
            packing = best_fit(&landmarks[from], to - from, lengths);
        }
        pairs.push_back(std::move(packing));
    }
    return pairs;
}

// One packing of all landmarks, cut into pairs of registers: the fewest words.
std::vector<Packing> pack_tightest(const std::vector<int64_t>& landmarks, const std::vector<int64_t>& lengths,
                                   int64_t pair_words) {
    const Packing all = best_fit(landmarks.data(), (int64_t)landmarks.size(), lengths);
    std::vector<Packing> pairs(ceil_div(all.n_words, pair_words));
    for (const Place& p : all.places) pairs[p.word / pair_words].places.push_back({p.landmark, p.word % pair_words, p.bit});
    for (size_t k = 0; k < pairs.size(); ++k) pairs[k].n_words = std::min(pair_words, all.n_words - (int64_t)k * pair_words);
    return pairs;
}

}  // namespace

void LevenshteinPlan::Free::operator()(uint64_t* p) const { ::operator delete(p, std::align_val_t(kRegisterBytes)); }

int64_t LevenshteinPlan::nbytes() const {
    return n_words_ * 8 + symbols_.size() * 4 + (columns_.size() + empty_.size()) * 8 + lengths_.size() * 4 +
           blocks_.size() * sizeof(LevenshteinBlock) + strips_.size() * sizeof(LevenshteinStrip);
}

// Fills a plan. Words are collected in a growing array and move to aligned memory at the end.
class LevenshteinCompiler {
public:
    LevenshteinCompiler(LevenshteinPlan& plan, const int32_t* codes, const int64_t* offsets, int64_t n)
        : plan_(plan), codes_(codes), offsets_(offsets), lengths_(n), row_of_(plan.n_symbols_, 0) {
        for (int64_t k = 0; k < n; ++k) lengths_[k] = offsets[k + 1] - offsets[k];
    }

    void compile() {
        std::vector<int64_t> shorts, longs;
        for (int64_t k = 0; k < (int64_t)lengths_.size(); ++k) {
            plan_.lengths_.push_back((float)lengths_[k]);
            (lengths_[k] == 0 ? plan_.empty_ : lengths_[k] <= kWordBits ? shorts : longs).push_back(k);
        }
        std::vector<Packing> pairs = pack_consecutive(shorts, lengths_, 2 * plan_.lanes_);
        std::vector<Packing> tight = pack_tightest(shorts, lengths_, 2 * plan_.lanes_);
        // Measured: scattering the results costs about as much as one register in thirty.
        if (pairs.size() * 30 > tight.size() * 31) pairs.swap(tight);
        for (size_t k = 0; k < pairs.size(); k += kBlockPairs)
            add_block(&pairs[k], std::min<int64_t>(kBlockPairs, pairs.size() - k));
        // Lanes of a strip should end together.
        std::stable_sort(longs.begin(), longs.end(), [&](int64_t a, int64_t b) { return lengths_[a] < lengths_[b]; });
        for (size_t k = 0; k < longs.size(); k += plan_.lanes_)
            add_strips(&longs[k], std::min<int64_t>(plan_.lanes_, longs.size() - k));
        store_words();
    }

private:
    int64_t take(int64_t n) {
        const int64_t from = (int64_t)words_.size();
        words_.resize(from + n, 0);
        return from;
    }

    // Starts a match table: gives it the zero row.
    LevenshteinMatches open_matches(int64_t width) {
        return {(int64_t)plan_.symbols_.size(), 0, take(width), width};
    }

    // Sets bits bit, bit + 1, ... of `word` in the rows of the symbols at `from`.
    void add_matches(LevenshteinMatches& matches, const int32_t* from, int64_t n, int64_t word, int64_t bit) {
        for (int64_t k = 0; k < n; ++k) {
            int32_t& row = row_of_[from[k]];
            if (row == 0) {
                row = (int32_t)++matches.n_symbols;
                plan_.symbols_.push_back(from[k]);
                take(matches.width);
            }
            words_[matches.words + row * matches.width + word] |= uint64_t{1} << (bit + k);
        }
    }

    void close_matches(const LevenshteinMatches& matches) {
        for (int64_t k = 0; k < matches.n_symbols; ++k) row_of_[plan_.symbols_[matches.symbols + k]] = 0;
    }

    // A block of up to kBlockPairs packings.
    void add_block(Packing* pairs, int64_t n) {
        const int64_t pair_words = 2 * plan_.lanes_;
        std::vector<Place> places;  // words numbered through the block
        LevenshteinBlock block{};
        block.pairs = n;
        block.single = 1;
        for (int64_t k = 0; k < n; ++k) {
            block.single &= (int64_t)pairs[k].places.size() == pairs[k].n_words;
            std::sort(pairs[k].places.begin(), pairs[k].places.end(),
                      [](const Place& a, const Place& b) { return a.landmark < b.landmark; });
            for (const Place& p : pairs[k].places) places.push_back({p.landmark, p.word + k * pair_words, p.bit});
        }
        block.matches = open_matches(n * pair_words);
        for (const Place& p : places)
            add_matches(block.matches, codes_ + offsets_[p.landmark], lengths_[p.landmark], p.word, p.bit);
        close_matches(block.matches);
        add_masks(block, places, n * pair_words);
        block.groups = (int64_t)words_.size();
        block.columns = (int64_t)plan_.columns_.size();
        for (int64_t k = 0; k < n; ++k) block.n_groups[k] = add_groups(pairs[k].places);
        plan_.blocks_.push_back(block);
    }

    void add_masks(LevenshteinBlock& block, const std::vector<Place>& places, int64_t width) {
        block.masks = take(3 * width);
        uint64_t* start = &words_[block.masks];
        uint64_t* keep = start + width;
        uint64_t* low = keep + width;
        std::fill(start, low, ~uint64_t{0});
        for (const Place& p : places) {
            const uint64_t top = uint64_t{1} << (p.bit + lengths_[p.landmark] - 1);
            low[p.word] |= uint64_t{1} << p.bit;
            start[p.word] &= ~top;
            keep[p.word] &= ~(top | uint64_t{1} << p.bit);
        }
    }

    // Landmarks in groups of a register. The last group reaches back to be full; if there are too few
    // landmarks it repeats the first, which also marks it as not consecutive.
    int64_t add_groups(const std::vector<Place>& places) {
        const int64_t n = (int64_t)places.size(), lanes = plan_.lanes_, n_groups = ceil_div(n, lanes);
        uint64_t* group = &words_[take(2 * lanes * n_groups)];
        for (int64_t g = 0; g < n_groups; ++g, group += 2 * lanes)
            for (int64_t k = 0; k < lanes; ++k) {
                const int64_t i = std::max<int64_t>(0, std::min(g * lanes, n - lanes)) + k;
                const Place& p = places[i < n ? i : 0];
                group[k] = (uint64_t)p.word;
                group[lanes + k] = low_bits(lengths_[p.landmark]) << p.bit;
                plan_.columns_.push_back(p.landmark);
            }
        return n_groups;
    }

    // The strips of a few landmarks, all of about the same number of words.
    void add_strips(const int64_t* landmarks, int64_t n) {
        const int64_t n_words = ceil_div(lengths_[landmarks[n - 1]], kWordBits), n_strips = ceil_div(n_words, kStripWords);
        const int64_t columns = (int64_t)plan_.columns_.size();
        plan_.columns_.insert(plan_.columns_.end(), landmarks, landmarks + n);
        for (int64_t s = 0; s < n_strips; ++s) {
            const int64_t from = n_words * s / n_strips, to = n_words * (s + 1) / n_strips;
            LevenshteinStrip strip{};
            strip.words = to - from;
            strip.first = s == 0;
            strip.last = s == n_strips - 1;
            strip.columns = columns;
            strip.n_landmarks = n;
            strip.matches = open_matches(strip.words * plan_.lanes_);
            for (int64_t k = 0; k < n; ++k) add_lane(strip, landmarks[k], k, from);
            close_matches(strip.matches);
            add_segments(strip, landmarks, from);
            plan_.strips_.push_back(strip);
        }
    }

    // How many symbols of a landmark its word `word` holds.
    int64_t symbols_in(int64_t landmark, int64_t word) const {
        return std::max<int64_t>(0, std::min(kWordBits, lengths_[landmark] - word * kWordBits));
    }

    void add_lane(LevenshteinStrip& strip, int64_t landmark, int64_t lane, int64_t from) {
        for (int64_t w = 0; w < strip.words; ++w)
            add_matches(strip.matches, codes_ + offsets_[landmark] + (from + w) * kWordBits, symbols_in(landmark, from + w),
                        w * plan_.lanes_ + lane, 0);
    }

    void add_segments(LevenshteinStrip& strip, const int64_t* landmarks, int64_t from) {
        strip.segments = take(strip.words * plan_.lanes_);
        for (int64_t w = 0; w < strip.words; ++w)
            for (int64_t k = 0; k < strip.n_landmarks; ++k)
                words_[strip.segments + w * plan_.lanes_ + k] = low_bits(symbols_in(landmarks[k], from + w));
    }

    void store_words() {
        plan_.n_words_ = (int64_t)words_.size();
        const size_t bytes = words_.size() * sizeof(uint64_t);
        plan_.words_.reset(static_cast<uint64_t*>(::operator new(bytes, std::align_val_t(kRegisterBytes))));
        if (bytes) std::memcpy(plan_.words_.get(), words_.data(), bytes);
    }

    LevenshteinPlan& plan_;
    const int32_t* codes_;
    const int64_t* offsets_;
    std::vector<int64_t> lengths_;
    std::vector<int32_t> row_of_;  // of the open match table; 0: none yet
    std::vector<uint64_t> words_;
};

LevenshteinPlan::LevenshteinPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t lanes)
    : n_symbols_(n_symbols), lanes_(lanes), n_words_(0) {
    LevenshteinCompiler(*this, codes, offsets, n).compile();
    layout_ = {words_.get(),  symbols_.data(), columns_.data(),         blocks_.data(),          strips_.data(),         empty_.data(),
               lengths_.data(), (int64_t)blocks_.size(), (int64_t)strips_.size(), (int64_t)empty_.size(), n};
}

}  // namespace seamark
