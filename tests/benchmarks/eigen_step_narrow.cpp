// SPDX-License-Identifier: GPL-3.0-or-later
#define SHARDSCOPE_SPACE narrow
#define SHARDSCOPE_EIGEN Eigen_narrow
#include "eigen_step.inl"
