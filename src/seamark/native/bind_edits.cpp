// Python face of the pairs of strings within a number of edits.
#include <nanobind/stl/string.h>

#include "bind_texts.hpp"
#include "edits_plan.hpp"
#include "owned.hpp"

namespace seamark {

namespace {

void make(EditsPlan* self, In<int32_t, 1> codes, In<int64_t, 1> offsets, int64_t n_symbols, int64_t limit, const std::string& isa) {
    check_alphabet(n_symbols);
    check_texts(codes, offsets, n_symbols - 1);
    if (limit < 0 || limit > kLongestText) throw std::invalid_argument("limit out of range");
    new (self) EditsPlan(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, n_symbols, limit, isa_from_name(isa));
}

void build(EditsPlan& plan, int64_t first, int64_t last) {
    if (first < 0 || last < first || last > plan.size()) throw std::invalid_argument("texts out of range");
    for (int64_t i = first; i < last; ++i)
        if (plan.length(i) != plan.length(first)) throw std::invalid_argument("the texts differ in length");
    const WithoutGil released;
    plan.build(first, last);
}

nb::tuple probe(const EditsPlan& plan, In<int32_t, 1> codes, In<int64_t, 1> offsets, int64_t own, int64_t most, Stop stop) {
    check_texts(codes, offsets, plan.n_symbols());
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    const int64_t n = (int64_t)offsets.shape(0) - 1;
    if (own >= 0 && own > plan.size() - n) throw std::invalid_argument("probes out of range");  // probe i is text own + i
    EditPairs pairs;
    {
        const WithoutGil released;
        pairs = plan.probe(codes.data(), offsets.data(), n, own, most, stop.data());
    }
    return nb::make_tuple(owned(std::move(pairs.left)), owned(std::move(pairs.right)), owned(std::move(pairs.edits)));
}

}  // namespace

void bind_edits(nb::module_& m) {
    nb::class_<EditsPlan>(m, "EditsPlan", "Strings, indexed by segments for pairs within a number of edits.")
        .def("__init__", &make, nb::arg("codes"), nb::arg("offsets"), nb::arg("n_symbols"), nb::arg("limit"), nb::arg("isa"))
        .def("build", &build, nb::arg("first"), nb::arg("last"), "Prepare the texts from first to before last, of one length.")
        .def("probe", &probe, nb::arg("codes"), nb::arg("offsets"), nb::arg("own"), nb::arg("most"), nb::arg("stop").noconvert(),
             "Return the numbers of texts and probes within the limit, and their edits.");
}

}  // namespace seamark
