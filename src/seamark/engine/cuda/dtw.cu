// Path costs of dynamic time warping: a landmark to a lane, a series to a warp.
//
// LENGTH columns of the matrix, a strip, are kept in registers while the rows pass; a longer landmark takes several
// strips, and the last column of one waits in `borders` for the next. ROWS rows pass at once.
// CHANNELS: 1, 2 or 3 have the landmark in registers; 0: any number, read again for every ROWS rows.
// ROOTED: Euclidean local costs. BANDED: whether a band is kept. The order of operations is that of the CPU's kernels.
constexpr int LANES = 32;

struct DtwBlock {
    i64 values;  // of its landmarks: [column][channel][lane], zero beyond a landmark's end
    int strips, lanes;
    int first;   // its landmarks among `lengths`, `columns` and `sizes`
};

DEVICE float add_square(float d, float sum) { return fused(d, d, sum); }

struct Strip {
    float y[CHANNELS ? LENGTH * CHANNELS : 1];
    float row[LENGTH];  // the row before

    DEVICE void start(const float* values) {
        if (CHANNELS) {
            UNROLL for (int k = 0; k < LENGTH * CHANNELS; ++k) y[k] = values[k * LANES];
        }
        UNROLL for (int j = 0; j < LENGTH; ++j) row[j] = INFINITE;
    }

    // Local costs of N rows of any number of channels.
    template <int N>
    DEVICE void costs(const float* x, const float* values, int channels, float (&cost)[N][LENGTH]) const {
        UNROLL for (int r = 0; r < N; ++r)
            UNROLL for (int j = 0; j < LENGTH; ++j) cost[r][j] = 0.0f;
        for (int k = 0; k < channels; ++k) {
            float xk[N];
            UNROLL for (int r = 0; r < N; ++r) xk[r] = x[(i64)r * channels + k];
            UNROLL for (int j = 0; j < LENGTH; ++j) {
                const float yk = values[(j * channels + k) * LANES];
                UNROLL for (int r = 0; r < N; ++r) cost[r][j] = add_square(yk - xk[r], cost[r][j]);
            }
        }
        if (ROOTED) {
            UNROLL for (int r = 0; r < N; ++r)
                UNROLL for (int j = 0; j < LENGTH; ++j) cost[r][j] = root(cost[r][j]);
        }
    }

    // One row: `left` and `diagonal` are the cells before its first column; columns outside [low, high) are closed.
    DEVICE float pass(const float* x, const float* cost, float left, float diagonal, int low, int high) {
        UNROLL for (int j = 0; j < LENGTH; ++j) {
            const float best = least(diagonal, row[j], left);
            diagonal = row[j];
            if (CHANNELS == 1 && !ROOTED) left = add_square(y[j] - x[0], best);
            else if (CHANNELS) {
                float sum = (y[j * CHANNELS] - x[0]) * (y[j * CHANNELS] - x[0]);
                UNROLL for (int k = 1; k < CHANNELS; ++k) sum = add_square(y[j * CHANNELS + k] - x[k], sum);
                left = best + (ROOTED ? root(sum) : sum);
            } else left = best + cost[j];
            if (BANDED) left = (u32)(j - low) < (u32)(high - low) ? left : INFINITE;
            row[j] = left;
        }
        return left;
    }

    DEVICE float at(int column) const {
        float found = INFINITE;
        UNROLL for (int j = 0; j < LENGTH; ++j) found = j == column ? row[j] : found;
        return found;
    }
};

// The rows of one series on their way through one strip.
struct Sweep {
    const float *x, *values;
    int channels, number;  // number of the strip
    Band band;
    int entry_first, entry_end;  // rows whose column before the strip is in the band, and in `border`
    float* border;
    bool writes;
    float diagonal;

    DEVICE float before(int i) const {
        return number > 0 && i >= entry_first && i < entry_end ? border[(i64)i * LANES] : INFINITE;
    }

    template <int N>
    DEVICE void pass(Strip& strip, int i) {
        const float* xi = x + (i64)i * channels;
        float cost[N][LENGTH], left[N];
        UNROLL for (int r = 0; r < N; ++r) left[r] = before(i + r);
        if constexpr (!CHANNELS) strip.costs<N>(xi, values, channels, cost);
        UNROLL for (int r = 0; r < N; ++r) {
            float xr[CHANNELS ? CHANNELS : 1];
            if (CHANNELS) {
                UNROLL for (int k = 0; k < CHANNELS; ++k) xr[k] = xi[r * CHANNELS + k];
            }
            int low = 0, high = LENGTH;
            if (BANDED) {
                low = band.low(i + r) - number * LENGTH, high = band.high(i + r) - number * LENGTH;
                low = low < 0 ? 0 : low, high = high < low ? low : high;
            }
            const float last = strip.pass(xr, cost[r], left[r], diagonal, low, high);
            diagonal = left[r];
            if (writes) border[(i64)(i + r) * LANES] = last;
        }
    }

    // Rows [first, end): ROWS at once, so that the registers of a row need not move, then those left over.
    DEVICE void run(Strip& strip, int first, int end) {
        diagonal = first > 0 ? before(first - 1) : number == 0 ? 0.0f : INFINITE;
        int i = first;
        for (; i + ROWS <= end; i += ROWS) pass<ROWS>(strip, i);
        for (; i < end; ++i) pass<1>(strip, i);
    }
};

KERNEL(dtw, LANES * WARPS)(const float* x, const i64* offsets, const float* x_sizes, i64 n, int channels, int steps,
                           double fraction, float sure, const DtwBlock* blocks, const float* landmarks, const int* lengths,
                           const int* columns, const float* sizes, float* borders, i64 border_length, float* out,
                           i64 stride, int* counter, i64* unsure, int most_unsure) {
    const DtwBlock block = blocks[BLOCK_X];
    EACH_THREAD(t) {
        const int lane = t % LANES, warp = t / LANES, landmark = block.first + (lane < block.lanes ? lane : 0);
        const int m = lengths[landmark];
        const i64 slot = ((i64)BLOCK_Y * BLOCKS_X + BLOCK_X) * WARPS + warp;
        float* border = borders + slot * border_length * LANES + lane;
        Strip strip;
        for (i64 s = (i64)BLOCK_Y * WARPS + warp; s < n; s += (i64)BLOCKS_Y * WARPS) {
            const int rows = (int)(offsets[s + 1] - offsets[s]);
            Band band{steps, fraction, 0, 0, 0, 0, 0};
            if (BANDED) band.of(rows, m);
            float cost = INFINITE;
            for (int k = 0, entry_first = 0, entry_end = 0; k < block.strips; ++k) {
                const int from = k * LENGTH, to = from + LENGTH;
                if (from < m) {
                    const int first = BANDED ? band.first_row(from) : 0;
                    const int end = BANDED ? band.end_row(to < m ? to : m) : rows;
                    const float* values = landmarks + block.values + (i64)from * channels * LANES + lane;
                    strip.start(values);
                    Sweep sweep{x + offsets[s] * channels, values, channels, k, band, entry_first, entry_end, border, to < m, 0.0f};
                    sweep.run(strip, first, end);
                    // A strip whose last row is not the matrix's does not hold the last cell.
                    if (to >= m && end == rows && first < end) cost = strip.at(m - 1 - from);
                    entry_first = first, entry_end = end;
                }
            }
            if (lane < block.lanes) {
                out[s * stride + columns[landmark]] = cost;
                const float step = sure * (x_sizes[s] + sizes[landmark]);
                if (cost < (ROOTED ? step : step * step) * (float)(rows + m)) {
                    const int place = take_number(counter);
                    if (place < most_unsure) unsure[place] = s * stride + columns[landmark];
                }
            }
        }
    }
}
