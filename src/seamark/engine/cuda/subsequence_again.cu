// Distances of windows that float32 cannot tell from its own rounding, again in float64: a pair to a block.
struct Window {
    i64 weights;   // [channel][value]
    i64 channels;  // of its channels among `channels`
    int n_channels, length, dilation, shaped;
    double size;
};

struct Exact {
    SeriesRows rows;
    const double *means, *units, *weights;
    const float* inverses;
    i64 pitch;  // from spread to spread
    const WindowChannel* channels;

    // What channel c of a window says of place p of series s.
    DEVICE double at(const Window& window, i64 s, int c, int p) const {
        const int channel = channels[window.channels + c].channel;
        const double* weight = weights + window.weights + (i64)c * window.length;
        const double mean = means[s * rows.channels + channel], unit = units[s * rows.channels + channel];
        double middle = 0.0, square = 0.0, sum = 0.0;
        if (window.shaped) {
            for (int j = 0; j < window.length; ++j)
                middle += (rows.value(s, channel, p + (i64)j * window.dilation) - mean) / unit;
            middle /= window.length;
        }
        for (int j = 0; j < window.length; ++j) {
            const double value = rows.value(s, channel, p + (i64)j * window.dilation);
            const double d = window.shaped ? (value - mean) / unit - middle : value - weight[j];
            square += d * d;
            sum += d * weight[j];
        }
        if (!window.shaped) return square;
        const bool flat = !(inverses[channels[window.channels + c].spread * pitch + rows.starts[s] + p] > 0.0f);
        const double deviation = sqrt(square / window.length);
        return flat || !(deviation > 0.0) ? -0.5 * window.length : -sum / deviation;
    }
};

KERNEL(subsequence_again, ROW_THREADS)(const double* x, const i64* offsets, const i64* starts, i64 n, int channels,
                                       int differenced, const double* means, const double* units, const float* inverses,
                                       const Window* windows, const double* weights, const WindowChannel* window_channels,
                                       const i64* pairs, int n_pairs, float* out, i64 stride) {
    SHARED(double, scratch);
    const Exact exact{{x, offsets, starts, channels, differenced}, means, units, weights, inverses, starts[n], window_channels};
    for (int k = BLOCK_X; k < n_pairs; k += BLOCKS_X) {
        const i64 s = pairs[k] / stride;
        const Window window = windows[pairs[k] % stride];
        const int places = places_of(exact.rows.own(s), window.length, window.dilation);
        EACH_THREAD(t) {
            double best = INFINITE;
            for (int p = t; p < places; p += ROW_THREADS) {
                double sum = 0.0;
                for (int c = 0; c < window.n_channels; ++c) sum += exact.at(window, s, c, p);
                best = sum < best ? sum : best;
            }
            scratch[t] = best;
        }
        BARRIER;
        EACH_THREAD(t) {
            if (t == 0) {
                double best = scratch[0];
                for (int i = 1; i < ROW_THREADS; ++i) best = scratch[i] < best ? scratch[i] : best;
                best = window.shaped ? window.size + 2.0 * best : best;
                out[pairs[k]] = (float)sqrt(best > 0.0 ? best : 0.0);
            }
        }
        BARRIER;
    }
}
