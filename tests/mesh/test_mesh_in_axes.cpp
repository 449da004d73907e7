// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh written in the axes of another one: every device has the coordinates that it had.
#include <QtTest>

#include <algorithm>
#include <array>
#include <numeric>

#include "mesh/mesh_in_axes.h"
#include "registered_test.h"
#include "split_mix.h"

using namespace shardscope;

namespace {

Mesh anyMeshOf(test::SplitMix& random, int devices)
{
    std::vector<MeshAxis> axes;
    for (int left = devices; left > 1;) {
        std::vector<int> sizes;
        for (int size = 2; size <= left; ++size)
            if (left % size == 0)
                sizes.push_back(size);
        const int size = random.of(sizes);
        axes.push_back({ std::string(1, static_cast<char>('a' + axes.size())), size });
        left /= size;
    }
    std::reverse(axes.begin(), axes.end());
    std::vector<std::int32_t> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = random.once(2) ? order.size() : 0; i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
    return Mesh::create(axes, order).value();
}

/// Of a device along parts of axes, the first of which is the major one.
std::int64_t coordinateAlong(const Mesh& mesh, std::int32_t device, const AxisList& parts)
{
    const std::int64_t position = mesh.positionOf(device);
    std::int64_t coordinate = 0;
    for (const AxisRef& part : parts) {
        const auto axis = static_cast<std::size_t>(part.axis);
        const std::int64_t along = mesh.coordinate(position, axis);
        coordinate = coordinate * part.size + along / (mesh.size(axis) / part.next()) % part.size;
    }
    return coordinate;
}

} // namespace

class TestMeshInAxes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void devicesKeepTheirCoordinates()
    {
        int same = 0;
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            test::SplitMix random(seed);
            const int devices = std::array{ 4, 6, 8, 12, 16, 36 }[random.below(6)];
            const Mesh main = anyMeshOf(random, devices), mesh = anyMeshOf(random, devices);
            const std::optional<MeshInAxes> written = inAxesOf(main, mesh);
            QVERIFY(written && written->axes.size() == mesh.rank());
            QVERIFY(std::equal(
                main.axes().begin(), main.axes().end(), written->mesh->axes().begin(), written->mesh->axes().end()));
            AxisList all;
            for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
                const std::optional<AxisList> parts = partsOf(*written, fullAxis(mesh, axis));
                QVERIFY(parts && product({ parts->data(), parts->size() }) == mesh.size(axis));
                QVERIFY(!anyOverlap({ all.data(), all.size() }, { parts->data(), parts->size() }));
                for (const AxisRef& part : *parts)
                    all.push_back(part);
                for (std::int32_t device = 0; device < devices; ++device)
                    QCOMPARE(coordinateAlong(*written->mesh, device, *parts),
                        mesh.coordinate(mesh.positionOf(device), axis));
            }
            same += *written->mesh == main ? 1 : 0;
        }
        QVERIFY2(same > 20, qPrintable(QString::number(same)));
    }

    void partsOfParts()
    {
        const Mesh main = Mesh::create({ { "x", 2 }, { "y", 4 } }).value();
        const std::optional<MeshInAxes> line = inAxesOf(main, Mesh::create({ { "d", 8 } }).value());
        QVERIFY(line && *line->mesh == main);
        QVERIFY((*partsOf(*line, AxisRef{ 0, 1, 8 }) == AxisList{ { 0, 1, 2 }, { 1, 1, 4 } }));
        QVERIFY((*partsOf(*line, AxisRef{ 0, 2, 2 }) == AxisList{ { 1, 1, 2 } }));
        QVERIFY((*partsOf(*line, AxisRef{ 0, 1, 4 }) == AxisList{ { 0, 1, 2 }, { 1, 1, 2 } }));
        QVERIFY((*partsOf(*line, AxisList{ { 0, 2, 2 }, { 0, 4, 2 } }) == AxisList{ { 1, 1, 4 } }));
        // d is x, y of sizes 2 and 6: the first 3 of d end within y.
        const Mesh twelve = Mesh::create({ { "x", 2 }, { "y", 6 } }).value();
        const std::optional<MeshInAxes> dozen = inAxesOf(twelve, Mesh::create({ { "d", 12 } }).value());
        QVERIFY(dozen && !partsOf(*dozen, AxisRef{ 0, 1, 3 }));
    }

    void otherDevices()
    {
        const Mesh main = Mesh::create({ { "x", 2 }, { "y", 2 } }).value();
        QVERIFY(!inAxesOf(main, Mesh::create({ { "d", 8 } }).value()));
        QVERIFY(!inAxesOf(main, Mesh::createOver({ { "d", 4 } }, { 4, 5, 6, 7 }).value()));
        const std::optional<MeshInAxes> swapped = inAxesOf(
            Mesh::create({ { "x", 2 }, { "y", 3 } }).value(), Mesh::create({ { "p", 3 }, { "q", 2 } }).value());
        QVERIFY(swapped);
        QVERIFY((std::vector<std::int32_t>{ 0, 2, 4, 1, 3, 5 }
            == std::vector<std::int32_t>{ swapped->mesh->deviceOrder().begin(), swapped->mesh->deviceOrder().end() }));
    }
};

REGISTER_TEST(TestMeshInAxes)
#include "test_mesh_in_axes.moc"
