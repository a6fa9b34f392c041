// The instruction sets a kernel was compiled for, and how bindings reach the chosen build.
#pragma once

#include <cstdint>

namespace seamark {

enum class Isa : int { baseline = 0, v3 = 1, v4 = 2 };

}  // namespace seamark

// Declares one kernel in the namespace of every instruction set, and `name(isa)`, which picks one.
#ifdef SEAMARK_X86
#define SEAMARK_DECLARE_KERNEL(name, ...)                                              \
    namespace seamark {                                                               \
    namespace baseline { void name(__VA_ARGS__); }                                    \
    namespace v3 { void name(__VA_ARGS__); }                                          \
    namespace v4 { void name(__VA_ARGS__); }                                          \
    inline auto name(Isa isa) -> void (*)(__VA_ARGS__) {                              \
        return isa == Isa::v4 ? v4::name : isa == Isa::v3 ? v3::name : baseline::name; \
    }                                                                                 \
    }
#else
#define SEAMARK_DECLARE_KERNEL(name, ...)                                              \
    namespace seamark {                                                               \
    namespace baseline { void name(__VA_ARGS__); }                                    \
    inline auto name(Isa) -> void (*)(__VA_ARGS__) { return baseline::name; }          \
    }
#endif
