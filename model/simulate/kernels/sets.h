// SPDX-License-Identifier: GPL-3.0-or-later
// The translation units of kernel_set.h, and what their common parts need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simulate/kernels/kernel_set.h"

// The iterations of the loop do not depend on each other, although the result may be one of the operands.
#if defined(__clang__)
#define SHARDSCOPE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SHARDSCOPE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace shardscope::kernels {

[[nodiscard]] KernelSet portableSet();
#if defined(__x86_64__)
[[nodiscard]] KernelSet avx2Set();
[[nodiscard]] KernelSet avx512Set();
#endif

} // namespace shardscope::kernels
