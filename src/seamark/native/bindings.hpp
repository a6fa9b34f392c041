// What the binding files share: array types and checks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <unistd.h>

#include <stdexcept>
#include <string>

#include "dispatch.hpp"

namespace nb = nanobind;

namespace seamark {

template <typename T, int Dim>
using In = nb::ndarray<const T, nb::ndim<Dim>, nb::c_contig, nb::device::cpu>;

// Results go to rows of a larger array: the last axis is contiguous, the first may have any stride.
using Out = nb::ndarray<float, nb::ndim<2>, nb::device::cpu>;
using Stop = In<uint8_t, 1>;

// Releases the GIL while it lives. If Python ends meanwhile, a thread that asks for the GIL is ended by unwinding its
// stack, which C++ answers by aborting the process; it waits here instead, until the process is gone. (Python 3.14 and
// later do this themselves.)
class WithoutGil {
  public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) pause();
        }
    }

  private:
    PyThreadState* state_;
};

// A name of `isas()` to its number; a name this CPU cannot run is refused.
Isa isa_from_name(const std::string& name);

// Checks `out` against the expected shape and returns its row stride.
inline int64_t row_stride(const Out& out, int64_t rows, int64_t columns) {
    if ((int64_t)out.shape(0) != rows || (int64_t)out.shape(1) != columns)
        throw std::invalid_argument("out has the wrong shape");
    if (rows > 0 && columns > 1 && out.stride(1) != 1) throw std::invalid_argument("out must be contiguous along its last axis");
    return out.stride(0);
}

// Checks that `offsets` rises from 0 to `total` and that start <= stop lie inside it.
inline void check_offsets(const In<int64_t, 1>& offsets, int64_t total) {
    const int64_t n = (int64_t)offsets.shape(0) - 1;
    if (n < 0 || offsets.data()[0] < 0 || offsets.data()[n] > total) throw std::invalid_argument("offsets out of range");
    for (int64_t i = 0; i < n; ++i)
        if (offsets.data()[i] > offsets.data()[i + 1]) throw std::invalid_argument("offsets must not fall");
}

inline void check_sets(const In<int64_t, 1>& offsets, int64_t total) {
    check_offsets(offsets, total);
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i)
        if (offsets.data()[i] == offsets.data()[i + 1]) throw std::invalid_argument("a set is empty");
}

}  // namespace seamark
