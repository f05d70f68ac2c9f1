#pragma once

#include <cstdint>

// One binary for old and current processors: the loader picks the widest version of a function.
// Not under ThreadSanitizer, which is not yet running when the loader picks.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define GREEDAG_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define GREEDAG_VECTORISED
#endif

namespace greedag {

using Four = double __attribute__((vector_size(32)));
/// The same in memory, aligned as a double. Compilers agree on that only for a typedef, and only
/// for pointers declared with it: `auto` would drop the alignment.
typedef double FourThere __attribute__((vector_size(32), aligned(8), may_alias));
static_assert(alignof(FourThere) == alignof(double));
using FourBits = std::int64_t __attribute__((vector_size(32)));

}  // namespace greedag
