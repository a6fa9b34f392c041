// What a ridge needs of features that are on the device, in float64: rows √w (1, φ, y) about a centre and in units of a
// scale, and what follows from their second moments M, of `width` columns: 1, R features, T targets, and zeros. Matrix
// products and Cholesky's are the libraries'.
constexpr int MOMENT_THREADS = 256;
#ifndef Number
#define Number double  // of the rows, and so of their products
#endif

// `y` are in their units already: a row of them for each object, or for each class; `roots` of the weights, if `weighted`.
KERNEL(standard_rows, MOMENT_THREADS)(const float* phi, i64 stride, const int* members, int count, const double* centre,
                                      const double* per_scale, const double* y, const int* which, const double* roots, int weighted, int R,
                                      int T, int width, Number* out) {
    for (int i = BLOCK_X; i < count; i += BLOCKS_X) {
        const i64 row = members[i];
        const float* from = phi + row * stride;
        Number* to = out + (i64)i * width;
        EACH_THREAD(t) {
            const double* targets = y + which[row] * (i64)T;
            const double root = weighted ? roots[row] : 1.0;
            for (int j = t; j < width; j += MOMENT_THREADS) {
                const double value = j == 0         ? 1.0
                                     : j <= R       ? ((double)from[j - 1] - centre[j - 1]) * per_scale[j - 1]
                                     : j <= R + T   ? targets[j - 1 - R]
                                                    : 0.0;
                to[j] = (Number)(value * root);
            }
        }
    }
}

// The first row of M, and its diagonal.
KERNEL(edge_of, MOMENT_THREADS)(const double* M, int width, double* out) {
    EACH_THREAD(t) {
        const int j = BLOCK_X * MOMENT_THREADS + t;
        if (j < width) {
            out[j] = M[j];
            out[width + j] = M[(i64)j * width + j];
        }
    }
}

// Correlations of the leading `size` features, with a penalty on the diagonal, and with the targets: of all rows, or
// (less = 1) of all but a fold's. mean and unit say how the columns are standardised.
KERNEL(normal_equations, MOMENT_THREADS)(const double* total, const double* fold, int less, int width, int R, int T,
                                         int size, double weight, const double* mean, const double* unit, double penalty,
                                         double* A, double* b) {
    for (int i = BLOCK_X; i < size; i += BLOCKS_X)
        EACH_THREAD(t) {
            const double own = mean[1 + i], scale = unit[i];
            for (int j = t; j < size + T; j += MOMENT_THREADS) {
                const int column = j < size ? 1 + j : 1 + R + j - size;
                const i64 place = (i64)(1 + i) * width + column;
                const double sum = total[place] - (less ? fold[place] : 0.0);
                const double value = scale * (sum / weight - own * mean[column]);
                if (j < size) A[(i64)i * size + j] = value * unit[j] + (i == j ? penalty : 0.0);
                else b[(i64)i * T + j - size] = value;
            }
        }
}
