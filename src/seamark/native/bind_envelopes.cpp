// Python face of the kernel of envelopes.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "envelopes.hpp"

SEAMARK_DECLARE_KERNEL(envelopes, const seamark::EnvelopeJob*)

namespace seamark {

using Results = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void run(In<float, 2> points, In<float, 2> low, In<float, 2> high, Results out, Stop stop, const std::string& isa) {
    const int64_t n = out.shape(0), d = points.shape(1), m = points.shape(0), b = low.shape(0);
    if ((int64_t)low.shape(1) != d || (int64_t)high.shape(1) != d || (int64_t)high.shape(0) != b)
        throw std::invalid_argument("points and boxes differ in shape");
    if ((m != 1 && m != n) || (b != 1 && b != n)) throw std::invalid_argument("there must be one point or box, or one for each result");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    const auto kernel = envelopes(isa_from_name(isa));
    const EnvelopeJob job{points.data(), m == 1 ? 0 : d, low.data(), high.data(), b == 1 ? 0 : d, n, d, out.data(), stop.data()};
    const WithoutGil released;
    kernel(&job);
}

void bind_envelopes(nb::module_& m) {
    m.def("envelopes", &run, nb::arg("points"), nb::arg("low"), nb::arg("high"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(),
          nb::arg("isa"), "Write the squared distances of points to boxes into out.");
}

}  // namespace seamark
