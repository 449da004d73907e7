// SPDX-License-Identifier: GPL-3.0-or-later
// What many steps have in common, and what is said of their times and figures.
#include <QTest>
#include <limits>

#include "registered_test.h"
#include "words/timing_words.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

std::vector<StepTiming> steps(int count)
{
    std::vector<StepTiming> list;
    for (int i = 0; i < count; ++i) {
        StepTiming step;
        step.wall = 1e-3 * (20 + i % 3);
        for (int device = 0; device < 8; ++device)
            step.devices.push_back({ 6e-3, 2e-3 + 1e-4 * device, 1e-3 });
        list.push_back(step);
    }
    return list;
}

} // namespace

class TestTimingWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void statisticsAreThoseOfTheBook()
    {
        const std::vector<double> seconds{ 2, 4, 4, 4, 5, 5, 7, 9 };
        const TimeStatistics result = statistics(seconds);
        QCOMPARE(result.mean, 5.0);
        QCOMPARE(result.deviation, 2.0);
        QCOMPARE(statistics({}).count, 0U);
        QCOMPARE(statistics(std::vector{ 3.0 }).deviation, 0.0);
    }

    void barsOfManyDevices()
    {
        std::vector<DeviceTimes> devices;
        for (int i = 0; i < 1000; ++i)
            devices.push_back({ static_cast<double>(i), 1, 0 });
        const std::vector<DeviceBar> bars = deviceBars(devices, 64);
        QVERIFY(bars.size() <= 64);
        std::size_t covered = 0;
        for (const DeviceBar& bar : bars) {
            QCOMPARE(bar.first, covered);
            covered += bar.count;
            const double mean = static_cast<double>(bar.first) + (static_cast<double>(bar.count) - 1) / 2;
            QVERIFY(std::abs(bar.times.compute - mean) < 1e-9);
        }
        QCOMPARE(covered, devices.size());
        QCOMPARE(deviceBars(std::span(devices).first(8), 64).size(), 8U);
        QVERIFY(deviceBars({}, 64).empty());

        // Steps of an earlier, other mesh do not mix in.
        std::vector<StepTiming> history = steps(3);
        history.front().devices.resize(2);
        QCOMPARE(meanDevices(history).size(), 8U);
        QVERIFY(std::abs(meanDevices(history)[3].communication - 2.3e-3) < 1e-12);
    }

    void sentencesOfTimes()
    {
        TimeitResult result;
        result.perLoop.assign(7, 0.02);
        result.mean = 21.42e-3;
        result.deviation = 0.31e-3;
        result.loops = 10;
        // One step that takes a hundred times as long makes no mean: the usual one is told.
        const std::vector<double> uneven{ 0.002, 0.002, 0.3, 0.002, 0.002, 0.002 };
        QVERIFY(statistics(uneven).isUneven());
        QCOMPARE(words::stepsSentence(statistics(uneven)),
            u"%1 per step (median of 6 steps, mean %2)"_s.arg(words::seconds(0.002), words::seconds(0.31 / 6)));
        const std::vector<double> even{ 0.002, 0.0021, 0.0019, 0.002 };
        QVERIFY(!statistics(even).isUneven());
        QVERIFY(words::stepsSentence(statistics(even)).contains(u"mean ± std. dev. of 4 steps"_s));
        QCOMPARE(
            words::timeitSentence(result), u"21.4 ms ± 0.31 ms per step (mean ± std. dev. of 7 runs, 10 loops each)"_s);
        result.stopped = true;
        QVERIFY(words::timeitSentence(result).contains(u"stopped"_s));
        result.loops = 1;
        QVERIFY(words::timeitSentence(result).contains(u"1 loop each"_s));
        QVERIFY(!words::timeitSentence({}).isEmpty());
        QCOMPARE(words::stepsSentence({ 2e-3, 0, 1 }), u"2 ms for one step"_s);
        QCOMPARE(words::meanAndDeviation(2e-3, 12.34e-6), u"2 ms ± 0.01 ms"_s);
        QCOMPARE(words::meanAndDeviation(12.5, 0.25), u"12.5 s ± 0.25 s"_s);
    }

    void sentencesOfFigures()
    {
        std::vector<StepFigures> figures;
        QVERIFY(!hasFigures(figures));
        QCOMPARE(words::lossSentence(1, figures), u"No step gave a loss"_s);
        figures.push_back({ .loss = 4.5 });
        QCOMPARE(words::lossSentence(7, figures), u"Loss 4.5 after step 7"_s);
        figures.push_back({});
        figures.push_back({ .loss = 3.25, .parameterNorm = 2.0 });
        figures.push_back({});
        QVERIFY(hasFigures(figures));
        QCOMPARE(words::lossSentence(7, figures), u"Loss 4.5 after step 7, 3.25 after step 9"_s);
        QVERIFY(!firstNonFiniteStep(7, figures));
        figures.push_back({ .gradientNorm = std::numeric_limits<double>::infinity() });
        figures.push_back({ .loss = notANumber });
        QCOMPARE(firstNonFiniteStep(7, figures).value_or(0), 11);
        QCOMPARE(words::figureText(std::nullopt), u"–"_s);
        QCOMPARE(words::figureText(notANumber), u"NaN"_s);
        QCOMPARE(words::figureText(-std::numeric_limits<double>::infinity()), u"−∞"_s);
    }
};

REGISTER_TEST(TestTimingWords)
#include "test_timing_words.moc"
