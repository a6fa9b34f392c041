// What a ridge needs of its rows, in float64: rows (1, φ, y) of some objects, and what follows from their second moments
// M, of `width` columns: 1, R features, T targets, and zeros. Matrix products and Cholesky's are the libraries'.
constexpr int SUM_THREADS = 256;

// The sum of one number of each thread, for every thread to read; scratch holds one more than there are threads.
#define SUM_OF(scratch)                                                        \
    BARRIER;                                                                   \
    EACH_THREAD(t) {                                                           \
        double sum = 0.0;                                                      \
        for (int i = 0; t == 0 && i < SUM_THREADS; ++i) sum += (scratch)[i];   \
        if (t == 0) (scratch)[SUM_THREADS] = sum;                              \
    }                                                                          \
    BARRIER

// φ: a table of what each byte of `values` stands for, less a centre. y: ±1 for each of T classes.
KERNEL(rows_of, SUM_THREADS)(const u8* values, i64 stride, const int* members, int count, const double* table,
                             const double* centre, const int* y, int R, int T, int width, double* out) {
    SHARED(double, look);
    EACH_THREAD(t) { look[t] = table[t]; }
    BARRIER;
    for (int i = BLOCK_X; i < count; i += BLOCKS_X) {
        const i64 row = members[i];
        const u8* from = values + row * stride;
        double* to = out + (i64)i * width;
        EACH_THREAD(t) {
            for (int j = t; j < width; j += SUM_THREADS)
                to[j] = j == 0 ? 1.0 : j <= R ? look[from[j - 1]] - centre[j - 1] : j > R + T ? 0.0 : y[row] == j - 1 - R ? 1.0 : -1.0;
        }
    }
}

KERNEL(means_of, SUM_THREADS)(const u8* values, i64 stride, int count, const double* table, int R, double* out) {
    EACH_THREAD(t) {
        const int j = BLOCK_X * SUM_THREADS + t;
        double sum = 0.0;
        if (j < R) {
            for (int i = 0; i < count; ++i) sum += table[values[i * stride + j]];
            out[j] = sum / count;
        }
    }
}

KERNEL(count_bytes, SUM_THREADS)(const u8* values, i64 stride, int count, int R, int* counts) {
    SHARED(int, own);
    EACH_THREAD(t) { own[t] = 0; }
    BARRIER;
    for (int i = BLOCK_X; i < count; i += BLOCKS_X)
        EACH_THREAD(t) {
            for (int j = t; j < R; j += SUM_THREADS) take_number(own + values[i * stride + j]);
        }
    BARRIER;
    EACH_THREAD(t) {
        if (own[t]) take_numbers(counts + t, own[t]);
    }
}

// Moments of all rows, or (less = 1) of all but a fold's.
struct Moments {
    const double *total, *fold;
    int less, width;

    DEVICE double at(i64 i, i64 j) const { return total[i * width + j] - (less ? fold[i * width + j] : 0.0); }
};

// Means of features and targets, and one over the deviation of each feature that varies.
KERNEL(units, SUM_THREADS)(const double* total, const double* fold, int less, int width, int R, int T, double* mean,
                           double* unit) {
    const Moments M{total, fold, less, width};
    EACH_THREAD(t) {
        const int i = BLOCK_X * SUM_THREADS + t;
        if (i < R + T) {
            const double weight = M.at(0, 0), own = M.at(0, i + 1) / weight, square = M.at(i + 1, i + 1) / weight;
            const double variance = square - own * own;
            mean[i] = own;
            if (i < R) unit[i] = variance > 1e-12 * square ? 1.0 / sqrt(variance) : 0.0;
        }
    }
}

// Correlations of features, with a penalty on the diagonal, and with the targets.
KERNEL(equations, SUM_THREADS)(const double* total, const double* fold, int less, int width, int R, int T,
                               const double* mean, const double* unit, double penalty, double* A, double* b) {
    const Moments M{total, fold, less, width};
    const double weight = M.at(0, 0);
    for (int i = BLOCK_X; i < R; i += BLOCKS_X)
        EACH_THREAD(t) {
            for (int j = t; j < R + T; j += SUM_THREADS) {
                const double value = unit[i] * (M.at(i + 1, j + 1) / weight - mean[i] * mean[j]);
                if (j < R) A[(i64)i * R + j] = value * unit[j] + (i == j ? penalty : 0.0);
                else b[(i64)i * T + j - R] = value;
            }
        }
}

// From a solution, vectors whose product with rows (1, φ, y) is what the ridge leaves of the targets.
KERNEL(residuals, SUM_THREADS)(const double* solution, const double* mean, const double* unit, int R, int T, int width,
                               double* out) {
    SHARED(double, scratch);
    const int k = BLOCK_X;
    EACH_THREAD(t) {
        double sum = 0.0;
        for (int j = t + 1; j < width; j += SUM_THREADS) {
            const double coef = j <= R ? unit[j - 1] * solution[(i64)(j - 1) * T + k] : 0.0;
            out[(i64)j * T + k] = j <= R ? -coef : j == 1 + R + k ? 1.0 : 0.0;
            if (j <= R) sum += mean[j - 1] * coef;
        }
        scratch[t] = sum;
    }
    SUM_OF(scratch);
    EACH_THREAD(t) {
        if (t == 0) out[k] = scratch[SUM_THREADS] - mean[R + k];
    }
}

// The product of two vectors, into out[place].
KERNEL(product, SUM_THREADS)(const double* a, const double* b, int n, double* out, int place) {
    SHARED(double, scratch);
    EACH_THREAD(t) {
        scratch[t] = 0.0;
        for (int i = t; i < n; i += SUM_THREADS) scratch[t] += a[i] * b[i];
    }
    SUM_OF(scratch);
    EACH_THREAD(t) {
        if (t == 0) out[place] = scratch[SUM_THREADS];
    }
}

// Scores from what was left of the targets.
KERNEL(scores_of, SUM_THREADS)(const double* left, const int* members, int count, const int* y, int T, float* scores) {
    EACH_THREAD(t) {
        for (i64 i = (i64)BLOCK_X * SUM_THREADS + t; i < (i64)count * T; i += (i64)BLOCKS_X * SUM_THREADS) {
            const i64 row = members[i / T], k = i % T;
            scores[row * T + k] = (float)((y[row] == k ? 1.0 : -1.0) - left[i]);
        }
    }
}

// Cross-entropy of softmax(slope · scores + offsets) and its derivatives by slope and offsets, summed by each block.
// own[c]: target of a row of class c for that class; the others share the rest.
KERNEL(calibration, 64)(const float* scores, const int* y, i64 n, int T, const double* parameters, const double* own,
                        double* out) {
    SHARED(double, sums);  // of each thread: loss, slope, offsets, and the logits at hand
    const int size = 2 + 2 * T;
    EACH_THREAD(t) {
        double *mine = sums + t * size, *logit = mine + 2 + T;
        for (int k = 0; k < size; ++k) mine[k] = 0.0;
        for (i64 row = (i64)BLOCK_X * 64 + t; row < n; row += (i64)BLOCKS_X * 64) {
            double most = -1e300, sum = 0.0;
            for (int k = 0; k < T; ++k) {
                logit[k] = parameters[0] * scores[row * T + k] + parameters[1 + k];
                most = logit[k] > most ? logit[k] : most;
            }
            for (int k = 0; k < T; ++k) sum += exp(logit[k] - most);
            const double shift = most + log(sum), doubt = (1.0 - own[y[row]]) / (T - 1);
            for (int k = 0; k < T; ++k) {
                const double target = y[row] == k ? own[k] : doubt, error = exp(logit[k] - shift) - target;
                mine[0] -= target * (logit[k] - shift);
                mine[1] += error * scores[row * T + k];
                mine[2 + k] += error;
            }
        }
    }
    BARRIER;
    EACH_THREAD(t) {
        for (int k = t; k < 2 + T; k += 64) {
            double sum = 0.0;
            for (int i = 0; i < 64; ++i) sum += sums[i * size + k];
            out[(i64)BLOCK_X * (2 + T) + k] = sum;
        }
    }
}
