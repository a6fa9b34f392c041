// Python face of the operation counters.
#include <nanobind/stl/string.h>

#include "bindings.hpp"

SEAMARK_DECLARE_KERNEL(integer_operations, int64_t, int64_t*)
SEAMARK_DECLARE_KERNEL(float_operations, int64_t, int64_t*)

namespace seamark {

void bind_peak(nb::module_& m) {
    m.def(
        "integer_operations",
        [](int64_t iterations, const std::string& isa) {
            int64_t done = 0;
            integer_operations(isa_from_name(isa))(iterations, &done);
            return done;
        },
        nb::arg("iterations"), nb::arg("isa"), "Do vector additions of 64-bit lanes; return how many lanes.");
    m.def(
        "float_operations",
        [](int64_t iterations, const std::string& isa) {
            int64_t done = 0;
            float_operations(isa_from_name(isa))(iterations, &done);
            return done;
        },
        nb::arg("iterations"), nb::arg("isa"), "Do vector additions and multiplications of float32; return how many lanes.");
}

}  // namespace seamark
