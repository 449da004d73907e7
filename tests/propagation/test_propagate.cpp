// SPDX-License-Identifier: GPL-3.0-or-later
// Whole programs: the reference's cases in cases/*.txt, and what holds for every program.
#include <QtTest>

#include "propagation/notation.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

std::string casesFile(const char* name)
{
    return std::string(SHARDSCOPE_SOURCE_DIR "/tests/propagation/cases/") + name + ".txt";
}

void addCases(const char* file, Strategy strategy, std::size_t expectedCount)
{
    const std::vector<std::string> blocks = notation::readBlocks(casesFile(file));
    QCOMPARE(blocks.size(), expectedCount);
    for (const std::string& block : blocks) {
        const std::string name = block.substr(5, block.find('\n') - 5);
        QTest::addRow("%s: %s", file, name.c_str()) << QString::fromStdString(block) << static_cast<int>(strategy);
    }
}

} // namespace

class TestPropagate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cases_data();
    void cases();
};

void TestPropagate::cases_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("strategy");
    addCases("basic", Strategy::Basic, 31);
    addCases("aggressive", Strategy::Aggressive, 14);
    addCases("op_priority", Strategy::OperationPriority, 6);
    addCases("user_priority", Strategy::Full, 9);
    addCases("edges", Strategy::Aggressive, 7);
}

void TestPropagate::cases()
{
    QFETCH(QString, text);
    QFETCH(int, strategy);
    notation::Case test = notation::parseCase(text.toStdString());
    test.input.strategy = static_cast<Strategy>(strategy);
    const PropagationResult result = propagate(test.input);
    const Mesh& mesh = *test.input.mesh;
    QVERIFY(!test.expected.empty());
    std::string actual;
    std::string wanted;
    for (const auto& [name, sharding] : test.expected) {
        const bool declared = name.compare(0, 6, "result") == 0;
        const TensorSharding& got =
            declared ? result.results.at(std::stoul(name.substr(6))) : result.shardings.at(test.values.at(name).index);
        actual += name + " " + notation::print(mesh, got) + "\n";
        wanted += name + " " + notation::print(mesh, sharding) + "\n";
    }
    QCOMPARE(actual, wanted);
    for (const notation::Case::Step& step : test.steps) {
        PropagationStep record;
        record.step = step.number;
        if (step.operation != "return")
            record.operation = test.input.program->value(test.values.at(step.operation)).definition;
        record.axis = notation::parseAxis(mesh, step.axis);
        record.from = test.values.at(step.from);
        record.to = test.values.at(step.to);
        const auto found = std::find_if(result.log.begin(), result.log.end(), [&](const PropagationStep& other) {
            return !other.seed && other.step == record.step && other.operation == record.operation
                && other.axis == record.axis && other.from == record.from && other.to == record.to;
        });
        if (found == result.log.end()) {
            for (const PropagationStep& r : result.log)
                qWarning("step %u op %d %s %u -> %u dim %d%s", r.step, static_cast<int>(r.operation.index),
                    toString(mesh, r.axis).c_str(), r.from.index, r.to.index, r.toDimension, r.seed ? " seed" : "");
        }
        QVERIFY2(found != result.log.end(), qPrintable(QStringLiteral("step %1").arg(step.number)));
    }
}

REGISTER_TEST(TestPropagate)
#include "test_propagate.moc"
