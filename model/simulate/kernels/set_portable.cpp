// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sets.h.
#include "simulate/kernels/sets.h"

namespace shardscope::kernels {
namespace {

#include "simulate/kernels/lanes_portable.inl"

#include "simulate/kernels/loops.inl"

} // namespace

KernelSet portableSet()
{
    return makeSet(InstructionSet::Portable);
}

} // namespace shardscope::kernels
