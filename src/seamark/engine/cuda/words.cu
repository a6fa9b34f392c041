// Landmarks packed into the long word of one thread, and what is read off its bits.
//
// WORDS: 32-bit words of a lane; STRIPPED: whether landmarks are longer than a lane's word and go through it in strips;
// SHORT: whether all have less than 32 symbols.
struct alignas(WORDS >= 4 ? 16 : 8) Word {
    u32 w[WORDS];
};

// A landmark's part in one strip: bits [from, to) of the lane's word, its place among the block's landmarks, and whether
// its last symbol is here.
struct alignas(16) Segment {
    int from, to, place, ends;
};

DEVICE void add(const u32* a, const u32* b, u32* s) {
    if constexpr (WORDS == 2) add_two(a, b, s);
    else {
        u32 carry = 0;
        UNROLL for (int k = 0; k < WORDS; k += 4) carry = add_four(a + k, b + k, s + k, carry);
    }
}

// Word k, which is not known when this is compiled: registers have no numbers then.
DEVICE u32 word_at(const u32* words, int k) {
    u32 word = 0;
    UNROLL for (int i = 0; i < WORDS; ++i) word = i == k ? words[i] : word;
    return word;
}

// ones(VP) - ones(VN) over bits [from, to).
DEVICE int difference(const u32* vp, const u32* vn, int from, int to) {
    if (SHORT) {
        const int k = from >> 5;
        const u32 mask = (1u << (to - from)) - 1;
        const u32 rises = moved_down(word_at(vp, k), word_at(vp, k + 1), from & 31) & mask;
        return ones(rises) - ones(moved_down(word_at(vn, k), word_at(vn, k + 1), from & 31) & mask);
    }
    int sum = 0;
    UNROLL for (int k = 0; k < WORDS; ++k) {
        const int a = from - 32 * k, b = to - 32 * k;
        if (a < 32 && b > 0) {
            const u32 mask = (b >= 32 ? 0xffffffffu : (1u << b) - 1) & (a <= 0 ? 0xffffffffu : 0xffffffffu << a);
            sum += ones(vp[k] & mask) - ones(vn[k] & mask);
        }
    }
    return sum;
}
