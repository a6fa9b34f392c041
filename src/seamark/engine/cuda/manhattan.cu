// Manhattan distances of rows to landmarks; those that are small against both sizes are noted, to be computed again.
KERNEL(manhattan, THREADS)(const float* x, i64 n, const float* y, int n_landmarks, int d, const float* x_limits,
                           const float* y_limits, float* out, int* counter, i64* unsure, int most_unsure) {
    SHARED(float, shared);
    float *a = shared, *b = shared + DEPTH * PITCH;
    PRIVATE(float, run, SIDE * SIDE);
    PRIVATE(float, sums, SIDE * SIDE);
    const int first_column = BLOCK_X * TILE, columns = n_landmarks - first_column;
    for (i64 first_row = (i64)BLOCK_Y * TILE; first_row < n; first_row += (i64)BLOCKS_Y * TILE) {
        const i64 left = n - first_row;
        const int rows = left < TILE ? (int)left : TILE;
        EACH_THREAD(t) {
            UNROLL for (int i = 0; i < SIDE * SIDE; ++i) MINE(run, t)[i] = MINE(sums, t)[i] = 0.0f;
        }
        for (int k = 0; k < d; k += DEPTH) {
            EACH_THREAD(t) {
                load_tile(x + first_row * d, rows, d, k, a, t);
                load_tile(y + (i64)first_column * d, columns, d, k, b, t);
            }
            BARRIER;
            EACH_THREAD(t) {
                add_tile(a, b, MINE(run, t), t);
                if ((k + DEPTH) % RUN == 0) flush(MINE(run, t), MINE(sums, t));
            }
            BARRIER;
        }
        EACH_THREAD(t) {
            flush(MINE(run, t), MINE(sums, t));
            UNROLL for (int i = 0; i < SIDE * SIDE; ++i) {
                const int r = t / (TILE / SIDE) * SIDE + i / SIDE, c = t % (TILE / SIDE) * SIDE + i % SIDE;
                if (r < rows && c < columns) {
                    const i64 place = (first_row + r) * n_landmarks + first_column + c;
                    const float value = MINE(sums, t)[i];
                    out[place] = value;
                    if (value - y_limits[first_column + c] < x_limits[first_row + r]) {
                        const int number = take_number(counter);
                        if (number < most_unsure) unsure[number] = place;
                    }
                }
            }
        }
    }
}

KERNEL(manhattan_again, THREADS)(const double* x, const double* y, int n_landmarks, int d, const i64* pairs, int n_pairs,
                                 float* out) {
    EACH_THREAD(t) {
        for (int p = BLOCK_X * THREADS + t; p < n_pairs; p += BLOCKS_X * THREADS) {
            const double* row = x + pairs[p] / n_landmarks * d;
            const double* landmark = y + pairs[p] % n_landmarks * d;
            double sum = 0.0;
            for (int k = 0; k < d; ++k) sum += fabs(row[k] - landmark[k]);
            out[pairs[p]] = (float)sum;
        }
    }
}
