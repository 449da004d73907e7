// SPDX-License-Identifier: GPL-3.0-or-later
// Names of dimensions that nn.scan and nn.vmap add and take away.
#include <QtTest>

#include "networks/lifted_axis.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const LogicalName embed = LogicalName::of("embed"), hidden = LogicalName::of("hidden"), none = LogicalName::none(),
                  layers = LogicalName::of("layers");

} // namespace

class TestLiftedAxis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ofNames()
    {
        const LogicalNames names{ embed, hidden };
        QVERIFY(addAxis(names, { 0, "layers" }) == (LogicalNames{ layers, embed, hidden }));
        QVERIFY(addAxis(names, { 1, "layers" }) == (LogicalNames{ embed, layers, hidden }));
        QVERIFY(addAxis(names, { 0, {} }) == (LogicalNames{ none, embed, hidden }));
        QVERIFY(addAxis(names, { 4, "layers" }) == (LogicalNames{ embed, hidden, none, none, layers }));
    }

    void ofMeshAxes()
    {
        const PartitionSpec inside{ { SpecEntry::none(), SpecEntry::axis("model") } };
        const auto outside = [&](const LiftedAxis& axis) { return addAxis(Annotation(DeviceAxes{ inside }), axis); };
        QVERIFY(outside({ 0, {} })
            == Annotation(DeviceAxes{ { { SpecEntry::none(), SpecEntry::none(), SpecEntry::axis("model") } } }));
        QVERIFY(outside({ 2, "data" })
            == Annotation(DeviceAxes{ { { SpecEntry::none(), SpecEntry::axis("model"), SpecEntry::axis("data") } } }));
        QVERIFY(addAxis(Annotation(LogicalAxes{ { embed } }), { 0, "layers" })
            == Annotation(LogicalAxes{ { layers, embed } }));
        QVERIFY(addAxis(Annotation(), { 0, "layers" }) == Annotation());
    }
};

REGISTER_TEST(TestLiftedAxis)
#include "test_lifted_axis.moc"
