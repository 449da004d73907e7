// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/links.h"

#include <array>

#include "program/operation_path.h"
#include "words/utf8.h"

namespace shardscope::words {

namespace {

/// By the order of Link::Kind.
constexpr std::array<const char*, 4> prefixes{ "value:", "operation:", "step:", "rule:" };

QString made(Link::Kind kind, const QString& what)
{
    return QLatin1String(prefixes[static_cast<std::size_t>(kind)]) + what;
}

} // namespace

QString valueLink(const Program& program, ValueId value)
{
    if (!value.valid())
        return {};
    const Value& v = program.value(value);
    if (!v.path.empty())
        return made(Link::Kind::Value, fromStd(v.path));
    return v.definition.valid() ? operationLink(program, v.definition) : QString();
}

QString operationLink(const Program& program, OperationId operation)
{
    return operation.valid() ? made(Link::Kind::Operation, fromStd(operationPath(program, operation))) : QString();
}

QString stepLink(std::uint32_t step)
{
    return made(Link::Kind::Step, QString::number(step));
}

QString ruleLink(int rule)
{
    return made(Link::Kind::Rule, QString::number(rule));
}

std::optional<Link> readLink(const QString& link)
{
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        const QLatin1String prefix(prefixes[i]);
        if (!link.startsWith(prefix) || link.size() == prefix.size())
            continue;
        const auto kind = static_cast<Link::Kind>(i);
        const QString rest = link.mid(prefix.size());
        if (kind == Link::Kind::Value || kind == Link::Kind::Operation)
            return Link{ kind, rest, -1 };
        bool isNumber = false;
        const int number = rest.toInt(&isNumber);
        return isNumber && number >= 0 ? std::optional(Link{ kind, {}, number }) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace shardscope::words
