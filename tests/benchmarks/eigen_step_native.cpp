// SPDX-License-Identifier: GPL-3.0-or-later
#define SHARDSCOPE_SPACE native
#define SHARDSCOPE_EIGEN Eigen_native
#include "eigen_step.inl"
