// SPDX-License-Identifier: GPL-3.0-or-later
// The annotation of an array that has some dimensions of an annotated one.
//
//     withDimensions((embed, heads, head), { 0, 2 })     (embed, head)
//     withDimensions(P('data', 'model'), { -1, 0, 1 })   P(None, 'data', 'model')
#pragma once

#include "program/attributes.h"

namespace shardscope {

/// Entry i is that of dimension `from[i]`; -1 stands for a new dimension, which is not sharded. No annotation stays
/// none.
[[nodiscard]] Annotation withDimensions(const Annotation& annotation, const Dimensions& from);

} // namespace shardscope
