// What is asked of many rows beside their features: hashes of texts, and the sums of a softmax's calibration.
constexpr int ROW_THREADS = 64;

// Mix 64 bits one to one, so that each depends on all: as seamark.data.hashing does.
DEVICE u64 mixed_bits(u64 word) {
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ word >> 27) * 0x94D049BB133111EBull;
    return word ^ word >> 31;
}

// The hash of each text: a sum over its symbols, each mixed with its place, and its length.
template <typename Symbol>
DEVICE u64 hash_of(const Symbol* text, i64 length) {
    const u64 step = 0x9E3779B97F4A7C15ull;
    u64 sum = 0;
    for (i64 i = 0; i < length; ++i)
        if (text[i]) sum += mixed_bits(text[i] + mixed_bits((u64)(i + 1) * step));
    return mixed_bits(sum + (u64)length * step);
}

KERNEL(hashes, ROW_THREADS)(const u8* texts, int symbol_bytes, const i64* offsets, i64 n, u64* out) {
    for (i64 block = BLOCK_X; block * ROW_THREADS < n; block += BLOCKS_X)
        EACH_THREAD(t) {
            const i64 i = block * ROW_THREADS + t;
            if (i < n) {
                const i64 first = offsets[i], length = offsets[i + 1] - first;
                out[i] = symbol_bytes == 1   ? hash_of(texts + first, length)
                         : symbol_bytes == 2 ? hash_of((const u16*)texts + first, length)
                                             : hash_of((const u32*)texts + first, length);
            }
        }
}

// Σ w log Σ exp(a), Σ w p · s and Σ w p of each class, for logits a = slope · s + offsets and chances p, by each block.
KERNEL(softmax_sums, ROW_THREADS)(const double* scores, const double* weights, i64 n, int T, const double* parameters,
                                  double* out) {
    SHARED(double, sums);  // of each thread: loss, slope, offsets, and the logits at hand
    const int size = 2 + 2 * T;
    EACH_THREAD(t) {
        double *mine = sums + t * size, *logit = mine + 2 + T;
        for (int k = 0; k < size; ++k) mine[k] = 0.0;
        for (i64 row = (i64)BLOCK_X * ROW_THREADS + t; row < n; row += (i64)BLOCKS_X * ROW_THREADS) {
            const double* own = scores + row * T;
            double most = -1e300, sum = 0.0;
            for (int k = 0; k < T; ++k) {
                logit[k] = parameters[0] * own[k] + parameters[1 + k];
                most = logit[k] > most ? logit[k] : most;
            }
            for (int k = 0; k < T; ++k) sum += logit[k] = exp(logit[k] - most);
            const double share = weights[row] / sum;
            mine[0] += weights[row] * (log(sum) + most);
            for (int k = 0; k < T; ++k) {
                mine[1] += share * logit[k] * own[k];
                mine[2 + k] += share * logit[k];
            }
        }
    }
    BARRIER;
    EACH_THREAD(t) {
        for (int k = t; k < 2 + T; k += ROW_THREADS) {
            double sum = 0.0;
            for (int i = 0; i < ROW_THREADS; ++i) sum += sums[i * size + k];
            out[(i64)BLOCK_X * (2 + T) + k] = sum;
        }
    }
}
