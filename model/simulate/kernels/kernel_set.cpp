// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/sets.h"

namespace shardscope {

bool isAvailable(InstructionSet set)
{
    switch (set) {
    case InstructionSet::Portable:
        return true;
#if defined(__x86_64__)
    case InstructionSet::Avx2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::Avx512:
        return isAvailable(InstructionSet::Avx2) && __builtin_cpu_supports("avx512f")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512vl");
#endif
    default:
        return false;
    }
}

const KernelSet& kernelSet(InstructionSet set)
{
    static const KernelSet portable = kernels::portableSet();
#if defined(__x86_64__)
    static const KernelSet avx2 = kernels::avx2Set();
    static const KernelSet avx512 = kernels::avx512Set();
    if (isAvailable(set) && set == InstructionSet::Avx512)
        return avx512;
    if (isAvailable(set) && set == InstructionSet::Avx2)
        return avx2;
#endif
    static_cast<void>(set);
    return portable;
}

const KernelSet& kernelSet()
{
    for (const InstructionSet set : { InstructionSet::Avx512, InstructionSet::Avx2 })
        if (isAvailable(set))
            return kernelSet(set);
    return kernelSet(InstructionSet::Portable);
}

} // namespace shardscope
