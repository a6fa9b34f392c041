#include "strings_plan.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace seamark {

namespace {

constexpr int64_t kLongestInLane = 64;
constexpr int64_t kAlignment = 64;

void set_bit(uint8_t* lane, int64_t bit) { lane[bit / 8] |= (uint8_t)(1u << bit % 8); }

}  // namespace

void StringPlan::Free::operator()(uint8_t* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }

StringPlan::StringPlan(const int32_t* codes, const int64_t* offsets, int64_t n, int64_t n_symbols, int64_t register_bytes,
                       int64_t registers, StringMeasure measure, double weight)
    : codes_(codes), offsets_(offsets), n_symbols_(n_symbols), register_bytes_(register_bytes), registers_(registers),
      measure_(measure), weight_(weight), lengths_(n), rows_(n_symbols, 0) {
    for (int64_t k = 0; k < n; ++k) lengths_[k] = offsets[k + 1] - offsets[k];
    for (int64_t bytes = 1; bytes <= 8; bytes *= 2) add_narrow(bytes, 8 * bytes, bytes == 1 ? 0 : 4 * bytes + 1);
    add_long();
    store();
    codes_ = nullptr;
    offsets_ = nullptr;
}

StringLayout StringPlan::layout() const {
    return {bytes_.get(), symbols_.data(), columns_.data(), blocks_.data(), (int64_t)blocks_.size(), n_landmarks(), measure_, weight_};
}

int64_t StringPlan::nbytes() const {
    return n_bytes_ + symbols_.size() * 4 + columns_.size() * 8 + blocks_.size() * sizeof(StringBlock);
}

int64_t StringPlan::scratch(int64_t symbols, int64_t longest) const {
    if (measure_ != StringMeasure::jaro) return symbols * (register_bytes_ / 8);
    int64_t needed = longest * register_bytes_;
    for (const StringBlock& block : blocks_)
        if (block.bytes == 0) needed = std::max<int64_t>(needed, 4 * (block.n_symbols + 2) + lengths_[columns_[block.columns]] + longest);
    return needed;
}

// Landmarks whose lanes have `bytes` bytes, in their own order: results then lie side by side.
void StringPlan::add_narrow(int64_t bytes, int64_t longest, int64_t shortest) {
    std::vector<int64_t> landmarks;
    for (int64_t k = 0; k < n_landmarks(); ++k)
        if (lengths_[k] >= shortest && lengths_[k] <= longest) landmarks.push_back(k);
    const int64_t lanes = register_bytes_ / bytes, n = (int64_t)landmarks.size();
    for (int64_t from = 0; from < n;) {
        int64_t registers = 1;
        while (registers < registers_ && registers * lanes < n - from) registers *= 2;
        const int64_t some = std::min(n - from, registers * lanes);
        add_block(&landmarks[from], some, bytes, registers, 0, 1);
        from += some;
    }
}

// Landmarks of several words, those of about one length together: lanes should end together.
void StringPlan::add_long() {
    std::vector<int64_t> landmarks;
    for (int64_t k = 0; k < n_landmarks(); ++k)
        if (lengths_[k] > kLongestInLane) landmarks.push_back(k);
    std::stable_sort(landmarks.begin(), landmarks.end(), [&](int64_t a, int64_t b) { return lengths_[a] < lengths_[b]; });
    const int64_t lanes = register_bytes_ / 8, n = (int64_t)landmarks.size();
    if (measure_ == StringMeasure::jaro) {
        for (int64_t landmark : landmarks) add_places(landmark);
        return;
    }
    for (int64_t from = 0; from < n; from += lanes) {
        const int64_t some = std::min(n - from, lanes);
        const int64_t words = (lengths_[landmarks[from + some - 1]] + 63) / 64;
        for (int64_t word = 0; word < words; ++word) add_block(&landmarks[from], some, 8, 1, word, words);
    }
}

int64_t StringPlan::take(int64_t n) {
    const int64_t from = (int64_t)made_.size();
    made_.resize(from + n, 0);
    return from;
}

void StringPlan::add_block(const int64_t* landmarks, int64_t n, int64_t bytes, int64_t registers, int64_t word, int64_t words) {
    const int64_t width = registers * register_bytes_;
    StringBlock block{};
    block.bytes = bytes;
    block.registers = registers;
    block.n = n;
    block.columns = (int64_t)columns_.size();
    columns_.insert(columns_.end(), landmarks, landmarks + n);
    block.first = word == 0;
    block.last = word == words - 1;
    block.symbols = (int64_t)symbols_.size();
    block.segments = take(width);
    block.lengths = take(width);
    block.matches = take(width);
    for (int64_t k = 0; k < n; ++k) add_lane(block, landmarks[k], k, word, words);
    // Where a landmark may begin anywhere, it lies at the top of its words, and what is below matches every symbol.
    if (measure_ == StringMeasure::substring)
        for (int64_t k = 0; k < n; ++k) pad_lane(block, k, (words - word) * 8 * bytes - lengths_[landmarks[k]]);
    for (int64_t k = 0; k < block.n_symbols; ++k) rows_[symbols_[block.symbols + k]] = 0;
    blocks_.push_back(block);
}

// A landmark by the places of its symbols: `segments` are its symbols numbered from 1, `lengths` are the places of
// symbol 1, 2, ... and `matches` where those of each begin. Symbol 0 occurs nowhere.
void StringPlan::add_places(int64_t landmark) {
    const int64_t length = lengths_[landmark];
    StringBlock block{};
    block.registers = block.n = block.first = block.last = 1;
    block.columns = (int64_t)columns_.size();
    columns_.push_back(landmark);
    block.symbols = (int64_t)symbols_.size();
    std::vector<int32_t> numbers(length), starts{0, 0}, places(length);
    for (int64_t i = 0; i < length; ++i) {
        int32_t& number = rows_[codes_[offsets_[landmark] + i]];
        if (number == 0) {
            number = (int32_t)++block.n_symbols;
            symbols_.push_back(codes_[offsets_[landmark] + i]);
            starts.push_back(0);
        }
        numbers[i] = number;
        ++starts[number + 1];
    }
    for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    std::vector<int32_t> next(starts);
    for (int64_t i = 0; i < length; ++i) places[next[numbers[i]]++] = (int32_t)i;
    for (int64_t k = 0; k < block.n_symbols; ++k) rows_[symbols_[block.symbols + k]] = 0;
    const auto keep = [&](const std::vector<int32_t>& values) {
        const int64_t at = take((int64_t)((values.size() * 4 + kAlignment - 1) / kAlignment * kAlignment));
        std::memcpy(&made_[at], values.data(), values.size() * 4);
        return at;
    };
    block.segments = keep(numbers);
    block.lengths = keep(places);
    block.matches = keep(starts);
    blocks_.push_back(block);
}

void StringPlan::add_lane(StringBlock& block, int64_t landmark, int64_t lane, int64_t word, int64_t words) {
    const int64_t bits = 8 * block.bytes, length = lengths_[landmark], at = lane * block.bytes;
    const int64_t base = (measure_ == StringMeasure::substring ? words * bits - length : 0) - word * bits;
    for (int64_t i = std::max<int64_t>(0, -base); i < std::min(length, bits - base); ++i) {
        const int64_t row = row_of(block, codes_[offsets_[landmark] + i]);
        set_bit(&made_[row + at], base + i);
        set_bit(&made_[block.segments + at], base + i);
    }
    std::memcpy(&made_[block.lengths + at], &length, block.bytes);  // little-endian: the low bytes come first
}

// The lowest `pads` bits, as far as the lane goes, match whatever comes.
void StringPlan::pad_lane(const StringBlock& block, int64_t lane, int64_t pads) {
    const int64_t width = block.registers * register_bytes_;
    for (int64_t row = 0; row <= block.n_symbols; ++row)
        for (int64_t bit = 0; bit < std::min(pads, 8 * block.bytes); ++bit)
            set_bit(&made_[block.matches + row * width + lane * block.bytes], bit);
}

int64_t StringPlan::row_of(StringBlock& block, int32_t symbol) {
    const int64_t width = block.registers * register_bytes_;
    int32_t& row = rows_[symbol];
    if (row == 0) {
        row = (int32_t)++block.n_symbols;
        symbols_.push_back(symbol);
        take(width);
    }
    return block.matches + row * width;
}

void StringPlan::store() {
    n_bytes_ = (int64_t)made_.size();
    bytes_.reset(static_cast<uint8_t*>(::operator new(made_.size(), std::align_val_t(kAlignment))));
    if (n_bytes_) std::memcpy(bytes_.get(), made_.data(), made_.size());
    made_ = {};
}

}  // namespace seamark
