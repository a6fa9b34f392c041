// What bindings of kernels of sets of vectors share: how the objects of a run are checked and handed on.
#pragma once

#include <algorithm>

#include "bindings.hpp"
#include "sets.hpp"

namespace seamark {

constexpr int64_t kTileFloats = 1 << 15;  // a tile of object vectors stays in the second cache

// Objects of d dimensions, their vectors of either type, against R landmarks.
template <typename T>
void take_objects(SetObjects& job, const In<T, 2>& values, const In<int64_t, 1>& offsets, const Out& out, const Stop& stop, int64_t d,
                  int64_t R) {
    if ((int64_t)values.shape(1) != d) throw std::invalid_argument("vectors differ in dimension from the landmarks'");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold a flag");
    check_sets(offsets, values.shape(0));
    job.n = (int64_t)offsets.shape(0) - 1;
    job.stride = row_stride(out, job.n, R);
    if constexpr (sizeof(T) == sizeof(float))
        job.x32 = values.data();
    else
        job.x64 = values.data();
    job.offsets = offsets.data();
    job.out = out.data();
    job.stop = stop.data();
    job.tile_rows = std::clamp<int64_t>(kTileFloats / std::max<int64_t>(d, 1), 8, 256);
}

// Adds to the class of a plan what all of them have: runs on vectors of both types.
template <typename Plan>
void add_runs(nb::class_<Plan>& plan, const char* doc) {
    plan.def_prop_ro("nbytes", &Plan::nbytes);
    const auto add = [&](auto run) {
        plan.def("run", run, nb::arg("values").noconvert(), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("stop"), doc);
    };
    add(&Plan::template run<float>);
    add(&Plan::template run<double>);
}

}  // namespace seamark
