// All pairs of strings within a number of edits: an index of segments. Compiled once: std is allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "dispatch.hpp"
#include "edits_ready.hpp"

namespace seamark {

struct EditPairs {
    std::vector<int64_t> left, right;  // numbers of the texts here and of the probes
    std::vector<int32_t> edits;
};

class EditsPlan {
   public:
    // Texts in codes below n_symbols; `limit` edits at most.
    EditsPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t limit, Isa isa);

    // Prepares for probes the texts [first, last), which are all of one length.
    void build(int64_t first, int64_t last);

    // Pairs of probes with the prepared texts. `own` >= 0: probe i is text own + i, and only texts before it count. It
    // ends early when there are more than `most` pairs. Any number of threads may probe at once.
    EditPairs probe(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t own, int64_t most, const uint8_t* stop) const;

    int64_t size() const { return texts_.size(); }
    int64_t n_symbols() const { return n_symbols_; }
    int64_t length(int64_t i) const { return texts_.length(i); }

   private:
    class Probing;
    struct Slot {
        uint64_t hash;
        int32_t from, to;  // of the members; an empty slot has from == to
    };
    // One segment of the prepared texts: those that have the same symbols there follow each other in `members`.
    struct Segment {
        int64_t start, length;
        std::vector<int32_t> members;
        std::vector<uint64_t> letters;  // of the members
        std::vector<Slot> slots;  // a power of two
    };
    void fill(Segment& segment);
    static const Slot* find(const Segment& segment, uint64_t hash);

    ReadyTexts texts_;
    int64_t n_symbols_, limit_;
    Isa isa_;
    int64_t first_ = 0, last_ = 0;  // prepared
    std::vector<Segment> segments_;  // none: the texts are too short to be cut
};

}  // namespace seamark
