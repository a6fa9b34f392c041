// Sets of vectors in tiles. A block takes some whole sets, or one that has more vectors than a tile, tile by tile.
constexpr int TILE_PITCH = COLUMNS + 1;

struct SetGroup {
    int first, count;
};

template <int TILE>
struct Sets {
    const float* vectors;
    const i64* offsets;
    int first, count;

    DEVICE i64 start() const { return offsets[first]; }
    DEVICE int size() const { return (int)(offsets[first + count] - offsets[first]); }
    // Vectors of a set, counted from the first of the group, as far as they lie in [from, from + TILE).
    DEVICE int begin(int set, int from) const { return limited(offsets[first + set], from); }
    DEVICE int end(int set, int from) const { return limited(offsets[first + set + 1], from); }
    DEVICE int limited(i64 vector, int from) const {
        const i64 place = vector - start() - from;
        return place < 0 ? 0 : place > TILE ? TILE : (int)place;
    }
};

struct SetsScratch {
    float *a, *b, *tile, *row_least, *column_least;
    double* forth;
};

typedef Sets<ROWS> Objects;

// Squared distances of the vectors of one tile, into scratch.tile.
DEVICE void distances(const float* x, int rows, const float* y, int columns, int d, const SetsScratch& s) {
    PRIVATE(float, sums, SUMS);
    int from = 0;
    do {  // ONE_RUN: once, so that nothing is kept in registers for the next
        sum_run(x, rows, y, columns, d, from, s.a, s.b, sums);
        EACH_THREAD(t) {
            UNROLL for (int i = 0; i < SUMS; ++i) {
                float& place = s.tile[row_of(i, t) * TILE_PITCH + column_of(i, t)];
                place = MINE(sums, t)[i] + (from == 0 ? 0.0f : place);
            }
        }
        from += RUN;
    } while (!ONE_RUN && from < d);
    BARRIER;
}

// Lowers the minima of the tile's columns over each object; `width` columns have one, these are from `column` on.
DEVICE void lower_columns(const Objects& x, int row, int columns, int width, int column, const SetsScratch& s, int t) {
    for (int i = t; i < columns * x.count; i += THREADS) {
        const int c = i % columns, set = i / columns, end = x.end(set, row);
        float least = s.column_least[set * width + column + c];
        for (int r = x.begin(set, row); r < end; ++r) least = smaller(least, s.tile[r * TILE_PITCH + c]);
        s.column_least[set * width + column + c] = least;
    }
}

// Squared distance of a vector to the nearest of a set, in float64.
DEVICE double nearest(const double* vector, const double* set, i64 count, int d) {
    double least = INFINITE;
    for (i64 i = 0; i < count; ++i) {
        double sum = 0.0;
        for (int k = 0; k < d; ++k) sum += (vector[k] - set[i * d + k]) * (vector[k] - set[i * d + k]);
        least = sum < least ? sum : least;
    }
    return least;
}
