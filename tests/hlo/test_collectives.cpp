// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of compiled programs: shapes, bytes, groups, and how often they run.
#include <QtTest>

#include "hlo/collectives.h"
#include "hlo/reading_hlo.h"
#include "hlo/trip_count.h"
#include "registered_test.h"

using namespace shardscope;
using test::moduleOf;
using test::named;
using test::shown;

namespace {

/// A loop whose counter is element 0: from `start` by `step` (an instruction of the body) while `condition`.
struct LoopText {
    std::string start = "%start = s32[] constant(0)";
    std::string limit = "%n = s32[] constant(5)"; ///< in the condition
    std::string compare = "compare(%i, %n), direction=LT";
    std::string step = "%next = s32[] add(%i, %one)";
    std::string body = {}; ///< further instructions of the body
    std::string config = {};
};

std::string textOf(const LoopText& loop)
{
    return "HloModule m, num_partitions=4\n\n"
           "%body (t: (s32[], f32[8], s32[])) -> (s32[], f32[8], s32[]) {\n"
           "  %t = (s32[], f32[8]{0}, s32[]) parameter(0)\n"
           "  %i = s32[] get-tuple-element(%t), index=0\n"
           "  %x = f32[8]{0} get-tuple-element(%t), index=1\n"
           "  %k = s32[] get-tuple-element(%t), index=2\n"
           "  %one = s32[] constant(1)\n  "
        + loop.step + "\n" + loop.body
        + "  ROOT %r = (s32[], f32[8]{0}, s32[]) tuple(%next, %x, %k)\n}\n\n"
          "%condition (t: (s32[], f32[8], s32[])) -> pred[] {\n"
          "  %t = (s32[], f32[8]{0}, s32[]) parameter(0)\n"
          "  %i = s32[] get-tuple-element(%t), index=0\n"
          "  %k = s32[] get-tuple-element(%t), index=2\n  "
        + loop.limit + "\n  ROOT %c = pred[] " + loop.compare
        + "\n}\n\n"
          "ENTRY %main (p: f32[8]) -> f32[8] {\n"
          "  %p = f32[8]{0} parameter(0)\n  "
        + loop.start
        + "\n  %seven = s32[] constant(7)\n"
          "  %init = (s32[], f32[8]{0}, s32[]) tuple(%start, %p, %seven)\n"
          "  %loop = (s32[], f32[8]{0}, s32[]) while(%init), condition=%condition, body=%body"
        + loop.config + "\n  ROOT %y = f32[8]{0} get-tuple-element(%loop), index=1\n}\n";
}

std::optional<std::int64_t> tripsOf(const LoopText& loop)
{
    const std::string text = textOf(loop);
    const Result<HloModule> module = readHlo(text);
    if (!module)
        qFatal("%s", qPrintable(shown(module)));
    return tripCount(*module, named(*module, "loop"));
}

} // namespace

class TestCollectives : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tripCounts();
    void inLoops();
    void kinds();
    void asynchronous();
    void slicedRightAfter();
    void devices();
    void replicasAndPartitions();
    void executions();
    void branches();
    void errors();
};

void TestCollectives::tripCounts()
{
    using Trips = std::optional<std::int64_t>;
    QCOMPARE(tripsOf({}), Trips(5));
    QCOMPARE(tripsOf({ .start = "%start = s32[] constant(2)" }), Trips(3));
    QCOMPARE(tripsOf({ .start = "%start = s32[] constant(9)" }), Trips(0));
    QCOMPARE(tripsOf({ .compare = "compare(%n, %i), direction=GT" }), Trips(5));
    QCOMPARE(tripsOf({ .compare = "compare(%i, %n), direction=LE" }), Trips(6));
    QCOMPARE(tripsOf({ .compare = "compare(%i, %n), direction=NE" }), Trips(5));
    QCOMPARE(tripsOf({ .step = "%two = s32[] constant(2)\n  %next = s32[] add(%two, %i)" }), Trips(3));
    QCOMPARE(tripsOf({ .start = "%start = s32[] constant(5)",
                 .limit = "%n = s32[] constant(0)",
                 .compare = "compare(%i, %n), direction=GT",
                 .step = "%next = s32[] subtract(%i, %one)" }),
        Trips(5));
    QCOMPARE(tripsOf({ .start = "%start = s32[] constant(9)",
                 .limit = "%n = s32[] constant(2)",
                 .compare = "compare(%i, %n), direction=GE",
                 .step = "%three = s32[] constant(-3)\n  %next = s32[] add(%i, %three)" }),
        Trips(3)); // 9, 6, 3
    // The limit is carried by the loop, which leaves it alone.
    QCOMPARE(tripsOf({ .compare = "compare(%i, %k), direction=LT" }), Trips(7));
    QCOMPARE(tripsOf({ .limit = "%m = s32[] constant(3)\n  %n = s32[] multiply(%m, %m)" }), Trips(9));
    QCOMPARE(tripsOf({ .limit = "%m = s64[] constant(4)\n  %n = s32[] convert(%m)" }), Trips(4));
    // What is stated counts.
    QCOMPARE(tripsOf({ .config = ", backend_config={\"known_trip_count\":{\"n\":\"12\"}}" }), Trips(12));
    QCOMPARE(
        tripsOf({ .config = ", backend_config=\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"13\\\"}}\"" }), Trips(13));
    // What cannot be told.
    QCOMPARE(tripsOf({ .step = "%next = s32[] multiply(%i, %one)" }), Trips());
    for (const char* sign : { "LT", "GT", "NE" }) // numbers whose differences do not fit
        QCOMPARE(tripsOf({ .limit = "%n = s64[] constant(-9223372036854775808)",
                     .compare = std::string("compare(%i, %n), direction=") + sign }),
            Trips());
    QCOMPARE(tripsOf({ .step = "%next = s32[] add(%k, %one)" }), Trips());
    QCOMPARE(tripsOf({ .step = "%zero = s32[] constant(0)\n  %next = s32[] add(%i, %zero)" }), Trips());
    QCOMPARE(tripsOf({ .compare = "compare(%i, %n), direction=EQ" }), Trips());
    QCOMPARE(tripsOf({ .compare = "compare(%i, %n), direction=GT" }), Trips(0));
    QCOMPARE(tripsOf({ .start = "%start = s32[] convert(%p)" }), Trips());
    QCOMPARE(tripsOf({ .limit = "%n = s32[] constant(99999999999999999999)" }), Trips());
}

void TestCollectives::inLoops()
{
    const std::string text =
        textOf({ .body = "  %g = f32[32]{0} all-gather(%x), channel_id=7, replica_groups=[1,4]<=[4], "
                         "dimensions={0}, use_global_device_ids=true, "
                         "metadata={op_name=\"jit(f)/while/body/dot\" source_file=\"f.py\" source_line=3}\n" });
    const Result<HloModule> module = readHlo(text);
    QCOMPARE(shown(module), QString());
    const Result<HloCollectives> found = collectivesOf(*module);
    QCOMPARE(shown(found), QString());
    QCOMPARE(found->list.size(), std::size_t{ 1 });
    const HloCollective& gather = found->list[0];
    QVERIFY(gather.kind == HloCollectiveKind::AllGather);
    QCOMPARE(gather.bytesIn, 32);
    QCOMPARE(gather.bytesOut, 128);
    QCOMPARE(gather.executions, std::optional<std::int64_t>(5));
    QCOMPARE(gather.channel, std::optional<std::int64_t>(7));
    QVERIFY(gather.usesGlobalIds);
    QVERIFY(gather.dimensions == std::vector<std::int64_t>{ 0 });
    QCOMPARE(gather.metadata.opName, std::string("jit(f)/while/body/dot"));
    QCOMPARE(gather.metadata.place.line, 3);
    QCOMPARE(gather.line, 10U);
    QCOMPARE(found->loops.size(), std::size_t{ 1 });
    QCOMPARE(found->loops[0].trips, std::optional<std::int64_t>(5));
    QCOMPARE(found->devices, 4);
}

void TestCollectives::kinds()
{
    const std::string text =
        "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
        "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
        "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n  %q = s32[4]{0} constant({1,2,3,4})\n"
        "  %r = (f32[8]{0}, s32[4]{0}) all-reduce(%p, %q), replica_groups={{0,1},{2,3}}, to_apply=%add\n"
        "  %s = f32[4]{0} reduce-scatter(%p), replica_groups=[2,2]<=[4], dimensions={0}, to_apply=%add\n"
        "  %t = f32[8]{0} all-to-all(%p), replica_groups={}, dimensions={0}\n"
        "  ROOT %u = f32[8]{0} collective-permute(%p), source_target_pairs={{0,1},{1,0}}\n"
        "  %v = f32[8]{0} collective-broadcast(%p), replica_groups={{1,0}}\n"
        "  %w = f32[8]{0} ragged-all-to-all(%p), replica_groups={{1,0}}\n}\n";
    const Result<HloModule> module = readHlo(text);
    QCOMPARE(shown(module), QString());
    const Result<HloCollectives> found = collectivesOf(*module);
    QCOMPARE(shown(found), QString());
    QCOMPARE(found->list.size(), std::size_t{ 6 });
    QCOMPARE(found->devices, 4);
    QCOMPARE(found->list[0].bytesIn, 48);
    QCOMPARE(found->list[0].operands.size(), std::size_t{ 2 });
    QCOMPARE(found->list[0].reduction, std::string_view("add"));
    QVERIFY(!found->list[0].channel);
    QCOMPARE(found->list[1].bytesOut, 16);
    QCOMPARE(found->list[2].groups.size(), 4); // all devices there are
    QCOMPARE(found->list[3].pairs.size(), std::size_t{ 2 });
    QCOMPARE(name(found->list[4].kind), std::string_view("collective-broadcast"));
    QCOMPARE(name(found->list[5].kind), std::string_view("ragged-all-to-all"));
    for (const HloCollective& collective : found->list)
        QCOMPARE(collective.executions, std::optional<std::int64_t>(1));
}

void TestCollectives::asynchronous()
{
    const std::string text =
        "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
        "  ROOT %s = f32[] add(%a, %b)\n}\n\n"
        "%inside (a: f32[8]) -> f32[4] {\n  %a = f32[8]{0} parameter(0)\n"
        "  ROOT %rs = f32[4]{0} reduce-scatter(%a), replica_groups={{0,1}}, dimensions={0}, to_apply=%add\n}\n\n"
        "ENTRY %main (p: f32[8]) -> f32[16] {\n  %p = f32[8]{0} parameter(0)\n"
        "  %g = (f32[8]{0}, f32[16]{0}) all-gather-start(%p), replica_groups={{0,1}}, dimensions={0}\n"
        "  ROOT %gd = f32[16]{0} all-gather-done(%g)\n"
        "  %r = f32[8]{0} all-reduce-start(%p), replica_groups={{0,1}}, to_apply=%add\n  %rd = f32[8]{0} "
        "all-reduce-done(%r)\n"
        "  %c = (f32[8]{0}, f32[8]{0}, u32[], u32[]) collective-permute-start(%p), source_target_pairs={{0,1}}\n"
        "  %cd = f32[8]{0} collective-permute-done(%c)\n"
        "  %a = ((f32[8]{0}), f32[4]{0}, u32[]) async-start(%p), calls=%inside\n"
        "  %ad = f32[4]{0} async-done(%a), calls=%inside\n}\n";
    const Result<HloModule> module = readHlo(text);
    QCOMPARE(shown(module), QString());
    const Result<HloCollectives> found = collectivesOf(*module);
    QCOMPARE(shown(found), QString());
    QCOMPARE(found->list.size(), std::size_t{ 4 });
    const HloCollective &scatter = found->list[0], &gather = found->list[1], &reduce = found->list[2],
                        &permute = found->list[3];
    QVERIFY(scatter.kind == HloCollectiveKind::ReduceScatter);
    QCOMPARE(scatter.executions, std::optional<std::int64_t>(1)); // the end of it does not count again
    QVERIFY(gather.isAsync);
    QCOMPARE(gather.bytesIn, 32);
    QCOMPARE(gather.bytesOut, 64);
    QCOMPARE(reduce.bytesOut, 32);
    QCOMPARE(permute.bytesOut, 32);
    QCOMPARE(permute.bytesIn, 32);
}

void TestCollectives::slicedRightAfter()
{
    const auto isSliced = [](const std::string& after) {
        const std::string text = "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b "
                                 "= f32[] parameter(1)\n"
                                 "  ROOT %s = f32[] add(%a, %b)\n}\n\nENTRY %main (p: f32[8], i: s32[]) -> f32[8] {\n"
                                 "  %p = f32[8]{0} parameter(0)\n  %i = s32[] parameter(1)\n"
                                 "  %r = f32[8]{0} all-reduce(%p), replica_groups=[1,4]<=[4], to_apply=%add\n"
            + after + "\n}\n";
        const Result<HloModule> module = readHlo(text);
        const Result<HloCollectives> found = collectivesOf(module.value());
        return found.value().list.at(0).slicedRightAfter.has_value();
    };
    QVERIFY(isSliced("  %d = f32[2]{0} dynamic-slice(%r, %i), dynamic_slice_sizes={2}"));
    QVERIFY(!isSliced("  %d = f32[4]{0} dynamic-slice(%r, %i), dynamic_slice_sizes={4}"));
    QVERIFY(!isSliced("  %d = f32[2]{0} dynamic-slice(%r, %i), dynamic_slice_sizes={2}\n  %n = f32[8]{0} negate(%r)"));
    QVERIFY(!isSliced("  %n = f32[8]{0} negate(%p)"));
}

void TestCollectives::devices()
{
    const auto devicesOf = [](const std::string& attributes) {
        const std::string text = moduleOf("  %p = f32[8] parameter(0)\n  %g = f32[16] all-gather(%p), "
                                          "replica_groups={{0,5}}, channel_id=1, dimensions={0}, "
                                          "use_global_device_ids=true",
            attributes);
        const Result<HloModule> module = readHlo(text);
        const Result<HloCollectives> found = collectivesOf(module.value());
        return found ? QString::number(found->devices) : shown(found);
    };
    QCOMPARE(devicesOf(""), QStringLiteral("6"));
    QCOMPARE(devicesOf(", num_partitions=8"), QStringLiteral("8"));
    QCOMPARE(devicesOf(", num_partitions=4, replica_count=2"), QStringLiteral("8"));
    QVERIFY(devicesOf(", num_partitions=4").startsWith(QLatin1String("E408 5:51 device=5 devices=4")));
    // Every device of a compiled program stands in one group.
    QVERIFY(devicesOf(", num_partitions=8, is_scheduled=true").startsWith(QLatin1String("E406 5:")));
}

/// Device = 2 * replica + partition: what groups and pairs number depends on channel and flag.
void TestCollectives::replicasAndPartitions()
{
    using Groups = std::vector<std::vector<std::int32_t>>;
    const auto found = [](const std::string& statement, const std::string& attributes = {}) {
        const Result<HloModule> module =
            test::readKept(moduleOf("  %p = f32[8] parameter(0)\n  %q = f32[8] " + statement,
                ", replica_count=4, num_partitions=2" + attributes));
        return collectivesOf(module.value());
    };
    const auto groupsOf = [&](const std::string& statement, const std::string& attributes = {}) {
        const Result<HloCollectives> read = found(statement, attributes);
        if (!read)
            qWarning("%s", qPrintable(shown(read)));
        return read ? read->list.at(0).groups.expanded(read->devices) : Groups();
    };
    const Groups ofReplicas{ { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 } }, halves{ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } },
        ofPartitions{ { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } }, allReplicas{ { 0, 2, 4, 6 }, { 1, 3, 5, 7 } };
    for (const char* compiled : { "", ", is_scheduled=true" }) {
        QVERIFY(groupsOf("all-reduce(%p), replica_groups={}", compiled) == allReplicas);
        QVERIFY(groupsOf("all-reduce(%p)", compiled) == allReplicas);
        QVERIFY(groupsOf("all-reduce(%p), replica_groups={{0,1},{2,3}}", compiled) == ofReplicas);
        QVERIFY(groupsOf("all-reduce(%p), replica_groups=[2,2]<=[4]", compiled) == ofReplicas);
        QVERIFY(groupsOf("all-reduce(%p), channel_id=2, replica_groups={{0,1},{2,3}}", compiled) == halves);
        QVERIFY(groupsOf("all-reduce(%p), channel_id=2, replica_groups={}", compiled)
            == (Groups{ { 0, 1, 2, 3, 4, 5, 6, 7 } }));
        QVERIFY(groupsOf("all-reduce(%p), channel_id=2, replica_groups={{0,1,2,3},{4,5,6,7}}, "
                         "use_global_device_ids=true",
                    compiled)
            == halves);
        QVERIFY(groupsOf("all-to-all(%p), replica_groups={{0,1},{2,3}}, dimensions={0}", compiled) == ofReplicas);
        QVERIFY(
            groupsOf("all-to-all(%p), channel_id=1, replica_groups={{0,1}}, dimensions={0}", compiled) == ofPartitions);
    }
    using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
    QVERIFY(found("collective-permute(%p), source_target_pairs={{0,3},{3,0}}")->list.at(0).pairs
        == (Pairs{ { 0, 6 }, { 1, 7 }, { 6, 0 }, { 7, 1 } }));
    QVERIFY(found("collective-permute(%p), channel_id=1, source_target_pairs={{0,1}}")->list.at(0).pairs
        == (Pairs{ { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } }));
    // There are four replicas, two partitions, and eight devices.
    const auto refused = [&](const std::string& statement, const std::string& attributes = {}) {
        const QString error = shown(found(statement, attributes));
        return error.section(QLatin1Char(' '), 0, 0) + QLatin1Char(' ') + error.section(QLatin1Char(' '), 2);
    };
    QCOMPARE(refused("all-reduce(%p), replica_groups={{0,4}}"), QStringLiteral("E408 device=4 devices=4"));
    QCOMPARE(refused("collective-permute(%p), channel_id=1, source_target_pairs={{0,2}}"),
        QStringLiteral("E408 device=2 devices=2"));
    QCOMPARE(refused("all-reduce(%p), channel_id=1, replica_groups={{0,8}}, use_global_device_ids=true"),
        QStringLiteral("E408 device=8 devices=8"));
    QCOMPARE(refused("all-reduce(%p), replica_groups={{0,1}}", ", is_scheduled=true"),
        QStringLiteral("E406 what=groups tiles=4 devices=8"));
}

void TestCollectives::executions()
{
    // Two calls of one computation; what nobody calls does not run.
    const std::string text = "HloModule m\n%f (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                             "  ROOT %q = f32[8] all-to-all(%p), replica_groups={{0,1}}, dimensions={0}\n}\n"
                             "%unused (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                             "  ROOT %q = f32[8] all-to-all(%p), replica_groups={{0,1}}, dimensions={0}\n}\n"
                             "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                             "  %a = f32[8] call(%p), to_apply=%f\n  ROOT %b = f32[8] call(%a), to_apply=%f\n}\n";
    const Result<HloModule> module = readHlo(text);
    const Result<HloCollectives> found = collectivesOf(module.value());
    QCOMPARE(found->list[0].executions, std::optional<std::int64_t>(2));
    QCOMPARE(found->list[1].executions, std::optional<std::int64_t>(0));
    // A computation that calls itself, and a text without an entry: nobody knows.
    const std::string circle = "HloModule m\n%f (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                               "  %q = f32[8] all-to-all(%p), replica_groups={{0,1}}, dimensions={0}\n"
                               "  ROOT %r = f32[8] call(%q), to_apply=%f\n}\n"
                               "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n"
                               "  ROOT %a = f32[8] call(%p), to_apply=%f\n}\n";
    const Result<HloModule> circular = readHlo(circle);
    QCOMPARE(collectivesOf(circular.value())->list[0].executions, std::optional<std::int64_t>());
    const std::string shortened = text.substr(0, text.find("%unused"));
    const Result<HloModule> withoutEntry = readHlo(shortened);
    QCOMPARE(collectivesOf(withoutEntry.value())->list[0].executions, std::optional<std::int64_t>());
}

void TestCollectives::branches()
{
    // Branch 1 of %outer chooses between %inner0 and %inner1; what both branches of %outer call is in neither.
    const auto computation = [](const char* name, const char* body) {
        return '%' + std::string(name) + " (p: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n" + body + "}\n";
    };
    const char* exchange = "  ROOT %q = f32[8] all-to-all(%p), replica_groups={{0,1}}, dimensions={0}\n";
    const std::string text = "HloModule m\n" + computation("shared", exchange) + computation("inner0", exchange)
        + computation("inner1", "  ROOT %q = f32[8] call(%p), to_apply=%shared\n")
        + computation("outer0", "  ROOT %q = f32[8] call(%p), to_apply=%shared\n")
        + computation("outer1",
            "  %i = pred[] constant(true)\n  ROOT %choice = f32[8] conditional(%i, %p, %p), "
            "true_computation=%inner0, false_computation=%inner1\n")
        + "ENTRY %main (p: f32[8], i: s32[]) -> f32[8] {\n  %p = f32[8] parameter(0)\n  %i = s32[] parameter(1)\n"
          "  ROOT %outer = f32[8] conditional(%i, %p, %p), branch_computations={%outer0, %outer1}\n}\n";
    const Result<HloModule> module = readHlo(text);
    const Result<HloCollectives> found = collectivesOf(module.value());
    const auto pathOf = [&](std::size_t i) {
        QStringList parts;
        for (const Branch& branch : found->list[i].branches) {
            const std::string_view name = module->view(module->instructions[branch.conditional].name);
            parts << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + QLatin1Char(' ')
                    + QString::number(branch.number);
        }
        return parts.join(QStringLiteral(", "));
    };
    QCOMPARE(found->list.size(), std::size_t{ 2 });
    QCOMPARE(pathOf(0), QString()); // %shared counts with both of its calls
    QCOMPARE(found->list[0].executions, std::optional<std::int64_t>(2));
    QCOMPARE(pathOf(1), QStringLiteral("outer 1, choice 0"));
}

void TestCollectives::errors()
{
    const auto stated = [](const std::string& statement) {
        const std::string text = moduleOf("  %p = f32[8] parameter(0)\n  " + statement);
        const Result<HloModule> module = readHlo(text);
        return shown(collectivesOf(module.value()));
    };
    QCOMPARE(stated("%g = f32[8] all-reduce(%p), replica_groups={{0,0}}").section(QLatin1Char(' '), 0, 1),
        QStringLiteral("E409 5:50"));
    QCOMPARE(stated("%g = f32[8] all-reduce(%p), to_apply=%add").section(QLatin1Char(' '), 0, 1),
        QStringLiteral("E190 5:41"));
    QCOMPARE(stated("%g = f32[8] all-gather(%p), dimensions=0").section(QLatin1Char(' '), 0, 1),
        QStringLiteral("E120 5:42"));
    QCOMPARE(stated("%g = f32[8] all-gather(%p), channel_id=x").section(QLatin1Char(' '), 0, 1),
        QStringLiteral("E120 5:42"));
}

REGISTER_TEST(TestCollectives)
#include "test_collectives.moc"
