// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/rule_text.h"

#include <QRegularExpression>
#include <QStringList>
#include <utility>

#include "base/codes.h"
#include "experiment/reserved_names.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

QString unconstrainedText()
{
    return fromStd(unconstrainedWord);
}

SpecEntry parseTarget(const QString& text)
{
    QString inner = text.trimmed();
    const bool tuple = inner.startsWith(QLatin1Char('(')) || inner.contains(QLatin1Char(','));
    inner.remove(QRegularExpression(QStringLiteral("[()'\"]")));
    std::vector<std::string> axes;
    for (const QString& part : inner.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty())
            axes.push_back(part.trimmed().toStdString());
    if (text.trimmed() == QLatin1String("?") || (!tuple && axes.size() == 1 && axes[0] == unconstrainedWord))
        return SpecEntry::unconstrained();
    if (text.trimmed() == QLatin1String("()"))
        return SpecEntry::tuple({});
    if (axes.empty() || (axes.size() == 1 && (axes[0] == "None" || axes[0] == "-" || axes[0] == "none")))
        return SpecEntry::none();
    return tuple ? SpecEntry::tuple(std::move(axes)) : SpecEntry::axis(std::move(axes[0]));
}

} // namespace

LogicalName parseLogicalName(const QString& text)
{
    if (text == unconstrainedText())
        return LogicalName::unconstrained();
    return text == QLatin1String("None") ? LogicalName::none() : LogicalName::of(text.toStdString());
}

QString logicalNameText(const LogicalName& name)
{
    switch (name.kind) {
    case LogicalName::Kind::None:
        return QStringLiteral("None");
    case LogicalName::Kind::Unconstrained:
        return unconstrainedText();
    case LogicalName::Kind::Name:
        break;
    }
    return QString::fromStdString(name.name);
}

Result<SpecEntry> readTarget(const QString& text)
{
    QString inner = text.trimmed();
    if (inner.startsWith(QLatin1Char('(')) && inner.endsWith(QLatin1Char(')')))
        inner = inner.mid(1, inner.size() - 2);
    QStringList parts = inner.split(QLatin1Char(','));
    if (parts.size() > 1 && parts.last().trimmed().isEmpty())
        parts.removeLast(); // as Python writes a tuple of one
    static const QRegularExpression axis(QStringLiteral(R"(^\s*(?:'[^'"]+'|"[^'"]+"|[^'"()\[\]{}]+)\s*$)"));
    const bool several = parts.size() > 1;
    for (const QString& part : std::as_const(parts))
        if (part.trimmed().isEmpty() ? several : !axis.match(part).hasMatch())
            return fail(Code::Syntax,
                { { "expected", "mesh axes, as data, or data, model, or None" },
                    { "found", text.trimmed().left(40).toStdString() } });
    return parseTarget(text);
}

QString targetText(const SpecEntry& entry)
{
    if (entry.kind == SpecEntry::Kind::Unconstrained)
        return QStringLiteral("?");
    if (entry.kind == SpecEntry::Kind::None)
        return QStringLiteral("None");
    const QStringList names = texts(entry.axes, fromStd);
    return entry.kind == SpecEntry::Kind::Tuple ? QStringLiteral("(%1)").arg(names.join(QStringLiteral(", ")))
                                                : names.join(QString());
}

} // namespace shardscope::words
