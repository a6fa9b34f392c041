// What the kernels write in place of CUDA's own words. The host build (tests/cuda/host.hpp) says the same words as
// loops, so that the sources below run without a GPU: what lies between two barriers is a loop over the threads.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define DEVICE __device__ __forceinline__
#define KERNEL(name, threads) extern "C" __global__ void __launch_bounds__(threads) name
// As many blocks are to fit a multiprocessor.
#define KERNEL_AT_ONCE(name, threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks) name
#define BLOCK_X ((int)blockIdx.x)
#define BLOCK_Y ((int)blockIdx.y)
#define BLOCKS_X ((int)gridDim.x)
#define BLOCKS_Y ((int)gridDim.y)
#define EACH_THREAD(t) if (const int t = threadIdx.x; t >= 0)
#define BARRIER __syncthreads()
#define SHARED(type, name) extern __shared__ uint4 shared_[]; type* name = (type*)shared_
// Numbers that a thread keeps from one barrier to the next.
#define PRIVATE(type, name, size) type name[size]
#define MINE(name, t) name
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define INFINITE __int_as_float(0x7f800000)

DEVICE int take_number(int* counter) { return atomicAdd(counter, 1); }
DEVICE int ones(u32 word) { return __popc(word); }
// The low word of (high, low) >> n, n below 32.
DEVICE u32 moved_down(u32 low, u32 high, int n) { return __funnelshift_r(low, high, n); }
// The high word of (high, low) << 1.
DEVICE u32 shifted(u32 low, u32 high) { return __funnelshift_l(low, high, 1); }
DEVICE float root(float a) { return __fsqrt_rn(a); }
DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE float product(float a, float b) { return __fmul_rn(a, b); }  // never joined with a sum
DEVICE float absolute(float a) { return fabsf(a); }

// Costs are never negative: floats are then ordered like their bits, and of integers a chip may have the least of three.
DEVICE float least(float a, float b, float c) {
    return __int_as_float(min(min(__float_as_int(a), __float_as_int(b)), __float_as_int(c)));
}
DEVICE float smaller(float a, float b) { return fminf(a, b); }
DEVICE float larger(float a, float b) { return fmaxf(a, b); }

// s = a + b, the words of a long number; carries go from word to word.
DEVICE void add_two(const u32* a, const u32* b, u32* s) {
    asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;"
        : "=&r"(s[0]), "=r"(s[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}
DEVICE u32 add_four(const u32* a, const u32* b, u32* s, u32 carry) {
    u32 out;
    asm("{\n\t.reg .u32 t;\n\tadd.cc.u32 t, %13, 0xffffffff;\n\taddc.cc.u32 %0, %5, %9;\n\t"
        "addc.cc.u32 %1, %6, %10;\n\taddc.cc.u32 %2, %7, %11;\n\taddc.cc.u32 %3, %8, %12;\n\taddc.u32 %4, 0, 0;\n\t}"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3]), "=r"(out)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(carry));
    return out;
}
