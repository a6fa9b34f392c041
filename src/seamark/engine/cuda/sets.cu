// Nearest distances both ways between sets of vectors: some objects and some landmarks to a block.
constexpr int GROUP = 16;  // sets that share a tile at most

typedef Sets<COLUMNS> Landmarks;

// Lowers the minima of the tile's rows over each landmark, and of its columns over each object.
DEVICE void lower(const Objects& x, const Landmarks& y, int row, int column, const SetsScratch& s, int t) {
    const int rows = x.size() - row < ROWS ? x.size() - row : ROWS, width = y.size();
    const int columns = width - column < COLUMNS ? width - column : COLUMNS;
    for (int i = t; i < rows * y.count; i += THREADS) {
        const int r = i / y.count, set = i % y.count, end = y.end(set, column);
        float least = s.row_least[i];
        for (int c = y.begin(set, column); c < end; ++c) least = smaller(least, s.tile[r * TILE_PITCH + c]);
        s.row_least[i] = least;
    }
    lower_columns(x, row, columns, width, column, s, t);
}

// VALUE 0: the larger mean; 1: the largest; 2: the sum of the means.
DEVICE float rooted(float square) { return VALUE == 1 ? square : root(square); }
DEVICE double taken(double sum, float value) { return VALUE == 1 ? (value > sum ? value : sum) : sum + value; }

DEVICE float value_of(double forth, double back, double rows, double columns) {
    if (VALUE != 1) forth /= rows, back /= columns;
    if (VALUE == 2) return (float)(forth + back);
    const double value = forth > back ? forth : back;
    return VALUE == 1 ? root((float)value) : (float)value;
}

// Nearest distances of some objects and some landmarks: forth summed up, back as minima of the landmarks' vectors.
DEVICE void minima(const Objects& x, const Landmarks& y, int d, const SetsScratch& s) {
    const int width = y.size();
    EACH_THREAD(t) {
        for (int i = t; i < x.count * width; i += THREADS) s.column_least[i] = INFINITE;
        for (int i = t; i < x.count * y.count; i += THREADS) s.forth[i] = 0.0;
    }
    for (int row = 0; row < x.size(); row += ROWS) {
        EACH_THREAD(t) {
            for (int i = t; i < ROWS * y.count; i += THREADS) s.row_least[i] = INFINITE;
        }
        for (int column = 0; column < width; column += COLUMNS) {
            distances(x.vectors + (x.start() + row) * d, x.size() - row, y.vectors + (y.start() + column) * d, width - column, d, s);
            EACH_THREAD(t) { lower(x, y, row, column, s, t); }
            BARRIER;
        }
        EACH_THREAD(t) {
            for (int i = t; i < ROWS * y.count; i += THREADS) s.row_least[i] = rooted(s.row_least[i]);
        }
        BARRIER;
        EACH_THREAD(t) {
            for (int i = t; i < x.count * y.count; i += THREADS) {
                const int end = x.end(i / y.count, row);
                double sum = s.forth[i];
                for (int r = x.begin(i / y.count, row); r < end; ++r)
                    sum = taken(sum, s.row_least[r * y.count + i % y.count]);
                s.forth[i] = sum;
            }
        }
        BARRIER;
    }
}

// The value of pair i of the objects and landmarks at hand.
DEVICE float value_at(const Objects& x, const Landmarks& y, int i, const SetsScratch& s) {
    const int o = i / y.count, l = i % y.count;
    const i64* ends = y.offsets + y.first + l;
    const i64 from = ends[0] - y.start(), to = ends[1] - y.start();
    double back = 0.0;
    for (i64 c = from; c < to; ++c) back = taken(back, rooted(s.column_least[(i64)o * y.size() + c]));
    const i64* rows = x.offsets + x.first + o;
    return value_of(s.forth[i], back, (double)(rows[1] - rows[0]), (double)(to - from));
}

KERNEL_AT_ONCE(sets, THREADS, AT_ONCE)(const float* x_vectors, const i64* x_offsets, const SetGroup* x_groups, int n_x_groups,
                                 const u8* x_lossy, const float* y_vectors, const i64* y_offsets,
                                 const SetGroup* y_groups, const u8* y_lossy, const float* limits, int d, float* out,
                                 i64 stride, int* counter, i64* unsure, int most_unsure) {
    SHARED(float, shared);
    SetsScratch s;
    s.forth = (double*)shared, s.a = shared + 2 * GROUP * GROUP, s.b = s.a + DEPTH * ROW_PITCH;
    s.tile = s.b + DEPTH * COLUMN_PITCH, s.row_least = s.tile + ROWS * TILE_PITCH;
    s.column_least = s.row_least + ROWS * GROUP;
    const Landmarks y{y_vectors, y_offsets, y_groups[BLOCK_X].first, y_groups[BLOCK_X].count};
    const int width = y.size();
    for (int g = BLOCK_Y; g < n_x_groups; g += BLOCKS_Y) {
        // Beside a landmark of several tiles there is room for the minima of one object.
        const int together = width > COLUMNS ? 1 : x_groups[g].count;
        for (int o = 0; o < x_groups[g].count; o += together) {
            const Objects x{x_vectors, x_offsets, x_groups[g].first + o, together};
            minima(x, y, d, s);
            EACH_THREAD(t) {
                for (int i = t; i < x.count * y.count; i += THREADS) {
                    const i64 object = x.first + i / y.count, landmark = y.first + i % y.count;
                    const float value = value_at(x, y, i, s);
                    out[object * stride + landmark] = value;
                    if (value < limits[landmark] && (x_lossy[object] || y_lossy[landmark])) {
                        const int number = take_number(counter);
                        if (number < most_unsure) unsure[number] = object * stride + landmark;
                    }
                }
            }
            BARRIER;
        }
    }
}

DEVICE double directed(const double* from, i64 n, const double* to, i64 m, int d) {
    double sum = 0.0;
    for (i64 i = 0; i < n; ++i) {
        const double square = nearest(from + i * d, to, m, d);
        sum = VALUE == 1 ? (square > sum ? square : sum) : sum + sqrt(square);
    }
    return VALUE == 1 ? sqrt(sum) : sum / (double)n;
}

KERNEL(sets_again, 64)(const double* x, const i64* x_offsets, const double* y, const i64* y_offsets, int d, const i64* pairs,
                       int n_pairs, float* out, i64 stride) {
    EACH_THREAD(t) {
        for (int p = BLOCK_X * 64 + t; p < n_pairs; p += BLOCKS_X * 64) {
            const i64 o = pairs[p] / stride, l = pairs[p] % stride;
            const i64 n = x_offsets[o + 1] - x_offsets[o], m = y_offsets[l + 1] - y_offsets[l];
            const double *object = x + x_offsets[o] * d, *landmark = y + y_offsets[l] * d;
            const double forth = directed(object, n, landmark, m, d), back = directed(landmark, m, object, n, d);
            out[pairs[p]] = (float)(VALUE == 2 ? forth + back : forth > back ? forth : back);
        }
    }
}
