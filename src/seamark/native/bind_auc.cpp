// Python face of the AUC kernel.
#include <nanobind/stl/string.h>

#include <vector>

#include "auc.hpp"
#include "bindings.hpp"

SEAMARK_DECLARE_KERNEL(auc, seamark::AucJob*)

namespace seamark {

template <typename T, int Dim>
using State = nb::ndarray<T, nb::ndim<Dim>, nb::c_contig, nb::device::cpu>;

static void check_moves(const AucJob& job) {
    for (int64_t m = 0; m < job.n_moves; ++m) {
        const bool falls = m > 0 && job.step[m] < job.step[m - 1];
        if (falls || job.step[m] < 0 || job.step[m] >= job.n || job.slot[m] < 0 || job.slot[m] >= job.slots ||
            job.source[m] < -1 || job.source[m] >= job.slots)
            throw std::invalid_argument("moves out of range");
    }
}

static void run(In<double, 2> X, In<int64_t, 1> labels, In<int64_t, 1> step, In<int64_t, 1> slot, In<int64_t, 1> source,
                State<double, 2> points, State<int64_t, 1> known, State<double, 2> w, State<double, 2> sum,
                State<double, 1> squares, State<double, 1> losses, int64_t n_filled, int64_t t, int surrogate, bool opposite,
                int schedule, double eta, double radius, const std::string& isa) {
    const int64_t n = X.shape(0), d = X.shape(1), problems = w.shape(0), slots = points.shape(0);
    if ((int64_t)labels.shape(0) != n || (int64_t)losses.shape(0) != n || (int64_t)points.shape(1) != d ||
        (int64_t)w.shape(1) != d || (int64_t)sum.shape(0) != problems || (int64_t)sum.shape(1) != d ||
        (int64_t)known.shape(0) != slots || squares.shape(0) != 2 || slot.shape(0) != step.shape(0) ||
        source.shape(0) != step.shape(0) || n_filled < 0 || n_filled > slots)
        throw std::invalid_argument("arrays do not fit each other");
    if (surrogate < 0 || surrogate > 3 || schedule < 0 || schedule > 2) throw std::invalid_argument("unknown surrogate or schedule");
    std::vector<double> gradient(problems * d), slopes(slots), copies(slots * d);
    std::vector<int64_t> before(slots);
    AucJob job{X.data(), labels.data(), n, d, problems, step.data(), slot.data(), source.data(), (int64_t)step.shape(0),
               points.data(), known.data(), slots, w.data(), sum.data(), squares.data(), losses.data(), n_filled, t,
               static_cast<Surrogate>(surrogate), opposite, static_cast<Schedule>(schedule), eta, radius,
               gradient.data(), slopes.data(), copies.data(), before.data()};
    check_moves(job);
    const auto kernel = auc(isa_from_name(isa));
    const WithoutGil released;
    kernel(&job);
}

void bind_auc(nb::module_& m) {
    m.def("auc", &run, nb::arg("X"), nb::arg("labels"), nb::arg("step"), nb::arg("slot"), nb::arg("source"),
          nb::arg("points").noconvert(), nb::arg("known").noconvert(), nb::arg("w").noconvert(), nb::arg("sum").noconvert(),
          nb::arg("squares").noconvert(), nb::arg("losses").noconvert(), nb::arg("n_filled"), nb::arg("t"), nb::arg("surrogate"),
          nb::arg("opposite"), nb::arg("schedule"), nb::arg("eta"), nb::arg("radius"), nb::arg("isa"),
          "Learn from a block of points: changes the buffer, the parameter and its sum in place, writes the losses.");
}

}  // namespace seamark
