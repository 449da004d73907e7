// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/values_words.h"

#include <QCoreApplication>
#include <algorithm>

#include "words/collective_texts.h"
#include "words/run_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct ValuesWords {
    Q_DECLARE_TR_FUNCTIONS(ValuesWords)
};

} // namespace

QString notHeldText(Held held, const std::string& path)
{
    switch (held) {
    case Held::NoStep:
        return ValuesWords::tr("The last step was broken off, so that the devices hold nothing of meaning.");
    case Held::NoMemory:
        return ValuesWords::tr("%1 has no memory of its own: it is made where it is needed, and never stored. Choose "
                               "the tensor that is computed from it.")
            .arg(words::tensorName(path));
    case Held::Overwritten:
        return ValuesWords::tr("%1 is not kept: by the end of the step its memory holds another array. Parameters, "
                               "gradients, optimizer state and named activations stay.")
            .arg(words::tensorName(path));
    case Held::Yes:
        break;
    }
    return {};
}

QStringList valuesNotes(const ShownValues& shown, const TensorRow& row)
{
    const Layout& layout = shown.subject.layout;
    QStringList sentences;
    if (layout.addends() > 1) {
        const QString axes = words::axesText(layout.mesh(), layout.sharding().unreduced);
        const QString parts = words::count(layout.addends());
        sentences << (layout.copies() > 1
                ? ValuesWords::tr(
                    "Partial: %1 values still have to be added up over %2, and %3 devices hold each of them.")
                      .arg(parts, axes, words::count(layout.copies()))
                : ValuesWords::tr("Partial: %1 values still have to be added up over %2.").arg(parts, axes));
        sentences << (shown.local ? ValuesWords::tr("Each panel shows one partial value.")
                                  : ValuesWords::tr("The global view adds them up; Local shows each partial value."));
        if (shown.difference)
            sentences << ValuesWords::tr(
                "A partial value has no counterpart in the reference, so that differences are those of the sum.");
    } else if (!row.partialBefore.empty()) {
        sentences << ValuesWords::tr(
            "Its partial values were added up over %1 in their own memory, so that only the sum is "
            "there.")
                         .arg(words::axesText(layout.mesh(), row.partialBefore));
    }
    const auto listed = static_cast<std::int64_t>(shown.positions.size());
    if (shown.local && listed > 1 && listed < layout.mesh().deviceCount())
        sentences << ValuesWords::tr("The first %1 of %2 devices are shown; choose one to see another.")
                         .arg(words::count(listed), words::count(layout.mesh().deviceCount()));
    return sentences;
}

QString nonFiniteSentence(const RecordedStep& step, const RecordedStep::FirstNonFinite& first)
{
    const Program& program = step.device().program;
    const Program& specified = *step.program->program;
    const ValueId value = program.operation(first.found.operation).results[first.found.index];
    const std::string path = value.index < specified.values.size() ? *specified.value(value).path : std::string();
    Shape index = program.value(value).type.shape;
    std::int64_t left = first.found.element;
    for (std::size_t d = index.size(); d-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(index[d], 1);
        index[d] = left % extent;
        left /= extent;
    }
    return words::nonFinite(program, first.found, words::Runs::Devices,
        path.empty() ? QString() : QLatin1Char('%') + QString::fromStdString(path), index);
}

} // namespace shardscope
