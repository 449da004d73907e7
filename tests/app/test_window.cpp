// SPDX-License-Identifier: GPL-3.0-or-later
// The executable with a window: pictures of it, and that it opens.
#include <QImage>
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

class WindowTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    const QProcessEnvironment m_offscreen = bareEnvironment("offscreen");

    Ran screenshot(const QString& file, const QString& png, const QStringList& more = {}, const QByteArray& input = {})
    {
        const QStringList arguments{ QStringLiteral("screenshot"), file, QStringLiteral("-o"), png,
            QStringLiteral("--steps"), QStringLiteral("1") };
        return runProgram(arguments + more, input, m_offscreen);
    }

private Q_SLOTS:
    void pictures()
    {
        const QString light = m_folder.filePath(QStringLiteral("light.png"));
        const QString dark = m_folder.filePath(QStringLiteral("dark.png"));
        const QStringList size{ QStringLiteral("--size"), QStringLiteral("1024x640") };
        const Ran first = screenshot(QStringLiteral("flax-mlp-device"), light, size);
        QCOMPARE(first.code, 0);
        QVERIFY(first.out.contains(light));
        const QString file = writeFile(m_folder, QStringLiteral("small.json"), smallMlp());
        const Ran second = screenshot(file, dark,
            size + QStringList{ QStringLiteral("--theme"), QStringLiteral("dark"), QStringLiteral("--json") });
        QCOMPARE(second.code, 0);
        QVERIFY(second.json().at("picture") == dark.toStdString());
        const QImage day(light);
        const QImage night(dark);
        QCOMPARE(day.size(), QSize(1024, 640));
        QCOMPARE(night.size(), QSize(1024, 640));
        const auto brightness = [](const QImage& image) { // of the whole picture, 0 to 255
            return qGray(image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation).pixel(0, 0));
        };
        QVERIFY(brightness(day) > 160);
        QVERIFY(brightness(night) < 100);
    }

    /// Steps run before the picture is taken, of every program; Values can show an operation of the last one.
    void valuesOfAProgram()
    {
        const QString png = m_folder.filePath(QStringLiteral("values.png"));
        for (const QString& program : { QStringLiteral("jax-layer-program"), QStringLiteral("flax-mlp-tiny.json") }) {
            const QString file =
                program.endsWith(QStringLiteral(".json")) ? writeFile(m_folder, program, smallMlp()) : program;
            const auto stepsOf = [&](const QStringList& options) {
                const Ran ran = screenshot(file, png, options + QStringList{ QStringLiteral("--json") });
                return ran.code == 0 ? ran.json().at("step_count").get<int>() : -1;
            };
            QStringList options{ QStringLiteral("--dock"), QStringLiteral("values") };
            QCOMPARE(stepsOf(options), 1);
            const QImage after(png);
            options << QStringLiteral("--operations") << QStringLiteral("1");
            QCOMPARE(stepsOf(options), 1);
            QVERIFY(QImage(png) != after);
        }
    }

    void fromStandardInput()
    {
        const QString png = m_folder.filePath(QStringLiteral("input.png"));
        QCOMPARE(screenshot(QStringLiteral("-"), png, {}, smallMlp()).code, 0);
        QVERIFY(!QImage(png).isNull());
    }

    void refused()
    {
        const QString png = m_folder.filePath(QStringLiteral("no.png"));
        const QString broken = writeFile(m_folder, QStringLiteral("broken.json"), "{");
        QVERIFY(screenshot(broken, png).error.contains(QStringLiteral("broken.json:1:2: E120")));
        for (const char* size : { "big", "5x5", "100000x100", "-1x500" })
            QCOMPARE(
                screenshot(QStringLiteral("rule-lab"), png, { QStringLiteral("--size=") + QLatin1String(size) }).code,
                2);
        QCOMPARE(
            screenshot(QStringLiteral("rule-lab"), png, { QStringLiteral("--tensor"), QStringLiteral("nothing") }).code,
            2);
        QCOMPARE(screenshot(QStringLiteral("rule-lab"), QStringLiteral("/no/such/folder/x.png")).code, 2);
        QVERIFY(!QFile::exists(png));
        // The window is never as small as that, and it is said.
        const Ran small = screenshot(QStringLiteral("rule-lab"), png, { QStringLiteral("--size=320x320") });
        QCOMPARE(small.code, 0);
        QVERIFY2(small.error.contains(QStringLiteral("needs more room than 320x320")), qPrintable(small.error));
    }

    void saysNothingButTheResult()
    {
        QProcessEnvironment noSession = m_offscreen;
        noSession.remove(QStringLiteral("XDG_RUNTIME_DIR"));
        const QString png = m_folder.filePath(QStringLiteral("quiet.png"));
        const Ran ran = runProgram({ QStringLiteral("screenshot"), QStringLiteral("rule-lab"), QStringLiteral("-o"),
                                       png, QStringLiteral("--steps=0") },
            {}, noSession);
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.error, QString());
    }

    void whatCannotRunIsNoPicture()
    {
        const QString png = m_folder.filePath(QStringLiteral("large.png"));
        const QString large = writeFile(m_folder, QStringLiteral("large.json"),
            smallMlp("\"batch\": 8, \"embed\": 16", "\"batch\": 8, \"embed\": 268435456"));
        const Ran ran = screenshot(large, png);
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.error.contains(QStringLiteral("E145")), qPrintable(ran.error));
        QVERIFY(!QFile::exists(png));
    }

    void whatIsTooLargeToRunIsStillShown()
    {
        // Nobody asked for steps: the picture is what matters, and it says why there are no times.
        const QString png = m_folder.filePath(QStringLiteral("layout.png"));
        const QString large = writeFile(m_folder, QStringLiteral("large.json"),
            smallMlp("\"batch\": 8, \"embed\": 16", "\"batch\": 8, \"embed\": 268435456"));
        const Ran ran =
            runProgram({ QStringLiteral("screenshot"), large, QStringLiteral("-o"), png, QStringLiteral("--json") }, {},
                m_offscreen);
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.error.contains(QStringLiteral("E145")), qPrintable(ran.error));
        QVERIFY(ran.json().at("step_count") == 0);
        QVERIFY(ran.json().at("failure").at("code") == "E145");
        QVERIFY(!QImage(png).isNull());
    }

    void noDisplay()
    {
        QProcessEnvironment bare = m_offscreen;
        bare.remove(QStringLiteral("QT_QPA_PLATFORM"));
        const Ran ran = runProgram({ QStringLiteral("rule-lab") }, {}, bare);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.error.contains(QStringLiteral("display")), qPrintable(ran.error));
        // One that is named and cannot be opened.
        bare.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("none-such"));
        const Ran wrong = runProgram({ QStringLiteral("rule-lab") }, {}, bare);
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.error.contains(QStringLiteral("display")), qPrintable(wrong.error));
    }

    void opensAndStays()
    {
        const QString file = writeFile(m_folder, QStringLiteral("open.json"), smallMlp());
        for (const QStringList& arguments : { QStringList{}, QStringList{ file },
                 QStringList{ QStringLiteral("rule-lab") }, QStringList{ QStringLiteral("-") } }) {
            QProcess process;
            process.setProcessEnvironment(m_offscreen);
            process.start(QStringLiteral(SHARDSCOPE_BINARY), arguments);
            QVERIFY(process.waitForStarted());
            process.write(smallMlp());
            process.closeWriteChannel();
            QVERIFY2(!process.waitForFinished(1500), process.readAllStandardError().constData());
            process.kill();
            QVERIFY(process.waitForFinished());
        }
    }
};

REGISTER_TEST(WindowTest)
#include "test_window.moc"
