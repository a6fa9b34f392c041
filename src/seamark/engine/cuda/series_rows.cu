// Series made ready for windows, and how far their places spread.
constexpr double ROUNDING = 1e-14;  // of the size of values: what varies less is rounding

// The sum, or the largest, of term(0) ... term(count - 1), by all threads of a block.
template <typename Term>
DEVICE double gathered(double* scratch, int count, bool largest, Term term) {
    EACH_THREAD(t) {
        double sum = 0.0;
        for (int i = t; i < count; i += ROW_THREADS) {
            const double one = term(i);
            sum = largest ? (one > sum ? one : sum) : sum + one;
        }
        scratch[t] = sum;
    }
    BARRIER;
    for (int half = ROW_THREADS / 2; half > 0; half /= 2) {
        EACH_THREAD(t) {
            if (t < half) {
                const double one = scratch[t + half];
                scratch[t] = largest ? (one > scratch[t] ? one : scratch[t]) : scratch[t] + one;
            }
        }
        BARRIER;
    }
    const double result = scratch[0];
    BARRIER;
    return result;
}

// Writes rows in float32, and of each its mean, its unit (the deviation, as far as there is one) and its largest value.
KERNEL(series_rows, ROW_THREADS)(const double* x, const i64* offsets, const i64* starts, i64 n, int channels, int differenced,
                                 float* raw, float* scaled, double* means, double* units, double* sizes) {
    SHARED(double, scratch);
    const SeriesRows rows{x, offsets, starts, channels, differenced};
    for (i64 r = BLOCK_X; r < n * channels; r += BLOCKS_X) {
        const i64 s = r / channels;
        const int c = (int)(r % channels), own = rows.own(s), length = rows.length(s);
        const double before = gathered(scratch, length, true, [&](int i) { return fabs(rows.value(s, c, i)); });
        // Twice: the first mean of far-off values has few digits.
        const double first = gathered(scratch, own, false, [&](int i) { return rows.value(s, c, i); }) / own;
        const double rest = gathered(scratch, own, false, [&](int i) { return rows.value(s, c, i) - first; }) / own;
        const double mean = first + rest;  // one subtraction, as of windows
        const auto centred = [&](int i) { return rows.value(s, c, i) - mean; };
        const double size = gathered(scratch, length, true, [&](int i) { return fabs(centred(i)); });
        const double deviation = sqrt(gathered(scratch, own, false, [&](int i) { return centred(i) * centred(i); }) / own);
        // Where the series itself is constant, what repeated values add is all there is.
        const double least = ROUNDING * before, none = INFINITE;
        const double unit = deviation > least ? deviation : size > least ? size : none;
        EACH_THREAD(t) {
            for (int i = t; i < length; i += ROW_THREADS) {
                raw[rows.place(s, c) + i] = (float)centred(i);
                scaled[rows.place(s, c) + i] = (float)(centred(i) / unit);
            }
            if (t == 0) means[r] = mean, units[r] = unit, sizes[r] = size;
        }
    }
}

// A length and dilation of windows compared by shape, and a channel.
struct Spread {
    int channel, length, dilation;
};

// 1 / deviation of every place; 0 where it is `flat`, which has no shape. Rows are of deviation 1.
KERNEL(spreads, ROW_THREADS)(const i64* offsets, const i64* starts, i64 n, int channels, int differenced, const float* scaled,
                     const Spread* spreads, float flat, float* inverses) {
    const SeriesRows rows{nullptr, offsets, starts, channels, differenced};
    const Spread of = spreads[BLOCK_X];
    const float share = 1.0f / (float)of.length;
    for (i64 s = BLOCK_Y; s < n; s += BLOCKS_Y) {
        const int places = places_of(rows.own(s), of.length, of.dilation);
        const float* x = scaled + rows.place(s, of.channel);
        float* inverse = inverses + BLOCK_X * (starts[n] - starts[0]) + starts[s];
        EACH_THREAD(t) {
            for (int p = t; p < places; p += ROW_THREADS) {
                float mean = 0.0f, square = 0.0f;
                for (int j = 0; j < of.length; ++j) mean += x[p + j * of.dilation];
                mean = product(mean, share);
                for (int j = 0; j < of.length; ++j) {
                    const float d = x[p + j * of.dilation] - mean;
                    square = fused(d, d, square);
                }
                const float deviation = root(product(square, share));
                inverse[p] = deviation > flat ? 1.0f / deviation : 0.0f;
            }
        }
    }
}
