// Path costs of dynamic time warping; those that are small against both sizes are noted, to be computed again.
KERNEL(dtw, LANES * WARPS)(const float* x, const i64* offsets, const float* x_sizes, i64 n, int channels, int steps,
                           double fraction, float sure, const WarpBlock* blocks, const float* landmarks, const int* lengths,
                           const int* columns, const float* sizes, float* borders, i64 border_length, float* out,
                           i64 stride, int* counter, i64* unsure, int most_unsure) {
    const WarpBlock block = blocks[BLOCK_X];
    EACH_THREAD(t) {
        const int lane = t % LANES, warp = t / LANES, landmark = block.first + (lane < block.lanes ? lane : 0);
        const i64 slot = ((i64)BLOCK_Y * BLOCKS_X + BLOCK_X) * WARPS + warp;
        Pair pair{};
        pair.y = landmarks + block.values + lane, pair.columns = lengths[landmark], pair.channels = channels;
        pair.border = borders + slot * border_length * LANES + lane;
        pair.band.steps = steps, pair.band.fraction = fraction;
        for (i64 s = (i64)BLOCK_Y * WARPS + warp; s < n; s += (i64)BLOCKS_Y * WARPS) {
            pair.x = x + offsets[s] * channels, pair.rows = (int)(offsets[s + 1] - offsets[s]);
            if (BANDED) pair.band.of(pair.rows, pair.columns);
            const float cost = path_cost(pair, block.strips);
            if (lane < block.lanes) {
                out[s * stride + columns[landmark]] = cost;
                const float step = sure * (x_sizes[s] + sizes[landmark]);
                if (cost < (ROOTED ? step : step * step) * (float)(pair.rows + pair.columns)) {
                    const int place = take_number(counter);
                    if (place < most_unsure) unsure[place] = s * stride + columns[landmark];
                }
            }
        }
    }
}
