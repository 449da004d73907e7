// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include "schedule/plan.h"
#include "words/words.h"

#include <algorithm>
#include <string_view>

#include "words/optimizer_words.h"
#include "words/tr.h"

namespace shardscope::words {

QString plain(const Text& text)
{
    QString joined;
    for (const Span& span : text)
        joined += span.text;
    return joined;
}

QString role(Role role)
{
    switch (role) {
    case Role::Parameter:
        return Words::tr("Parameters");
    case Role::Gradient:
        return Words::tr("Gradients");
    case Role::Mu:
        return Words::tr("First moments");
    case Role::Nu:
        return Words::tr("Second moments");
    case Role::Master:
        return Words::tr("Master weights");
    case Role::Count:
        return Words::tr("Count");
    case Role::Step:
        return Words::tr("Step");
    case Role::Input:
        return Words::tr("Inputs");
    case Role::Activation:
        return Words::tr("Activations");
    case Role::Loss:
        return Words::tr("Loss");
    case Role::Constant:
        return Words::tr("Constants");
    case Role::Temporary:
        return Words::tr("Intermediate values");
    }
    return {};
}

QString owner(Owner owner, const Program& program)
{
    switch (owner) {
    case Owner::Parameters:
        return Words::tr("parameters");
    case Owner::Gradients:
        return Words::tr("gradients");
    case Owner::Mu:
        return optimizerArrays(program, Role::Mu);
    case Owner::Nu:
        return optimizerArrays(program, Role::Nu);
    case Owner::Activations:
        return Words::tr("activations");
    case Owner::Buffers:
        return Words::tr("buffers");
    }
    return {};
}

QString collective(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllReduce:
        return Words::tr("all-reduce");
    case CollectiveKind::AllGather:
        return Words::tr("all-gather");
    case CollectiveKind::ReduceScatter:
        return Words::tr("reduce-scatter");
    case CollectiveKind::AllToAll:
        return Words::tr("all-to-all");
    case CollectiveKind::CollectivePermute:
        return Words::tr("collective-permute");
    case CollectiveKind::CollectiveBroadcast:
        return Words::tr("collective-broadcast");
    case CollectiveKind::AllSlice:
        return Words::tr("all-slice");
    }
    return {};
}

QString verdict(const RuleTrace& trace)
{
    switch (trace.verdict) {
    case Verdict::Applied:
        return Words::tr("Applied");
    case Verdict::NoSuchDimension:
        return Words::tr("Not concerned");
    case Verdict::AxisBusy:
    case Verdict::DimensionSet:
    case Verdict::BlockedByNull:
        return Words::tr("Skipped");
    }
    return {};
}

namespace {

/// "12", "12#1", "arg0": a value of a program that was read (program/name_values.h).
bool isNumbered(std::string_view path)
{
    if (path.starts_with("arg"))
        path.remove_prefix(3);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !path.empty() && digit(path.front())
        && std::all_of(path.begin(), path.end(), [&](char c) { return digit(c) || c == '#'; });
}

} // namespace

QString tensorName(const std::string& path)
{
    QString text = fromStd(path);
    if (text.startsWith(QLatin1String("grad(")) && text.endsWith(QLatin1Char(')')))
        return Words::tr("Gradient of %1").arg(tensorName(path.substr(5, path.size() - 6)));
    if (text.startsWith(QLatin1String("next(")) && text.endsWith(QLatin1Char(')')))
        return Words::tr("New %1").arg(tensorName(path.substr(5, path.size() - 6)));
    if (isNumbered(path))
        return QLatin1Char('%') + text; // as a program's text has it
    QStringList parts = text.split(QLatin1Char('/'));
    QString prefix;
    if (parts.size() > 1 && parts.front() == QLatin1String("params"))
        parts.removeFirst();
    if (parts.size() > 1 && parts.front() == QLatin1String("opt")) {
        parts.removeFirst();
        if (parts.size() > 1)
            prefix = parts.takeFirst();
    }
    for (QString& part : parts)
        if (part.startsWith(QLatin1String("layers.")))
            part = Words::tr("Layer %1").arg(part.mid(7));
    const QString name = parts.join(QStringLiteral(" / "));
    return prefix.isEmpty() ? name : Words::tr("%1 of %2", "mu of Layer 0 / W1").arg(prefix, name);
}

} // namespace shardscope::words
