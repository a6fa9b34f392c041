// Python face of the Manhattan kernel.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "bindings.hpp"
#include "manhattan.hpp"

SEAMARK_DECLARE_KERNEL(manhattan, const seamark::ManhattanJob*)

namespace seamark {

constexpr int64_t kGroupFloats = 1 << 17;  // packed landmarks that stay in the second-level cache

static void run(In<double, 2> X, In<double, 2> L, Out out, Stop stop, const std::string& isa) {
    const int64_t n = X.shape(0), R = L.shape(0), d = X.shape(1);
    if ((int64_t)L.shape(1) != d) throw std::invalid_argument("X and L differ in their number of columns");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold a flag");
    const int64_t stride = row_stride(out, n, R), tile = d * kManhattanTile;
    const auto kernel = manhattan(isa_from_name(isa));
    // At least one tile, at most a group, and no more than there are landmarks.
    const int64_t all = (R + kManhattanTile - 1) / kManhattanTile * tile;
    const int64_t capacity = std::max(tile, std::min(kGroupFloats, all));
    std::vector<float> tiles(capacity), lows(tile), limits(R + kManhattanTile), rows(2 * kManhattanBlock * d);
    const ManhattanJob job{X.data(),    n,           L.data(),     R,           d,          tiles.data(), capacity,
                           lows.data(), limits.data(), rows.data(), out.data(), stride,     stop.data()};
    const WithoutGil released;
    kernel(&job);
}

void bind_manhattan(nb::module_& m) {
    m.def("manhattan", &run, nb::arg("X"), nb::arg("L"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(), nb::arg("isa"),
          "Write the Manhattan distances of the rows of X to the rows of L into out.");
}

}  // namespace seamark
