// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/describe_transformer.h"

#include "words/diagnostic_reader.h"

namespace shardscope::words {

ProblemText describeTransformer(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (wrong == "kv_heads")
        return { Words::tr("%1 query heads cannot share %2 heads of keys and values evenly")
                     .arg(arg.number("heads"), arg.number("kv_heads")),
            Words::tr("Use a number of key and value heads that divides the number of heads."), {} };
    if (wrong == "fused_qkv")
        return { Words::tr("one kernel cannot make %1 query heads and %2 heads of keys and values")
                     .arg(arg.number("heads"), arg.number("kv_heads")),
            Words::tr("Use as many key and value heads as heads, or a kernel for each of query, key and value."), {} };
    if (wrong == "rotary")
        return { Words::tr("rotary positions would turn %1 of the %2 elements of a head")
                     .arg(arg("size"), arg.number("head_size")),
            Words::tr("Use a head size and a rotary fraction that make it an even number of them."), {} };
    if (wrong == "buckets")
        return { Words::tr("%1 relative positions cannot be divided by 4").arg(arg.number("buckets")),
            Words::tr("Use a multiple of 4."), {} };
    if (wrong == "latent")
        return { Words::tr("latent attention does not go together with %1").arg(arg.quote("with")),
            Words::tr("Use as many key and value heads as heads, a decoder alone, and plain queries and keys."), {} };
    if (wrong == "parallel_block")
        return { Words::tr("a decoder that attends to an encoder cannot have parallel blocks"),
            Words::tr("Leave out the encoder or the parallel blocks."), {} };
    return { Words::tr("a transformer cannot have numbers of type %1").arg(arg("dtype")),
        Words::tr("Use f32, f64, bf16 or f16."), {} };
}

} // namespace shardscope::words
