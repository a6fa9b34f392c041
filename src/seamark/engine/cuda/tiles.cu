// Sums over coordinates for TILE rows against TILE columns: a block of 256 threads, four by four sums to a thread.
// SQUARED: of squared differences, else of absolute ones.
constexpr int TILE = 64, DEPTH = 16, PITCH = TILE + 4, SIDE = 4, THREADS = 256;
constexpr int RUN = 512;  // a float32 sum is flushed after so many terms, so that its error does not grow

struct alignas(16) Quad {
    float at[SIDE];
};

// Coordinates [from, from + DEPTH) of some rows of a matrix, transposed into shared memory; zero beyond its ends.
DEVICE void load_tile(const float* rows, int n, int d, int from, float* tile, int t) {
    for (int i = t; i < TILE * DEPTH; i += THREADS) {
        const int row = i / DEPTH, k = i % DEPTH;
        tile[k * PITCH + row] = row < n && from + k < d ? rows[(i64)row * d + from + k] : 0.0f;
    }
}

DEVICE void add_tile(const float* a, const float* b, float* sums, int t) {
    const float* x = a + t / (TILE / SIDE) * SIDE;
    const float* y = b + t % (TILE / SIDE) * SIDE;
    UNROLL for (int k = 0; k < DEPTH; ++k) {
        const Quad xk = *(const Quad*)(x + k * PITCH), yk = *(const Quad*)(y + k * PITCH);
        UNROLL for (int r = 0; r < SIDE; ++r)
            UNROLL for (int c = 0; c < SIDE; ++c) {
                const float difference = xk.at[r] - yk.at[c];
                float& sum = sums[r * SIDE + c];
                sum = SQUARED ? fused(difference, difference, sum) : sum + absolute(difference);
            }
    }
}

DEVICE void flush(float* run, float* sums) {
    UNROLL for (int i = 0; i < SIDE * SIDE; ++i) sums[i] += run[i], run[i] = 0.0f;
}
