// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

/// Of InvalidAttribute {op: transformer}, as networks/check_transformer.h has it.
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

ProblemText describeDeviceOrder(const Diagnostic& d)
{
    const Reader arg(d);
    return { d.arg("named") ? Words::tr("the device order names %1, the mesh has %2")
                                  .arg(counted(d.number("named"), Noun::Device), arg.number("devices"))
            : d.arg("unknown_device")
            ? Words::tr("the device order names device %1, which the mesh lacks").arg(d.number("unknown_device"))
            : Words::tr("the device order names device %1 twice").arg(d.number("device")),
        Words::tr("Name every device from 0 to %1 once.").arg(d.number("devices") - 1), {} };
}

/// What is wrong with a value that a person chose.
ProblemText describeWrong(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    if (d.text("op") == "transformer")
        return describeTransformer(d);
    if (wrong == "names")
        return { Words::tr("%1 has %2, but names for %3")
                     .arg(arg.tensor(), counted(d.number("dimensions"), Noun::Dimension), arg.number("names")),
            Words::tr("Give one name per dimension; null is for one without a name."), {} };
    if (wrong == "path")
        return { Words::tr("two arrays are called %1").arg(arg.tensor()), Words::tr("Rename one of them."), {} };
    if (wrong == "dtype")
        return { Words::tr("the simulated devices cannot compute with numbers of type %1").arg(arg("dtype")),
            Words::tr("Use f32 or f64."), {} };
    if (wrong == "axis_name")
        return { Words::tr("a mesh axis has no name"), Words::tr("Give every mesh axis a name."), {} };
    if (wrong == "size")
        return { Words::tr("%1 has a dimension of size %2").arg(arg("type"), arg.number("size")),
            Words::tr("Use sizes of at least 0."), {} };
    if (wrong == "constraint")
        return { Words::tr("the model has no constraint on y"), Words::tr("Choose a model that has one."), {} };
    if (wrong == "microbatches")
        return { Words::tr("a batch of %1 does not divide into %2 microbatches")
                     .arg(arg.number("batch"), arg.number("microbatches")),
            Words::tr("Choose a number of microbatches that divides the batch."), {} };
    if (wrong == "network")
        return { Words::tr("the model has no setting %1").arg(arg.quote("op")),
            Words::tr("Choose a transformer as the model."), {} };
    if (wrong == "own_rule")
        return { Words::tr("only operations of a program in StableHLO text take sharding rules of their own"),
            Words::tr("Open the program as text, or change the logical axis rules."), {} };
    if (wrong == "memory")
        return {
            Words::tr("%1 takes no memory of its own: the program says itself where its arrays lie").arg(arg("op")),
            Words::tr("Change the text of the program, or open an experiment of arrays."), {}
        };
    return { Words::tr("the names of a view are not those of its dimensions, each once"),
        Words::tr("Name every dimension of its data once."), {} };
}

QString outOfMemoryRemedy(const Diagnostic& diagnostic)
{
    const Reader arg(diagnostic);
    QStringList remedies;
    if (diagnostic.arg("alone_bytes"))
        remedies << Words::tr("Leave out the check: the run alone needs %1.").arg(arg.size("alone_bytes"));
    if (diagnostic.arg("shared_bytes"))
        remedies << Words::tr("Set share_replicas in its section run: that needs %1.").arg(arg.size("shared_bytes"));
    if (remedies.isEmpty())
        remedies << Words::tr("Use smaller sizes.");
    remedies << Words::tr("The layout can be studied without a run.");
    return remedies.join(QLatin1Char(' '));
}

/// A name of more than one: of the last parts of several paths, or of values that have numbers alone.
ProblemText describeSeveralTensors(const Diagnostic& d)
{
    const Reader arg(d);
    QStringList others;
    const std::vector<std::string> known = d.list("known");
    for (std::size_t i = 1; i < known.size(); ++i)
        others << quoted(fromStd(known[i]));
    const QString more = others.isEmpty() ? QString() : Words::tr(" Others: %1.").arg(others.join(Words::tr(", ")));
    if (d.text("nearest").starts_with('%'))
        return { Words::tr("%1 is what %2 values are called").arg(arg.quote("path"), arg.number("several")),
            Words::tr("Name one by its number, as %1.").arg(arg.quote("nearest")) + more, {} };
    return { Words::tr("%1 is the end of %2 paths").arg(arg.quote("path"), arg.number("several")),
        Words::tr("Write more of one, as %1.").arg(arg.quote("nearest")) + more, {} };
}

} // namespace

ProblemText describeProgram(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::TypeMismatch:
        if (d.text("wrong") == "given")
            return { Words::tr("%1: %2 given, which do not fill %3")
                         .arg(arg("op"), counted(d.number("given"), Noun::Element), arg("type")),
                Words::tr("Give one value for each element."), {} };
        if (d.text("wrong") == "unranked")
            return { d.arg("argument")
                    ? Words::tr("argument %1 of %2 is %3, whose rank is not known")
                          .arg(arg.number("argument"), arg("op"), arg("type"))
                    : Words::tr("%1 has a value of %2, whose rank is not known").arg(arg("op"), arg("type")),
                Words::tr("Arrays of StableHLO have a rank: write one size for each dimension, or ? where it is not "
                          "known, as in tensor<8x?xf32>."),
                {} };
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")), Words::tr("Use types that fit each other."), {} };
    case Code::InvalidOperand:
        if (d.arg("calls_itself"))
            return { Words::tr("%1 calls itself, by way of other functions or not").arg(arg("op")),
                Words::tr("Write what is repeated as a loop, stablehlo.while."), {} };
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")),
            Words::tr("Use operands that the operation can take."), {} };
    case Code::InvalidAttribute:
        if (d.arg("named") || d.arg("device") || d.arg("unknown_device"))
            return describeDeviceOrder(d);
        if (d.arg("wrong"))
            return describeWrong(d);
        return { Words::tr("%1: %2").arg(arg("op"), arg("detail")), Words::tr("Choose another value."), {} };
    case Code::UnknownTensor:
        if (d.arg("several"))
            return describeSeveralTensors(d);
        return { Words::tr("there is no tensor %1").arg(arg.quote("path")),
            arg.has("nearest") ? Words::tr("Did you mean %1?").arg(arg.quote("nearest"))
                               : Words::tr("`show` lists all tensors."),
            {} };
    case Code::NotExecutable:
        if (d.arg("operand"))
            return { Words::tr("%1: %2 cannot be executed: it sums over dimension %3 of its operand %4, whose size %5 "
                               "does not divide into %6 shards")
                         .arg(arg.tensor(), arg("op"), arg.number("dim"), count(d.number("operand") + 1),
                             arg.number("size"), arg.number("partitions")),
                divisibleSizes(d), {} };
        return { Words::tr("%1 cannot be executed").arg(arg("op")),
            Words::tr("Replace it by operations that are, or run the program without a mesh."), {} };
    case Code::OutOfMemory:
        if (!d.arg("bytes"))
            return { Words::tr("there is not enough memory for this"),
                Words::tr("Use smaller sizes, or close other programs."), {} };
        return { (d.arg("alone_bytes") ? Words::tr("the run and its check need %1 of memory, %2 are there")
                                       : Words::tr("the run needs %1 of memory, %2 are there"))
                     .arg(arg.size("bytes"), arg.size("limit")),
            outOfMemoryRemedy(d), {} };
    case Code::VersionMismatch:
        return { Words::tr("results of different revisions were mixed"), Words::tr("Run again."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
