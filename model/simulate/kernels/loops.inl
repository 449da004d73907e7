// SPDX-License-Identifier: GPL-3.0-or-later
// The loops over the lanes of one instruction set; each part uses those before it.
// clang-format off
#include "simulate/kernels/lanes_scalar.inl"
#include "simulate/kernels/products.inl"
#include "simulate/kernels/exponentials.inl"
#include "simulate/kernels/elementwise.inl"
#include "simulate/kernels/adam.inl"
#include "simulate/kernels/reductions.inl"
// clang-format on
