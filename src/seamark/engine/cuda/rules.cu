// What a cell of a warping matrix costs, and what its edges hold: one rule to a measure, with the operations of the CPU's
// rules (native/elastic_cells.hpp) in their order. RULE: the number of one. ROOTED: whether local costs are distances.
constexpr int WDTW = 0, ADTW = 1, ERP = 2, EDR = 3, LCSS = 4, MSM = 5, TWE = 6, DTW = 7;
constexpr bool STEPPED = RULE == ERP || RULE == TWE;    // a step in one series alone has a cost of its own
constexpr bool LEVELLED = RULE == EDR || RULE == LCSS;  // steps match up to a threshold
constexpr bool EDGED = RULE == ERP || LEVELLED;         // paths lead along the edges: at a cost, or freely
constexpr bool LOOKS_BACK = RULE == TWE;                // the local cost of the steps before counts too

// The numbers of a rule, for one series and one landmark.
struct Rule {
    float number;          // a penalty, a cost of splits, twice the stiffness
    float level;           // the largest square at which steps match
    const float* weights;  // of 2 |i - j|
};

// What a rule may ask of a cell, beside the three cells before it.
struct Cell {
    int steps;                        // |i - j|, and
    float apart;                      // the same
    float cost, last;                 // local, of these steps and of those before them
    float x_alone, y_alone;           // of a step in the series, or in the landmark, alone
    float x, x_before, y, y_before;   // values of these steps and of those before them, in one channel
};

// What a cell holds to which no way leads.
DEVICE float outside() { return RULE == LCSS ? 0.0f : INFINITE; }

DEVICE float add_square(float d, float sum) { return fused(d, d, sum); }

// Cost of a split or merge to `a`, whose neighbour in its own series is `b`: little if it lies between `b` and `c`.
DEVICE float split_cost(float a, float b, float c, float penalty) {
    const float to_b = a - b, to_c = a - c;
    return penalty + (product(to_b, to_c) <= 0.0f ? 0.0f : smaller(absolute(to_b), absolute(to_c)));
}

DEVICE float cell_of(const Rule& rule, const Cell& at, float diagonal, float up, float left) {
    if constexpr (RULE == WDTW) return fused(at.cost, rule.weights[2 * at.steps], least(diagonal, left, up));
    else if constexpr (RULE == ADTW) return least(diagonal, left + rule.number, up + rule.number) + at.cost;
    else if constexpr (RULE == ERP) return least(diagonal + at.cost, left + at.y_alone, up + at.x_alone);
    else if constexpr (RULE == EDR) {
        const bool match = at.cost < rule.level || at.cost == 0.0f;
        return least(match ? diagonal : diagonal + 1.0f, left + 1.0f, up + 1.0f);
    } else if constexpr (RULE == LCSS) return at.cost <= rule.level ? diagonal + 1.0f : larger(left, up);
    else if constexpr (RULE == MSM)
        return least(diagonal + at.cost, left + split_cost(at.y, at.y_before, at.x, rule.number),
                     up + split_cost(at.x, at.x_before, at.y, rule.number));
    else if constexpr (RULE == TWE) {
        const float same = diagonal + ((at.cost + at.last) + product(rule.number, at.apart));
        return least(same, left + at.y_alone, up + at.x_alone);
    } else {
        // Without a sum over channels the square joins the path cost in one instruction.
        const float best = least(diagonal, up, left);
        return CHANNELS == 1 && !ROOTED ? add_square(at.y - at.x, best) : best + at.cost;
    }
}
