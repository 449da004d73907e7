// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"

namespace shardscope::words {

namespace {

ProblemText describeContradiction(const Diagnostic& d)
{
    const Reader arg(d);
    const std::string wrong = d.text("wrong");
    const QString values = Words::tr("%1 is %2, and %3 is %4", "hidden_size is 100, and num_attention_heads is 3")
                               .arg(arg.quote("key"), arg("value"), arg.quote("other"), arg("other_value"));
    if (wrong == "divide")
        return { Words::tr("%1: the first does not divide by the second").arg(values),
            Words::tr("Correct one of the two."), {} };
    if (wrong == "at_most")
        return { Words::tr("%1: the first is larger than the second").arg(values), Words::tr("Correct one of the two."),
            {} };
    return { Words::tr("%1: they contradict each other").arg(values), Words::tr("Correct one of the two."), {} };
}

} // namespace

ProblemText describeConfiguration(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::UnknownArchitecture:
        return { Words::tr("models of the architecture %1 are not known").arg(arg.quote("name")),
            (arg.has("nearest") ? Words::tr("Did you mean %1? ").arg(arg.quote("nearest")) : QString())
                + Words::tr("Known: %1. If its layers are those of one of them, read it as that one: --as %2.")
                      .arg(arg("known"), arg.has("nearest") ? arg("nearest") : QStringLiteral("llama")),
            {} };
    case Code::UnsupportedBlock:
        return { Words::tr("%1 is %2: networks have no such block, which models of the architecture %3 may have")
                     .arg(arg.quote("key"), arg("value"), arg("architecture")),
            Words::tr("Begin with a preset that is near to it, and change its sizes."), {} };
    case Code::ContradictoryFields:
        return describeContradiction(d);
    case Code::FieldLeftOut:
        if (arg("parameters") == QLatin1String("language_model"))
            return { Words::tr("%1 is %2, and the network is the language model of that architecture")
                         .arg(arg.quote("key"), arg("value")),
                Words::tr("Layers are the same; the head, and of T5 the decoder, are those of the language model."),
                {} };
        if (arg.has("parameters"))
            return { Words::tr("%1 is %2, which the network leaves out").arg(arg.quote("key"), arg("value")),
                Words::tr("The parameters of that are missing; all others are those of the model."), {} };
        return { Words::tr("%1 is %2, which the network leaves out").arg(arg.quote("key"), arg("value")),
            Words::tr("No shape depends on it: parameters and shardings are those of the model."), {} };
    case Code::UnknownField:
        return { Words::tr("the key %1 is not known, and nothing is read from it").arg(arg.quote("key")),
            arg.has("nearest") ? Words::tr("Did you mean %1?").arg(arg.quote("nearest"))
                               : Words::tr("If it changes a size, change the size in the experiment."),
            {} };
    case Code::UnverifiedArchitecture:
        return { Words::tr("the reader of the architecture %1 follows its documented keys and has been tried on no "
                           "real file")
                     .arg(arg("architecture")),
            Words::tr("Compare the number of parameters with the published one."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
