// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout_report.h"

#include <algorithm>

#include "pipeline/snapshot.h"
#include "report.h"
#include "sharding/text.h"
#include "words/memory_words.h"
#include "words/spec_text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// The mesh without its axes of size 1: the same devices at the same positions.
MeshPtr withoutUnitAxes(const MeshPtr& mesh)
{
    std::vector<MeshAxis> axes;
    for (const MeshAxis& axis : mesh->axes())
        if (axis.size > 1)
            axes.push_back(axis);
    if (axes.size() == mesh->rank())
        return mesh;
    const std::vector<std::int32_t> order(mesh->deviceOrder().begin(), mesh->deviceOrder().end());
    auto result = order.empty() ? Mesh::create(std::move(axes)) : Mesh::createOver(std::move(axes), order);
    return result ? std::make_shared<const Mesh>(std::move(*result)) : mesh;
}

/// The mesh as an array of its own, each dimension sharded by its axis: its grid shows which device stands where.
Layout meshLayout(const MeshPtr& mesh)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(mesh->rank());
    Shape shape;
    for (std::size_t i = 0; i < mesh->rank(); ++i) {
        shape.push_back(mesh->size(i));
        if (mesh->size(i) > 1)
            sharding.dims[i].axes.push_back(fullAxis(*mesh, i));
    }
    return Layout(mesh, std::move(sharding), std::move(shape));
}

/// "data 0, fsdp 1": where a slice along the last two axes of a mesh stands along the others. Slices are counted in the
/// order of the mesh.
QString sliceName(const Mesh& mesh, std::int64_t slice)
{
    QStringList places;
    for (std::size_t axis = mesh.rank() - 2; axis-- > 0;) {
        places.prepend(QStringLiteral("%1 %2").arg(
            words::fromStd(mesh.axis(axis).name), QString::number(slice % mesh.size(axis))));
        slice /= mesh.size(axis);
    }
    return places.join(QStringLiteral(", "));
}

/// `mesh`: the layout is that of a mesh itself, whose slices are named by its axes.
void printLayout(
    Console& console, const Layout& layout, const std::string& platform, Extent extent, const Mesh* mesh = nullptr)
{
    constexpr std::int64_t readable = 16;
    GridTextOptions options;
    options.maximumCells = extent == Extent::Readable ? readable : std::numeric_limits<std::int64_t>::max();
    console.line(QStringLiteral("  (labels as JAX prints them)"), Emphasis::Faint);
    options.platform = QString::fromStdString(platform).toUpper().toStdString();
    std::int64_t slices = 0;
    for (const std::string& each : toGridText(layout, options)) {
        const bool isHeading = mesh != nullptr && each.starts_with('[');
        const QString line = isHeading ? sliceName(*mesh, slices++) : words::fromStd(each);
        console.line(line.isEmpty() ? QString() : QStringLiteral("  ") + line);
    }
}

/// "and 3 more rows"
void sayMore(Console& console, std::int64_t all, std::int64_t shown, const QString& one, const QString& several)
{
    if (all > shown)
        console.line(
            QStringLiteral("  and %1 more %2").arg(words::count(all - shown), all - shown == 1 ? one : several));
}

} // namespace

void printMesh(Console& console, const Snapshot& snapshot, Extent extent)
{
    constexpr std::int64_t maximumBoxes = 32;
    constexpr IdLimits readable{ 16, 16 };
    const DeviceSet& devices = snapshot.experiment->hardware.devices;
    const MeshPtr mesh = withoutUnitAxes(snapshot.mesh);
    console.heading(QStringLiteral("Mesh"));
    console.line(QStringLiteral("  %1: %2 of kind %3, %4 × %5")
                     .arg(snapshot.mesh->rank() == 0 ? QStringLiteral("no axes")
                             : mesh->rank() == 0     ? QStringLiteral("all axes of size 1")
                                                     : axesText(*mesh),
                         words::counted(mesh->deviceCount(), words::Noun::Device), words::fromStd(devices.kind),
                         words::counted(devices.hosts, words::Noun::Host), QString::number(devices.devicesPerHost)));
    QStringList units;
    for (const MeshAxis& axis : snapshot.mesh->axes())
        if (axis.size == 1)
            units << words::fromStd(axis.name);
    if (!units.isEmpty())
        console.line(QStringLiteral("  of size 1: ") + units.join(QStringLiteral(", ")), Emphasis::Faint);
    if (mesh->rank() == 0)
        return;
    if (mesh->deviceCount() <= maximumBoxes)
        return printLayout(console, meshLayout(mesh), devices.platform, extent, mesh.get());
    MeshShape shape;
    for (const MeshAxis& axis : mesh->axes())
        shape.push_back(axis.size);
    std::vector<std::int32_t> ids;
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position)
        ids.push_back(mesh->deviceAt(position));
    printDeviceIds(console, shape, mesh->axisNames(), ids, extent == Extent::Readable ? readable : IdLimits{});
}

void printDeviceIds(Console& console, std::span<const std::int64_t> shape, std::span<const std::string> names,
    std::span<const std::int32_t> ids, IdLimits limits)
{
    const std::int64_t columns = shape.empty() ? 1 : shape.back();
    const std::int64_t rows = static_cast<std::int64_t>(ids.size()) / columns;
    const auto name = [&](std::size_t axis) {
        return axis < names.size() ? words::fromStd(names[axis]) : QStringLiteral("axis %1").arg(axis + 1);
    };
    Table table;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis)
        table.columns.push_back({ name(axis), true });
    const std::int64_t shownColumns = std::min(columns, limits.columns), shownRows = std::min(rows, limits.rows);
    for (std::int64_t column = 0; column < shownColumns; ++column)
        table.columns.push_back({ shape.empty() ? QStringLiteral("device")
                : column == 0                   ? QStringLiteral("%1 0").arg(name(shape.size() - 1))
                                                : QString::number(column),
            true });
    for (std::int64_t row = 0; row < shownRows; ++row) {
        QStringList cells;
        std::int64_t rest = row;
        for (std::size_t axis = shape.size(); axis-- > 1;) {
            cells.prepend(QString::number(rest % shape[axis - 1]));
            rest /= shape[axis - 1];
        }
        for (std::int64_t column = 0; column < shownColumns; ++column)
            cells << QString::number(ids[static_cast<std::size_t>(row * columns + column)]);
        table.rows.push_back(cells);
    }
    console.table(table);
    sayMore(console, columns, shownColumns, QStringLiteral("column"), QStringLiteral("columns"));
    sayMore(console, rows, shownRows, QStringLiteral("row"), QStringLiteral("rows"));
}

void printGrid(Console& console, const Snapshot& snapshot, const TensorRow& row, Extent extent)
{
    console.heading(words::fromStd(row.path));
    const auto shards = row.layout.distinctShards();
    console.line(QStringLiteral("  %1, %2 of %3, %4 per device%5")
                     .arg(words::fromStd(describeArray(name(row.type.dtype), row.type.shape, row.dimNames,
                              row.layout.sharding(), *snapshot.mesh)),
                         words::counted(shards, words::Noun::Shard), words::shape(row.layout.shardShape()),
                         exactBytes(row.bytesPerDevice),
                         row.memoryKind ? QStringLiteral(", ") + words::memoryPlace(*row.memoryKind) : QString()));
    for (const QString& line : words::padding(row))
        console.line(QStringLiteral("  ") + line);
    if (row.type.rank() > 0)
        printLayout(console, row.layout, snapshot.experiment->hardware.devices.platform, extent);
}

void printHolders(Console& console, const Layout& layout, const QString& indent, Extent extent)
{
    constexpr std::int64_t readable = 64;
    const std::int64_t all = layout.distinctShards();
    const std::int64_t shown = extent == Extent::Readable ? std::min(all, readable) : all;
    Table table{ "Shard>", "Ranges", "Devices" };
    for (std::int64_t shard = 0; shard < shown; ++shard) {
        QStringList ranges;
        for (const IndexRange& range : layout.rangesOfShard(shard))
            ranges << words::range(range.begin, range.end);
        const std::vector<std::int32_t> holders = layout.holders(shard);
        table.rows.push_back({ QString::number(shard),
            ranges.isEmpty() ? QStringLiteral("all") : ranges.join(QStringLiteral(", ")), idsText(holders) });
    }
    console.line();
    console.table(table, indent);
    if (all > shown)
        console.line(indent + QStringLiteral("and %1 more").arg(words::count(all - shown)));
}

QString idsText(const std::vector<std::int32_t>& ids)
{
    constexpr std::size_t maxShown = 16;
    QStringList names;
    for (std::size_t i = 0; i < std::min(ids.size(), maxShown); ++i)
        names << QString::number(ids[i]);
    if (ids.size() > maxShown)
        names << QStringLiteral("… (%1 devices)").arg(words::count(static_cast<qint64>(ids.size())));
    return names.join(QStringLiteral(", "));
}

QString axesText(const Mesh& mesh)
{
    QStringList axes;
    for (const MeshAxis& axis : mesh.axes())
        axes << QStringLiteral("%1 %2").arg(words::fromStd(axis.name), QString::number(axis.size));
    return axes.join(QStringLiteral(" × "));
}

} // namespace shardscope::cli
