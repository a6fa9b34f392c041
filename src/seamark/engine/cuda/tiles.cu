// Sums over coordinates for ROWS rows against COLUMNS columns: a block of 256 threads, DOWN (4 or 8) by eight sums to a
// thread. SQUARED: of squared differences, else of absolute ones. Rows have a multiple of four coordinates, of which DEPTH
// are in shared memory at a time, and INNER are unrolled.
constexpr int ACROSS = 8, SUMS = DOWN * ACROSS, THREADS = 256, COLUMNS = 128, ROWS = 16 * DOWN;
constexpr int ROW_PITCH = ROWS + 4, COLUMN_PITCH = COLUMNS + 4;
constexpr int RUN = 512;  // a float32 sum is put away after so many terms, so that its error does not grow

struct alignas(16) Quad {
    float at[4];
};

// Four coordinates that a thread brings to shared memory, so many times for N rows: all are on their way before the first
// is put there.
template <int N>
constexpr int QUADS = N * DEPTH / 4 / THREADS;
constexpr int OWN_QUADS = QUADS<ROWS> + QUADS<COLUMNS>;
static_assert(OWN_QUADS * THREADS * 4 == (ROWS + COLUMNS) * DEPTH, "threads share the coordinates of a tile evenly");

// Coordinates [from, from + DEPTH) of some rows of a matrix; zero beyond its ends.
template <int N>
DEVICE void fetch(const float* rows, int n, int d, int from, Quad* own, int t) {
    UNROLL for (int q = 0; q < QUADS<N>; ++q) {
        const int row = (t + q * THREADS) / (DEPTH / 4), k = (t + q * THREADS) % (DEPTH / 4) * 4;
        own[q] = {{0.0f, 0.0f, 0.0f, 0.0f}};
        if (row < n && from + k < d) own[q] = *(const Quad*)(rows + (i64)row * d + from + k);
    }
}

// They are transposed in shared memory.
template <int N>
DEVICE void put(const Quad* own, float* tile, int t) {
    UNROLL for (int q = 0; q < QUADS<N>; ++q) {
        const int row = (t + q * THREADS) / (DEPTH / 4), k = (t + q * THREADS) % (DEPTH / 4) * 4;
        UNROLL for (int j = 0; j < 4; ++j) tile[(k + j) * (N + 4) + row] = own[q].at[j];
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
    PRIVATE(Quad, next, OWN_QUADS);
    EACH_THREAD(t) {
        UNROLL for (int i = 0; i < SUMS; ++i) MINE(sums, t)[i] = 0.0f;
        fetch<ROWS>(x, rows, d, from, MINE(next, t), t);
        fetch<COLUMNS>(y, columns, d, from, MINE(next, t) + QUADS<ROWS>, t);
    }
    const int to = d - from < RUN ? d : from + RUN;
    for (int k = from; k < to; k += DEPTH) {
        EACH_THREAD(t) {
            put<ROWS>(MINE(next, t), a, t);
            put<COLUMNS>(MINE(next, t) + QUADS<ROWS>, b, t);
        }
        BARRIER;
        EACH_THREAD(t) {
            if (k + DEPTH < to) {  // the next are on their way while these are added
                fetch<ROWS>(x, rows, d, k + DEPTH, MINE(next, t), t);
                fetch<COLUMNS>(y, columns, d, k + DEPTH, MINE(next, t) + QUADS<ROWS>, t);
            }
            add_tile(a, b, MINE(sums, t), t);
        }
        BARRIER;
    }
}
