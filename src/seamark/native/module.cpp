// The nanobind module: lists the instruction sets and collects the bindings of each kernel.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace seamark {

static std::vector<std::string> supported() {
    std::vector<std::string> names{"baseline"};
#ifdef SEAMARK_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        names.push_back("v3");
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            names.push_back("v4");
    }
#endif
    return names;
}

Isa isa_from_name(const std::string& name) {
    static const std::vector<std::string> names = supported();
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Isa>(i);
    throw std::invalid_argument("instruction set '" + name + "' is not one this CPU can run");
}

void bind_auc(nb::module_& m);
void bind_bags(nb::module_& m);
void bind_damerau(nb::module_& m);
void bind_convolution(nb::module_& m);
void bind_dtw(nb::module_& m);
void bind_edit_search(nb::module_& m);
void bind_edits(nb::module_& m);
void bind_elastic(nb::module_& m);
void bind_envelopes(nb::module_& m);
void bind_levenshtein(nb::module_& m);
void bind_manhattan(nb::module_& m);
void bind_member(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_peak(nb::module_& m);
void bind_sets(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_subsequence(nb::module_& m);
void bind_trees(nb::module_& m);

}  // namespace seamark

NB_MODULE(_native, m) {
#ifndef SEAMARK_SANITIZE
    // A thread that still works when Python ends keeps its plan: no leak, and no reason to alarm the user.
    nb::set_leak_warnings(false);
#endif
    m.def("isas", &seamark::supported, "Instruction sets this CPU can run, the best last.");
    seamark::bind_auc(m);
    seamark::bind_bags(m);
    seamark::bind_damerau(m);
    seamark::bind_convolution(m);
    seamark::bind_dtw(m);
    seamark::bind_edit_search(m);
    seamark::bind_edits(m);
    seamark::bind_elastic(m);
    seamark::bind_envelopes(m);
    seamark::bind_levenshtein(m);
    seamark::bind_manhattan(m);
    seamark::bind_member(m);
    seamark::bind_ngrams(m);
    seamark::bind_peak(m);
    seamark::bind_sets(m);
    seamark::bind_strings(m);
    seamark::bind_subsequence(m);
    seamark::bind_trees(m);
}
