// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/named_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "base/codes.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::named {

namespace {

struct Named {
    Q_DECLARE_TR_FUNCTIONS(Named)
};

QString problemText(const NamedArraySetting& array, const Reading& reading)
{
    const Error& problem = *reading.problem;
    if (problem.code == Code::Indivisible && reading.layout) {
        const std::int64_t size = problem.number("size"), parts = problem.number("partitions");
        const std::int64_t room = (size + parts - 1) / parts * parts;
        return Named::tr(
            "%1 has %2 elements, which cannot be split into %3 equal shards. Use %4, or map %1 to other mesh "
            "axes; drawn padded here.")
            .arg(dimensionName(array, static_cast<std::size_t>(problem.number("dim"))), words::count(size),
                words::count(parts), words::count(room));
    }
    return words::sentence(words::describe(problem).inFull());
}

QString holders(const Layout& layout)
{
    const QString devices = words::counted(layout.mesh().deviceCount(), words::Noun::Device);
    return layout.distinctShards() == 1 ? Named::tr("Each of %1 holds all of it.").arg(devices)
        : layout.copies() == 1
        ? Named::tr("%1 different shards on %2, one copy of each.").arg(words::count(layout.distinctShards()), devices)
        : Named::tr("%1 different shards on %2, %3 copies of each.")
              .arg(words::count(layout.distinctShards()), devices, words::count(layout.copies()));
}

} // namespace

QString dimensionName(const NamedArraySetting& array, std::size_t dimension)
{
    const QString name = dimension < array.names.size() ? words::fromStd(nameText(array.names[dimension])) : QString();
    return name.isEmpty() ? Named::tr("dimension %1").arg(dimension) : name;
}

QStringList toList(const std::vector<std::string>& axes)
{
    return words::texts(axes, words::fromStd);
}

QString joined(const std::vector<std::string>& axes)
{
    return toList(axes).join(QStringLiteral(", "));
}

QString axesList(const std::vector<std::string>& axes)
{
    return axes.empty() ? Named::tr("not sharded") : joined(axes);
}

QVariantList axisIndices(const std::vector<std::string>& axes, const Mesh& mesh)
{
    QVariantList indices;
    for (const std::string& axis : axes) {
        const std::optional<std::size_t> index = mesh.axisIndex(axis);
        indices << (index ? static_cast<int>(*index) : -1);
    }
    return indices;
}

std::vector<std::string> parseAxes(const QString& text)
{
    static const QRegularExpression marks(QStringLiteral("[()\\[\\]'\"]"));
    QString inner = text;
    inner.remove(marks);
    std::vector<std::string> axes;
    for (const QString& part : inner.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (const QString axis = part.trimmed(); !axis.isEmpty() && axis != QLatin1String("None")
            && axis != QLatin1String("-") && axis != Named::tr("not sharded"))
            axes.push_back(axis.toStdString());
    return axes;
}

QString conflictText(const MappedName& name)
{
    if (name.conflicts.empty())
        return {};
    QStringList numbers;
    for (const std::size_t rule : name.conflicts)
        numbers << QString::number(rule + 1);
    const QString last = numbers.takeLast();
    return Named::tr("Rules %1 and %2 map %3 to different axes. A mapping has one place for a name: it takes none of "
                     "them.")
        .arg(numbers.join(QStringLiteral(", ")), last, words::fromStd(name.name));
}

QString specText(const Reading& reading)
{
    if (reading.problem && !reading.layout)
        return words::describe(*reading.problem).cause;
    return words::fromStd(toColumn(reading.spec));
}

QString readingText(const NamedArraySetting& array, const Reading& reading)
{
    if (reading.problem)
        return problemText(array, reading);
    return reading.layout ? holders(*reading.layout) : QString();
}

QString outcomeText(const NamedArraySetting& array, const ArrayOutcome& outcome)
{
    QStringList sentences;
    if (outcome.ignored && !outcome.mapping) {
        sentences << Named::tr("It has no names and is ignored: it stays as it is.");
    } else {
        sentences << readingText(array, outcome.specified);
    }
    const Reading& mapping = outcome.asMapping();
    if (outcome.mapping) {
        if (outcome.ignored)
            sentences << Named::tr("As a mapping: it has no names and is ignored.");
        else if (mapping.problem && !mapping.layout)
            sentences << Named::tr("As a mapping: an error, %1.").arg(words::describe(*mapping.problem).cause);
        else if (words::fromStd(toColumn(mapping.spec)) == words::fromStd(toColumn(outcome.specified.spec)))
            sentences << Named::tr("As a mapping: the same.");
        else
            sentences << Named::tr("As a mapping: %1.").arg(words::fromStd(toColumn(mapping.spec)));
    }
    if (outcome.meant)
        sentences << Named::tr("Penzai's spec, %1, lists the named axes alone, so that it falls on the dimensions "
                               "without a name in front of them; meant is %2.")
                         .arg(words::fromStd(toColumn(mapping.spec)), words::fromStd(toColumn(*outcome.meant)));
    return sentences.join(QLatin1Char(' '));
}

} // namespace shardscope::named
