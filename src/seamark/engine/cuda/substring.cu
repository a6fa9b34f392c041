// Smallest edit distances to any substring, bit-parallel (Myers, Sellers): the state of a lane that reads a text.
//
// The upper border of the matrix is 0, so nothing enters at a landmark's low bit. Landmarks lie back to back, a guard bit
// after each, which matches every symbol and whose VP and VN are 0: it ends a carry, and sends nothing on.
// What is wanted is the smallest value of the last row. It is followed by how far the last row is above its smallest so
// far: a number in PLANES bits, bit q of all landmarks of a word in one word, at the landmarks' top bits. So a packed word
// is counted in a few operations too. In strips a lane has one landmark, and its number is a plain one.
struct State {
    static constexpr u32 ENTERS = 0;
    static constexpr int HEIGHT = STRIPPED ? 1 : PLANES;
    u32 vp[WORDS], vn[WORDS], guard[WORDS], top[WORDS], above[HEIGHT][WORDS];

    DEVICE void start(const Word& guards, const Word& tops) {
        UNROLL for (int k = 0; k < WORDS; ++k) {
            guard[k] = guards.w[k], top[k] = tops.w[k];
            vp[k] = ~guards.w[k], vn[k] = 0;
            UNROLL for (int q = 0; q < HEIGHT; ++q) above[q][k] = 0;
        }
    }

    // Counts the landmarks of a word up where the last row rises, down where it falls, but not below 0: where it
    // falls from its smallest, the smallest falls with it.
    DEVICE void count(int k, u32 rises, u32 falls) {
        u32 held = above[0][k];
        UNROLL for (int q = 1; q < HEIGHT; ++q) held |= above[q][k];
        u32 moves = rises | (falls & held);
        UNROLL for (int q = 0; q < HEIGHT; ++q) {
            const u32 plane = above[q][k];
            above[q][k] = plane ^ moves;
            moves &= ~(plane ^ rises);  // up: goes on where there was a 1; down: where there was a 0
        }
    }

    DEVICE void count_one(u32 rises, u32 falls) {
        if (rises) ++above[0][0];
        else if (falls && above[0][0]) --above[0][0];
    }

    // As in levenshtein.cu.
    DEVICE u32 step(const Word& matches, u32 border) {
        u32 pm[WORDS], sum[WORDS], hp[WORDS], hn[WORDS], d0[WORDS], rises = 0, falls = 0;
        UNROLL for (int k = 0; k < WORDS; ++k) pm[k] = matches.w[k];
        if (STRIPPED) pm[0] |= border >> 1;
        UNROLL for (int k = 0; k < WORDS; ++k) d0[k] = pm[k] & vp[k];
        add(d0, vp, sum);
        UNROLL for (int k = 0; k < WORDS; ++k) {
            d0[k] = ((sum[k] ^ vp[k]) | pm[k]) | vn[k] | guard[k];
            hp[k] = vn[k] | ~(d0[k] | vp[k]);
            if (STRIPPED) rises |= hp[k] & top[k], falls |= d0[k] & vp[k] & top[k];
            else count(k, hp[k] & top[k], d0[k] & vp[k] & top[k]);
            hn[k] = d0[k] & vp[k] & ~top[k];
        }
        if (STRIPPED) count_one(rises, falls);
        const u32 out = STRIPPED ? hp[WORDS - 1] >> 31 | (hn[WORDS - 1] >> 31) << 1 : 0;
        u32 hp_low = STRIPPED ? border << 31 : 0, hn_low = STRIPPED ? border >> 1 << 31 : 0;
        UNROLL for (int k = 0; k < WORDS; ++k) {
            const u32 p = shifted(hp_low, hp[k]), n = shifted(hn_low, hn[k]);
            hp_low = hp[k], hn_low = hn[k];
            vp[k] = n | ~(d0[k] | p);
            vn[k] = p & d0[k] & ~guard[k];
        }
        return out;
    }

    // How far the last row of the landmark whose top is `bit` ends above its smallest value.
    DEVICE int height(int bit) const {
        if (STRIPPED) return (int)above[0][0];
        int sum = 0;
        UNROLL for (int q = 0; q < HEIGHT; ++q) sum |= (int)(word_at(above[q], bit >> 5) >> (bit & 31) & 1) << q;
        return sum;
    }

    DEVICE int value(int strip, int before, int, const Segment& segment) const {
        const int last = (strip == 0 ? 0 : before) + difference(vp, vn, segment.from, segment.to);
        return segment.ends ? last - height(segment.to - 1) : last;
    }
};
