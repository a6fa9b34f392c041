// Which cells of a warping matrix lie in a band.
#include <algorithm>

#include "dtw_plan.hpp"

namespace seamark {

namespace {

DtwBounds step_bounds(int64_t steps, int64_t rows, int64_t columns) {
    DtwBounds bounds(rows);
    steps = std::min(steps, std::max(rows, columns));
    for (int64_t i = 0; i < rows; ++i) {
        bounds.high[i] = (int32_t)std::min(columns, i + steps + 1);
        bounds.low[i] = (int32_t)std::min(std::max<int64_t>(0, i - steps), columns);
    }
    return bounds;
}

// aeon walks the longer side in `longer + 1` steps and opens `thickness` cells of the shorter side around each; the
// doubles are rounded here exactly as there. Its step 0 and step 1 open the same cells.
DtwBounds fraction_bounds(double fraction, int64_t rows, int64_t columns) {
    const int32_t longer = (int32_t)std::max(rows, columns), shorter = (int32_t)std::min(rows, columns);
    const int32_t thickness = (int32_t)std::min(fraction * shorter, (double)shorter);
    const auto centre = [&](int32_t step) { return (int32_t)((double)(step + 1) / (double)(longer + 1) * (double)shorter); };
    DtwBounds bounds(rows);
    if (rows > columns) {
        for (int32_t i = 0; i < longer; ++i) {
            const int32_t c = centre(i);
            bounds.low[i] = std::max(0, c - thickness);
            bounds.high[i] = std::min(shorter, c + thickness + 1);
        }
        return bounds;
    }
    // Column j opens the rows centre(j) +- thickness; both ends rise with j.
    std::vector<int32_t> centres(columns);
    for (int32_t j = 0; j < longer; ++j) centres[j] = centre(j);
    int32_t low = 0, high = 0;
    for (int32_t i = 0; i < shorter; ++i) {
        while (high < longer && centres[high] <= i + thickness) ++high;
        while (low < high && centres[low] < i - thickness) ++low;
        bounds.low[i] = low;
        bounds.high[i] = high;
    }
    return bounds;
}

}  // namespace

DtwBounds dtw_bounds(const DtwWindow& window, int64_t rows, int64_t columns) {
    return window.steps >= 0 ? step_bounds(window.steps, rows, columns) : fraction_bounds(window.fraction, rows, columns);
}

}  // namespace seamark
