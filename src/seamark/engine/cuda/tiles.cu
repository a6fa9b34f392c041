// Sums over coordinates for ROWS rows against COLUMNS columns: a block of 256 threads, DOWN (4 or 8) by eight sums to a
// thread. SQUARED: of squared differences, else of absolute ones. Rows have a multiple of four coordinates, of which DEPTH
// are in shared memory at a time, and INNER are unrolled.
constexpr int ACROSS = 8, SUMS = DOWN * ACROSS, THREADS = 256, COLUMNS = 128, ROWS = 16 * DOWN;
constexpr int ROW_PITCH = ROWS + 4, COLUMN_PITCH = COLUMNS + 4;
constexpr int RUN = 512;  // a float32 sum is put away after so many terms, so that its error does not grow

struct alignas(16) Quad {
    float at[4];
};

// Coordinates [from, from + DEPTH) of some rows of a matrix, transposed into shared memory; zero beyond its ends.
template <int N>
DEVICE void load_tile(const float* rows, int n, int d, int from, float* tile, int t) {
    UNROLL for (int i = t; i < N * DEPTH / 4; i += THREADS) {
        const int row = i / (DEPTH / 4), k = i % (DEPTH / 4) * 4;
        Quad four = {{0.0f, 0.0f, 0.0f, 0.0f}};
        if (row < n && from + k < d) four = *(const Quad*)(rows + (i64)row * d + from + k);
        UNROLL for (int j = 0; j < 4; ++j) tile[(k + j) * (N + 4) + row] = four.at[j];
    }
}

// Where sum i of a thread lies in the tile.
DEVICE int row_of(int i, int t) { return i / ACROSS / 4 * 64 + t / (COLUMNS / ACROSS) * 4 + i / ACROSS % 4; }
DEVICE int column_of(int i, int t) { return i % ACROSS / 4 * (COLUMNS / 2) + t % (COLUMNS / ACROSS) * 4 + i % 4; }

DEVICE void add_tile(const float* a, const float* b, float* sums, int t) {
    const float *x = a + row_of(0, t), *y = b + column_of(0, t);
    ROLLED for (int from = 0; from < DEPTH; from += INNER, x += INNER * ROW_PITCH, y += INNER * COLUMN_PITCH) {
        UNROLL for (int k = 0; k < INNER; ++k) {
            Quad xk[DOWN / 4];
            UNROLL for (int h = 0; h < DOWN / 4; ++h) xk[h] = *(const Quad*)(x + k * ROW_PITCH + 64 * h);
            const Quad yk[2] = {*(const Quad*)(y + k * COLUMN_PITCH), *(const Quad*)(y + k * COLUMN_PITCH + COLUMNS / 2)};
            UNROLL for (int i = 0; i < SUMS; ++i) {
                const float difference = xk[i / ACROSS / 4].at[i / ACROSS % 4] - yk[i % ACROSS / 4].at[i % 4];
                sums[i] = SQUARED ? fused(difference, difference, sums[i]) : sums[i] + absolute(difference);
            }
        }
    }
}

// Sums of coordinates [from, from + RUN) of the tile that begins at x and y. Own: numbers of each thread.
template <typename Own>
DEVICE void sum_run(const float* x, int rows, const float* y, int columns, int d, int from, float* a, float* b, Own& sums) {
    EACH_THREAD(t) {
        UNROLL for (int i = 0; i < SUMS; ++i) MINE(sums, t)[i] = 0.0f;
    }
    const int to = d - from < RUN ? d : from + RUN;
    for (int k = from; k < to; k += DEPTH) {
        EACH_THREAD(t) {
            load_tile<ROWS>(x, rows, d, k, a, t);
            load_tile<COLUMNS>(y, columns, d, k, b, t);
        }
        BARRIER;
        EACH_THREAD(t) { add_tile(a, b, MINE(sums, t), t); }
        BARRIER;
    }
}
