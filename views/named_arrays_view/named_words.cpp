// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "base/codes.h"
#include "sharding/text.h"
#include "words/words.h"

namespace shardscope::named {

namespace {

struct Named {
    Q_DECLARE_TR_FUNCTIONS(Named)
};

QString sentence(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text.isEmpty() || text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

QString problemText(const ArrayOutcome& outcome)
{
    const Error& problem = *outcome.problem;
    if (problem.code == Code::Indivisible && outcome.layout) {
        const auto d = static_cast<std::size_t>(problem.number("dim"));
        const QString name = d < outcome.names.size() && !outcome.names[d].empty()
            ? QString::fromStdString(outcome.names[d])
            : Named::tr("dimension %1").arg(problem.number("dim"));
        const std::int64_t size = problem.number("size"), parts = problem.number("partitions");
        const std::int64_t room = (size + parts - 1) / parts * parts;
        return Named::tr("%1 has %2 elements, which cannot be cut into %3 equal parts. Use %4, or map %1 to other mesh "
                         "axes; drawn padded here.")
            .arg(name, words::count(size), words::count(parts), words::count(room));
    }
    const words::ProblemText said = words::describe(problem);
    const QString place = problem.where.column > 0 ? Named::tr(" (column %1)").arg(problem.where.column) : QString();
    return sentence(said.cause + place) + (said.remedy.isEmpty() ? QString() : QLatin1Char(' ') + said.remedy);
}

} // namespace

Shape dataShape(const std::variant<NamedArray, PlainArray>& array)
{
    const auto* named = std::get_if<NamedArray>(&array);
    return named ? named->dataShape() : std::get<PlainArray>(array).shape;
}

QStringList axesOf(const NamedTree& tree, const Mesh& mesh, const std::string& name)
{
    QStringList axes;
    if (name.empty())
        return axes;
    if (tree.sameNames) {
        if (mesh.axisIndex(name))
            axes << QString::fromStdString(name);
    } else if (const std::vector<std::string>* mapped = mappedAxes(tree, name)) {
        for (const std::string& axis : *mapped)
            axes << QString::fromStdString(axis);
    }
    return axes;
}

QString axesList(const NamedTree& tree, const Mesh& mesh, const std::string& name)
{
    const QStringList axes = axesOf(tree, mesh, name);
    return axes.isEmpty() ? Named::tr("not cut") : axes.join(QStringLiteral(", "));
}

QVariantList axisIndices(const QStringList& axes, const Mesh& mesh)
{
    QVariantList indices;
    for (const QString& axis : axes) {
        const std::optional<std::size_t> index = mesh.axisIndex(axis.toStdString());
        indices << (index ? static_cast<int>(*index) : -1);
    }
    return indices;
}

std::vector<std::string> parseAxes(const QString& text)
{
    QString inner = text;
    inner.remove(QRegularExpression(QStringLiteral("[()\\[\\]'\"]")));
    std::vector<std::string> axes;
    for (const QString& part : inner.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (const QString axis = part.trimmed(); !axis.isEmpty() && axis != QLatin1String("None")
            && axis != QLatin1String("-") && axis != Named::tr("not cut"))
            axes.push_back(axis.toStdString());
    return axes;
}

QString outcomeText(const ArrayOutcome& outcome)
{
    if (outcome.problem)
        return problemText(outcome);
    if (outcome.ignored)
        return Named::tr("It has no names and is ignored: it stays as it is.");
    if (!outcome.layout)
        return {};
    const Layout& layout = *outcome.layout;
    const QString devices = words::counted(layout.mesh().deviceCount(), words::Noun::Device);
    QString text = layout.distinctShards() == 1 ? Named::tr("Each of %1 holds all of it.").arg(devices)
        : layout.copies() == 1
        ? Named::tr("%1 different shards on %2, one copy of each.").arg(words::count(layout.distinctShards()), devices)
        : Named::tr("%1 different shards on %2, %3 copies of each.")
              .arg(words::count(layout.distinctShards()), devices, words::count(layout.copies()));
    if (outcome.penzaiSpec)
        text += QLatin1Char(' ')
            + Named::tr("Penzai's own spec, %1, lists the named axes alone, so that it falls on the dimensions without "
                        "a name in front of them; shown is what is meant.")
                  .arg(QString::fromStdString(toColumn(*outcome.penzaiSpec)));
    return text;
}

} // namespace shardscope::named
