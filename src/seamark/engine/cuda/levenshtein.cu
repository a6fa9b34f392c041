// Edit distances, bit-parallel (Myers): the state of a lane that reads a text.
//
// Landmarks lie back to back in the word, a guard bit after each. At a guard VP is 0 and VN is 1, always. So a carry
// of the sum ends there, and the guard's HP, which is 1, moves to the low bit of the next landmark, where the first row
// of the matrix wants it: a packed word takes no more operations than a plain one.
// The score is not tracked: distance = text length + ones(VP) - ones(VN) over the landmark's bits at the end.

// Vertical differences of one column of the matrix.
struct State {
    static constexpr u32 ENTERS = 1;  // with every symbol at the lowest bit: the upper border rises
    u32 vp[WORDS], vn[WORDS], guard[WORDS];

    DEVICE void start(const Word& guards, const Word&) {
        UNROLL for (int k = 0; k < WORDS; ++k) {
            guard[k] = vn[k] = guards.w[k];
            vp[k] = ~guards.w[k];
        }
    }

    // One symbol. `border` holds what enters at the lowest bit (1: +1, 2: -1); returns what leaves at the highest.
    DEVICE u32 step(const Word& matches, u32 border) {
        u32 pm[WORDS], sum[WORDS], hp[WORDS], hn[WORDS], d0[WORDS];
        UNROLL for (int k = 0; k < WORDS; ++k) pm[k] = matches.w[k];
        if (STRIPPED) pm[0] |= border >> 1;
        UNROLL for (int k = 0; k < WORDS; ++k) d0[k] = pm[k] & vp[k];
        add(d0, vp, sum);
        UNROLL for (int k = 0; k < WORDS; ++k) {
            d0[k] = ((sum[k] ^ vp[k]) | pm[k]) | vn[k];
            hp[k] = vn[k] | ~(d0[k] | vp[k]);
            // The bit below a guard is the top of a landmark: its HN must not enter the guard.
            const u32 top = guard[k] >> 1 | (k + 1 < WORDS ? guard[k + 1 < WORDS ? k + 1 : k] << 31 : 0);
            hn[k] = d0[k] & vp[k] & ~top;
        }
        const u32 out = STRIPPED ? hp[WORDS - 1] >> 31 | (hn[WORDS - 1] >> 31) << 1 : 0;
        u32 hp_low = STRIPPED ? border << 31 : 0xffffffffu, hn_low = STRIPPED ? border >> 1 << 31 : 0;
        UNROLL for (int k = 0; k < WORDS; ++k) {
            const u32 p = shifted(hp_low, hp[k]), n = shifted(hn_low, hn[k]);
            hp_low = hp[k], hn_low = hn[k];
            vp[k] = n | ~(d0[k] | p);
            vn[k] = (p & d0[k]) | guard[k];
        }
        return out;
    }

    // Of a landmark's part in a strip; `before` is that of the strips before.
    DEVICE int value(int strip, int before, int length, const Segment& segment) const {
        return (strip == 0 ? length : before) + difference(vp, vn, segment.from, segment.to);
    }
};
