// Python face of the Damerau–Levenshtein kernel, and how landmarks are put in lanes.
#include <nanobind/stl/string.h>

#include <numeric>
#include <vector>

#include "bind_texts.hpp"
#include "damerau.hpp"

SEAMARK_DECLARE_KERNEL(damerau, const DamerauJob*, const Texts*)
SEAMARK_DECLARE_KERNEL(damerau_lanes, int64_t*)

namespace seamark {

class DamerauPlan {
public:
    DamerauPlan(In<int32_t, 1> codes, In<int64_t, 1> offsets, int64_t n_symbols, const std::string& isa)
        : isa_(isa_from_name(isa)), n_symbols_(n_symbols) {
        check_alphabet(n_symbols);
        check_strings(codes, offsets, n_symbols - 1);
        damerau_lanes(isa_)(&lanes_);
        arrange(codes.data(), offsets.data(), (int64_t)offsets.shape(0) - 1);
    }

    int64_t n_landmarks() const { return (int64_t)columns_.size(); }
    int64_t nbytes() const { return symbols_.size() * 4 + (columns_.size() + lengths_.size()) * 8; }

    void run(In<int32_t, 1> codes, In<int64_t, 1> offsets, Out out, Stop stop) const {
        const Texts texts = checked_texts(codes, offsets, out, stop, n_symbols_, n_landmarks());
        std::vector<int32_t> scratch(4 * (longest_ + 2) * lanes_);
        const DamerauJob job{groups_.data(), (int64_t)groups_.size(), stop.data(), scratch.data()};
        const WithoutGil released;
        damerau(isa_)(&job, &texts);
    }

private:
    // Landmarks of about one length share a group: the longest of a group decides what it costs.
    void arrange(const int32_t* codes, const int64_t* offsets, int64_t n) {
        const auto length = [&](int64_t k) { return offsets[k + 1] - offsets[k]; };
        columns_.resize(n);
        std::iota(columns_.begin(), columns_.end(), 0);
        std::stable_sort(columns_.begin(), columns_.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); });
        std::vector<int64_t> starts;
        for (int64_t from = 0; from < n; from += lanes_) {
            const int64_t end = std::min(n, from + lanes_), longest = length(columns_[end - 1]);
            starts.push_back((int64_t)symbols_.size());
            symbols_.resize(symbols_.size() + longest * lanes_, -1);
            for (int64_t k = from; k < end; ++k)
                for (int64_t j = 0; j < length(columns_[k]); ++j)
                    symbols_[starts.back() + j * lanes_ + k - from] = codes[offsets[columns_[k]] + j];
            longest_ = std::max(longest_, longest);
        }
        for (int64_t k : columns_) lengths_.push_back(length(k));
        for (int64_t g = 0, from = 0; from < n; ++g, from += lanes_) {
            const int64_t end = std::min(n, from + lanes_);
            groups_.push_back({symbols_.data() + starts[g], lengths_.data() + from, columns_.data() + from, lengths_[end - 1], end - from});
        }
    }

    Isa isa_;
    int64_t n_symbols_, lanes_ = 0, longest_ = 0;
    std::vector<int32_t> symbols_;
    std::vector<int64_t> columns_, lengths_;
    std::vector<DamerauGroup> groups_;
};

void bind_damerau(nb::module_& m) {
    nb::class_<DamerauPlan> plan(m, "DamerauPlan", "Landmark strings, compiled for Damerau–Levenshtein distances.");
    plan.def(nb::init<In<int32_t, 1>, In<int64_t, 1>, int64_t, const std::string&>(), nb::arg("codes"), nb::arg("offsets"),
             nb::arg("n_symbols"), nb::arg("isa"));
    add_run(plan, "Write the distances of the texts to the landmarks into out.");
}

}  // namespace seamark
