// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a run that does not agree with its reference.
#include <QLocale>
#include <QTest>

#include "base/codes.h"
#include "program/builder.h"
#include "registered_test.h"
#include "simulate/check/check.h"
#include "words/words.h"

using namespace shardscope;

namespace {

struct Fixture {
    Program program;
    ValueId weight, scalar;
};

Fixture fixture()
{
    Builder builder("check");
    Fixture made;
    made.weight = builder.argument({ DType::F32, { 8, 16 } }, "params/W", Role::Parameter);
    made.scalar = builder.argument({ DType::F64, {} }, "loss", Role::Loss);
    builder.result(made.weight);
    made.program = std::move(builder).finish();
    return made;
}

} // namespace

class TestCheckWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void namesTensorDeviceAndElement()
    {
        const Fixture f = fixture();
        ValueCheck check;
        check.value = f.weight;
        check.path = "params/W";
        QVERIFY(words::checkFindings(check, f.program).isEmpty());
        check.beyond = 1;
        check.worstElement = 3 * 16 + 5;
        check.worstDevice = 6;
        check.ours = 1.5;
        check.reference = 1.25;
        check.tolerance = 1e-6;
        check.largestError = 0.25;
        QCOMPARE(words::checkFindings(check, f.program),
            QStringList{ QStringLiteral(
                "params/W[3, 5] is 1.5 on d6, 1.25 in the reference: 0.25 apart, at most 1e-06 is right") });
    }

    void namesCopiesThatDifferInOneBit()
    {
        const Fixture f = fixture();
        ValueCheck check;
        check.value = f.weight;
        check.path = "params/W";
        check.copiesDiffer = { 127, 1, 5, 1, 1.00000012 };
        QCOMPARE(words::checkFindings(check, f.program),
            QStringList{
                QStringLiteral("params/W[7, 15] is 1 on d1 and 1.00000012 on d5, which should hold the same bits") });
        check.value = f.scalar;
        check.path = "loss";
        check.copiesDiffer = { 0, 0, 2, 0.1, 0.10000000000000002 };
        QCOMPARE(words::checkFindings(check, f.program),
            QStringList{ QStringLiteral("loss is 0.10000000000000001 on d0 and 0.10000000000000002 on d2, which should "
                                        "hold the same bits") });
    }

    void saysEverything()
    {
        const Fixture f = fixture();
        ValueCheck check;
        check.value = f.weight;
        check.path = "%7";
        check.held = false;
        QCOMPARE(words::checkFindings(check, f.program),
            QStringList{ QStringLiteral("%7: the devices do not hold it, so it cannot be compared") });
        check.held = true;
        check.beyond = 1;
        check.worstElement = 0;
        check.worstDevice = 0;
        check.copiesDiffer = ReplicaDifference{};
        QCOMPARE(words::checkFindings(check, f.program).size(), 2);
    }

    void saysWhatWouldHelpWithMemory()
    {
        const auto said = [](std::vector<Arg> more) {
            std::vector<Arg> args{ { "bytes", std::int64_t{ 3 } << 30 }, { "limit", std::int64_t{ 2 } << 30 } };
            args.insert(args.end(), more.begin(), more.end());
            return words::oneLine({ Code::OutOfMemory, args, {} });
        };
        QCOMPARE(said({}),
            QStringLiteral("E145: the run needs 3 GiB of memory, 2 GiB are there. Use smaller sizes. The layout can be "
                           "studied without a run."));
        QCOMPARE(said({ { "shared_bytes", 1 << 30 } }),
            QStringLiteral("E145: the run needs 3 GiB of memory, 2 GiB are there. Set share_replicas in its section "
                           "run: that needs 1 GiB. The layout can be studied without a run."));
        QCOMPARE(said({ { "alone_bytes", 1 << 30 } }),
            QStringLiteral("E145: the run and its check need 3 GiB of memory, 2 GiB are there. Leave out the check: "
                           "the run alone needs 1 GiB. The layout can be studied without a run."));
    }
};

REGISTER_TEST(TestCheckWords)
#include "test_check.moc"
