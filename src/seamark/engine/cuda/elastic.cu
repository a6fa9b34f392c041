// Path costs of the elastic family, each by its rule; of LCSS counts of what matches.
//
// `lead`: steps of origin that come before every series and landmark. Of the series' steps: `x_alone`, `edges`; of the series:
// `x_levels`; of the landmarks' steps, as their values lie: `y_alone`, `tops`; of the landmarks: `levels`.
// weights: from 2 |i - j| = longer - reach on.
KERNEL(elastic, LANES * WARPS)(const float* x, const i64* offsets, i64 n, int channels, int lead, int steps, double fraction,
                               float number, const float* x_alone, const float* edges, const float* x_levels,
                               const float* weights, int reach, const WarpBlock* blocks, const float* landmarks,
                               const int* lengths, const int* columns, const float* y_alone, const float* tops,
                               const float* levels, float* borders, i64 border_length, float* out, i64 stride) {
    const WarpBlock block = blocks[BLOCK_X];
    EACH_THREAD(t) {
        const int lane = t % LANES, warp = t / LANES, landmark = block.first + (lane < block.lanes ? lane : 0);
        const i64 slot = ((i64)BLOCK_Y * BLOCKS_X + BLOCK_X) * WARPS + warp;
        Pair pair{};
        pair.y = landmarks + block.values + lane, pair.columns = lengths[landmark], pair.channels = channels;
        if (STEPPED) pair.y_alone = y_alone + block.alone + lane, pair.top = tops + block.alone + lane;
        pair.border = borders + slot * border_length * LANES + lane;
        pair.band.steps = steps, pair.band.fraction = fraction;
        pair.rule.number = number;
        for (i64 s = (i64)BLOCK_Y * WARPS + warp; s < n; s += (i64)BLOCKS_Y * WARPS) {
            const i64 from = offsets[s] + lead;
            pair.x = x + from * channels, pair.rows = (int)(offsets[s + 1] - from);
            if (STEPPED) pair.x_alone = x_alone + from, pair.edge = edges + from;
            if (LEVELLED) pair.rule.level = larger(x_levels[s], levels[landmark]);
            if (RULE == WDTW) pair.rule.weights = weights + reach - (pair.rows > pair.columns ? pair.rows : pair.columns);
            if (BANDED) pair.band.of(pair.rows, pair.columns);
            const float cost = path_cost(pair, block.strips);
            if (lane < block.lanes) out[s * stride + columns[landmark]] = cost;
        }
    }
}
