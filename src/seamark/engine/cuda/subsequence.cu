// Smallest distances of windows to any place of a series: places in lanes, TOGETHER windows that share all but their values
// to a warp, so that each value that is read serves them all. RAW: windows are compared as they are, else by their shape.
// STAGED: rows fit into shared memory.
constexpr int LANES = 32, THREADS = LANES * WARPS;
constexpr double CLOSE = 3e-4;  // a value below this share of what it may be is computed again: floats have lost its digits

// Windows of one length, dilation and channels.
struct WindowTile {
    i64 weights;           // [channel][value][window], TOGETHER of them
    i64 channels;          // of its channels among `channels`
    int first, count;      // its windows among `columns` and `sizes`
    int n_channels, length, dilation;
};

struct alignas(TOGETHER >= 4 ? 16 : 8) Weights {
    float of[TOGETHER];
};

// What a warp compares: one series with the windows of a tile.
struct Match {
    const float* x;            // the series' rows; if STAGED those of the windows' channels alone
    const float* inverse;      // of spread 0, at the series
    i64 pitch;                 // from spread to spread
    const WindowChannel* channels;
    const Weights* weights;    // in shared memory
    WindowTile tile;
    int row_length, places;

    // Lowers `best` by N places for each lane, from p on.
    template <int N>
    DEVICE void lower(int p, int lane, float (&best)[TOGETHER]) const {
        float total[TOGETHER][N], sums[TOGETHER][N];
        int at[N];
        UNROLL for (int q = 0; q < N; ++q) {
            at[q] = p + lane + q * LANES;
            at[q] = at[q] < places ? at[q] : places - 1;
            UNROLL for (int w = 0; w < TOGETHER; ++w) total[w][q] = 0.0f;
        }
        const int first = p + lane;
        const Weights* next = weights;
        for (int c = 0; c < tile.n_channels; ++c) {
            const float* row = x + (i64)(STAGED ? c : channels[c].channel) * row_length;
            UNROLL for (int w = 0; w < TOGETHER; ++w) UNROLL for (int q = 0; q < N; ++q) sums[w][q] = 0.0f;
            for (int j = 0; j < tile.length; ++j, row += tile.dilation, ++next) {
                const Weights weight = *next;
                float value[N];
                UNROLL for (int q = 0; q < N; ++q) value[q] = row[STAGED ? first + q * LANES : at[q]];
                UNROLL for (int w = 0; w < TOGETHER; ++w) UNROLL for (int q = 0; q < N; ++q) {
                    const float d = value[q] - weight.of[w];
                    sums[w][q] = RAW ? fused(d, d, sums[w][q]) : fused(value[q], weight.of[w], sums[w][q]);
                }
            }
            UNROLL for (int q = 0; q < N; ++q) {
                const float scale = RAW ? 1.0f : inverse[channels[c].spread * pitch + at[q]];
                const float bias = scale > 0.0f ? 0.0f : -0.5f * (float)tile.length;  // a place without shape
                UNROLL for (int w = 0; w < TOGETHER; ++w)
                    total[w][q] += RAW ? sums[w][q] : fused(-sums[w][q], scale, bias);
            }
        }
        UNROLL for (int q = 0; q < N; ++q) {
            const bool there = first + q * LANES < places;  // beyond the end of a staged row lies anything
            UNROLL for (int w = 0; w < TOGETHER; ++w) best[w] = there ? smaller(best[w], total[w][q]) : best[w];
        }
    }
};

// Shared memory: `size` weights for each warp (by shape: for all), the best of every lane, and if STAGED the rows of each warp's
// series in the windows' channels, `pitch` apart.
KERNEL(subsequence, THREADS)(const i64* offsets, const i64* starts, i64 n, int channels, int differenced, const float* x,
                             const double* means, const double* row_sizes, const float* inverses, const WindowTile* tiles,
                             const double* weights, const WindowChannel* window_channels, const int* columns,
                             const double* sizes, int size, int most_channels, int pitch, float* out, i64 stride, int* counter, i64* unsure,
                             int most_unsure) {
    SHARED(float, shared);
    const SeriesRows rows{nullptr, offsets, starts, channels, differenced};
    const WindowTile tile = tiles[BLOCK_X];
    const int own_size = tile.n_channels * tile.length * TOGETHER;
    float *lanes = shared + (RAW ? WARPS : 1) * size, *staged = lanes + WARPS * TOGETHER * LANES;
    if (!RAW) EACH_THREAD(t) {
        for (int i = t; i < own_size; i += THREADS) shared[i] = (float)weights[tile.weights + i];
    }
    for (i64 first = (i64)BLOCK_Y * WARPS; first < n; first += (i64)BLOCKS_Y * WARPS) {
        if (RAW) EACH_THREAD(t) {
            // Less the means of the series, which is taken off it too: so offsets cost no digits.
            const i64 s = first + t / LANES;
            if (s < n) for (int i = t % LANES; i < own_size; i += LANES) {
                const int c = window_channels[tile.channels + i / (tile.length * TOGETHER)].channel;
                shared[t / LANES * size + i] = (float)(weights[tile.weights + i] - means[s * channels + c]);
            }
        }
        if (STAGED) EACH_THREAD(t) {
            const i64 s = first + t / LANES;
            for (int c = 0; s < n && c < tile.n_channels; ++c) {
                const float* row = x + rows.place(s, window_channels[tile.channels + c].channel);
                float* mine = staged + (t / LANES * most_channels + c) * pitch;
                for (int i = t % LANES; i < rows.length(s); i += LANES) mine[i] = row[i];
            }
        }
        BARRIER;
        EACH_THREAD(t) {
            const i64 s = first + t / LANES;
            const int lane = t % LANES, warp = t / LANES;
            if (s < n) {
                const float* mine = STAGED ? staged + warp * most_channels * pitch : x + rows.place(s, 0);
                const Match match{mine, inverses + starts[s], starts[n] - starts[0], window_channels + tile.channels,
                                  (const Weights*)(shared + (RAW ? warp * size : 0)), tile, STAGED ? pitch : rows.length(s),
                                  places_of(rows.own(s), tile.length, tile.dilation)};
                float best[TOGETHER];
                UNROLL for (int w = 0; w < TOGETHER; ++w) best[w] = INFINITE;
                int p = 0;
                for (; p + 3 * LANES < match.places; p += 4 * LANES) match.lower<4>(p, lane, best);
                if (p + LANES < match.places) match.lower<2>(p, lane, best), p += 2 * LANES;
                if (p < match.places) match.lower<1>(p, lane, best);
                UNROLL for (int w = 0; w < TOGETHER; ++w) lanes[(warp * TOGETHER + w) * LANES + lane] = best[w];
            }
        }
        BARRIER;
        EACH_THREAD(t) {
            const i64 s = first + t / LANES;
            const int w = t % LANES;
            if (s < n && w < tile.count) {
                float best = INFINITE;
                for (int lane = 0; lane < LANES; ++lane)
                    best = smaller(best, lanes[(t / LANES * TOGETHER + w) * LANES + (lane + w) % LANES]);
                double limit = CLOSE * sizes[tile.first + w];
                if (RAW) {
                    limit = 0.0;
                    for (int c = 0; c < tile.n_channels; ++c) {
                        const double one = CLOSE * row_sizes[s * channels + window_channels[tile.channels + c].channel];
                        limit += one * one * tile.length;
                    }
                }
                const float square = RAW ? best : (float)sizes[tile.first + w] + 2.0f * best;
                const i64 place = s * stride + columns[tile.first + w];
                out[place] = root(larger(square, 0.0f));
                if (square < (float)limit) {
                    const int number = take_number(counter);
                    if (number < most_unsure) unsure[number] = place;
                }
            }
        }
        BARRIER;
    }
}
