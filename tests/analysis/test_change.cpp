// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit changes, against figures computed by hand for the notebook's MLP.
#include <QTest>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/change.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"

using namespace shardscope;
using test::analysed;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{ 1 } << 20;

Experiment firstExample()
{
    return builtinExamples().front().make();
}

} // namespace

class TestChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anotherMesh_data()
    {
        // 4 layers of two f32[1024, 1024] weights: parameters, gradients, mu and nu are 4 × 32 MiB in all, cut along
        // model alone. Sent per step and device at batch 8, the scalar loss apart: 401,408; 8,560,640;
        // 25,223,168; 58,720,256.
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("parameters");
        QTest::addColumn<qint64>("state");
        QTest::addColumn<qint64>("sent");
        QTest::newRow("1 x 8") << 1 << 8 << qint64{ 16 } << qint64{ 401'408 };
        QTest::newRow("2 x 4") << 2 << 0 << qint64{ 32 } << qint64{ 8'560'640 };
        QTest::newRow("4 x 2") << 4 << 8 << qint64{ 64 } << qint64{ 25'223'168 };
        QTest::newRow("8 x 1") << 8 << 8 << qint64{ 128 } << qint64{ 58'720'256 };
    }
    void anotherMesh()
    {
        QFETCH(int, data);
        QFETCH(int, parameters);
        QFETCH(qint64, state);
        QFETCH(qint64, sent);
        const SnapshotPtr before = analysed(firstExample());
        const auto edited = withAxisSize(firstExample(), 0, data, true);
        QVERIFY(edited);
        const SnapshotPtr after = analysed(*edited);
        const Change change = changeBetween(*before, *after);
        QCOMPARE(change.parameters, parameters);
        QCOMPARE(change.nothing(), data == 2);
        QCOMPARE(change.stateBytesBefore, 32 * mebibyte);
        QCOMPARE(change.stateBytesAfter, state * mebibyte);
        QVERIFY(change.sentBefore && change.sentAfter);
        QCOMPARE(change.sentBefore->value(), 8'560'640.0);
        QCOMPARE(change.sentAfter->value(), static_cast<double>(sent));
        // Back again is the same change the other way round.
        const Change back = changeBetween(*after, *before);
        QCOMPARE(back.parameters, change.parameters);
        QCOMPARE(back.others, change.others);
        QCOMPARE(back.stateBytesBefore, change.stateBytesAfter);
    }

    void tensorsThatComeAndGo()
    {
        Experiment fewer = firstExample();
        std::get<MlpModel>(fewer.model).settings.layers = 3;
        const SnapshotPtr four = analysed(firstExample()), three = analysed(fewer);
        QCOMPARE(changeBetween(*four, *three).parameters, 2); // W1 and W2 of the last layer
        QCOMPARE(changeBetween(*three, *four).parameters, 2);
        QCOMPARE(changeBetween(*four, *three).stateBytesAfter, 24 * mebibyte);
    }

    void aStepThatCannotRunSendsNothing()
    {
        Experiment odd = firstExample();
        odd.mesh.axes = { { "data", 1 }, { "model", 3 } };
        odd.hardware.devices.hosts = 1;
        odd.hardware.devices.devicesPerHost = 3;
        const SnapshotPtr before = analysed(firstExample()), after = analysed(odd);
        QVERIFY(after->laidOut() && !after->ok()); // 1024 columns on 3 devices
        const Change change = changeBetween(*before, *after);
        QCOMPARE(change.parameters, 8);
        QVERIFY(change.sentBefore && !change.sentAfter);
    }
};

REGISTER_TEST(TestChange)
#include "test_change.moc"
