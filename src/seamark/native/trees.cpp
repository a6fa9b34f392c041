// Rows go down a tree a few at a time: while one waits for its node, the others go on.
#include "trees.hpp"

#include <algorithm>

namespace seamark {

constexpr int kTogether = 16;  // rows
constexpr uint16_t kNever = 0xffff;  // no code is larger

TreesPlan::TreesPlan(const int64_t* roots, int64_t trees, const int32_t* children, const int32_t* columns, const uint16_t* thresholds,
                     const int32_t* leaves, int64_t nodes, const float* values, int64_t different, int64_t width)
    : roots_(roots, roots + trees), leaves_(leaves, leaves + nodes), values_(values, values + different * width), width_(width) {
    nodes_.reserve(nodes);
    for (int64_t k = 0; k < nodes; ++k) {
        if (children[k] < 0) {
            nodes_.push_back({(int32_t)k, 0, kNever});
        } else {
            nodes_.push_back({children[k], columns[k], thresholds[k]});
            n_columns_ = std::max<int64_t>(n_columns_, (int64_t)columns[k] + 1);
        }
    }
}

void TreesPlan::run(const uint16_t* codes, int64_t n, int64_t d, float* out, int64_t stride) const {
    std::vector<double> sums(n * width_, 0.0);
    const Node* nodes = nodes_.data();
    for (const int32_t root : roots_) {
        for (int64_t start = 0; start < n; start += kTogether) {
            const int count = (int)std::min<int64_t>(kTogether, n - start);
            const uint16_t* rows = codes + start * d;
            int32_t at[kTogether];
            std::fill(at, at + kTogether, root);
            for (int32_t moved = 1; moved;) {
                moved = 0;
                for (int i = 0; i < count; ++i) {
                    const Node node = nodes[at[i]];
                    const int32_t next = node.child + (rows[i * d + node.column] > node.threshold);
                    moved |= next ^ at[i];
                    at[i] = next;
                }
            }
            for (int i = 0; i < count; ++i) {
                const float* value = values_.data() + (int64_t)leaves_[at[i]] * width_;
                double* sum = sums.data() + (start + i) * width_;
                for (int64_t t = 0; t < width_; ++t) sum[t] += value[t];
            }
        }
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t t = 0; t < width_; ++t) out[i * stride + t] = (float)(sums[i * width_ + t] / (double)roots_.size());
}

}  // namespace seamark
