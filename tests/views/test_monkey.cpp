// SPDX-License-Identifier: GPL-3.0-or-later
// Random events in the real window, in all perspectives: it does not crash, gives no warning, and gives back the
// experiment when everything is undone. How long the slowest one took is printed, as tests are not timed.
// SHARDSCOPE_RANDOM_CASES says how many events (percent), SHARDSCOPE_RANDOM_SEED which ones; a failure prints both.
#include <QDockWidget>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "monkey.h"
#include "random_cases.h"
#include "registered_test.h"
#include "views/main_window/settings.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

constexpr int eventsOfAPerspective = 300;
std::uint64_t randomSeed()
{
    const char* const text = std::getenv("SHARDSCOPE_RANDOM_SEED");
    std::uint64_t seed = 1;
    if (text != nullptr)
        std::from_chars(text, text + std::strlen(text), seed);
    return seed;
}

} // namespace

class TestMonkey : public QObject {
    Q_OBJECT

    QTemporaryDir m_home; ///< what file dialogs show and remember
    QByteArray m_homeBefore;

private Q_SLOTS:
    void initTestCase()
    {
        m_homeBefore = qgetenv("HOME");
        // Nothing that the monkey copies, saves or chooses may reach somebody's desktop.
        if (QGuiApplication::platformName() != u"offscreen"_s)
            QSKIP("only without a desktop");
        QVERIFY(m_home.isValid());
        QStandardPaths::setTestModeEnabled(true);
        qputenv("HOME", m_home.path().toUtf8());
        for (const QSettings::Format format : { QSettings::NativeFormat, QSettings::IniFormat })
            QSettings::setPath(format, QSettings::UserScope, m_home.path());
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QGuiApplication::setQuitOnLastWindowClosed(false);
    }
    void cleanupTestCase()
    {
        qputenv("HOME", m_homeBefore);
        QGuiApplication::setQuitOnLastWindowClosed(true);
    }
    void init()
    {
        // The offscreen platform says what it does not do for sizes, menus, views that float and drags that are ended.
        QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support |Unimplemented code)"_s));
    }

    void anythingCanBeDone_data()
    {
        QTest::addColumn<int>("perspective");
        QTest::addColumn<QString>("example");
        QTest::newRow("learn") << 0 << u"rule-lab"_s;
        QTest::newRow("plan") << 1 << u"flax-mlp-logical"_s;
        QTest::newRow("program") << 2 << u"flax-mlp-program"_s;
        QTest::newRow("debug") << 3 << u"transformer-experts"_s;
        QTest::newRow("compare") << 4 << u"penzai-tiny-transformer"_s;
    }
    void anythingCanBeDone()
    {
        QFETCH(int, perspective);
        QFETCH(QString, example);
        const std::uint64_t seed = randomSeed();
        const test::EventTrail trail(QByteArray("SHARDSCOPE_RANDOM_SEED=") + QByteArray::number(qulonglong{ seed })
            + ", row " + QTest::currentDataTag());
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QVERIFY(window.openExample(example));
        window.setPerspective(static_cast<Perspective>(perspective));
        window.document()->waitForAnalysis();

        test::Monkey monkey(window, seed + 1000 * static_cast<std::uint64_t>(perspective));
        const int events = test::randomCases(eventsOfAPerspective);
        QElapsedTimer time;
        time.start();
        while (monkey.count() < events && monkey.complaint().isEmpty() && !QTest::currentTestFailed())
            monkey.act();
        if (monkey.complaint().isEmpty() && !QTest::currentTestFailed())
            monkey.undoEverything();
        const QString took = u"%1 ms: %2"_s.arg(monkey.slowest().milliseconds, 0, 'f', 0).arg(monkey.slowest().name);
        qInfo("%d events in %.1f s, %d edits undone; the slowest took %s", monkey.count(),
            static_cast<double>(time.elapsed()) / 1e3, monkey.undone(), qPrintable(took));
        const std::string last = test::EventTrail::text();
        QVERIFY2(!QTest::currentTestFailed(), last.c_str());
        QVERIFY2(monkey.complaint().isEmpty(), qPrintable(monkey.complaint() + u'\n' + words::fromStd(last)));
        if (events >= 1000) // among so many are some that edit
            QVERIFY2(monkey.undone() > 0, last.c_str());
    }
};

REGISTER_TEST(TestMonkey)
#include "test_monkey.moc"
