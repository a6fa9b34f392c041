// Python face of the kernels of strings in lanes.
#include <nanobind/stl/string.h>

#include <vector>

#include "bind_texts.hpp"
#include "strings_plan.hpp"

SEAMARK_DECLARE_KERNEL(string_values, const StringLayout*, const Texts*, const StringScratch*, const uint8_t*)
SEAMARK_DECLARE_KERNEL(string_registers, int64_t*, int64_t*)

namespace seamark {

static StringMeasure measure_from_name(const std::string& name) {
    if (name == "substring") return StringMeasure::substring;
    if (name == "lcs") return StringMeasure::lcs;
    if (name == "osa") return StringMeasure::osa;
    if (name == "jaro") return StringMeasure::jaro;
    throw std::invalid_argument("unknown measure '" + name + "'");
}

class BoundStrings {
public:
    BoundStrings(In<int32_t, 1> codes, In<int64_t, 1> offsets, int64_t n_symbols, const std::string& measure, double weight,
                 const std::string& isa)
        : isa_(isa_from_name(isa)), plan_(compile(codes, offsets, n_symbols, measure_from_name(measure), weight, isa_)) {}

    int64_t n_landmarks() const { return plan_.n_landmarks(); }
    int64_t nbytes() const { return plan_.nbytes(); }

    void run(In<int32_t, 1> codes, In<int64_t, 1> offsets, Out out, Stop stop) const {
        const Texts texts = checked_texts(codes, offsets, out, stop, plan_.n_symbols(), plan_.n_landmarks());
        const WithoutGil released;
        run_tiles(texts, stop.data());
    }

private:
    static StringPlan compile(const In<int32_t, 1>& codes, const In<int64_t, 1>& offsets, int64_t n_symbols, StringMeasure measure,
                              double weight, Isa isa) {
        check_alphabet(n_symbols);
        check_strings(codes, offsets, n_symbols - 1);
        int64_t bytes, registers;
        string_registers(isa)(&bytes, &registers);
        return StringPlan(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, n_symbols, bytes, registers, measure, weight);
    }

    void run_tiles(const Texts& texts, const uint8_t* stop) const {
        const auto kernel = string_values(isa_);
        const StringLayout layout = plan_.layout();
        std::vector<int32_t> rows(plan_.n_symbols() + 1, 0);
        std::vector<uint8_t> bytes;
        for (int64_t from = 0, to; from < texts.n && __atomic_load_n(stop, __ATOMIC_RELAXED) == 0; from = to) {
            to = tile_end(texts, from, plan_.n_landmarks());
            const Texts tile{texts.codes, texts.offsets + from, to - from, texts.out + from * texts.stride, texts.stride};
            int64_t longest = 0;
            for (int64_t i = from; i < to; ++i) longest = std::max(longest, texts.offsets[i + 1] - texts.offsets[i]);
            const size_t needed = plan_.scratch(texts.offsets[to] - texts.offsets[from], longest);
            if (bytes.size() < needed) bytes.resize(needed);
            const StringScratch scratch{rows.data(), bytes.data()};
            kernel(&layout, &tile, &scratch, stop);
        }
    }

    Isa isa_;
    StringPlan plan_;
};

void bind_strings(nb::module_& m) {
    nb::class_<BoundStrings> plan(m, "StringsPlan", "Landmark strings in lanes, compiled for one measure.");
    plan.def(nb::init<In<int32_t, 1>, In<int64_t, 1>, int64_t, const std::string&, double, const std::string&>(), nb::arg("codes"),
             nb::arg("offsets"), nb::arg("n_symbols"), nb::arg("measure"), nb::arg("weight"), nb::arg("isa"));
    add_run(plan, "Write the values of the texts against the landmarks into out.");
}

}  // namespace seamark
