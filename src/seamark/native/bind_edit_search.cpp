// Python face of the search for the nearest strings by edits.
#include <nanobind/stl/string.h>

#include "bind_texts.hpp"
#include "edit_search.hpp"
#include "owned.hpp"

namespace seamark {

namespace {

using Numbers = In<int64_t, 1>;

void make(EditSearch* self, In<int32_t, 1> codes, In<int64_t, 1> offsets, Numbers numbers, int64_t n_symbols, const std::string& isa) {
    check_alphabet(n_symbols);
    check_texts(codes, offsets, n_symbols - 1);
    if (numbers.shape(0) + 1 != offsets.shape(0)) throw std::invalid_argument("every text must have one number");
    for (size_t i = 0; i + 2 < offsets.shape(0); ++i)
        if (offsets.data()[i + 1] - offsets.data()[i] > offsets.data()[i + 2] - offsets.data()[i + 1])
            throw std::invalid_argument("texts must be in the order of their lengths");
    new (self) EditSearch(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, numbers.data(), n_symbols, isa_from_name(isa));
}

nb::tuple near(const EditSearch& search, In<int32_t, 1> codes, In<int64_t, 1> offsets, In<int32_t, 1> limits, int64_t most, Stop stop) {
    check_texts(codes, offsets, search.n_symbols());
    if (limits.shape(0) + 1 != offsets.shape(0)) throw std::invalid_argument("every query must have one limit");
    for (size_t i = 0; i < limits.shape(0); ++i)
        if (limits.data()[i] > kLongestText) throw std::invalid_argument("limit out of range");
    if (most < 1) throw std::invalid_argument("most must be positive");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    EditsNear found;
    {
        const WithoutGil released;
        found = search.near(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, limits.data(), most, stop.data());
    }
    return nb::make_tuple(owned(std::move(found.counts)), owned(std::move(found.numbers)), owned(std::move(found.edits)), found.compared,
                          found.steps);
}

}  // namespace

void bind_edit_search(nb::module_& m) {
    nb::class_<EditSearch>(m, "EditSearch", "Strings in the order of their lengths, to be searched by edits; threads may share it.")
        .def("__init__", &make, nb::arg("codes"), nb::arg("offsets"), nb::arg("numbers"), nb::arg("n_symbols"), nb::arg("isa"))
        .def("near", &near, nb::arg("codes"), nb::arg("offsets"), nb::arg("limits"), nb::arg("most"), nb::arg("stop").noconvert(),
             "Return how many were found for each query, their numbers and edits, how many texts were compared, and the steps of that.");
}

}  // namespace seamark
