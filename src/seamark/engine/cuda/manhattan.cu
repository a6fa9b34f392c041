// Manhattan distances of rows to landmarks; those that are small against both sizes are noted, to be computed again.
// Four neighbouring distances of a row, added to what earlier coordinates left there; `whole`: they lie at 16 bytes.
DEVICE void put_four(const float* sums, float* place, int count, bool first, bool whole) {
    if (whole) {
        Quad four;
        UNROLL for (int c = 0; c < 4; ++c) four.at[c] = sums[c];
        if (!first) {
            const Quad before = *(const Quad*)place;
            UNROLL for (int c = 0; c < 4; ++c) four.at[c] += before.at[c];
        }
        *(Quad*)place = four;
    } else {
        UNROLL for (int c = 0; c < 4; ++c)
            if (c < count) place[c] = sums[c] + (first ? 0.0f : place[c]);
    }
}

// The least of a thread's sums.
DEVICE float least_of(const float* sums) {
    float least = sums[0];
    UNROLL for (int i = 1; i < SUMS; ++i) least = smaller(least, sums[i]);
    return least;
}

// No limits of a row and a landmark sum up to more than `highest`.
KERNEL_AT_ONCE(manhattan, THREADS, AT_ONCE)(const float* x, i64 n, const float* y, int n_landmarks, int d, const float* x_limits,
                                      const float* y_limits, float highest, float* out, int* counter, i64* unsure,
                                      int most_unsure) {
    SHARED(float, shared);
    float *a = shared, *b = shared + DEPTH * ROW_PITCH;
    PRIVATE(float, sums, SUMS);
    const int first_column = BLOCK_Y * COLUMNS, columns = n_landmarks - first_column;
    const i64 first_row = (i64)BLOCK_X * ROWS;
    const int rows = n - first_row < ROWS ? (int)(n - first_row) : ROWS;
    float* corner = out + first_row * n_landmarks + first_column;
    const bool whole = n_landmarks % 4 == 0 && (u64)out % 16 == 0;
    int from = 0;
    do {  // ONE_RUN: once, so that nothing is kept in registers for the next
        sum_run(x + first_row * d, rows, y + (i64)first_column * d, columns, d, from, a, b, sums);
        EACH_THREAD(t) {
            UNROLL for (int i = 0; i < SUMS; i += 4) {
                const int r = row_of(i, t), c = column_of(i, t);
                float* place = corner + (i64)r * n_landmarks + c;
                if (r < rows && c < columns) put_four(MINE(sums, t) + i, place, columns - c, from == 0, whole);
            }
        }
        from += RUN;
    } while (!ONE_RUN && from < d);
    EACH_THREAD(t) {
        if (least_of(MINE(sums, t)) < highest)  // seldom: a sum of several runs is no smaller than its last
            ROLLED for (int i = 0; i < SUMS; ++i) {
                const int r = row_of(i, t), c = column_of(i, t);
                if (r >= rows || c >= columns) continue;
                const i64 place = (first_row + r) * n_landmarks + first_column + c;
                if (out[place] - y_limits[first_column + c] >= x_limits[first_row + r]) continue;
                const int number = take_number(counter);
                if (number < most_unsure) unsure[number] = place;
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
