// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sets.h.
#include "simulate/kernels/sets.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Only what follows is compiled for the instruction set: functions of the headers above stay what the whole build
// targets, so that the linker can pick any copy of them.
#if defined(__clang__)
#pragma clang attribute push(                                                                                          \
    __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#endif

namespace shardscope::kernels {
namespace {

namespace halves { // registers of half the size
#include "simulate/kernels/lanes_avx2.inl"
} // namespace halves

#include "simulate/kernels/lanes_avx512.inl"

#include "simulate/kernels/loops.inl"

} // namespace

KernelSet avx512Set()
{
    return makeSet(InstructionSet::Avx512);
}

} // namespace shardscope::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
