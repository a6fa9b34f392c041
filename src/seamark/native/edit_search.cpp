// The nearest of many strings by edits.
//
// Lengths and letters give each text a lower bound. Bounds are taken up one after another from 0: the texts with this
// bound are compared, and the search ends where the bound exceeds the last of the nearest so far. Texts lie in the order
// of their lengths, so those that can have a bound are neighbours, and others are not even looked at.
#include "edit_search.hpp"

#include <algorithm>
#include <utility>

SEAMARK_DECLARE_KERNEL(edits_bounds, const seamark::EditBounds*, int64_t, int64_t)
SEAMARK_DECLARE_KERNEL(edits_level, const uint8_t*, int64_t, int64_t, int32_t, int32_t*, int64_t*)

namespace seamark {

constexpr int32_t kLastLevel = 255;     // stands for more, too
constexpr int64_t kCompared = 256;      // texts that are compared before the limit is set anew

EditSearch::EditSearch(const int32_t* codes, const int64_t* offsets, int64_t n, const int64_t* numbers, int64_t n_symbols, Isa isa)
    : texts_(codes, offsets, n, n_symbols), numbers_(numbers, numbers + n), n_symbols_(n_symbols), isa_(isa) {
    for (int64_t i = 0; i < n; ++i) lengths_.push_back((int32_t)texts_.length(i));
}

// One thread's search, of one query after another.
class EditSearch::Search {
   public:
    Search(const EditSearch& among, int64_t most, const uint8_t* stop)
        : among_(among), most_((size_t)most), stop_(stop), ready_(among.n_symbols_, among.isa_), bounds_(among.lengths_.size()),
          level_(among.lengths_.size()), bound_(edits_bounds(among.isa_)), gather_(edits_level(among.isa_)) {}

    void run(const int32_t* text, int64_t length, int32_t limit) {
        nearest_.clear();
        limit_ = limit;
        ready_.set(text, length);
        job_ = {among_.texts_.letters.data(), among_.lengths_.data(), letters_of(text, length), (int32_t)length, bounds_.data()};
        from_ = to_ = first_of((int32_t)length);
        for (int32_t level = 0; level <= std::min(limit_, kLastLevel) && !stopped(); ++level) {
            reach(level < kLastLevel ? level : limit_);
            take(level);
        }
        std::sort(nearest_.begin(), nearest_.end());
        found.counts.push_back((int64_t)nearest_.size());
        found.steps = ready_.steps;
        for (const auto& [edits, number] : nearest_) found.edits.push_back(edits), found.numbers.push_back(number);
    }

    EditsNear found;

   private:
    bool stopped() const { return __atomic_load_n(stop_, __ATOMIC_RELAXED); }

    // The first text that is at least so long.
    int64_t first_of(int64_t length) const {
        return std::lower_bound(among_.lengths_.begin(), among_.lengths_.end(), length) - among_.lengths_.begin();
    }

    // Bounds the texts whose length differs by no more than so many.
    void reach(int32_t level) {
        const int64_t from = first_of((int64_t)job_.length - level), to = first_of((int64_t)job_.length + level + 1);
        bound_(&job_, from, from_);
        bound_(&job_, to_, to);
        from_ = from, to_ = to;
    }

    void take(int32_t level) {
        int64_t count = 0;
        gather_(bounds_.data(), from_, to_, level, level_.data(), &count);
        for (int64_t k = 0; k < count && level <= limit_ && !stopped(); k += kCompared) {
            candidates_.clear();
            for (int64_t i = k; i < std::min(count, k + kCompared); ++i)
                if (may_enter({level, among_.numbers_[level_[i]]})) candidates_.push_back(level_[i]);
            compare();
        }
    }

    void compare() {
        ready_.compare(among_.texts_, candidates_, limit_, distances_);
        found.compared += (int64_t)candidates_.size();
        for (size_t k = 0; k < candidates_.size(); ++k)
            if (distances_[k] <= limit_) enter({distances_[k], among_.numbers_[candidates_[k]]});
    }

    bool may_enter(const std::pair<int32_t, int64_t>& one) const { return nearest_.size() < most_ || one < nearest_.front(); }

    // Keeps one of the nearest, the last of them in front.
    void enter(const std::pair<int32_t, int64_t>& one) {
        if (!may_enter(one)) return;
        if (nearest_.size() == most_) {
            std::pop_heap(nearest_.begin(), nearest_.end());
            nearest_.pop_back();
        }
        nearest_.push_back(one);
        std::push_heap(nearest_.begin(), nearest_.end());
        if (nearest_.size() == most_) limit_ = std::min(limit_, nearest_.front().first);
    }

    const EditSearch& among_;
    const size_t most_;
    const uint8_t* stop_;
    ReadyProbe ready_;
    EditBounds job_{};
    int64_t from_ = 0, to_ = 0;  // texts that have their bounds
    int32_t limit_ = 0;
    std::vector<uint8_t> bounds_;
    std::vector<int32_t> level_, candidates_, distances_;
    std::vector<std::pair<int32_t, int64_t>> nearest_;  // edits and number; a heap
    decltype(edits_bounds(Isa::baseline)) bound_;
    decltype(edits_level(Isa::baseline)) gather_;
};

EditsNear EditSearch::near(const int32_t* codes, const int64_t* offsets, int64_t n, const int32_t* limits, int64_t most,
                           const uint8_t* stop) const {
    Search search(*this, most, stop);
    for (int64_t i = 0; i < n && !__atomic_load_n(stop, __ATOMIC_RELAXED); ++i)
        search.run(codes + offsets[i], offsets[i + 1] - offsets[i], limits[i]);
    return std::move(search.found);
}

}  // namespace seamark
