// Python face of the Manhattan kernel.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "bindings.hpp"

SEAMARK_DECLARE_KERNEL(manhattan, const float*, int64_t, const float*, int64_t, int64_t, float*, int64_t, float*, int64_t,
                       const uint8_t*)

namespace seamark {

constexpr int64_t kLargestTile = 32;          // two registers of 16 floats
constexpr int64_t kGroupFloats = 1 << 17;      // packed landmarks that stay in the second-level cache

static void run(In<float, 2> X, In<float, 2> L, Out out, Stop stop, const std::string& isa) {
    const int64_t n = X.shape(0), R = L.shape(0), d = X.shape(1);
    if ((int64_t)L.shape(1) != d) throw std::invalid_argument("X and L differ in their number of columns");
    const int64_t stride = row_stride(out, n, R);
    const auto kernel = manhattan(isa_from_name(isa));
    // At least one tile, at most a group, and no more than there are landmarks.
    const int64_t all = (R + kLargestTile - 1) / kLargestTile * kLargestTile * d;
    const int64_t capacity = std::max(d * kLargestTile, std::min(kGroupFloats, all));
    std::vector<float> tiles(capacity);
    nb::gil_scoped_release release;
    kernel(X.data(), n, L.data(), R, d, tiles.data(), capacity, out.data(), stride, stop.data());
}

void bind_manhattan(nb::module_& m) {
    m.def("manhattan", &run, nb::arg("X"), nb::arg("L"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(), nb::arg("isa"),
          "Write the Manhattan distances of the rows of X to the rows of L into out.");
}

}  // namespace seamark
