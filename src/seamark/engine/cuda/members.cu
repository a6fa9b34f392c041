// Smallest distances of landmark vectors to the members of sets: some objects and COLUMNS landmarks to a block.
KERNEL_AT_ONCE(members, THREADS, AT_ONCE)(const float* x_vectors, const i64* x_offsets, const SetGroup* x_groups, int n_x_groups,
                                    const u8* x_lossy, const float* y_vectors, const u8* y_lossy, const float* limits,
                                    int n_landmarks, int d, float* out, int* counter, i64* unsure, int most_unsure) {
    SHARED(float, shared);
    SetsScratch s;
    s.a = shared, s.b = s.a + DEPTH * ROW_PITCH, s.tile = s.b + DEPTH * COLUMN_PITCH, s.column_least = s.tile + ROWS * TILE_PITCH;
    const int first = BLOCK_X * COLUMNS, columns = n_landmarks - first < COLUMNS ? n_landmarks - first : COLUMNS;
    for (int g = BLOCK_Y; g < n_x_groups; g += BLOCKS_Y) {
        const Objects x{x_vectors, x_offsets, x_groups[g].first, x_groups[g].count};
        EACH_THREAD(t) {
            for (int i = t; i < x.count * columns; i += THREADS) s.column_least[i] = INFINITE;
        }
        for (int row = 0; row < x.size(); row += ROWS) {
            distances(x.vectors + (x.start() + row) * d, x.size() - row, y_vectors + (i64)first * d, columns, d, s);
            EACH_THREAD(t) { lower_columns(x, row, columns, columns, 0, s, t); }
            BARRIER;
        }
        EACH_THREAD(t) {
            for (int i = t; i < x.count * columns; i += THREADS) {
                const int object = x.first + i / columns, landmark = first + i % columns;
                const i64 place = (i64)object * n_landmarks + landmark;
                const float value = root(s.column_least[i]);
                out[place] = value;
                if (value < limits[landmark] && (x_lossy[object] || y_lossy[landmark])) {
                    const int number = take_number(counter);
                    if (number < most_unsure) unsure[number] = place;
                }
            }
        }
        BARRIER;
    }
}

KERNEL(members_again, 64)(const double* x, const i64* x_offsets, const double* y, int n_landmarks, int d, const i64* pairs,
                          int n_pairs, float* out) {
    EACH_THREAD(t) {
        for (int p = BLOCK_X * 64 + t; p < n_pairs; p += BLOCKS_X * 64) {
            const i64 o = pairs[p] / n_landmarks, l = pairs[p] % n_landmarks;
            out[pairs[p]] = (float)sqrt(nearest(y + l * d, x + x_offsets[o] * d, x_offsets[o + 1] - x_offsets[o], d));
        }
    }
}
