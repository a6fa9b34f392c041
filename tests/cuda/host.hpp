// The words of src/seamark/engine/cuda/device.cu, said as loops on the host.
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <utility>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

static int block_x, block_y, blocks_x, blocks_y, block_threads;
static unsigned char* shared_memory;

#define DEVICE inline
#define KERNEL(name, threads) static void name
#define KERNEL_AT_ONCE(name, threads, blocks) static void name
#define BLOCK_X block_x
#define BLOCK_Y block_y
#define BLOCKS_X blocks_x
#define BLOCKS_Y blocks_y
#define EACH_THREAD(t) for (int t = 0; t < block_threads; ++t)
#define BARRIER ((void)0)
#define SHARED(type, name) type* name = (type*)shared_memory
#define PRIVATE(type, name, size) static type name[1024][size]
#define MINE(name, t) name[t]
#define UNROLL
#define ROLLED
#define INFINITE __builtin_inff()

inline int take_number(int* counter) { return (*counter)++; }
inline int ones(u32 word) { return __builtin_popcount(word); }
inline u32 moved_down(u32 low, u32 high, int n) { return (u32)(((u64)high << 32 | low) >> n); }
inline u32 shifted(u32 low, u32 high) { return high << 1 | low >> 31; }
inline float root(float a) { return sqrtf(a); }
inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
inline float product(float a, float b) { return a * b; }
inline float absolute(float a) { return fabsf(a); }
inline float smaller(float a, float b) { return fminf(a, b); }
inline float larger(float a, float b) { return fmaxf(a, b); }
inline float least(float a, float b, float c) { return fminf(fminf(a, b), c); }

inline u32 add_four(const u32* a, const u32* b, u32* s, u32 carry) {
    for (int k = 0; k < 4; ++k) {
        const u64 sum = (u64)a[k] + b[k] + carry;
        s[k] = (u32)sum, carry = (u32)(sum >> 32);
    }
    return carry;
}
inline void add_two(const u32* a, const u32* b, u32* s) {
    const u64 low = (u64)a[0] + b[0];
    s[0] = (u32)low, s[1] = a[1] + b[1] + (u32)(low >> 32);
}

template <typename... Args, size_t... I>
void call(void (*kernel)(Args...), void** args, std::index_sequence<I...>) {
    kernel(*(Args*)args[I]...);
}

template <typename... Args>
void every_block(void (*kernel)(Args...), int grid_x, int grid_y, int threads, unsigned char* shared, void** args) {
    blocks_x = grid_x, blocks_y = grid_y, block_threads = threads, shared_memory = shared;
    for (block_y = 0; block_y < grid_y; ++block_y)
        for (block_x = 0; block_x < grid_x; ++block_x) call(kernel, args, std::index_sequence_for<Args...>{});
}
