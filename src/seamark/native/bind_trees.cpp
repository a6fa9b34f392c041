// Python face of decision trees.
#include "bindings.hpp"
#include "trees.hpp"

namespace seamark {

namespace {

void make(TreesPlan* self, In<int64_t, 1> roots, In<int32_t, 1> children, In<int32_t, 1> columns, In<uint16_t, 1> thresholds,
          In<int32_t, 1> leaves, In<float, 2> values) {
    const int64_t nodes = children.shape(0), different = values.shape(0);
    if ((int64_t)columns.shape(0) != nodes || (int64_t)thresholds.shape(0) != nodes || (int64_t)leaves.shape(0) != nodes)
        throw std::invalid_argument("nodes differ in number");
    if (nodes >= INT32_MAX || roots.shape(0) < 1) throw std::invalid_argument("there must be a tree, and fewer than 2^31 nodes");
    for (size_t i = 0; i < roots.shape(0); ++i)
        if (roots.data()[i] < 0 || roots.data()[i] >= nodes) throw std::invalid_argument("roots out of range");
    for (int64_t k = 0; k < nodes; ++k) {
        const int64_t child = children.data()[k];
        const bool sound = child < 0 ? leaves.data()[k] >= 0 && leaves.data()[k] < different
                                     : child > k && child + 1 < nodes && columns.data()[k] >= 0;
        if (!sound) throw std::invalid_argument("nodes lead out of range");
    }
    new (self) TreesPlan(roots.data(), (int64_t)roots.shape(0), children.data(), columns.data(), thresholds.data(), leaves.data(), nodes,
                         values.data(), different, (int64_t)values.shape(1));
}

void run(const TreesPlan& trees, In<uint16_t, 2> codes, Out out) {
    const int64_t n = codes.shape(0), d = codes.shape(1);
    if (d < trees.n_columns()) throw std::invalid_argument("rows have too few columns");
    const int64_t stride = row_stride(out, n, trees.width());
    const WithoutGil released;
    trees.run(codes.data(), n, d, out.data(), stride);
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<TreesPlan>(m, "TreesPlan", "Decision trees, whose nodes stand in arrays; threads may share it.")
        .def("__init__", &make, nb::arg("roots"), nb::arg("children"), nb::arg("columns"), nb::arg("thresholds"), nb::arg("leaves"),
             nb::arg("values"))
        .def("run", &run, nb::arg("codes"), nb::arg("out").noconvert(),
             "Write the mean of the values of all trees for each row into out.");
}

}  // namespace seamark
