// All pairs of strings within a number of edits (Pass-Join: Li, Deng, Wang and Feng, 2011).
//
// A text is cut into one segment more than there may be edits, so one segment stays whole. Moreover there is a whole
// segment i (from 0) with at most i edits before it and at most limit - i after it: take the first place at which edits
// so far are fewer than segments so far. So its place in the probe differs from that in the text by at most i, counted
// from the left, and by at most limit - i counted from the right.
#include "edits_plan.hpp"

#include <algorithm>
#include <numeric>

SEAMARK_DECLARE_KERNEL(edits_sift, const uint64_t*, const int32_t*, int64_t, uint64_t, int32_t, int32_t*, int64_t*)

namespace seamark {

namespace {

uint64_t hash_of(const int32_t* text, int64_t length) {
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int64_t j = 0; j < length; ++j) {
        hash = (hash ^ (uint64_t)(uint32_t)text[j]) * 0xBF58476D1CE4E5B9u;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

EditsPlan::EditsPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t limit, Isa isa)
    : texts_(codes, offsets, n, n_symbols), n_symbols_(n_symbols), limit_(limit), isa_(isa) {}

void EditsPlan::build(int64_t first, int64_t last) {
    first_ = first, last_ = last;
    const int64_t length = first < last ? this->length(first) : 0, count = limit_ + 1;
    segments_.clear();
    if (length < count) return;
    segments_.resize(count);
    for (int64_t i = 0; i < count; ++i) {
        segments_[i].start = length * i / count;
        segments_[i].length = length * (i + 1) / count - segments_[i].start;
        fill(segments_[i]);
    }
}

void EditsPlan::fill(Segment& segment) {
    const int64_t n = last_ - first_;
    std::vector<uint64_t> hashes(n);
    for (int64_t i = 0; i < n; ++i) hashes[i] = hash_of(texts_.text(first_ + i) + segment.start, segment.length);
    std::vector<int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b; });
    int64_t size = 2;
    while (size < 2 * n) size *= 2;
    segment.slots.assign(size, Slot{0, 0, 0});
    for (int64_t from = 0, to; from < n; from = to) {
        const uint64_t hash = hashes[order[from]];
        for (to = from + 1; to < n && hashes[order[to]] == hash; ++to) {}
        int64_t slot = (int64_t)(hash & (uint64_t)(size - 1));
        while (segment.slots[slot].from < segment.slots[slot].to) slot = (slot + 1) & (size - 1);
        segment.slots[slot] = {hash, (int32_t)from, (int32_t)to};
    }
    segment.members.resize(n);
    segment.letters.resize(n);
    for (int64_t i = 0; i < n; ++i) {
        segment.members[i] = (int32_t)(first_ + order[i]);
        segment.letters[i] = texts_.letters[segment.members[i]];
    }
}

const EditsPlan::Slot* EditsPlan::find(const Segment& segment, uint64_t hash) {
    const uint64_t mask = segment.slots.size() - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = segment.slots[at];
        if (slot.from == slot.to) return nullptr;
        if (slot.hash == hash) return &slot;
    }
}

// One thread's probing: scratch, and the pairs it found.
class EditsPlan::Probing {
   public:
    explicit Probing(const EditsPlan& plan)
        : plan_(plan), ready_(plan.n_symbols_, plan.isa_), seen_(plan.last_ - plan.first_, -1), sifted_(plan.last_ - plan.first_ + 1),
          sift_(edits_sift(plan.isa_)) {}

    // Compares a probe with the prepared texts below `before`.
    void run(const int32_t* text, int64_t length, int64_t number, int64_t before) {
        candidates_.clear();
        if (plan_.first_ >= plan_.last_) return;
        const int64_t own = plan_.length(plan_.first_), most = plan_.limit_;
        if (std::abs(length - own) > most) return;
        letters_ = letters_of(text, length);
        if (plan_.segments_.empty())
            for (int64_t i = plan_.first_; i < std::min(plan_.last_, before); ++i) candidates_.push_back((int32_t)i);
        else
            gather(text, length, length - own, number, before);
        if (!candidates_.empty()) verify(text, length, number);
    }

    EditPairs pairs;

   private:
    void gather(const int32_t* text, int64_t length, int64_t longer, int64_t number, int64_t before) {
        for (int64_t i = 0; i <= plan_.limit_; ++i) {
            const Segment& segment = plan_.segments_[i];
            const int64_t right = plan_.limit_ - i, place = segment.start;
            const int64_t from = std::max({int64_t{0}, place - i, place + longer - right});
            const int64_t to = std::min({length - segment.length, place + i, place + longer + right});
            for (int64_t at = from; at <= to; ++at) {
                const Slot* slot = find(segment, hash_of(text + at, segment.length));
                if (slot != nullptr) add(segment, *slot, number, before);
            }
        }
    }

    // Takes the members of a slot below `before` that are not here yet, and whose letters allow it.
    void add(const Segment& segment, const Slot& slot, int64_t number, int64_t before) {
        const int32_t* from = segment.members.data() + slot.from;
        const int64_t count = std::lower_bound(from, segment.members.data() + slot.to, before) - from;  // members of a slot rise
        int64_t found = 0;
        sift_(segment.letters.data() + slot.from, from, count, letters_, (int32_t)plan_.limit_, sifted_.data(), &found);
        for (int64_t k = 0; k < found; ++k) {
            int64_t& last = seen_[sifted_[k] - plan_.first_];
            if (last != number) candidates_.push_back(sifted_[k]);
            last = number;
        }
    }

    void verify(const int32_t* text, int64_t length, int64_t number) {
        const int32_t limit = (int32_t)plan_.limit_;
        ready_.set(text, length);
        ready_.compare(plan_.texts_, candidates_, limit, distances_);
        for (size_t k = 0; k < candidates_.size(); ++k)
            if (distances_[k] <= limit) {
                pairs.left.push_back(candidates_[k]);
                pairs.right.push_back(number);
                pairs.edits.push_back(distances_[k]);
            }
    }

    const EditsPlan& plan_;
    ReadyProbe ready_;
    std::vector<int64_t> seen_;  // the last probe for which a text became a candidate
    std::vector<int32_t> sifted_, candidates_, distances_;
    uint64_t letters_ = 0;  // of the probe
    decltype(edits_sift(Isa::baseline)) sift_;
};

EditPairs EditsPlan::probe(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t own, int64_t most, const uint8_t* stop) const {
    Probing probing(*this);
    for (int64_t i = 0; i < n && !__atomic_load_n(stop, __ATOMIC_RELAXED); ++i) {
        const int64_t before = own < 0 ? last_ : own + i;
        probing.run(codes + offsets[i], offsets[i + 1] - offsets[i], i, before);
        if ((int64_t)probing.pairs.edits.size() > most) break;
    }
    return std::move(probing.pairs);
}

}  // namespace seamark
