// Character n-grams of texts, hashed to buckets and counted. Compiled once: it is all lookups.
#include <algorithm>
#include <memory>
#include <vector>

#include "bindings.hpp"
#include "owned.hpp"

namespace seamark {

namespace {

// Pieces of a text, each between two marks; `longest` symbols or fewer of one are a gram.
struct Grams {
    int64_t shortest, longest, bits;
    std::vector<uint32_t> blanks;  // sorted; none: a text is one piece
    uint32_t mark;
    bool low_blanks[256] = {};

    bool is_blank(uint32_t c) const { return c < 256 ? low_blanks[c] : std::binary_search(blanks.begin(), blanks.end(), c); }
};

constexpr uint64_t kStart = 0xcbf29ce484222325, kStep = 0x100000001b3, kMix = 0x9e3779b97f4a7c15;

inline uint64_t joined(uint64_t hash, uint32_t symbol) { return (hash ^ (symbol + 1ull)) * kStep; }

inline int32_t bucket(uint64_t hash, int64_t bits) {
    hash ^= hash >> 32;
    return (int32_t)((hash * kMix) >> (64 - bits));
}

// Counts the buckets of one text: a table with open addresses, wide enough for all its grams.
class Counter {
  public:
    void begin(int64_t most) {
        int64_t size = 64;
        while (size < 2 * most) size *= 2;
        keys_.assign(size, -1);
        places_.resize(size);
        mask_ = size - 1;
    }

    void add(int32_t key, std::vector<int32_t>& things, std::vector<float>& counts) {
        int64_t at = (uint32_t)key * 2654435769u & mask_;
        while (keys_[at] != key && keys_[at] != -1) at = (at + 1) & mask_;
        if (keys_[at] == -1) {
            keys_[at] = key;
            places_[at] = (int64_t)things.size();
            things.push_back(key);
            counts.push_back(0.0f);
        }
        counts[places_[at]] += 1.0f;
    }

  private:
    std::vector<int32_t> keys_;
    std::vector<int64_t> places_;
    int64_t mask_ = 0;
};

// Every run of `shortest` to `longest` symbols of a marked piece; a shorter piece counts once, as a whole.
void add_piece(const Grams& grams, const uint32_t* piece, int64_t n, Counter& counter, std::vector<int32_t>& things,
               std::vector<float>& counts) {
    const int64_t last = std::min(grams.longest, n);
    for (int64_t start = 0; start < n; ++start) {
        uint64_t hash = kStart;
        for (int64_t k = 1; k <= last && start + k <= n; ++k) {
            hash = joined(hash, piece[start + k - 1]);
            if (k >= grams.shortest || k == n) counter.add(bucket(hash, grams.bits), things, counts);
        }
    }
}

struct Bags {
    std::vector<int32_t> things;
    std::vector<float> counts;
    std::vector<int64_t> offsets{0};
};

void add_text(const Grams& grams, const uint32_t* text, int64_t n, std::vector<uint32_t>& piece, Counter& counter, Bags& bags) {
    counter.begin((n + 2) * 2 * (grams.longest - grams.shortest + 1));
    const auto flush = [&] {
        piece.push_back(grams.mark);
        add_piece(grams, piece.data(), (int64_t)piece.size(), counter, bags.things, bags.counts);
        piece.resize(1);
    };
    piece.assign(1, grams.mark);
    for (int64_t i = 0; i < n; ++i) {
        if (!grams.is_blank(text[i]))
            piece.push_back(text[i]);
        else if (piece.size() > 1)
            flush();
    }
    if (piece.size() > 1 || grams.blanks.empty()) flush();
    bags.offsets.push_back((int64_t)bags.things.size());
}

nb::tuple ngrams(In<uint32_t, 1> values, In<int64_t, 1> offsets, int64_t shortest, int64_t longest, In<uint32_t, 1> blanks, uint32_t mark,
                 int64_t bits) {
    check_offsets(offsets, values.shape(0));
    if (shortest < 1 || longest < shortest || longest > 64 || bits < 1 || bits > 30) throw std::invalid_argument("n or bits out of range");
    Grams grams{shortest, longest, bits, {blanks.data(), blanks.data() + blanks.shape(0)}, mark};
    std::sort(grams.blanks.begin(), grams.blanks.end());
    for (uint32_t c : grams.blanks)
        if (c < 256) grams.low_blanks[c] = true;
    Bags bags;
    {
        const WithoutGil released;
        std::vector<uint32_t> piece;
        Counter counter;
        for (size_t i = 0; i + 1 < offsets.shape(0); ++i)
            add_text(grams, values.data() + offsets.data()[i], offsets.data()[i + 1] - offsets.data()[i], piece, counter, bags);
    }
    return nb::make_tuple(owned(std::move(bags.things)), owned(std::move(bags.counts)), owned(std::move(bags.offsets)));
}

}  // namespace

void bind_ngrams(nb::module_& m) {
    m.def("ngrams", &ngrams, nb::arg("values"), nb::arg("offsets"), nb::arg("shortest"), nb::arg("longest"), nb::arg("blanks"),
          nb::arg("mark"), nb::arg("bits"), "Return buckets, counts and offsets of the texts' n-grams.");
}

}  // namespace seamark
