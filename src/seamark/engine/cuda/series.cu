// Series as the kernels of windows want them: channel after channel, centred, in float32; raw, and at deviation 1.
//
// A series, or its differences, has at least `least` steps: its last value is repeated. Row r = s * channels + c is channel c
// of series s; it lies at starts[s] * channels + c * length, length = starts[s + 1] - starts[s].
constexpr int ROW_THREADS = 128;

struct SeriesRows {
    const double* x;      // [step][channel]
    const i64 *offsets, *starts;
    int channels, differenced;

    DEVICE int length(i64 s) const { return (int)(starts[s + 1] - starts[s]); }
    // Steps that are the series' own.
    DEVICE int own(i64 s) const {
        const int steps = (int)(offsets[s + 1] - offsets[s]) - differenced;
        return steps > 1 ? steps : 1;
    }
    DEVICE i64 place(i64 s, int c) const { return starts[s] * channels + (i64)c * length(s); }
    DEVICE double step(i64 s, int c, i64 i) const {
        const i64 last = offsets[s + 1] - 1, at = offsets[s] + i;
        return x[(at < last ? at : last) * channels + c];
    }
    DEVICE double value(i64 s, int c, i64 i) const {
        return differenced ? step(s, c, i + 1) - step(s, c, i) : step(s, c, i);
    }
};

// Places of a window in a row of so many steps.
DEVICE int places_of(int own, int length, int dilation) {
    const i64 places = own - (i64)(length - 1) * dilation;
    return places > 1 ? (int)places : 1;
}

// A channel of windows, and the number of the spread of its places.
struct WindowChannel {
    int channel, spread;
};
