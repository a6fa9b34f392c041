// Python face of the Levenshtein kernel.
#include <nanobind/stl/string.h>

#include <vector>

#include "bind_texts.hpp"
#include "levenshtein_plan.hpp"

SEAMARK_DECLARE_KERNEL(levenshtein, const LevenshteinLayout*, const Texts*, int32_t*, uint8_t*, const uint8_t*)
SEAMARK_DECLARE_KERNEL(levenshtein_lanes, int64_t*)

namespace seamark {

class BoundLevenshtein {
public:
    BoundLevenshtein(In<int32_t, 1> codes, In<int64_t, 1> offsets, int64_t n_symbols, const std::string& isa)
        : isa_(isa_from_name(isa)), plan_(compile(codes, offsets, n_symbols, isa_)) {}

    int64_t n_landmarks() const { return plan_.n_landmarks(); }
    int64_t nbytes() const { return plan_.nbytes(); }

    void run(In<int32_t, 1> codes, In<int64_t, 1> offsets, Out out, Stop stop) const {
        const Texts texts = checked_texts(codes, offsets, out, stop, plan_.n_symbols(), plan_.n_landmarks());
        const WithoutGil released;
        run_tiles(texts, stop.data());
    }

private:
    static LevenshteinPlan compile(const In<int32_t, 1>& codes, const In<int64_t, 1>& offsets, int64_t n_symbols, Isa isa) {
        check_alphabet(n_symbols);
        check_strings(codes, offsets, n_symbols - 1);
        int64_t lanes;
        levenshtein_lanes(isa)(&lanes);
        return LevenshteinPlan(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, n_symbols, lanes);
    }

    void run_tiles(const Texts& texts, const uint8_t* stop) const {
        const auto kernel = levenshtein(isa_);
        std::vector<int32_t> rows(plan_.n_symbols() + 1, 0);
        std::vector<uint8_t> border;
        for (int64_t from = 0, to; from < texts.n && __atomic_load_n(stop, __ATOMIC_RELAXED) == 0; from = to) {
            to = tile_end(texts, from, plan_.n_landmarks());
            const Texts tile{texts.codes, texts.offsets + from, to - from, texts.out + from * texts.stride, texts.stride};
            const size_t needed = plan_.has_strips() ? (texts.offsets[to] - texts.offsets[from]) * plan_.lanes() : 0;
            if (border.size() < needed) border.resize(needed);
            kernel(&plan_.layout(), &tile, rows.data(), border.data(), stop);
        }
    }

    Isa isa_;
    LevenshteinPlan plan_;
};

void bind_levenshtein(nb::module_& m) {
    nb::class_<BoundLevenshtein> plan(m, "LevenshteinPlan", "Landmark strings, compiled for Levenshtein distances.");
    plan.def(nb::init<In<int32_t, 1>, In<int64_t, 1>, int64_t, const std::string&>(), nb::arg("codes"), nb::arg("offsets"),
             nb::arg("n_symbols"), nb::arg("isa"));
    add_run(plan, "Write the distances of the texts to the landmarks into out.");
}

}  // namespace seamark
