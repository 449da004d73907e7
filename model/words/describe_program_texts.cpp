// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"

namespace shardscope::words {

namespace {

QString adviceOnUnknown(const Diagnostic& d)
{
    return d.arg("compiled") ? Words::tr("Its results are taken as they are declared.")
                             : Words::tr("Nothing is propagated through it. Annotate its results where they should be "
                                         "sharded.");
}

/// What a name stands for, and what would give it a meaning.
ProblemText undefinedName(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string what = d.text("what");
    const QString known = arg.has("known") ? Words::tr(" Known: %1.").arg(arg("known")) : QString();
    if (what == "mesh")
        return { Words::tr("the mesh %1 is not declared").arg(arg.quote("name")),
            Words::tr("Declare it in the module, as in: sdy.mesh @mesh = <[\"x\"=2]>.") + known, {} };
    if (what == "alias")
        return { Words::tr("the alias %1 is not defined").arg(arg.quote("name")),
            Words::tr("Define it on a line of its own before the module."), {} };
    if (what == "type")
        return { Words::tr("the type %1 is not defined").arg(arg.quote("name")),
            Words::tr("Define it on a line of its own before the module."), {} };
    if (what == "computation")
        return { Words::tr("the computation %1 is not defined").arg(arg.quote("name")),
            Words::tr("Take the text of the module from its first line to its last."), {} };
    if (what == "resource")
        return { Words::tr("the resource %1 is not in the text").arg(arg.quote("name")),
            Words::tr("Put its bytes between “{-#” and “#-}” at the end of the text."), {} };
    return { Words::tr("the value %1 is not defined here").arg(arg.quote("name")),
        Words::tr("Define a value before its first use, in the same body or in one around it."), {} };
}

QString definedTwice(const Diagnostic& d)
{
    const std::string what = d.text("what");
    const QString name = Reader(d).quote("name");
    if (what == "mesh")
        return Words::tr("the mesh %1 is declared twice").arg(name);
    if (what == "function")
        return Words::tr("the function %1 is defined twice").arg(name);
    if (what == "alias")
        return Words::tr("the alias %1 is defined twice").arg(name);
    if (what == "computation")
        return Words::tr("the computation %1 is defined twice").arg(name);
    if (what == "entry")
        return Words::tr("the computation %1 is a second entry").arg(name);
    if (what == "root")
        return Words::tr("the computation %1 has a second root").arg(name);
    return Words::tr("the value %1 is defined twice").arg(name);
}

ProblemText countMismatch(const Diagnostic& d)
{
    const Reader arg(d);
    if (const std::string wrong = d.text("wrong"); wrong == "truncated" || wrong == "rest")
        return { wrong == "truncated" ? Words::tr("the file is truncated: %1 bytes of elements are there, of %2")
                                            .arg(arg.number("found"), arg.number("wanted"))
                                      : Words::tr("the file has %1 bytes of elements, and its header says %2")
                                            .arg(arg.number("found"), arg.number("wanted")),
            Words::tr("Save the array once more with numpy.save() or numpy.savez()."), {} };
    return { Words::tr("the number of %1 of %2 is %3, and should be %4")
                 .arg(arg("what"), arg.has("of") ? arg("of") : Words::tr("the text"), arg.number("found"),
                     arg.number("wanted")),
        Words::tr("Write exactly %1.").arg(arg.number("wanted")), {} };
}

} // namespace

ProblemText describeProgramText(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::UndefinedName:
        return undefinedName(d);
    case Code::DefinedTwice:
        return { definedTwice(d), Words::tr("Give one of the two another name."), {} };
    case Code::DynamicShape:
        return { Words::tr("the size “?” is known only when the program runs"),
            Words::tr("Shardings need every size: export the program with fixed shapes."), {} };
    case Code::OperandType:
        if (arg.has("result"))
            return { Words::tr("%1: result %2 is declared as %3, but what is returned is %4")
                         .arg(arg("op"), arg.number("result"), arg("given"), arg("actual")),
                Words::tr("Declare the type %1, or return another value.").arg(arg("actual")), {} };
        return { arg.has("index")
                ? Words::tr("%1: operand %2 is said to be %3, but is %4")
                      .arg(arg("op"), arg.number("index"), arg("given"), arg("actual"))
                : Words::tr("%1: the elements are %2, the result is %3").arg(arg("op"), arg("given"), arg("actual")),
            Words::tr("Write the type %1, or use another value.").arg(arg("actual")), {} };
    case Code::CountMismatch:
        return countMismatch(d);
    case Code::AttributeMissing:
        return { Words::tr("%1 lacks the attribute %2").arg(arg("op"), arg.quote("attribute")),
            Words::tr("Add %1.").arg(arg.quote("attribute")), {} };
    case Code::AttributeValue:
        return { Words::tr("the attribute %1 is %2").arg(arg.quote("attribute"), arg.quote("value")),
            Words::tr("Write %1.").arg(arg("wanted")), {} };
    case Code::CompiledProgram:
        if (d.arg("devices"))
            return { Words::tr("this program has been partitioned for %1, the mesh has %2")
                         .arg(counted(d.number("devices"), Noun::Device), counted(d.number("wanted"), Noun::Device)),
                Words::tr("Give the experiment a mesh of %1.").arg(counted(d.number("devices"), Noun::Device)), {} };
        return { Words::tr("this program has been partitioned already: there is nothing left to lay out"),
            Words::tr(
                "To lay it out otherwise, open what it was partitioned from: of JAX jax.jit(f).lower(...).as_text()."),
            {} };
    case Code::NotComparable:
        if (arg("wrong") == QLatin1String("devices"))
            return { Words::tr("the compiled program is one for %1, the prediction for %2")
                         .arg(counted(d.number("devices"), Noun::Device), counted(d.number("wanted"), Noun::Device)),
                Words::tr("Compare it with the program, or the experiment, that it was compiled from."), {} };
        if (arg("wrong") == QLatin1String("order"))
            return { Words::tr("the text is no program that XLA has compiled, and the one before it is"),
                Words::tr(
                    "The other way round? First comes the program or the experiment, then what XLA has compiled of "
                    "it."),
                {} };
        return { Words::tr("the text is no program that XLA has compiled"),
            Words::tr("Take what compiled.as_text() prints after compiled = jax.jit(f).lower(...).compile()."), {} };
    case Code::NoProgram:
        if (arg("wrong") == QLatin1String("entry"))
            return { Words::tr("the text ends before the entry of the module"),
                Words::tr("Take the text of the module from its first line to its last.")
                    + (d.arg("compiled")
                            ? Words::tr(" `shardscope comms` and `shardscope compare-hlo` read what there is.")
                            : QString()),
                {} };
        if (arg("wrong") == QLatin1String("bytecode"))
            return { Words::tr("the file is binary: MLIR bytecode, and text is read"),
                Words::tr("Write the text instead: jax.jit(f).lower(...).as_text(), or mlir-opt (stablehlo-opt) of the "
                          "file."),
                {} };
        if (arg("wrong") == QLatin1String("gzip"))
            return { Words::tr("the file is compressed by gzip, and text is read"),
                Words::tr("Unpack it first: gunzip FILE, or zcat FILE | shardscope ... -."), {} };
        if (arg("wrong") == QLatin1String("utf16"))
            return { Words::tr("the file is text in UTF-16, and UTF-8 is read"),
                Words::tr("Write it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE."), {} };
        if (arg("wrong") == QLatin1String("binary"))
            return { Words::tr("the file is binary, and text is read"),
                Words::tr("Choose a program in StableHLO or HLO text, or an experiment."), {} };
        if (arg("wrong") == QLatin1String("table"))
            return { Words::tr("the file is a table of arrays"),
                Words::tr("Make an experiment of it: shardscope convert FILE --from table --mesh data=2,model=4. The "
                          "window opens it as it is."),
                {} };
        if (arg("wrong") == QLatin1String("hugging_face"))
            return { Words::tr("the file is the configuration of a model on Hugging Face"),
                Words::tr(
                    "Make an experiment of it: shardscope convert FILE --from hf --mesh data=2,model=4. The window "
                    "opens it as it is."),
                {} };
        if (arg("wrong") == QLatin1String("maxtext"))
            return { Words::tr("the file is YAML, as MaxText's configurations are"),
                Words::tr("Make an experiment of it: shardscope convert FILE --from maxtext --devices 8, or shardscope "
                          "new --preset llama3-8b --rules FILE --devices 8."),
                {} };
        if (arg("wrong") == QLatin1String("hlo"))
            return { Words::tr("the file is called .hlo, and what it holds does not begin as HLO text does"),
                Words::tr("HLO text begins with HloModule, as compiled.as_text() prints it after compiled = "
                          "jax.jit(f).lower(...).compile(). StableHLO text goes into a file that is called .mlir."),
                {} };
        return { Words::tr("the text holds no program"),
            Words::tr("A program has a function, as in: func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { ... }."),
            {} };
    case Code::OpaqueOperation:
        return { Words::tr("the operation %1 is not known; it is kept as it is").arg(arg.quote("op")),
            (d.text("nearest").empty() ? QString() : Words::tr("Did you mean %1? ").arg(arg.quote("nearest")))
                + adviceOnUnknown(d),
            {} };
    case Code::UnknownCustomCall:
        return { Words::tr("nothing is known of the custom call %1").arg(arg.quote("target")), adviceOnUnknown(d), {} };
    case Code::ShardingIgnored:
        if (d.arg("label"))
            return { Words::tr("%1: the attribute %2 does not count, since it does not go with the program")
                         .arg(arg("op"), arg.quote("attribute")),
                Words::tr("Remove it, or print the text again with “shardscope partition”."), {} };
        if (d.arg("found"))
            return { Words::tr(
                         "%1: the attribute %2 does not count, since it has %3 shardings and there are %4 results")
                         .arg(arg("op"), arg.quote("attribute"), arg.number("found"), arg.number("expected")),
                Words::tr("Write one sharding for each result: {{...}, {...}}."), {} };
        if (d.arg("sharding"))
            return { Words::tr("%1: the attribute %2 does not count, since no sharding over a mesh says %3")
                         .arg(arg("op"), arg.quote("attribute"), arg("sharding")),
                Words::tr("The array is laid out as if it were not there: shard it over axes of a mesh."), {} };
        return { Words::tr("%1: the attribute %2 does not count, since the program has a mesh of Shardy")
                     .arg(arg("op"), arg.quote("attribute")),
            Words::tr("Write it as sdy.sharding."), {} };
    case Code::FunctionDeclared:
        return { Words::tr("the function %1 has no body and is left out").arg(arg.quote("name")),
            Words::tr("Give it a body if it is called."), {} };
    case Code::ConstantElided:
        return {
            Words::tr("the text leaves out the elements of a constant %1; zeros take their place").arg(arg("type")),
            Words::tr("Print the program with all elements."), {}
        };
    case Code::FurtherPrograms:
        return { d.number("count") == 1
                ? Words::tr("the text holds one more program, which is not read")
                : Words::tr("the text holds %1 more programs, which are not read").arg(arg.number("count")),
            Words::tr("Programs are separated by lines “// -----”: put the others into files of their own."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
