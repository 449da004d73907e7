// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/lab_words.h"

#include <algorithm>
#include <set>

#include <QCoreApplication>

#include "words/grid_subject.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::lab {

namespace {

struct Lab {
    Q_DECLARE_TR_FUNCTIONS(Lab)
};

QString dimensionName(const LabResult& result, std::size_t dimension)
{
    return GridSubject{ result.layout, result.names }.dimensionName(static_cast<int>(dimension));
}

QString yesNo(bool value)
{
    return value ? Lab::tr("yes") : Lab::tr("no");
}

QString copiesText(const Layout& layout)
{
    if (layout.addends() > 1)
        return Lab::tr("partial sums over %1").arg(words::counted(layout.addends(), words::Noun::Device));
    return layout.copies() == 1 ? Lab::tr("one copy of each")
                                : Lab::tr("%1 copies of each").arg(words::count(layout.copies()));
}

} // namespace

FormWords formWords(ShardingForm form)
{
    const FormWords all[] = {
        { QStringLiteral("PartitionSpec"), Lab::tr("Per dimension of the array, the mesh axes that shard it") },
        { QStringLiteral("NamedSharding"), Lab::tr("A mesh and a spec, as JAX prints them") },
        { Lab::tr("Positional"),
            Lab::tr("A grid of sets of devices, matched with the dimensions by position, as JAX prints it") },
        { Lab::tr("… as a chain", "PositionalSharding"),
            Lab::tr("The same grid as a chain of reshape, transpose and replicate; devices are those of the mesh") },
        { QStringLiteral("HLO V1"), Lab::tr("What XLA reads: tiles, and the list of their devices") },
        { QStringLiteral("HLO V2"),
            Lab::tr("What XLA reads: tiles, and how devices counted from 0 are laid into them") },
        { QStringLiteral("GSPMDSharding"),
            Lab::tr("HLO text as JAX holds it, with the kind of its last tile dimensions by name") },
        { QStringLiteral("Shardy"),
            Lab::tr("The attribute of OpenXLA Shardy: axes, and parts of axes, of a named mesh") },
    };
    return all[static_cast<std::size_t>(form)];
}

QString whyEmpty(const LabForm& form)
{
    if (form.listed > 0)
        return Lab::tr("names %1 one by one: Copy writes it out").arg(words::counted(form.listed, words::Noun::Device));
    if (form.text)
        return {};
    return Lab::tr("cannot be said: %1", "why a text form is empty").arg(words::describe(form.text.error()).cause);
}

QString problemText(const Error& error)
{
    return words::sentence(words::describe(error).inFull());
}

QString arrayText(const LabResult& result)
{
    QStringList sizes;
    for (std::size_t d = 0; d < result.shape.size(); ++d) {
        const QString name = d < result.names.size() && !result.names[d].empty()
            ? QString::fromStdString(result.names[d]) + QLatin1Char(' ')
            : QString();
        sizes << name + QString::number(result.shape[d]);
    }
    return QStringLiteral("%1[%2] → %3")
        .arg(words::fromStd(name(result.dtype)), sizes.join(QStringLiteral(", ")),
            words::shape(result.layout.shardShape()));
}

QString bytesText(const LabResult& result)
{
    return Lab::tr("%1 per device, %2 in all")
        .arg(words::bytes(static_cast<double>(result.shardBytes())),
            words::bytes(static_cast<double>(result.totalBytes())));
}

QString holdersText(const LabResult& result)
{
    const Layout& layout = result.layout;
    const QString devices = words::counted(result.devices, words::Noun::Device);
    if (result.isFullyReplicated())
        return result.devices == 1 ? Lab::tr("The only device holds all of it.")
                                   : Lab::tr("Fully replicated: each of %1 holds all of it.").arg(devices);
    return Lab::tr("%1 on %2, %3; not fully replicated.")
        .arg(layout.distinctShards() == 1 ? Lab::tr("1 shard")
                                          : Lab::tr("%1 different shards").arg(words::count(layout.distinctShards())),
            devices, copiesText(layout));
}

QString addressableText(const LabResult& result, const LabDevices& devices)
{
    const Mesh& mesh = result.layout.mesh();
    std::set<std::int32_t> hosts;
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        const std::int32_t device = mesh.deviceAt(position);
        hosts.insert(devices.places && devices.places->has(device)
                ? devices.places->host(device)
                : device / std::max<std::int32_t>(devices.devicesPerHost, 1));
    }
    if (hosts.size() > 1)
        return Lab::tr("Not fully addressable: the devices belong to %1.")
            .arg(words::counted(static_cast<qint64>(hosts.size()), words::Noun::Host));
    return Lab::tr("Fully addressable: one host has them all.");
}

QString memoryText(const LabResult& result, const LabDevices& devices)
{
    const QString kind = words::fromStd(toString(result.memoryKind));
    return result.memoryKindIsDefault
        ? Lab::tr("In %1 memory, the default of %2 devices.").arg(kind, QString::fromStdString(devices.platform))
        : Lab::tr("In %1 memory.").arg(kind);
}

QString unevenText(const LabResult& result)
{
    if (!result.layout.isUneven())
        return {};
    QStringList parts;
    const Layout& layout = result.layout;
    for (std::size_t d = 0; d < result.shape.size(); ++d) {
        const std::int64_t room = layout.shardShape()[d] * layout.shardGrid()[d];
        if (room > result.shape[d])
            parts << Lab::tr("%1 does not divide: %2 in %3 shards of %4, %5")
                         .arg(dimensionName(result, d), words::count(result.shape[d]),
                             words::count(layout.shardGrid()[d]), words::count(layout.shardShape()[d]),
                             words::paddingOf(room - result.shape[d], room));
    }
    const QString what = words::sentence(parts.join(QStringLiteral("; ")));
    return result.uneven ? what + QLatin1Char(' ')
            + Lab::tr("JAX refuses such an array at the edge of a jitted function; the compiler pads it inside.")
                         : what;
}

QString stepsText(const std::vector<PositionalStep>& steps)
{
    QStringList parts;
    for (const PositionalStep& step : steps) {
        QString grid;
        for (const std::int64_t size : step.shape)
            grid += (grid.isEmpty() ? QString() : QStringLiteral(" × ")) + words::count(size);
        if (step.shape.empty())
            grid = Lab::tr("one cell");
        if (step.copies > 1)
            grid = Lab::tr("%1, %2 devices in each cell").arg(grid, words::count(step.copies));
        const QString operation = parts.isEmpty() ? Lab::tr("devices") : QString::fromStdString(step.operation);
        parts << QStringLiteral("%1: %2").arg(operation, grid);
    }
    return parts.join(QStringLiteral("  →  "));
}

QString rangesText(const std::vector<IndexRange>& ranges, const LabResult& result)
{
    if (ranges.empty())
        return Lab::tr("all of it");
    QStringList parts;
    for (std::size_t d = 0; d < ranges.size(); ++d)
        parts << (ranges[d].size() > 0
                ? dimensionName(result, d) + QLatin1Char(' ') + words::range(ranges[d].begin, ranges[d].end)
                : Lab::tr("nothing of %1", "a dimension").arg(dimensionName(result, d)));
    return parts.join(QStringLiteral(", "));
}

Verdict verdict(const ShardingComparison& comparison, const LabResult& a, const LabResult& b)
{
    using Relation = ShardingComparison::Relation;
    using Difference = ShardingComparison::Difference;
    if (comparison.relation == Relation::Equal)
        return { Lab::tr("Equal"), Lab::tr("A and B say the same in the same way: A == B in JAX.") };
    if (comparison.relation == Relation::Equivalent)
        return { Lab::tr("Equivalent"),
            Lab::tr("Every device holds the same under both, so is_equivalent_to is true; they are written "
                    "differently, so A == B is false.") };
    const QString device = QStringLiteral("d%1").arg(comparison.device);
    const QString title = Lab::tr("Different");
    switch (comparison.difference) {
    case Difference::MemoryKind:
        return { title,
            Lab::tr("Every device holds the same ranges, but A lies in %1 and B in %2 memory.")
                .arg(words::fromStd(toString(a.memoryKind)), words::fromStd(toString(b.memoryKind))) };
    case Difference::Devices:
        return { title,
            comparison.inA ? Lab::tr("%1 is among the devices of A alone, where it holds %2. A is over %3, B over %4.")
                                 .arg(device, rangesText(comparison.a, a),
                                     words::counted(a.devices, words::Noun::Device), words::count(b.devices))
                           : Lab::tr("%1 is among the devices of B alone, where it holds %2. A is over %3, B over %4.")
                                 .arg(device, rangesText(comparison.b, b),
                                     words::counted(a.devices, words::Noun::Device), words::count(b.devices)) };
    case Difference::Parts:
        return { title,
            Lab::tr("%1 is the first device that differs. Under A it holds %2; under B it holds %3.")
                .arg(device, rangesText(comparison.a, a), rangesText(comparison.b, b)) };
    case Difference::Addends: {
        const auto says = [](std::int64_t addends) {
            return addends == 1 ? Lab::tr("its final values")
                                : Lab::tr("one of %1 partial sums").arg(words::count(addends));
        };
        return { title,
            Lab::tr("The ranges are the same, but not what stands in them: under A %1 holds %2, under B %3.")
                .arg(device, says(comparison.addendsOfA), says(comparison.addendsOfB)) };
    }
    case Difference::DeviceOrder:
        return { title,
            Lab::tr("Every device holds the same, but A and B list their devices in another order, from %1 on; "
                    "is_equivalent_to compares that too.")
                .arg(device) };
    case Difference::OtherArrays:
        return { title,
            Lab::tr("Every device holds the same of this array, but other arrays of its rank would be held "
                    "differently.") };
    case Difference::None:
        break;
    }
    return { title, {} };
}

std::vector<QStringList> facts(const LabResult& a, const LabResult* b)
{
    const auto row = [&](const QString& name, const auto& of) {
        return QStringList{ name, of(a), b ? of(*b) : QString() };
    };
    return {
        row(Lab::tr("Shape of a shard"), [](const LabResult& r) { return words::shape(r.layout.shardShape()); }),
        row(Lab::tr("Bytes per device"),
            [](const LabResult& r) { return words::bytes(static_cast<double>(r.shardBytes())); }),
        row(Lab::tr("Different shards"), [](const LabResult& r) { return words::count(r.layout.distinctShards()); }),
        row(Lab::tr("Copies of each"), [](const LabResult& r) { return words::count(r.layout.copies()); }),
        row(Lab::tr("Devices"), [](const LabResult& r) { return words::count(r.devices); }),
        row(QStringLiteral("is_fully_replicated"), [](const LabResult& r) { return yesNo(r.isFullyReplicated()); }),
        row(Lab::tr("Divides evenly"), [](const LabResult& r) { return yesNo(!r.layout.isUneven()); }),
        row(QStringLiteral("memory_kind"), [](const LabResult& r) { return words::fromStd(toString(r.memoryKind)); }),
    };
}

} // namespace shardscope::lab
