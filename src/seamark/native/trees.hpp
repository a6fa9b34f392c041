// Decision trees on codes: the mean of the leaves that a row falls into. Compiled once.
#pragma once

#include <cstdint>
#include <vector>

namespace seamark {

class TreesPlan {
   public:
    // Children come later than their parent, the right one directly after the left one; -1 in a leaf.
    // Places are to be checked before.
    TreesPlan(const int64_t* roots, int64_t trees, const int32_t* children, const int32_t* columns, const uint16_t* thresholds,
              const int32_t* leaves, int64_t nodes, const float* values, int64_t different, int64_t width);

    // Any number of threads may run at once.
    void run(const uint16_t* codes, int64_t n, int64_t d, float* out, int64_t stride) const;

    int64_t width() const { return width_; }
    int64_t n_columns() const { return n_columns_; }  // that rows must have at least

   private:
    struct Node {
        int32_t child;  // in a leaf the leaf itself, which no code leads away from
        int32_t column;
        uint16_t threshold;
    };

    std::vector<int32_t> roots_, leaves_;
    std::vector<Node> nodes_;
    std::vector<float> values_;
    int64_t width_, n_columns_ = 1;
};

}  // namespace seamark
