// Texts against landmarks packed into words, many landmarks to a thread. State, of the source before, is what a lane
// knows of the text it has read.
//
// WARPS of a block share one match table of 32 lanes and take different texts; TABLED: whether the match table fits into
// shared memory; Result: u16 where all values fit, else u32.
constexpr int LANES = 32, THREADS = LANES * WARPS;

// One block of landmarks.
struct Block {
    i64 table;               // of strip 0, among `tables`; a strip has rows * LANES words
    i64 map;                 // of this block among `maps`; -1: a symbol's row is its code
    int rows, strips;        // of the table; of the landmarks
    int columns, n_columns;  // the block's landmarks among `columns`
    i64 segments;            // of lane 0 and strip 0 among `guards`, `tops` and `segment_starts`: [strip][lane]
};

struct Texts {
    const u8* codes;
    const i64* offsets;
    i64 n;
    int code_bytes;
};

DEVICE int code_at(const Texts& texts, i64 i) {
    if (texts.code_bytes == 1) return texts.codes[i];
    if (texts.code_bytes == 2) return ((const u16*)texts.codes)[i];
    return ((const int*)texts.codes)[i];
}

DEVICE void store(void* out, int kind, i64 at, u32 value) {
    if (kind == 1) ((u8*)out)[at] = (u8)value;
    else if (kind == 2) ((u16*)out)[at] = (u16)value;
    else ((float*)out)[at] = (float)value;
}

struct alignas(16) Four {
    u32 row[4];
};

// Where text s of those from `first` on lies among the rows in shared memory: at a multiple of four.
DEVICE int place_of(const Texts& texts, i64 first, i64 s) {
    return (int)(texts.offsets[s] - texts.offsets[first] + 3 * (s - first)) & ~3;
}

DEVICE int length_of(const Texts& texts, i64 s) { return (int)(texts.offsets[s + 1] - texts.offsets[s]); }

DEVICE u32 row_at(const Texts& texts, const int* map, i64 i) {
    const int code = code_at(texts, i);
    return (u32)(map ? map[code] : code) * LANES;
}

// The end of the texts that fit into shared memory together, from `first` on.
DEVICE i64 fitting(const Texts& texts, i64 first, i64 end, int capacity) {
    i64 last = first;
    while (last < end && texts.offsets[last + 1] - texts.offsets[first] + 3 * (last - first) <= capacity) ++last;
    return last;
}

// One text through one strip of a lane's landmarks. `rows` of the table are found already; or, for a text too long for
// shared memory (null), one by one. `table` begins at the lane.
DEVICE void run_text(State& state, const Word* table, const u32* rows, const Texts& texts, const int* map, i64 s,
                     u8* border, bool reads, bool writes) {
    const int length = length_of(texts, s);
    int i = 0;
    if (rows && !STRIPPED)
        for (; i + 4 <= length; i += 4) {
            const Four four = *(const Four*)(rows + i);
            UNROLL for (int k = 0; k < 4; ++k) state.step(table[four.row[k]], State::ENTERS);
        }
    for (; i < length; ++i) {
        const u32 row = rows ? rows[i] : row_at(texts, map, texts.offsets[s] + i);
        const u32 out = state.step(table[row], STRIPPED && reads ? border[(i64)i * LANES] : State::ENTERS);
        if (STRIPPED && writes) border[(i64)i * LANES] = (u8)out;
    }
}

// Shared memory: the table if TABLED, `capacity` rows of text, `per_strip` results of each of the block's landmarks.
KERNEL(strings, THREADS)(const u8* codes, int code_bytes, const i64* offsets, i64 n, int per_strip, const Block* blocks,
                         const Word* tables, const int* maps, const Word* guards, const Word* tops,
                         const int* segment_starts, const Segment* segments, const int* columns, int capacity, u8* borders,
                         i64 border_length, void* out, int kind, i64 stride) {
    SHARED(Word, shared);
    const Texts texts{codes, offsets, n, code_bytes};
    const Block block = blocks[BLOCK_X];
    const int* map = block.map < 0 ? nullptr : maps + block.map;
    const int table_words = block.rows * LANES;
    u32* rows = (u32*)(shared + (TABLED ? table_words : 0));
    Result* results = (Result*)(rows + capacity);
    u8* border = STRIPPED ? borders + ((i64)BLOCK_Y * BLOCKS_X + BLOCK_X) * border_length * LANES : nullptr;

    if (TABLED && !STRIPPED) EACH_THREAD(t) {
        for (int i = t; i < table_words; i += THREADS) shared[i] = tables[block.table + i];
    }
    for (i64 begin = (i64)BLOCK_Y * per_strip; begin < n; begin += (i64)BLOCKS_Y * per_strip) {
        const i64 end = begin + per_strip < n ? begin + per_strip : n;
        for (i64 first = begin, last; first < end; first = last) {
            last = fitting(texts, first, end, capacity);
            const bool fits = last > first;
            if (!fits) last = first + 1;
            EACH_THREAD(t) {
                if (fits) for (i64 s = first + t / LANES; s < last; s += WARPS) {
                    u32* mine = rows + place_of(texts, first, s);
                    const i64 from = offsets[s];
                    const int length = length_of(texts, s);
                    for (int i = t % LANES; i < length; i += LANES) mine[i] = row_at(texts, map, from + i);
                }
            }
            for (int strip = 0; strip < (STRIPPED ? block.strips : 1); ++strip) {
                const i64 place = block.table + (i64)strip * table_words;
                if (TABLED && STRIPPED) EACH_THREAD(t) {
                    for (int i = t; i < table_words; i += THREADS) shared[i] = tables[place + i];
                }
                BARRIER;
                EACH_THREAD(t) {
                    const int lane = t % LANES, warp = t / LANES;
                    const Word* table = (TABLED ? shared : tables + place) + lane;
                    const i64 mine = block.segments + strip * LANES + lane;
                    const int from = segment_starts[mine], to = segment_starts[mine + 1];
                    const bool goes_on = STRIPPED && strip + 1 < block.strips;
                    const Word guard = guards[mine], top = tops[mine];
                    if (from < to || goes_on) for (i64 s = first + warp; s < last; s += WARPS) {
                        const int at = fits ? place_of(texts, first, s) : 0;
                        u8* edge = STRIPPED ? border + (i64)(fits ? at : 0) * LANES + lane : nullptr;
                        State state;
                        state.start(guard, top);
                        run_text(state, table, fits ? rows + at : nullptr, texts, map, s, edge, strip > 0, goes_on);
                        for (int k = from; k < to; ++k) {
                            const Segment segment = segments[k];
                            Result& result = results[(s - first) * block.n_columns + segment.place];
                            result = (Result)state.value(strip, (int)result, length_of(texts, s), segment);
                        }
                    }
                }
                BARRIER;
            }
            EACH_THREAD(t) {
                for (i64 s = first + t / LANES; s < last; s += WARPS)
                    for (int c = t % LANES; c < block.n_columns; c += LANES)
                        store(out, kind, s * stride + columns[block.columns + c], results[(s - first) * block.n_columns + c]);
            }
            BARRIER;
        }
    }
}
