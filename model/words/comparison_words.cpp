// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/comparison_words.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "words/collective_words.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

constexpr QChar minusSign(0x2212);
constexpr QChar noValue(0x2013);

QString withSign(double value, const QString& magnitude)
{
    if (value == 0)
        return magnitude;
    return (value < 0 ? QString(minusSign) : QStringLiteral("+")) + magnitude;
}

/// "twice the parameters", "a quarter of the parameters"; empty where the ratio is no such one.
QString ratioOf(double before, double after, const QString& what)
{
    constexpr double most = 1024;
    const double ratio = after > before ? after / before : before / after;
    if (ratio > most || ratio < 1.5 || std::abs(ratio - std::round(ratio)) > 1e-9)
        return {};
    const auto times = static_cast<qint64>(std::round(ratio));
    if (after > before)
        return times == 2 ? Words::tr("twice the %1", "parameters").arg(what)
                          : Words::tr("%1 times the %2", "4 times the parameters").arg(count(times), what);
    switch (times) {
    case 2:
        return Words::tr("half the %1", "parameters").arg(what);
    case 3:
        return Words::tr("a third of the %1", "parameters").arg(what);
    case 4:
        return Words::tr("a quarter of the %1", "parameters").arg(what);
    default:
        return Words::tr("1/%1 of the %2", "1/8 of the parameters").arg(count(times), what);
    }
}

/// "Each device holds twice the parameters, 16 MiB instead of 8 MiB"
QString heldPart(double before, double after, const QString& what)
{
    if (before == 0)
        return Words::tr("Each device holds %1 of %2, and none in A").arg(bytes(after), what);
    if (after == 0)
        return Words::tr("Each device holds no %1, and %2 in A").arg(what, bytes(before));
    const QString amounts = Words::tr("%1 instead of %2", "16 MiB, 8 MiB").arg(bytes(after), bytes(before));
    if (const QString ratio = ratioOf(before, after, what); !ratio.isEmpty())
        return Words::tr("Each device holds %1, %2", "twice the parameters, 16 MiB instead of 8 MiB")
            .arg(ratio, amounts);
    return (after > before ? Words::tr("Each device holds %1 more of the %2, %3")
                           : Words::tr("Each device holds %1 less of the %2, %3"))
        .arg(bytes(std::abs(after - before)), what, amounts);
}

/// "4 × 2" where the two meshes have other sizes; else "the mesh of B".
QString meshOfB(const SnapshotComparison& comparison)
{
    const MeshPtr &before = comparison.before->mesh, &after = comparison.after->mesh;
    return before && after && meshSizes(*before) != meshSizes(*after) ? meshSizes(*after) : Words::tr("the mesh of B");
}

/// "4 × 2 shards them 2 ways", "the rules of B do not shard them"
QString shardedBy(const SnapshotComparison& comparison, std::int64_t ways)
{
    using By = LargestDifference::By;
    const By by = comparison.largest.by;
    if (by == By::Rules)
        return ways == 1 ? Words::tr("the rules of B do not shard them")
                         : Words::tr("the rules of B shard them %1 ways").arg(count(ways));
    const QString who = by == By::Mesh ? meshOfB(comparison)
        : by == By::Model              ? Words::tr("the model of B", "what shards arrays")
                                       : QStringLiteral("B");
    return ways == 1 ? Words::tr("%1 does not shard them", "a mesh").arg(who)
                     : Words::tr("%1 shards them %2 ways", "a mesh").arg(who, count(ways));
}

/// ", since 4 × 2 shards them 2 ways instead of 4"; where nothing simpler is known, what of the settings differs.
QString heldCause(const SnapshotComparison& comparison)
{
    const LargestDifference& largest = comparison.largest;
    QStringList causes;
    if (largest.inAllBefore && largest.inAllAfter)
        causes << Words::tr("they are %1 in all instead of %2")
                      .arg(bytes(static_cast<double>(*largest.inAllAfter)),
                          bytes(static_cast<double>(*largest.inAllBefore)));
    if (largest.shardsBefore && largest.shardsAfter) {
        const QString sharded = shardedBy(comparison, *largest.shardsAfter);
        if (*largest.shardsBefore == 1)
            causes << Words::tr("%1, and A does not shard them").arg(sharded);
        else if (*largest.shardsAfter == 1)
            causes << Words::tr("%1, and A shards them %2 ways").arg(sharded, count(*largest.shardsBefore));
        else
            causes << Words::tr("%1 instead of %2", "4 × 2 shards them 2 ways instead of 4")
                          .arg(sharded, count(*largest.shardsBefore));
    }
    if (!causes.isEmpty())
        return Words::tr(", since %1").arg(causes.join(Words::tr(" and ", "between two causes")));
    switch (largest.by) {
    case LargestDifference::By::Mesh:
        return Words::tr(", with another mesh");
    case LargestDifference::By::Rules:
        return Words::tr(", with other rules");
    case LargestDifference::By::Model:
        return Words::tr(", with another model");
    case LargestDifference::By::Other:
        return Words::tr(", with other settings");
    case LargestDifference::By::None:
        break;
    }
    return {};
}

/// " In all it sends 3.31 GiB, as in A."
QString sentInAll(const SnapshotComparison& comparison)
{
    if (comparison.sent.size() < 2 || !comparison.sentBefore || !comparison.sentAfter)
        return {};
    return QLatin1Char(' ')
        + (*comparison.sentBefore == *comparison.sentAfter
                ? Words::tr("In all it sends %1, as in A.").arg(bytes(*comparison.sentAfter))
                : Words::tr("In all it sends %1 instead of %2.")
                      .arg(bytes(*comparison.sentAfter), bytes(*comparison.sentBefore)));
}

/// ": each all-gather of Layer 0 / wi_0 sends 26.3 MiB instead of 110 MiB, as do those of 95 other arrays"
QString sentReason(const SnapshotComparison& comparison, const SentCause& cause)
{
    const QString kind = collective(cause.kind);
    switch (cause.what) {
    case SentCause::What::Times:
        return Words::tr(": the step has %1 × %2 instead of %3", "12 × all-reduce")
            .arg(count(cause.timesAfter), kind, count(cause.timesBefore));
    case SentCause::What::Group:
        return Words::tr(": each %1 is over %2 devices instead of %3", "all-reduce")
            .arg(kind, count(cause.groupAfter), count(cause.groupBefore));
    case SentCause::What::Array: {
        const CollectiveList& list = *comparison.after->collectives;
        const CollectiveEntry& entry = list.entries[cause.example];
        const QString text =
            Words::tr(": each %1 of %2 sends %3 instead of %4", "all-gather, W1, 26.3 MiB, 110 MiB")
                .arg(kind, exchangedName(list, entry, entry.value), bytes(cause.eachAfter), bytes(cause.eachBefore));
        return cause.others == 0 ? text
            : cause.others == 1
            ? text + Words::tr(", as does that of one other array", "each all-gather")
            : text + Words::tr(", as do those of %1 other arrays", "all-gathers").arg(count(cause.others));
    }
    case SentCause::What::Mean:
        return cause.timesBefore == cause.timesAfter
            ? Words::tr(": %1 × %2 of %3 on average instead of %4", "12 × all-reduce of 2 MiB instead of 1 MiB")
                  .arg(count(cause.timesAfter), kind, bytes(cause.eachAfter), bytes(cause.eachBefore))
            : Words::tr(": %1 × %2 of %3 on average instead of %4 of %5", "12 × all-reduce of 2 MiB, 8, 1 MiB")
                  .arg(count(cause.timesAfter), kind, bytes(cause.eachAfter), count(cause.timesBefore),
                      bytes(cause.eachBefore));
    }
    return {};
}

QString sentSentence(const SnapshotComparison& comparison)
{
    const LargestDifference& largest = comparison.largest;
    const double difference = largest.after - largest.before;
    const QString more = difference > 0 ? Words::tr("Each device sends %1 more in a step")
                                        : Words::tr("Each device sends %1 less in a step");
    QString text = more.arg(bytes(std::abs(difference)));
    if (!largest.axes.empty())
        text += Words::tr(" along %1", "a mesh axis").arg(fromStd(largest.axes));
    text += Words::tr(", %1 instead of %2").arg(bytes(largest.after), bytes(largest.before));
    if (largest.cause)
        text += sentReason(comparison, *largest.cause);
    return text + QLatin1Char('.') + sentInAll(comparison);
}

constexpr std::string_view textPointer = "/model/text";

/// Of [["data", 2], ["model", 4]].
std::optional<std::vector<MeshAxis>> axesOfList(const nlohmann::ordered_json& list)
{
    if (!list.is_array())
        return std::nullopt;
    std::vector<MeshAxis> axes;
    for (const auto& each : list) {
        if (!each.is_array() || each.size() != 2 || !each[0].is_string() || !each[1].is_number_integer())
            return std::nullopt;
        axes.push_back({ each[0].get<std::string>(), each[1].get<std::int64_t>() });
    }
    return axes;
}

/// Why there is no layout.
QString withoutLayout(const Snapshot& snapshot, const QString& side)
{
    if (snapshot.problems.empty())
        return Words::tr("%1 has no layout.").arg(side);
    return Words::tr("%1 has no layout: %2.").arg(side, describe(snapshot.problems.front().diagnostic).cause);
}

} // namespace

QString largestDifference(const SnapshotComparison& comparison)
{
    if (!comparison.before->laidOut())
        return withoutLayout(*comparison.before, QStringLiteral("A"));
    if (!comparison.after->laidOut())
        return withoutLayout(*comparison.after, QStringLiteral("B"));
    const LargestDifference& largest = comparison.largest;
    switch (largest.what) {
    case LargestDifference::What::Nothing:
        return comparison.nothing() ? Words::tr("A and B are the same.")
                                    : Words::tr("Devices hold and send the same number of bytes in A and B.");
    case LargestDifference::What::State:
        return heldPart(largest.before, largest.after, Words::tr("parameters, gradients and moments"))
            + heldCause(comparison) + QLatin1Char('.');
    case LargestDifference::What::Role:
        return heldPart(largest.before, largest.after, role(largest.role).toLower()) + heldCause(comparison)
            + QLatin1Char('.');
    case LargestDifference::What::Owner:
        return heldPart(largest.before, largest.after, owner(largest.owner, *comparison.after->program))
            + Words::tr(", when its memory is at its peak.");
    case LargestDifference::What::Sent:
        return sentSentence(comparison);
    }
    return {};
}

QString renamedAxes(const SnapshotComparison& comparison)
{
    QStringList names;
    for (const RenamedAxis& each : comparison.renamed)
        names << (names.isEmpty() ? Words::tr("%1 is %2 in B", "mesh axes") : Words::tr("%1 is %2", "mesh axes"))
                     .arg(fromStd(each.before), fromStd(each.after));
    return names.isEmpty()
        ? QString()
        : Words::tr("Mesh axes of one size and in one place count as the same: %1.").arg(names.join(Words::tr(", ")));
}

QString settingName(const SettingDifference& setting, const SnapshotComparison& comparison)
{
    Diagnostic at{ Code::OutOfRange, {}, {} };
    at.where.pointer = setting.pointer;
    const Experiment& experiment = *(setting.after ? comparison.after : comparison.before)->experiment;
    if (setting.pointer == textPointer)
        return Words::tr("text of the program");
    constexpr std::string_view axes = "/mesh/axes/";
    if (setting.pointer.starts_with(axes) && setting.pointer.ends_with("/1"))
        at.where.pointer.resize(setting.pointer.size() - 2); // its size, which is what one thinks of
    return place(at, &experiment);
}

QString settingValue(const std::optional<std::string>& json, std::string_view pointer)
{
    if (!json)
        return QString(noValue);
    const auto value = nlohmann::ordered_json::parse(*json, nullptr, false);
    if (pointer == textPointer && value.is_object()) {
        const QString lines = counted(value.value("lines", std::int64_t{ 0 }), Noun::Line);
        if (!value.contains("others"))
            return lines;
        const auto others = value.value("others", std::int64_t{ 0 });
        return others == 0 ? Words::tr("%1, all of them in the other one", "lines").arg(lines)
                           : Words::tr("%1, %2 of them not in the other one", "lines").arg(lines, count(others));
    }
    if (pointer == "/mesh/axes")
        if (const auto axes = axesOfList(value))
            return meshNames(*axes);
    return fromStd(value.is_string() ? value.get<std::string>() : *json);
}

QString collectivesName(const ComparedCollectives& each, const SnapshotComparison& comparison)
{
    const CollectiveList& list = each.isGone() ? *comparison.before->collectives : *comparison.after->collectives;
    const QString cause = causeName(list.entries[each.example]);
    return each.axes.empty() ? Words::tr("%1 (%2)", "all-reduce (sum)").arg(collective(each.kind), cause)
                             : Words::tr("%1 along %2 (%3)", "all-reduce along data (sum)")
                                   .arg(collective(each.kind), fromStd(each.axes), cause);
}

QString collectivesAmount(std::int64_t times, Rational sent)
{
    if (times == 0)
        return QString(noValue);
    return Words::tr("%1: %2", "how many: bytes of all").arg(count(times), bytes(sent));
}

QString operationCounts(std::int64_t added, std::int64_t removed, std::int64_t changed)
{
    QStringList parts;
    if (added > 0)
        parts << Words::tr("%1 added", "operations").arg(count(added));
    if (removed > 0)
        parts << Words::tr("%1 removed", "operations").arg(count(removed));
    if (changed > 0)
        parts << Words::tr("%1 changed", "operations").arg(count(changed));
    return parts.isEmpty() ? Words::tr("no difference") : parts.join(Words::tr(", "));
}

QString signedBytes(double value)
{
    return withSign(value, bytes(std::abs(value)));
}

QString signedSeconds(double value)
{
    return withSign(value, seconds(std::abs(value)));
}

} // namespace shardscope::words
