// Which cells of a warping matrix a path may visit: in row i the columns [low, high), both never falling with i.
struct Band {
    int steps;        // |i - j| <= steps; negative: a share of the shorter side, as aeon counts it
    double fraction;  // that share
    int n, m, thickness, longer, shorter;

    DEVICE void of(int rows, int columns) {
        n = rows, m = columns;
        longer = n > m ? n : m, shorter = n > m ? m : n;
        const double share = fraction * shorter;
        thickness = steps >= 0 ? (steps < longer ? steps : longer) : (int)(share < shorter ? share : shorter);
    }
    // Around the diagonal of a square a share is a number of steps.
    DEVICE bool straight() const { return steps >= 0 || n == m; }

    // aeon walks the longer side in `longer + 1` steps; the doubles are rounded here exactly as there.
    DEVICE int centre(int step) const { return (int)((double)(step + 1) / (double)(longer + 1) * (double)shorter); }

    // The first step of the longer side whose centre is at `place` or beyond.
    DEVICE int first_step(int place) const {
        if (place <= 0) return 0;
        int step = (int)((double)place * (longer + 1) / shorter) - 1;
        step = step < 0 ? 0 : step > longer ? longer : step;
        while (step > 0 && centre(step - 1) >= place) --step;
        while (step < longer && centre(step) < place) ++step;
        return step;
    }

    DEVICE int low(int i) const {
        if (straight()) return i - thickness;
        return n > m ? centre(i) - thickness : first_step(i - thickness);
    }
    DEVICE int high(int i) const {
        if (straight()) return i + thickness + 1;
        return n > m ? centre(i) + thickness + 1 : first_step(i + thickness + 1);
    }
    // The first row that may visit column `from` or a later one; and the first that may visit none before `to`.
    DEVICE int first_row(int from) const {
        const int row = straight() ? from - thickness : n > m ? first_step(from - thickness) : centre(from) - thickness;
        return row < 0 ? 0 : row;
    }
    DEVICE int end_row(int to) const {
        const int row = straight() ? to + thickness : n > m ? first_step(to + thickness) : centre(to - 1) + thickness + 1;
        return row < n ? row : n;
    }
};
