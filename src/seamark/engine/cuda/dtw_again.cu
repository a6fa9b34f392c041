// Costs that float32 cannot tell from its own rounding, again in float64: a pair to a thread, its matrix's row in memory.
KERNEL(dtw_again, 64)(const double* x, const i64* x_offsets, const double* y, const i64* y_offsets, int channels, int steps,
                      double fraction, int banded, int rooted, const i64* pairs, int n_pairs, double* rows, float* out,
                      i64 stride) {
    const int n_threads = 64 * BLOCKS_X;
    EACH_THREAD(t) {
        const int thread = 64 * BLOCK_X + t;
        for (int p = thread; p < n_pairs; p += n_threads) {
            const i64 s = pairs[p] / stride, l = pairs[p] % stride;
            const int n = (int)(x_offsets[s + 1] - x_offsets[s]), m = (int)(y_offsets[l + 1] - y_offsets[l]);
            Band band{steps, fraction, 0, 0, 0, 0, 0};
            if (banded) band.of(n, m);
            const double infinite = INFINITE;
            double left = infinite;
            for (int i = 0; i < n; ++i) {
                const int low = banded ? band.low(i) : 0, high = banded ? band.high(i) : m;
                double diagonal = i ? infinite : 0.0;
                left = infinite;
                for (int j = 0; j < m; ++j) {
                    double* above = rows + (i64)j * n_threads + thread;
                    const double up = i ? *above : infinite;
                    double best = up < diagonal ? up : diagonal, cost = 0.0;
                    best = left < best ? left : best;
                    diagonal = up;
                    for (int k = 0; k < channels; ++k) {
                        const double d = x[(x_offsets[s] + i) * channels + k] - y[(y_offsets[l] + j) * channels + k];
                        cost += d * d;
                    }
                    left = low <= j && j < high ? best + (rooted ? sqrt(cost) : cost) : infinite;
                    *above = left;
                }
            }
            out[pairs[p]] = (float)left;
        }
    }
}
