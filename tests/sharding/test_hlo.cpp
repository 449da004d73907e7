// SPDX-License-Identifier: GPL-3.0-or-later
// HLO shardings: text, normal form, tiles, and what they are in axes of a mesh.
#include <QtTest>

#include <map>
#include <set>

#include "base/codes.h"
#include "registered_test.h"
#include "sharding/generators.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

using namespace shardscope;

class TestHlo : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void texts_data();
    void texts();
    void errors_data();
    void errors();
    void numbersInErrors();
    void validation_data();
    void validation();
    void iotas_data();
    void iotas();
    void strides();
    void randomTexts();
    void normalFormKeepsTheMeaning();
    void axesAndBack();
    void layouts();
    void largeMeshes();
    void manyDimensions();
};

namespace {

QString place(const Error& error)
{
    return QStringLiteral("%1 %2:%3")
        .arg(QString::fromUtf8(error.kind().data(), static_cast<qsizetype>(error.kind().size())),
            QString::number(error.where.line), QString::number(error.where.column));
}

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// What every device holds, from the definition alone: the cell of the device in the row-major grid, and which devices
/// stand in cells that differ in subgroup dimensions only.
struct Meaning {
    std::map<std::int32_t, std::vector<std::int64_t>> tile; ///< by device, one index per array dimension
    std::map<std::int32_t, std::set<std::int32_t>> copies; ///< other members of its replicated subgroup
    bool operator==(const Meaning&) const = default;
};

Meaning meaningOf(
    const Shape& dims, const std::vector<std::int32_t>& devices, const std::vector<HloSharding::Subgroup>& subgroups)
{
    Meaning meaning;
    const std::size_t rank = dims.size() - subgroups.size();
    std::map<std::vector<std::int64_t>, std::set<std::int32_t>> groups;
    std::map<std::int32_t, std::vector<std::int64_t>> groupOf;
    for (std::size_t cell = 0; cell < devices.size(); ++cell) {
        std::vector<std::int64_t> index(dims.size());
        auto rest = static_cast<std::int64_t>(cell);
        for (std::size_t d = dims.size(); d-- > 0;) {
            index[d] = rest % dims[d];
            rest /= dims[d];
        }
        meaning.tile[devices[cell]].assign(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank));
        for (std::size_t s = 0; s < subgroups.size(); ++s)
            if (subgroups[s] == HloSharding::Subgroup::Replicated)
                index[rank + s] = 0;
        groups[index].insert(devices[cell]);
        groupOf[devices[cell]] = index;
    }
    for (const auto& [device, group] : groupOf)
        meaning.copies[device] = groups[group];
    return meaning;
}

} // namespace

void TestHlo::texts_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("printed");
    QTest::addColumn<QString>("lists");
    const auto row = [](const char* declared, const char* printed, const char* lists) {
        QTest::newRow(declared) << declared << (*printed ? printed : declared) << (*lists ? lists : declared);
    };
    row("{replicated}", "", "");
    row("{ manual }", "{manual}", "{manual}");
    row("{unknown}", "", "");
    row("{unreduced}", "", "");
    row("{maximal device=3}", "", "");
    row("{device=3}", "{maximal device=3}", "{maximal device=3}");
    row("{replicated shard_as 4}", "", "");
    row("{devices=[2,1]<=[2]}", "", "{devices=[2,1]0,1}");
    row("{devices=[2,2]<=[2,2]T(1,0)}", "", "{devices=[2,2]0,2,1,3}");
    row("{devices=[4]<=[1,2,1,2]T(2,0,3,1)}", "{devices=[4]<=[2,2]T(1,0)}", "{devices=[4]0,2,1,3}");
    row("{devices=[12]<=[2,3,2]T(1,2,0)}", "{devices=[12]<=[2,6]T(1,0)}", "{devices=[12]0,6,1,7,2,8,3,9,4,10,5,11}");
    // Groups of copies are in ascending order, subgroups of one type are one dimension, none is of size 1.
    row("{devices=[2,2]3,1,2,0 last_tile_dim_replicate}", "{devices=[2,2]1,3,0,2 last_tile_dim_replicate}",
        "{devices=[2,2]1,3,0,2 last_tile_dim_replicate}");
    row("{devices=[2,4]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}", "{devices=[2,4]<=[8] last_tile_dim_replicate}",
        "{devices=[2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}");
    row("{devices=[2,2,2,2]<=[16] last_tile_dims={replicated, manual, replicated}}",
        "{devices=[2,2,4]<=[2,2,2,2]T(0,2,1,3) last_tile_dims={manual, replicated}}",
        "{devices=[2,2,4]0,1,4,5,2,3,6,7,8,9,12,13,10,11,14,15 last_tile_dims={manual, replicated}}");
    row("{devices=[2,1,2]<=[4] last_tile_dims={manual, unreduced}}", "{devices=[2,2]<=[4] last_tile_dims={unreduced}}",
        "{devices=[2,2]0,1,2,3 last_tile_dims={unreduced}}");
    row("{devices=[1,1,4]<=[4] last_tile_dims={manual}}", "{manual}", "{manual}");
    row("{devices=[1,1]<=[1] last_tile_dim_replicate}", "{replicated}", "{replicated}");
    row("{devices=[1,2,2]<=[4] last_tile_dims={manual, manual}}", "{manual}", "{manual}");
    row("{devices=[2]1,0 shard_like 2 metadata={op_name=\"a b\" source_line=3}}", "", "");
    row("{replicated metadata={a- 1 b +2}}", "", ""); // a sign apart from its number stays apart
    row("{replicated metadata={{op_name=\"x\\\"y\"}, {op_name=\"z\"}}}", "", "");
    row("\"{devices=[2]<=[2]}\"", "{devices=[2]<=[2]}", "{devices=[2]0,1}");
    row("{devices=[2] <= [2] // a comment\n}", "{devices=[2]<=[2]}", "{devices=[2]0,1}");
}

void TestHlo::texts()
{
    QFETCH(QString, declared);
    QFETCH(QString, printed);
    QFETCH(QString, lists);
    const Result<HloSharding> sharding = parseHlo(declared.toStdString());
    QVERIFY2(sharding.has_value(), sharding ? "" : qPrintable(place(sharding.error())));
    QCOMPARE(text(toHlo(*sharding)), printed);
    QCOMPARE(text(toHlo(*sharding, HloForm::V1)), lists);
    QCOMPARE(*parseHlo(printed.toStdString()), *sharding);
    QCOMPARE(*parseHlo(lists.toStdString()), *sharding);
}

void TestHlo::errors_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* declared, const char* where) { QTest::newRow(declared) << declared << where; };
    row("", "syntax 1:1");
    row("{", "syntax 1:2");
    row("{replicated", "syntax 1:12");
    row("{replicated} x", "syntax 1:14");
    row("{replicated manual}", "syntax 1:13");
    row("{maximal device=}", "syntax 1:17");
    row("{maximal device=-1}", "syntax 1:17");
    row("{devices=[2,2]}", "syntax 1:15");
    row("{devices=[2,2]0,1,2}", "device_count_differs_from_tiles 1:10");
    row("{devices=[2,2]<=[2,3]T(1,0)}", "device_count_differs_from_tiles 1:10");
    row("{devices=[2,2]<=[2,2]T(1,1)}", "bad_axis 1:10");
    row("{devices=[2,2]<=[2,2]T(0)}", "bad_axis 1:10");
    row("{devices=[0]<=[0]}", "out_of_range 1:10");
    row("{devices=[-2]<=[2]}", "out_of_range 1:10");
    row("{devices=[1048576,1048576]<=[1]}", "too_large 1:10");
    row("{devices=[99999999999999999999]<=[1]}", "too_large 1:10");
    row("{devices=[2]0,99999999999}", "out_of_range 1:10");
    row("{devices=[2]<=[2]T(99999999999)}", "out_of_range 1:10");
    row("{devices=[2]<=[2] last_tile_dims={}}", "syntax 1:35");
    row("{devices=[2]<=[2] last_tile_dims={maximal}}", "syntax 1:35");
    row("{devices=[2]<=[2] last_tile_dims={manual, replicated}}", "syntax 1:10");
    row("{last_tile_dim_replicate}", "syntax 1:2");
    row("{{replicated}, {replicated}}", "unsupported_sharding 1:2");
    row("{}", "unsupported_sharding 1:2");
    row("{mesh['a'=2], [{'a'}]}", "unsupported_sharding 1:2");
    row("{replicated metadata={op_name=\"a}", "syntax 1:31");
    row("{replicated\n  metadata={a", "syntax 2:14");
}

void TestHlo::errors()
{
    QFETCH(QString, declared);
    QFETCH(QString, where);
    const Result<HloSharding> sharding = parseHlo(declared.toStdString());
    QCOMPARE(sharding ? text(toHlo(*sharding)) : place(sharding.error()), where);
}

/// The number that stands there, and not what is left of it in 32 bits.
void TestHlo::numbersInErrors()
{
    for (const char* declared : { "{devices=[2]0,99999999999}", "{devices=[2]<=[2]T(99999999999)}" })
        QCOMPARE(parseHlo(declared).error().number("value"), std::int64_t{ 99'999'999'999 });
    QCOMPARE(parseHlo("{devices=[2]0,-7}").error().number("value"), std::int64_t{ -7 });
}

void TestHlo::validation_data()
{
    QTest::addColumn<QString>("declared");
    QTest::addColumn<int>("devices");
    QTest::addColumn<QString>("kind"); // for an array of rank 2
    QTest::newRow("good") << "{devices=[2,2]<=[4]}" << 4 << "";
    QTest::newRow("nobody counts") << "{devices=[2,2]<=[4]}" << -1 << "";
    QTest::newRow("other devices") << "{devices=[2,2]<=[4]}" << 5 << "device_count_differs_from_num_devices";
    QTest::newRow("beyond, before the rank") << "{devices=[2]0,7}" << 4 << "device_id_out_of_range";
    QTest::newRow("twice") << "{devices=[2,2]0,1,1,2}" << 4 << "device_twice";
    QTest::newRow("rank, before the count") << "{devices=[2]<=[2]}" << 4 << "rank_mismatch";
    QTest::newRow("one tile") << "{devices=[1,1]0}" << 1 << "single_device_tile";
    QTest::newRow("maximal") << "{maximal device=3}" << 4 << "";
    QTest::newRow("maximal, beyond") << "{maximal device=4}" << 4 << "device_id_out_of_range";
    QTest::newRow("manual") << "{manual}" << 3 << "";
}

void TestHlo::validation()
{
    QFETCH(QString, declared);
    QFETCH(int, devices);
    QFETCH(QString, kind);
    const std::vector<std::int64_t> shape{ 4, 6 };
    const Result<void> valid = validate(
        *parseHlo(declared.toStdString()), shape, devices < 0 ? std::nullopt : std::optional<std::int64_t>(devices));
    QCOMPARE(valid ? QString() : text(valid.error().kind()), kind);
}

void TestHlo::iotas_data()
{
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("iota");
    QTest::newRow("transposed") << "[8]0,4,1,5,2,6,3,7"
                                << "[8]<=[2,4]T(1,0)";
    QTest::newRow("plain") << "[2,3]0,1,2,3,4,5"
                           << "[2,3]<=[6]";
    QTest::newRow("one") << "[1,1]0"
                         << "[1,1]<=[1]";
    QTest::newRow("another one") << "[1]1"
                                 << "";
    QTest::newRow("two swapped") << "[8]0,1,2,3,5,4,6,7"
                                 << "";
    QTest::newRow("backwards") << "[4]3,2,1,0"
                               << "";
    QTest::newRow("steps that do not fill") << "[4]0,2,4,6"
                                            << "";
    QTest::newRow("twice") << "[4]0,1,0,1"
                           << "";
    QTest::newRow("three dimensions") << "[2,2,3]0,6,3,9,1,7,4,10,2,8,5,11"
                                      << "[2,2,3]<=[2,2,3]T(2,1,0)";
    QTest::newRow("three digits") << "[12]0,6,3,9,1,7,4,10,2,8,5,11"
                                  << "[12]<=[2,2,3]T(2,1,0)";
}

void TestHlo::iotas()
{
    QFETCH(QString, list);
    QFETCH(QString, iota);
    const Result<HloSharding> sharding = parseHlo("{devices=" + list.toStdString() + "}");
    const std::optional<TileAssignment> found = sharding->tiles.asIota();
    QCOMPARE(found ? text(found->text()) : QString(), iota);
    QCOMPARE(toHlo(*sharding, HloForm::V2), iota.isEmpty() ? toHlo(*sharding) : "{devices=" + iota.toStdString() + "}");
}

/// What the devices are counted by, whatever order the tiles take them in.
void TestHlo::strides()
{
    const auto of = [](const char* tiles) {
        const Result<HloSharding> sharding = parseHlo(std::string("{devices=") + tiles + "}");
        const auto strides = sharding ? sharding->tiles.strides() : std::nullopt;
        return strides ? std::vector<std::int64_t>(strides->begin(), strides->end()) : std::vector<std::int64_t>();
    };
    using List = std::vector<std::int64_t>;
    QCOMPARE(of("[2,4]<=[8]"), (List{ 1, 4, 8 }));
    QCOMPARE(of("[4,2]<=[2,4]T(1,0)"), (List{ 1, 4, 8 }));
    QCOMPARE(of("[4,2]0,4,1,5,2,6,3,7"), (List{ 1, 4, 8 }));
    QCOMPARE(of("[8]<=[2,4]T(1,0)"), (List{ 1, 4, 8 }));
    QCOMPARE(of("[2,4]<=[2,4]T(1,0)"), (List{ 1, 2, 4, 8 })); // the first tile ends within the minor dimension
    QCOMPARE(of("[6,2]<=[3,4]T(1,0)"), (List{ 1, 4, 12 })); // it cannot
    QCOMPARE(of("[4]0,3,1,2"), List());
}

void TestHlo::randomTexts()
{
    QVERIFY(generators::holds("HLO text in all versions says the same", [] {
        const std::int64_t devices = *rc::gen::element<std::int64_t>(1, 2, 4, 6, 8, 12, 24);
        const HloSharding sharding = generators::hlo(*rc::gen::inRange<std::size_t>(0, 4), devices);
        for (const HloForm form : { HloForm::AsIs, HloForm::V1, HloForm::V2 }) {
            const std::string declared = toHlo(sharding, form);
            const Result<HloSharding> read = parseHlo(declared);
            RC_ASSERT(read.has_value());
            RC_ASSERT(*read == sharding);
            RC_ASSERT(toHlo(*read, form) == declared);
        }
        if (sharding.kind == HloSharding::Kind::Tiled && sharding.tiles.isIota())
            RC_ASSERT(sharding.tiles.asList().asIota()->text() == sharding.tiles.text());
    }));
}

void TestHlo::normalFormKeepsTheMeaning()
{
    QVERIFY(generators::holds("subgroups in normal form", [] {
        using Subgroup = HloSharding::Subgroup;
        const std::int64_t devices = *rc::gen::element<std::int64_t>(2, 4, 8, 12, 24);
        std::vector<Subgroup> subgroups;
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            subgroups.push_back(*rc::gen::element(Subgroup::Manual, Subgroup::Unreduced, Subgroup::Replicated));
        Shape dims(2 + subgroups.size(), 1);
        for (const std::int64_t size : generators::factors(devices))
            dims[*rc::gen::inRange<std::size_t>(0, dims.size())] *= size;
        std::vector<std::int32_t> list(static_cast<std::size_t>(devices));
        std::iota(list.begin(), list.end(), 0);
        std::shuffle(list.begin(), list.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
        const HloSharding sharding = HloSharding::tiled(*TileAssignment::list(dims, list), subgroups);
        const Meaning before = meaningOf(dims, list, subgroups);
        if (sharding.kind != HloSharding::Kind::Tiled) {
            RC_ASSERT(dims[0] * dims[1] == 1);
            return;
        }
        RC_ASSERT(std::is_sorted(sharding.subgroups.begin(), sharding.subgroups.end()));
        RC_ASSERT(std::adjacent_find(sharding.subgroups.begin(), sharding.subgroups.end()) == sharding.subgroups.end());
        const Meaning after = meaningOf(sharding.tiles.dims(), sharding.tiles.devices(), sharding.subgroups);
        RC_ASSERT(after == before);
        // Which copy stands first says nothing.
        std::vector<std::int32_t> other = sharding.tiles.devices();
        if (!sharding.subgroups.empty() && sharding.subgroups.back() == Subgroup::Replicated) {
            const auto size = static_cast<std::ptrdiff_t>(sharding.tiles.dims().back());
            for (auto group = other.begin(); group != other.end(); group += size)
                std::reverse(group, group + size);
        }
        RC_ASSERT(
            HloSharding::tiled(*TileAssignment::list(sharding.tiles.dims(), other), sharding.subgroups) == sharding);
    }));
}

void TestHlo::axesAndBack()
{
    QVERIFY(generators::holds("axes of a mesh, HLO, and back", [] {
        const MeshPtr mesh = generators::mesh();
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
        const TensorSharding sharding = generators::sharding(*mesh, rank, true, true);
        const HloSharding hlo = toHloSharding(sharding, *mesh);
        const Result<TensorSharding> back = toTensorSharding(*parseHlo(toHlo(hlo, HloForm::V1)), *mesh, rank);
        RC_ASSERT(back.has_value());
        // Axes of size 1 are lost, and neighbouring parts are joined; what is held where is the same.
        RC_ASSERT(toHloSharding(*back, *mesh) == hlo);
        const Shape shape(rank, 144);
        const Layout first(mesh, sharding, shape);
        const Layout second(mesh, *back, shape);
        RC_ASSERT(first.addends() == second.addends());
        for (std::int64_t position = 0; position < mesh->deviceCount(); ++position)
            RC_ASSERT(first.rangesAt(position) == second.rangesAt(position));
    }));
    const Mesh mesh = *Mesh::create({ { "x", 2 }, { "y", 4 } });
    const auto kindOf = [&](const char* declared, std::size_t rank) {
        const auto sharding = toTensorSharding(*parseHlo(declared), mesh, rank);
        return sharding ? text(toShardy(*sharding, mesh)) : text(sharding.error().kind());
    };
    QCOMPARE(kindOf("{devices=[4,2]<=[2,4]T(1,0)}", 2), QString("<@mesh, [{\"y\"}, {\"x\"}]>"));
    QCOMPARE(kindOf("{devices=[4,2]<=[8]}", 2), QString("<@mesh, [{\"x\", \"y\":(1)2}, {\"y\":(2)2}]>"));
    QCOMPARE(
        kindOf("{devices=[2,4]<=[8] last_tile_dims={unreduced}}", 1), QString("<@mesh, [{\"x\"}], unreduced={\"y\"}>"));
    QCOMPARE(kindOf("{devices=[8]0,1,2,3,5,4,6,7}", 1), QString("not_on_mesh"));
    QCOMPARE(kindOf("{devices=[4]<=[4]}", 1), QString("device_count_differs_from_num_devices"));
    QCOMPARE(kindOf("{devices=[8]<=[8]}", 2), QString("rank_mismatch"));
    QCOMPARE(kindOf("{maximal device=0}", 2), QString("unsupported_sharding"));
    const Mesh six = *Mesh::create({ { "a", 6 } });
    QCOMPARE(toShardy(*toTensorSharding(*parseHlo("{devices=[2,3]<=[3,2]T(1,0)}"), six, 2), six),
        std::string("<@mesh, [{\"a\":(3)2}, {\"a\":(1)3}]>"));
    // 4 x 6 devices against tiles of 9 x 4 x 1: a digit of 6 does not begin where one of 4 does.
    const Mesh unlike = *Mesh::create({ { "a", 4 }, { "b", 9 } });
    const auto crossed = toTensorSharding(*parseHlo("{devices=[6,6]<=[6,6]T(1,0)}"), unlike, 2);
    QCOMPARE(crossed ? QString() : text(crossed.error().kind()), QString("not_on_mesh"));
}

void TestHlo::layouts()
{
    QVERIFY(generators::holds("tiles of every device", [] {
        std::vector<std::int32_t> ids = generators::deviceIds();
        const auto devices = static_cast<std::int64_t>(ids.size());
        const std::size_t rank = *rc::gen::inRange<std::size_t>(0, 4);
        const HloSharding sharding = generators::hlo(rank, devices);
        Shape shape;
        for (std::size_t d = 0; d < rank; ++d)
            shape.push_back(*rc::gen::inRange<std::int64_t>(0, 9));
        const Result<Layout> layout = layoutOf(sharding, ids, shape);
        const bool open = sharding.kind == HloSharding::Kind::Manual || sharding.kind == HloSharding::Kind::Unknown
            || sharding.subgroupSize(HloSharding::Subgroup::Manual) > 1;
        const bool single = sharding.kind == HloSharding::Kind::Tiled && sharding.tiles.size() == 1;
        RC_ASSERT(layout.has_value() == !(open || single));
        if (!layout)
            return;
        if (sharding.kind != HloSharding::Kind::Tiled) {
            RC_ASSERT(layout->distinctShards() == 1);
            return;
        }
        const Meaning meaning = meaningOf(sharding.tiles.dims(), sharding.tiles.devices(), sharding.subgroups);
        for (const auto& [device, tile] : meaning.tile) {
            const std::int64_t position = layout->mesh().positionOf(ids[static_cast<std::size_t>(device)]);
            const std::vector<IndexRange> ranges = layout->rangesAt(position);
            for (std::size_t d = 0; d < rank; ++d) {
                // XLA's rule: tiles of ceil(size / tiles), cut off at the end.
                const std::int64_t tiles = sharding.tiles.dims()[d];
                const std::int64_t size = (shape[d] + tiles - 1) / tiles;
                RC_ASSERT(ranges[d].begin == std::min(tile[d] * size, shape[d]));
                RC_ASSERT(ranges[d].end == std::min((tile[d] + 1) * size, shape[d]));
            }
        }
    }));
}

void TestHlo::largeMeshes()
{
    // Structure, not devices: a short text of many devices is read, normalised and compared without listing them.
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 1000; ++i) {
        const HloSharding sharding = *parseHlo("{devices=[256,64,64]<=[64,256,64]T(1,0,2) last_tile_dim_replicate}");
        QVERIFY(sharding == *parseHlo("{devices=[256,64,64]<=[64,256,64]T(1,0,2) last_tile_dim_replicate}"));
    }
    QVERIFY2(timer.elapsed() < 2000, "2,000 shardings of 1,048,576 devices");
}

/// Subgroups need tile dimensions of their own.
void TestHlo::manyDimensions()
{
    const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "x", 2 }, { "y", 2 }, { "z", 2 } }));
    for (std::size_t rank = 28; rank <= maximumTileDimensions; ++rank) {
        std::string dims = "{\"x\"}";
        for (std::size_t d = 1; d < rank; ++d)
            dims += ", {}";
        const Result<Sharding> read = parseSharding("<@mesh, [" + dims + "], unreduced={\"y\"}>", mesh);
        QVERIFY(read.has_value());
        const std::string printed = toJax(*read);
        const Result<Sharding> again = parseSharding(printed, mesh);
        QVERIFY2(again.has_value(), printed.c_str());
        QCOMPARE(QString::fromStdString(toJax(*again)), QString::fromStdString(printed));
        QVERIFY(isEquivalent(*read, *again, rank));
    }
    // What is no text has no limit.
    const NamedSharding named{ mesh, { { SpecEntry::axis("x") } }, {} };
    QVERIFY(toHlo(named.spec, *mesh, 100).starts_with("{devices=[2,1,1,"));
    QVERIFY(isEquivalent(named, named, 100));
    // Text has one: dimensions of an array, and one for each type of subgroup.
    const auto tiles = [](std::size_t dims) {
        std::string text = "{devices=[2";
        for (std::size_t d = 1; d < dims; ++d)
            text += ",1";
        return text + "]<=[2]}";
    };
    QVERIFY(parseHlo(tiles(maximumTileDimensions + 3)));
    QCOMPARE(parseHlo(tiles(maximumTileDimensions + 4)).error().code, Code::TooLarge);
}

REGISTER_TEST(TestHlo)
#include "test_hlo.moc"
