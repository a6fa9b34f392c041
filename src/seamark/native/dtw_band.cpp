// Dynamic time warping within a band; landmarks in lanes.
//
// Where all lanes share one band (landmarks of one length, or a band of so many steps) the rows of a tile join and
// leave as their bands begin and end, and nothing is masked. Otherwise the union is swept, and only the columns that
// are not inside the band of every lane are masked.
#include "dtw_cells.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

typedef uint32_t unsigneds __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));

template <int C, bool Root>
struct Banded {
    // A tile of T rows in a band all lanes share; low[T - 1] <= high[0].
    template <int T>
    struct Shared {
        Series<C> x;
        const float* y;
        float* row;
        floats diagonal, left[T];

        // Column j of the rows [From, To); the rows before have ended, the rows after have not begun.
        template <int From, int To>
        SEAMARK_INLINE void step(Shared& a, int64_t j) {
            const float* y = a.y + j * a.x.channels * kFloats;
            if (From == 0) {
                const floats up = load(a.row + j * kFloats);
                column<C, Root, To>(a.x, y, up, a.diagonal, a.left);
                a.diagonal = up;
            } else {
                constexpr int Before = From ? From - 1 : 0;
                const floats diagonal = a.left[Before];
                a.left[Before] = broadcast(kInfinity);
                column<C, Root, To - From>(a.x.from(From), y, broadcast(kInfinity), diagonal, a.left + From);
            }
            if (To == T) store(a.row + j * kFloats, a.left[T - 1]);
        }

        template <int K>
        SEAMARK_INLINE void head(Shared& a, const int32_t* low) {
            if constexpr (K < T) {
                for (int64_t j = low[K - 1]; j < low[K]; ++j) step<0, K>(a, j);
                head<K + 1>(a, low);
            }
        }

        template <int K>
        SEAMARK_INLINE void tail(Shared& a, const int32_t* high) {
            if constexpr (K < T) {
                for (int64_t j = high[K - 1]; j < high[K]; ++j) step<K, T>(a, j);
                tail<K + 1>(a, high);
            }
        }

        static void run(Series<C> x, const float* y, const DtwBand* band, int64_t i, floats diagonal, float* row) {
            const int32_t *low = band->low + i, *high = band->high + i;
            Shared a{x, y, row, diagonal, {}};
            SEAMARK_UNROLL for (int t = 0; t < T; ++t) a.left[t] = broadcast(kInfinity);
            head<1>(a, low);
            for (int64_t j = low[T - 1]; j < high[0]; ++j) step<0, T>(a, j);
            tail<1>(a, high);
        }
    };

    // A tile of T rows in bands that differ between lanes.
    template <int T>
    struct Mixed {
        template <bool Masked>
        SEAMARK_INLINE void columns(const Series<C>& x, const float* y, const ints* low, const unsigneds* width,
                                    int64_t from, int64_t to, floats& diagonal, floats* left, float* row) {
            for (int64_t j = from; j < to; ++j) {
                const floats up = load(row + j * kFloats);
                if (Masked)
                    masked_column(x, y + j * x.channels * kFloats, low, width, (int32_t)j, up, diagonal, left);
                else
                    column<C, Root, T>(x, y + j * x.channels * kFloats, up, diagonal, left);
                store(row + j * kFloats, left[T - 1]);
                diagonal = up;
            }
        }

        SEAMARK_INLINE void masked_column(const Series<C>& x, const float* y, const ints* low, const unsigneds* width,
                                          int32_t j, floats up, floats diagonal, floats* left) {
            SEAMARK_UNROLL for (int t = 0; t < T; ++t) {
                const floats before = left[t];
                column<C, Root, 1>(x.from(t), y, up, diagonal, left + t);
                left[t] = (unsigneds)(j - low[t]) < width[t] ? left[t] : broadcast(kInfinity);
                diagonal = before;
                up = left[t];
            }
        }

        static void run(Series<C> x, const float* y, const DtwBand* band, int64_t i, floats diagonal, float* row) {
            floats left[T];
            ints low[T];
            unsigneds width[T];
            SEAMARK_UNROLL for (int t = 0; t < T; ++t) {
                ints high;
                memcpy(&low[t], band->lane_low + (i + t) * kFloats, sizeof high);
                memcpy(&high, band->lane_high + (i + t) * kFloats, sizeof high);
                width[t] = (unsigneds)(high - low[t]);
                left[t] = broadcast(kInfinity);
            }
            const int64_t begin = band->low[i], end = band->high[i + T - 1];
            const int64_t core = between(band->core_low[i + T - 1], begin, end);
            const int64_t rest = between(band->core_high[i], core, end);
            columns<true>(x, y, low, width, begin, core, diagonal, left, row);
            columns<false>(x, y, low, width, core, rest, diagonal, left, row);
            columns<true>(x, y, low, width, rest, end, diagonal, left, row);
        }

        static int64_t between(int64_t value, int64_t least, int64_t most) {
            return value < least ? least : value > most ? most : value;
        }
    };

    // `row` has one column of infinity before column 0.
    static void series(const DtwBlock* block, const DtwBand* band, Series<C> x, int64_t n, float* row,
                       const uint8_t* stop) {
        const floats infinite = broadcast(kInfinity);
        int64_t i = 0, written = 0;  // columns below `written` hold cells of rows < i
        store(row - kFloats, infinite);
        while (i < n && !stopped(stop)) {
            const auto fits = [&](int rows) { return i + rows <= n && band->low[i + rows - 1] <= band->high[i]; };
            const bool mixed = band->lane_low != nullptr;
            const int rows = !mixed && fits(8) ? 8 : fits(4) ? 4 : fits(2) ? 2 : 1;
            const int64_t last = i + rows - 1, begin = band->low[i];
            for (; written < band->high[last]; ++written) store(row + written * kFloats, infinite);
            const floats diagonal = i == 0 && begin == 0 ? floats{} : load(row + (begin - 1) * kFloats);
            const auto kernel = rows == 8   ? Shared<8>::run
                                : rows == 4 ? (mixed ? Mixed<4>::run : Shared<4>::run)
                                : rows == 2 ? (mixed ? Mixed<2>::run : Shared<2>::run)
                                            : (mixed ? Mixed<1>::run : Shared<1>::run);
            kernel(x.from(i), block->values, band, i, diagonal, row);
            // The next tile may begin in the same column: what is left of it lies outside the band.
            store(row + ((int64_t)band->low[last] - 1) * kFloats, infinite);
            i += rows;
        }
    }

    static void run(const DtwJob* job, const DtwBlock* block, const DtwBand* band) {
        float* row = job->row + kFloats;
        for (int64_t s = 0; s < job->count; ++s) {
            const int64_t which = job->which[s], n = job->lengths[which];
            series(block, band, Series<C>::of(job, which), n, row, job->stop);
            if (stopped(job->stop)) return;
            float* out = job->out + which * job->stride;
            for (int64_t lane = 0; lane < block->used; ++lane) {
                const int64_t j = block->lengths[lane] - 1;
                const bool inside = band->low[n - 1] <= j && j < band->high[n - 1];
                out[block->columns[lane]] = inside ? row[j * kFloats + lane] : kInfinity;
            }
        }
    }
};

}  // namespace

void dtw_banded(const DtwBlock* block, const DtwBand* band, const DtwJob* job) { by_channels<Banded>(job, block, band); }

}  // namespace SEAMARK_ISA
}  // namespace seamark
