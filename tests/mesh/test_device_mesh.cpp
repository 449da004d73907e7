// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of create_device_mesh and make_mesh. Values of the reference are in tests/conformance; here are the properties
// that any such mesh has, against slow calculations of their own.
#include <QtTest>

#include <set>

#include "base/codes.h"
#include "machines.h"
#include "mesh/axis_assignment.h"
#include "mesh/device_mesh.h"
#include "mesh/device_presets.h"
#include "mesh/strided_gather.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

using Ids = std::vector<std::int32_t>;

class TestDeviceMesh : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gathersStrided();
    void shapesAsText();
    void permutationOfTheDevices();
    void fullAxesAgainstBitMasks();
    void splittingRespectsPhysicalAxes();
    void bestSplitOfAll();
    void documentedSplit();
    void everySizeCanBeSplit();
    void ringsVisitNeighbours_data();
    void ringsVisitNeighbours();
    void versions();
    void contiguousSubmeshes();
    void orderOfListingDoesNotMatter();
    void failuresSayWhatWorks();
    void otherFailures();
    void makeMeshUsesTheFirstDevices();
    void makeMeshFailures();
    void largeMachines();
};

namespace {

std::string textOf(const Result<DeviceArray>& array)
{
    return array ? "a mesh" : std::string(array.error().kind());
}

/// Every mesh axis is made of exactly the parts of physical axes that the assignment names: walks over all devices and
/// composes their place in the mesh of their coordinates.
bool followsAssignment(const DeviceArray& array, const DeviceList& devices)
{
    const AxisAssignment& assignment = *array.reason.assignment;
    const std::size_t rank = array.shape.size();
    const auto at = positions(array);
    for (std::int64_t i = 0; i < devices.size(); ++i) {
        const DevicePlace place = devices[i];
        MeshShape index(rank, 0);
        for (std::size_t p = 0; p < assignment.physical.size(); ++p) {
            const char name = assignment.physical[p].name;
            std::int64_t rest = name == 'c' ? place.core : place.coordinates[static_cast<std::size_t>(name - 'x')];
            // Digits of the coordinate: the last mesh axis has the minor one.
            for (std::size_t axis = rank; axis-- > 0; rest /= assignment.share(p, axis)) {
                std::int64_t minorShares = 1; // physical axes behind this one are minor in the mesh axis
                for (std::size_t q = p + 1; q < assignment.physical.size(); ++q)
                    minorShares *= assignment.share(q, axis);
                index[axis] += rest % assignment.share(p, axis) * minorShares;
            }
        }
        if (indexOf(at.at(place.id), array.shape) != index)
            return false;
    }
    return true;
}

/// The rule of full axes by bit masks: of all sets of free axes with the right product the largest, then the first.
std::optional<std::vector<std::int64_t>> fullAxesByMasks(const MeshShape& physical, const MeshShape& logical)
{
    std::vector<std::int64_t> sizes(physical.size() * logical.size(), 1);
    unsigned taken = 0;
    for (std::size_t axis = logical.size(); axis-- > 0;) {
        std::vector<std::pair<int, std::vector<std::size_t>>> candidates;
        for (unsigned mask = 1; mask < 1U << physical.size(); ++mask) {
            if (mask & taken)
                continue;
            std::int64_t product = 1;
            std::vector<std::size_t> members;
            for (std::size_t i = 0; i < physical.size(); ++i) {
                if (mask >> i & 1U) {
                    product *= physical[i];
                    members.push_back(i);
                }
            }
            if (product == logical[axis])
                candidates.emplace_back(-static_cast<int>(members.size()), members);
        }
        if (candidates.empty()) {
            if (logical[axis] != 1)
                return std::nullopt;
            continue;
        }
        for (const std::size_t i : std::min_element(candidates.begin(), candidates.end())->second) {
            taken |= 1U << i;
            sizes[i * logical.size() + axis] = physical[i];
        }
    }
    return sizes;
}

} // namespace

void TestDeviceMesh::gathersStrided()
{
    const bool holds = test::propertyHolds(2000, "a transposition", [] {
        const MeshShape shape{ *rc::gen::inRange<std::int64_t>(1, 5), *rc::gen::inRange<std::int64_t>(1, 5),
            *rc::gen::inRange<std::int64_t>(1, 5), *rc::gen::inRange<std::int64_t>(1, 5) };
        std::vector<std::size_t> order{ 0, 1, 2, 3 };
        std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
        std::shuffle(order.begin(), order.end(), random);
        const MeshShape strides = meshStrides(shape);
        std::vector<StridedAxis> axes;
        MeshShape outShape;
        for (const std::size_t axis : order) {
            axes.push_back({ shape[axis], strides[axis] });
            outShape.push_back(shape[axis]);
        }
        Ids source(static_cast<std::size_t>(strides[0] * shape[0]));
        std::iota(source.begin(), source.end(), 0);
        const Ids out = gatherStrided(source, axes);
        RC_ASSERT(out.size() == source.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const MeshShape index = indexOf(static_cast<std::int64_t>(i), outShape);
            std::int64_t from = 0;
            for (std::size_t axis = 0; axis < order.size(); ++axis)
                from += index[axis] * strides[order[axis]];
            RC_ASSERT(out[i] == from);
        }
    });
    QVERIFY(holds);
}

void TestDeviceMesh::shapesAsText()
{
    for (const char* text : { "4x16", "4,16", "(4, 16)", "[4,16]", " 4 x 16 ", "(4, 16,)" })
        QCOMPARE(*parseMeshShape(text), (MeshShape{ 4, 16 }));
    QCOMPARE(*parseMeshShape("(8,)"), MeshShape{ 8 });
    QCOMPARE(*parseMeshShape("()"), MeshShape());
    QCOMPARE(*parseMeshShape("-2"), MeshShape{ -2 });
    QCOMPARE(shapeText(MeshShape{ 4, 16 }), std::string("4x16"));
    QCOMPARE(shapeText(MeshShape()), std::string("()"));
    for (const char* text : { "[[4], 4]", "4.5", "4x", "x4", "4,,4", "four", "(4", "4 16", "," })
        QCOMPARE(parseMeshShape(text).error().code, Code::MeshShapeNotIntegers);
    QCOMPARE(parseMeshShape("  ").error().code, Code::Syntax);
}

// RC_ASSERT evaluates both sides of an ||, unless it stands in parentheses.

void TestDeviceMesh::permutationOfTheDevices()
{
    const bool holds = test::propertyHolds(2000, "every device once", [] {
        const char* kind = *rc::gen::element("TPU v2", "TPU v3", "TPU v4", "TPU v4 lite", "TPU v5 lite", "TPU v5e",
            "TPU v5p", "TPU v5", "TPU v6 lite", "TPU7", "TPU7x", "TPU8i", "another TPU");
        const bool twoCores = kindFamily(kind, MeshUtilsVersion::Head) == KindFamily::V2V3
            || kindFamily(kind, MeshUtilsVersion::Head) == KindFamily::Tpu7;
        const DeviceSet set =
            machine(kind, { randomSide(), randomSide(), *rc::gen::element(1, 1, 2, 4) }, twoCores ? 2 : 1);
        const DeviceList devices(set);
        const MeshShape shape = randomShape(devices.size(), *rc::gen::inRange<std::size_t>(1, 5));
        const Result<DeviceArray> array = createDeviceMesh(shape, devices, { false, true });
        RC_ASSERT(textOf(array) == "a mesh");
        RC_ASSERT(array->shape == shape);
        RC_ASSERT(isPermutation(*array, devices));
        RC_ASSERT((!array->reason.assignment || followsAssignment(*array, devices)));
        // Without splitting it is the same mesh or an error.
        const Result<DeviceArray> full = createDeviceMesh(shape, devices);
        RC_ASSERT(full.has_value() == (array->reason.rule != OrderRule::SplitAxes));
        RC_ASSERT((!full || (full->ids == array->ids && full->reason == array->reason)));
    });
    QVERIFY(holds);
}

void TestDeviceMesh::fullAxesAgainstBitMasks()
{
    const bool holds = test::propertyHolds(2000, "largest set, first in order", [] {
        MeshShape physical;
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
            physical.push_back(*rc::gen::element<std::int64_t>(1, 1, 2, 2, 3, 4, 6, 8));
        std::int64_t count = 1;
        for (const std::int64_t size : physical)
            count *= size;
        const MeshShape logical = randomShape(count, *rc::gen::inRange<std::size_t>(1, 5));
        const auto expected = fullAxesByMasks(physical, logical);
        const auto found = assignFullAxes(physical, logical);
        RC_ASSERT(found.has_value() == expected.has_value());
        RC_ASSERT((!found || *found == *expected));
    });
    QVERIFY(holds);
}

void TestDeviceMesh::splittingRespectsPhysicalAxes()
{
    const bool holds = test::propertyHolds(2000, "shares multiply up to both shapes", [] {
        const MeshShape physical{ randomSide(), randomSide(), randomSide() };
        const std::int64_t count = physical[0] * physical[1] * physical[2];
        const MeshShape logical = randomShape(count, *rc::gen::inRange<std::size_t>(1, 6));
        const std::vector<std::int64_t> sizes = assignSplitAxes(physical, logical);
        for (std::size_t p = 0; p < physical.size(); ++p) {
            std::int64_t product = 1;
            for (std::size_t l = 0; l < logical.size(); ++l)
                product *= sizes[p * logical.size() + l];
            RC_ASSERT(product == physical[p]);
        }
        for (std::size_t l = 0; l < logical.size(); ++l) {
            std::int64_t product = 1;
            for (std::size_t p = 0; p < physical.size(); ++p)
                product *= sizes[p * logical.size() + l];
            RC_ASSERT(product == logical[l]);
        }
    });
    QVERIFY(holds);
}

void TestDeviceMesh::bestSplitOfAll()
{
    // The candidate that is taken is preferred to every other one, and candidates are all there are.
    const bool holds = test::propertyHolds(2000, "a total order of candidates", [] {
        const MeshShape physical{ randomSide(), randomSide(), randomSide() };
        MeshShape assigned;
        std::int64_t free = 1;
        for (const std::int64_t size : physical) {
            std::int64_t used = 1;
            for (std::int64_t factor = 2; factor <= size; ++factor)
                if (size % (used * factor) == 0 && *rc::gen::inRange(0, 2) == 0)
                    used *= factor;
            assigned.push_back(used);
            free *= size / used;
        }
        std::vector<std::int64_t> divisors;
        for (std::int64_t i = 1; i <= free; ++i)
            if (free % i == 0)
                divisors.push_back(i);
        const std::int64_t size = *rc::gen::elementOf(divisors);
        const std::vector<MeshShape> candidates = feasibleAssignments(physical, assigned, size);
        std::vector<MeshShape> expected;
        for (std::int64_t x = 1; x <= physical[0]; ++x)
            for (std::int64_t y = 1; y <= physical[1]; ++y)
                for (std::int64_t z = 1; z <= physical[2]; ++z)
                    if (x * y * z == size && physical[0] % (assigned[0] * x) == 0
                        && physical[1] % (assigned[1] * y) == 0 && physical[2] % (assigned[2] * z) == 0)
                        expected.push_back({ x, y, z });
        RC_ASSERT(candidates == expected);
        RC_ASSERT(!candidates.empty());
        for (const MeshShape& a : candidates)
            for (const MeshShape& b : candidates)
                RC_ASSERT((a == b) != (isPreferred(a, b, physical, assigned) || isPreferred(b, a, physical, assigned)));
    });
    QVERIFY(holds);
}

void TestDeviceMesh::documentedSplit()
{
    // The example of axis_assignment.h: the last 8 is x4 y2, the first one y2 z4.
    QCOMPARE(assignSplitAxes(MeshShape{ 4, 4, 4 }, MeshShape{ 8, 8 }), (std::vector<std::int64_t>{ 1, 4, 2, 2, 4, 1 }));
    QCOMPARE(
        *assignFullAxes(MeshShape{ 4, 4, 8 }, MeshShape{ 8, 16 }), (std::vector<std::int64_t>{ 1, 4, 1, 4, 8, 1 }));
}

void TestDeviceMesh::everySizeCanBeSplit()
{
    const DeviceSet set = machine("TPU v4", { 4, 4, 4 });
    const std::int64_t sizes[] = { 1, 2, 4, 8, 16, 32, 64 };
    for (const std::int64_t a : sizes) {
        for (const std::int64_t b : sizes) {
            if (64 % (a * b) != 0)
                continue;
            const Result<DeviceArray> array = createDeviceMesh({ a, b, 64 / a / b }, DeviceList(set), { false, true });
            QVERIFY(array && followsAssignment(*array, DeviceList(set)));
        }
    }
}

void TestDeviceMesh::ringsVisitNeighbours_data()
{
    QTest::addColumn<QString>("devices");
    QTest::addColumn<int>("ring");
    QTest::newRow("tray") << "tpu-v3:2x2" << 8;
    QTest::newRow("2x2") << "tpu-v5e:2x2" << 4;
    QTest::newRow("4x2") << "tpu-v5e:4x2" << 8;
    QTest::newRow("4x2 of v6e") << "tpu-v6e:4x2" << 8;
    QTest::newRow("4x4") << "tpu-v5e:4x4" << 16;
    QTest::newRow("cube") << "tpu-v5p:2x2x2" << 8;
    QTest::newRow("one host of TPU7") << "tpu-v7:2x2x1" << 8;
    QTest::newRow("four hosts of TPU7") << "tpu-v7:2x2x4" << 8;
}

void TestDeviceMesh::ringsVisitNeighbours()
{
    // What the rules are for: each device is on the chip of the one before it, or on a chip beside it, and so is the
    // last one of a ring to its first.
    QFETCH(QString, devices);
    QFETCH(int, ring);
    const DeviceSet set = *parseDevices(devices.toStdString());
    const Result<DeviceArray> array = createDeviceMesh({ set.count() }, DeviceList(set));
    QVERIFY(array);
    QCOMPARE(static_cast<int>(array->reason.ring.size()), ring);
    for (std::size_t i = 0; i < array->ids.size(); ++i) {
        const auto length = static_cast<std::size_t>(ring);
        const DevicePlace here = set.place(array->ids[i]);
        const DevicePlace next = set.place(array->ids[i / length * length + (i + 1) % length]);
        int distance = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            distance += std::abs(here.coordinates[axis] - next.coordinates[axis]);
        QVERIFY2(distance <= 1, qPrintable(QString::number(i)));
    }
}

void TestDeviceMesh::versions()
{
    const auto ids = [](const char* kind, std::array<std::int32_t, 3> chips, MeshUtilsVersion version) {
        const DeviceSet set = machine(kind, chips);
        return createDeviceMesh({ set.count() }, DeviceList(set), { false, false, version })->ids;
    };
    const Ids general{ 0, 2, 1, 3 };
    const Ids ring{ 0, 1, 3, 2 };
    for (const char* kind : { "TPU v4 lite", "TPU v5e", "TPU v6 lite" }) {
        QCOMPARE(ids(kind, { 2, 2, 1 }, MeshUtilsVersion::Head), ring);
        QCOMPARE(ids(kind, { 2, 2, 1 }, MeshUtilsVersion::V0_4_35), general);
    }
    QCOMPARE(ids("TPU v5 lite", { 2, 2, 1 }, MeshUtilsVersion::V0_4_35), ring);
    QVERIFY(
        ids("TPU v5p", { 2, 2, 2 }, MeshUtilsVersion::Head) != ids("TPU v5p", { 2, 2, 2 }, MeshUtilsVersion::V0_4_35));

    const DeviceSet gpus = *DeviceSet::ofList("generic-gpu", "gpu", { { 2 }, { 0 }, { 3 }, { 1 } });
    QCOMPARE(createDeviceMesh({ 4 }, DeviceList(gpus))->ids, (Ids{ 0, 1, 2, 3 }));
    QCOMPARE(createDeviceMesh({ 4 }, DeviceList(gpus), { false, false, MeshUtilsVersion::V0_4_35 })->ids,
        (Ids{ 2, 0, 3, 1 }));

    const DeviceSet twoCores = machine("TPU7x", { 4, 2, 1 }, 2);
    QVERIFY(createDeviceMesh({ 16 }, DeviceList(twoCores)));
    QCOMPARE(createDeviceMesh({ 16 }, DeviceList(twoCores), { false, false, MeshUtilsVersion::V0_4_35 }).error().code,
        Code::NeedsOneDevicePerChip);
}

void TestDeviceMesh::contiguousSubmeshes()
{
    const auto of = [](std::array<std::int32_t, 3> chips, MeshShape shape) {
        const DeviceSet set = machine("TPU v4", chips);
        const DeviceList devices(set);
        const Result<DeviceArray> array = createDeviceMesh(shape, devices, { true, false });
        return array && array->reason.assignment->contiguous && isPermutation(*array, devices)
            && followsAssignment(*array, devices);
    };
    QVERIFY(of({ 2, 2, 1 }, { 2, 2 }) && of({ 2, 2, 4 }, { 4, 4 }) && of({ 4, 4, 4 }, { 16, 4 }));
    QVERIFY(of({ 4, 8, 8 }, { 64, 4 }) && of({ 4, 8, 8 }, { 4, 64 }) && of({ 8, 8, 8 }, { 64, 8 }));
    QVERIFY(of({ 8, 16, 16 }, { 256, 8 }) && of({ 8, 16, 16 }, { 1, 8, 1, 256 }));
    QVERIFY(!of({ 4, 4, 4 }, { 4, 16 }) && !of({ 4, 4, 8 }, { 8, 16 }));
    // The physical axes are named as they are, in their new order.
    const DeviceSet set = machine("TPU v4", { 4, 4, 4 });
    const auto array = createDeviceMesh({ 16, 4 }, DeviceList(set), { true, false });
    QCOMPARE(array->reason.assignment->physical[1].name, 'z');
    // Without coordinates the wish has no meaning, and the order of kinds comes first.
    const DeviceSet cpus = DeviceSet::ofHosts("generic-cpu", "cpu", 1, 6);
    QVERIFY(createDeviceMesh({ 6 }, DeviceList(cpus), { true, false }));
}

void TestDeviceMesh::orderOfListingDoesNotMatter()
{
    const DeviceSet set = machine("TPU v4", { 4, 2, 4 });
    const DeviceList devices(set);
    const Ids expected = createDeviceMesh({ 8, 4 }, devices)->ids;
    Ids indices(32);
    std::iota(indices.begin(), indices.end(), 0);
    std::mt19937 random(7);
    for (int i = 0; i < 10; ++i) {
        std::shuffle(indices.begin(), indices.end(), random);
        QCOMPARE(createDeviceMesh({ 8, 4 }, devices.at(indices))->ids, expected);
    }
}

void TestDeviceMesh::failuresSayWhatWorks()
{
    int suggestions = 0;
    const bool holds = test::propertyHolds(2000, "suggested shapes work", [&] {
        const char* kind = *rc::gen::element("TPU v4", "TPU v5 lite", "TPU v5p", "TPU v3");
        const DeviceSet set = machine(
            kind, { randomSide(), randomSide(), *rc::gen::element(1, 2, 4) }, std::string(kind) == "TPU v3" ? 2 : 1);
        const DeviceList devices(set);
        const DeviceMeshOptions options{ *rc::gen::element(false, false, true), *rc::gen::arbitrary<bool>() };
        MeshShape shape = randomShape(devices.size(), *rc::gen::inRange<std::size_t>(1, 5));
        if (*rc::gen::inRange(0, 3) == 0)
            shape[0] = *rc::gen::inRange<std::int64_t>(-1, 20);
        const Result<DeviceArray> array = createDeviceMesh(shape, devices, options);
        if (array)
            return;
        const bool byShape =
            array.error().code == Code::DeviceCountMismatch || array.error().code == Code::NoAxisAssignment;
        const std::vector<MeshShape> shapes = shapesOf(array.error(), "shapes");
        // One axis takes all devices of any machine, so something works, unless contiguous submeshes are asked for.
        RC_ASSERT((!byShape || options.contiguousSubmeshes || !shapes.empty()));
        for (const MeshShape& works : shapes) {
            RC_ASSERT((options.contiguousSubmeshes || works.size() == shape.size()));
            RC_ASSERT(textOf(createDeviceMesh(works, devices, options)) == "a mesh");
            ++suggestions;
        }
    });
    QVERIFY(holds);
    QVERIFY(suggestions > 20);

    // Nothing near works: one axis of all does.
    const DeviceSet v5e = machine("TPU v5 lite", { 4, 4, 1 });
    QCOMPARE(createDeviceMesh({ 2, 2, 2, 4 }, DeviceList(v5e)).error().text("shapes"), std::string("1x1x1x16"));

    const DeviceSet v4 = machine("TPU v4", { 2, 2, 4 });
    const Error greedy = createDeviceMesh({ 2, 2, 4 }, DeviceList(v4)).error();
    QCOMPARE(greedy.code, Code::NoAxisAssignment);
    QCOMPARE(greedy.number("axis"), std::int64_t{ 1 });
    QCOMPARE(greedy.text("remaining"), std::string("4"));
    QVERIFY(!greedy.text("shapes").empty());
}

void TestDeviceMesh::otherFailures()
{
    const DeviceSet v4 = machine("TPU v4", { 4, 4, 1 });
    const DeviceList all(v4);
    const Error holes = createDeviceMesh({ 3 }, all.at({ 0, 1, 15 })).error();
    QCOMPARE(holes.code, Code::DevicesDoNotFillBox);
    QCOMPARE(holes.text("box"), std::string("4x4x1"));
    QCOMPARE(holes.number("places"), std::int64_t{ 16 });
    QCOMPARE(holes.list("missing").front(), std::string("(0,1,0)"));
    // With what is missing it works.
    QVERIFY(createDeviceMesh({ 4 }, all.at({ 0, 1, 2, 3 })));

    const DeviceSet twice =
        *DeviceSet::ofList("TPU v4", "tpu", { { 0 }, { 1, 0, { 1, 1, 0 } }, { 2, 0, { 1, 0, 0 } }, { 3 } });
    const Error cuboid = createDeviceMesh({ 4 }, DeviceList(twice)).error();
    QCOMPARE(cuboid.code, Code::NotACuboid);
    QCOMPARE(cuboid.text("twice"), std::string("(0,0,0)"));
    QCOMPARE(cuboid.text("missing"), std::string("(0,1,0)"));

    const DeviceSet cores = machine("TPU v4", { 2, 2, 1 }, 2);
    QCOMPARE(createDeviceMesh({ 8 }, DeviceList(cores)).error().code, Code::NeedsOneDevicePerChip);
    const DeviceSet far = *DeviceSet::ofList("TPU v4", "tpu", { { 0 }, { 1, 0, { 1'000'000, 1'000'000, 1'000'000 } } });
    QCOMPARE(createDeviceMesh({ 2 }, DeviceList(far)).error().code, Code::DevicesDoNotFillBox);

    QCOMPARE(createDeviceMesh({ -4, -4 }, all).error().code, Code::InvalidAxisSize);
    QCOMPARE(createDeviceMesh(MeshShape(17, 1), all).error().code, Code::TooLarge);
    const std::int64_t huge = std::int64_t{ 1 } << 62;
    QCOMPARE(createDeviceMesh({ huge, huge }, all).error().code, Code::DeviceCountMismatch);
    const DeviceSet one = machine("TPU v4", { 1, 1, 1 });
    QCOMPARE(createDeviceMesh({}, DeviceList(one))->ids, Ids{ 0 });
}

void TestDeviceMesh::makeMeshUsesTheFirstDevices()
{
    const DeviceSet set = machine("TPU v5 lite", { 4, 4, 1 });
    const Result<DeviceArray> part = makeMesh({ 2, 2 }, { "x", "y" }, DeviceList(set));
    QVERIFY(part);
    QCOMPARE(part->ids, (Ids{ 0, 1, 5, 4 })); // the host 0, as a ring
    QCOMPARE(part->reason.usedOf, std::optional<std::int64_t>(16));
    QCOMPARE(part->names, (std::vector<std::string>{ "x", "y" }));
    QCOMPARE(part->shape, (MeshShape{ 2, 2 }));
    const Result<Mesh> mesh = Mesh::createOver({ { "x", 2 }, { "y", 2 } }, part->ids);
    QVERIFY(mesh);
    QCOMPARE(mesh->deviceAt(2), 5);

    // Physical axes of TPU v5e may be shared without being asked for, of no other kind.
    const Result<DeviceArray> shared = makeMesh({ 2, 8 }, { "x", "y" }, DeviceList(set));
    QVERIFY(shared && shared->reason.splitByKind && shared->reason.rule == OrderRule::SplitAxes);
    QVERIFY(!shared->reason.usedOf);
    const DeviceSet v4 = machine("TPU v4", { 4, 4, 1 });
    QCOMPARE(makeMesh({ 2, 8 }, { "x", "y" }, DeviceList(v4)).error().code, Code::NoAxisAssignment);

    const DeviceSet slices = machine("TPU v4", { 2, 2, 1 }, 1, 2);
    QVERIFY(makeMesh({ 4 }, { "x" }, DeviceList(slices)));
}

void TestDeviceMesh::makeMeshFailures()
{
    const DeviceSet slices = machine("TPU v4", { 2, 2, 1 }, 1, 2);
    const Error several = makeMesh({ 8 }, { "x" }, DeviceList(slices)).error();
    QCOMPARE(several.code, Code::MultiSlice);
    QCOMPARE(several.number("in_slice"), std::int64_t{ 4 });
    // What the sentence says works.
    QVERIFY(createHybridDeviceMesh({ 4 }, { 2 }, DeviceList(slices)));

    const DeviceSet cpus = DeviceSet::ofHosts("generic-cpu", "cpu", 1, 12);
    const Error few = makeMesh({ 4, 4 }, { "x", "y" }, DeviceList(cpus)).error();
    QCOMPARE(few.code, Code::TooFewDevices);
    QVERIFY(!shapesOf(few, "shapes").empty());
    for (const MeshShape& shape : shapesOf(few, "shapes"))
        QVERIFY(makeMesh(shape, { "x", "y" }, DeviceList(cpus)));
    QCOMPARE(makeMesh({ 4, 3 }, { "x" }, DeviceList(cpus)).error().code, Code::AxisNamesLength);
    QCOMPARE(makeMesh({ 4, 0 }, { "x", "y" }, DeviceList(cpus)).error().code, Code::InvalidAxisSize);
}

void TestDeviceMesh::largeMachines()
{
    const DeviceSet set = machine("TPU v4", { 32, 32, 64 });
    const DeviceList devices(set);
    for (const bool split : { false, true }) {
        const MeshShape shape = split ? MeshShape{ 16, 64, 64 } : MeshShape{ 64, 1024 };
        const Result<DeviceArray> array = createDeviceMesh(shape, devices, { false, split });
        QVERIFY(array && isPermutation(*array, devices));
        const std::vector<MeshAxis> axes = split ? std::vector<MeshAxis>{ { "a", 16 }, { "b", 64 }, { "c", 64 } }
                                                 : std::vector<MeshAxis>{ { "a", 64 }, { "b", 1024 } };
        QVERIFY(Mesh::createOver(axes, array->ids));
    }
    QVERIFY(!createDeviceMesh({ 3, 65536 }, devices).error().text("shapes").empty());
}

REGISTER_TEST(TestDeviceMesh)
#include "test_device_mesh.moc"
