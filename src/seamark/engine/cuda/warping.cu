// Matrices of warping paths: a landmark to a lane, a series to a warp.
//
// LENGTH columns of the matrix, a strip, are kept in registers while the rows pass; a longer landmark takes several
// strips, and the last column of one waits in `border` for the next. ROWS rows pass at once.
// CHANNELS: 1, 2 or 3 have the landmark in registers; 0: any number, read again for every ROWS rows.
// BANDED: whether a band is kept. What a cell costs is said in rules.cu.
constexpr int LANES = 32;
constexpr int HELD = CHANNELS ? CHANNELS : 1;  // channels in registers

struct WarpBlock {
    i64 values;  // of its landmarks: [column][channel][lane], zero beyond a landmark's end
    i64 alone;   // of its landmarks, of a step alone: [column][lane]
    int strips, lanes;
    int first;   // its landmarks among `lengths` and `columns`
};

// A series, and a landmark at its lane.
struct Pair {
    const float *x, *x_alone, *edge;  // edge: before the first column
    const float *y, *y_alone, *top;   // top: above the first row
    int rows, columns, channels;
    Band band;
    Rule rule;
    float* border;

    DEVICE bool holds(int i, int j) const { return !BANDED || (band.low(i) <= j && j < band.high(i)); }
    // Cells of the edges: they are in the band where the cells beside them are.
    DEVICE float edge_at(int i) const { return EDGED && holds(i, 0) ? (RULE == ERP ? edge[i] : 0.0f) : outside(); }
    DEVICE float top_at(int j) const { return EDGED && holds(0, j) ? (RULE == ERP ? top[(i64)j * LANES] : 0.0f) : outside(); }
};

// Local cost of two steps; channels of y are `pitch` apart.
DEVICE float local_cost(const float* x, const float* y, int channels, int pitch) {
    if constexpr (CHANNELS == 1 && ROOTED && RULE != DTW) return absolute(y[0] - x[0]);
    float sum = product(y[0] - x[0], y[0] - x[0]);
    UNROLL for (int k = 1; k < channels; ++k) sum = add_square(y[k * pitch] - x[k], sum);
    return ROOTED ? root(sum) : sum;
}

// The columns of one strip: its landmark, and the row that passed last.
struct Strip {
    float y[CHANNELS ? LENGTH * CHANNELS : 1], y_before[HELD], alone[STEPPED ? LENGTH : 1];
    float row[LENGTH], last[LOOKS_BACK ? LENGTH : 1];  // last: local costs of that row

    DEVICE void start(const Pair& pair, int from, int first) {
        const float* values = pair.y + (i64)from * pair.channels * LANES;
        if (CHANNELS) {
            UNROLL for (int k = 0; k < LENGTH * CHANNELS; ++k) y[k] = values[k * LANES];
            if (RULE == MSM) y_before[0] = from ? values[-LANES] : y[0];
            if (LOOKS_BACK) UNROLL for (int k = 0; k < CHANNELS; ++k) y_before[k] = values[(k - CHANNELS) * LANES];
        }
        if (STEPPED) UNROLL for (int j = 0; j < LENGTH; ++j) alone[j] = pair.y_alone[(i64)(from + j) * LANES];
        UNROLL for (int j = 0; j < LENGTH; ++j) row[j] = first == 0 ? pair.top_at(from + j) : outside();
        if (LOOKS_BACK) {
            const float* x = pair.x + (i64)(first - 1) * pair.channels;
            UNROLL for (int j = 0; j < LENGTH; ++j) last[j] = cost_of(pair, x, from, j);
        }
    }

    // Local cost of a step x of the series and column j; j = -1: the column before.
    DEVICE float cost_of(const Pair& pair, const float* x, int from, int j) const {
        if (CHANNELS) return local_cost(x, j < 0 ? y_before : y + j * CHANNELS, CHANNELS, 1);
        return local_cost(x, pair.y + (i64)(from + j) * pair.channels * LANES, pair.channels, LANES);
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

    // A row, so many steps ahead of the first column: `at` has what is of the row alone; `left` and `diagonal` are the cells before its first column, `corner` is the
    // local cost there; columns outside [low, high) are closed.
    // SIDE: whether all columns are on one side of the diagonal, -1: before the row's number, 1: after it; 0: who knows.
    template <int SIDE>
    DEVICE float pass(const Rule& rule, Cell at, int ahead, const float* x, const float* cost, float left, float diagonal,
                      float corner, int low, int high) {
        const float far = (float)ahead;
        at.x = x[0];
        if (RULE == MSM) at.y_before = y_before[0];
        UNROLL for (int j = 0; j < LENGTH; ++j) {
            if (CHANNELS) at.y = y[j * HELD];
            at.cost = CHANNELS ? local_cost(x, y + j * HELD, CHANNELS, 1) : cost[j];
            at.steps = SIDE < 0 || (SIDE == 0 && ahead > j) ? ahead - j : j - ahead;
            at.apart = absolute(far - (float)j);
            if (STEPPED) at.y_alone = alone[j];
            if (LOOKS_BACK) at.last = corner, corner = last[j], last[j] = at.cost;
            left = cell_of(rule, at, diagonal, row[j], left);
            diagonal = row[j];
            if (BANDED) left = (u32)(j - low) < (u32)(high - low) ? left : outside();
            row[j] = left;
            at.y_before = at.y;
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
    const Pair& pair;
    int from;                    // the strip's first column
    int entry_first, entry_end;  // rows whose column before the strip is in the band, and in the border
    bool writes;
    float diagonal;

    DEVICE float before(int i) const {
        if (from == 0) return pair.edge_at(i);
        return i >= entry_first && i < entry_end ? pair.border[(i64)i * LANES] : outside();
    }

    template <int N>
    DEVICE void pass(Strip& strip, int i) {
        const float* xi = pair.x + (i64)i * pair.channels;
        float cost[N][LENGTH], left[N];
        UNROLL for (int r = 0; r < N; ++r) left[r] = before(i + r);
        if constexpr (!CHANNELS)
            strip.costs<N>(xi, pair.y + (i64)from * pair.channels * LANES, pair.channels, cost);
        UNROLL for (int r = 0; r < N; ++r) {
            float xr[HELD];
            UNROLL for (int k = 0; k < HELD; ++k) xr[k] = xi[r * pair.channels + k];
            int low = 0, high = LENGTH;
            if (BANDED) {
                low = pair.band.low(i + r) - from, high = pair.band.high(i + r) - from;
                low = low < 0 ? 0 : low, high = high < low ? low : high;
            }
            Cell at{};
            if (STEPPED) at.x_alone = pair.x_alone[i + r];
            if (RULE == MSM) at.x_before = i + r ? xi[r - 1] : xi[r];
            const float corner = LOOKS_BACK ? strip.cost_of(pair, xi + (r - 1) * pair.channels, from, -1) : 0.0f;
            const Rule& rule = pair.rule;
            const int ahead = i + r - from;
            float last;
            if (RULE == WDTW && ahead >= LENGTH)
                last = strip.pass<-1>(rule, at, ahead, xr, cost[r], left[r], diagonal, corner, low, high);
            else if (RULE == WDTW && ahead <= 0)
                last = strip.pass<1>(rule, at, ahead, xr, cost[r], left[r], diagonal, corner, low, high);
            else last = strip.pass<0>(rule, at, ahead, xr, cost[r], left[r], diagonal, corner, low, high);
            diagonal = left[r];
            if (writes) pair.border[(i64)(i + r) * LANES] = last;
        }
    }

    // Rows [first, end): ROWS at once, so that the registers of a row need not move, then those left over.
    DEVICE void run(Strip& strip, int first, int end) {
        diagonal = first > 0 ? before(first - 1) : from == 0 ? 0.0f : pair.top_at(from - 1);
        int i = first;
        for (; i + ROWS <= end; i += ROWS) pass<ROWS>(strip, i);
        for (; i < end; ++i) pass<1>(strip, i);
    }
};

// The cost of the best path; infinite if there is none in the band. A warp takes as many strips as its longest landmark.
DEVICE float path_cost(const Pair& pair, int strips) {
    Strip strip;
    float cost = INFINITE;
    for (int k = 0, entry_first = 0, entry_end = 0; k < strips; ++k) {
        const int from = k * LENGTH, to = from + LENGTH, m = pair.columns;
        if (from < m) {
            const int first = BANDED ? pair.band.first_row(from) : 0;
            const int end = BANDED ? pair.band.end_row(to < m ? to : m) : pair.rows;
            strip.start(pair, from, first);
            Sweep sweep{pair, from, entry_first, entry_end, to < m, 0.0f};
            sweep.run(strip, first, end);
            // A strip whose last row is not the matrix's does not hold the last cell.
            if (to >= m && end == pair.rows && first < end && pair.holds(end - 1, m - 1)) cost = strip.at(m - 1 - from);
            entry_first = first, entry_end = end;
        }
    }
    return cost;
}
