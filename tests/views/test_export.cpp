// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows is taken along: as pictures, tables, a report, code; and everything is found by its name.
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "base/codes.h"
#include "registered_test.h"
#include "report/exports.h"
#include "views/command_palette/command_palette.h"
#include "views/export_picture/export_picture.h"
#include "views/main_window/after_analysis.h"
#include "views/main_window/main_window.h"
#include "views/panel_fixture.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/search_field.h"
#include "words/words.h"

using namespace shardscope;
using test::contentOf;

namespace {

struct ShownWindow {
    Appearance appearance{ ThemeChoice::Light };
    MainWindow window{ &appearance, { .remember = false, .tips = false } };

    ShownWindow()
    {
        window.document()->setExperiment(test::example("flax-mlp-logical"), {});
        window.resize(1400, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
    }
};

} // namespace

class TestExport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void picturesByTheirEndings()
    {
        QLabel label(QStringLiteral("a view"));
        label.resize(120, 40);
        QCOMPARE(pictureForm(QStringLiteral("a.PNG")), PictureForm::Png);
        QCOMPARE(pictureForm(QStringLiteral("a")), PictureForm::Png);
        QVERIFY(!pictureForm(QStringLiteral("a.jpg")));
        const QString png = m_folder.filePath(QStringLiteral("a.png"));
        QVERIFY(writePicture(label, png));
        QCOMPARE(QImage(png).size() / QImage(png).devicePixelRatio(), label.size());
        const QString svg = m_folder.filePath(QStringLiteral("a.svg"));
        QVERIFY(writePicture(label, svg));
        QVERIFY(contentOf(svg).contains("<svg") && contentOf(svg).contains("a view"));
        const QString pdf = m_folder.filePath(QStringLiteral("a.pdf"));
        QVERIFY(writePicture(label, pdf));
        QVERIFY(contentOf(pdf).startsWith("%PDF-"));
        const Result<void> other = writePicture(label, m_folder.filePath(QStringLiteral("a.jpg")));
        QVERIFY(!other && other.error().code == Code::WrongType);
        QCOMPARE(words::describe(other.error()).cause, QStringLiteral("“a.jpg” is no name of a picture"));
        const Result<void> nowhere = writePicture(label, m_folder.filePath(QStringLiteral("none/a.png")));
        QVERIFY(!nowhere && nowhere.error().code == Code::Unwritable);
    }

    void everyViewOfTheWindow()
    {
        ShownWindow shown;
        const Snapshot& snapshot = *shown.window.document()->snapshot();
        for (const ExportedView& view : exportedViews())
            for (const std::string& form : view.forms) {
                const QString path = m_folder.filePath(
                    QString::fromStdString(view.id) + QLatin1Char('.') + QString::fromStdString(form));
                shown.window.exportView(view, path);
                QCOMPARE(contentOf(path).toStdString(), exportedText(snapshot, view, form));
                QVERIFY(shown.window.action(QStringLiteral("export.") + QString::fromStdString(view.id)));
            }
        const QString picture = m_folder.filePath(QStringLiteral("window.png"));
        shown.window.exportPicture(&shown.window, picture);
        QCOMPARE(QImage(picture).size() / QImage(picture).devicePixelRatio(), shown.window.size());
        // The view in use, or Layout, goes into the clipboard.
        shown.window.action(QStringLiteral("copyFocus"))->trigger();
        const QImage copied = QGuiApplication::clipboard()->image();
        QVERIFY(!copied.isNull() && copied.width() < shown.window.width() && copied.height() < shown.window.height());
        shown.window.exportView(exportedViews().front(), m_folder.filePath(QStringLiteral("none/report.md")));
        QCOMPARE(shown.window.unreadable()->title(), QStringLiteral("report.md could not be saved"));
        shown.window.action(QStringLiteral("copyCode"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(),
            exportedText(snapshot, *findExportedView("code"), "py"));
        shown.window.action(QStringLiteral("copyMaxText"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(),
            exportedText(snapshot, *findExportedView("maxtext"), "yml"));
    }

    /// An edit that is still being analysed is in what is written; the window does not stand still for it.
    void whatIsEditedNow()
    {
        ShownWindow shown;
        Document& document = *shown.window.document();
        Experiment edited = *document.experiment();
        edited.title = "Edited now";
        QVERIFY(document.edit(edited, QStringLiteral("title")));
        QVERIFY(document.isStale());
        const QString path = m_folder.filePath(QStringLiteral("now.md"));
        shown.window.exportView(exportedViews().front(), path);
        QVERIFY(document.isStale()); // nobody has waited
        QVERIFY(!QFile::exists(path));
        QTRY_VERIFY(contentOf(path).startsWith("# Edited now\n"));
        QVERIFY(!document.isStale());
        QVERIFY(shown.window.waiting()->isHidden());

        // What takes longer is said on top of the window; Cancel gives it up.
        edited.title = "Edited again";
        QVERIFY(document.edit(edited, QStringLiteral("title")));
        const QString never = m_folder.filePath(QStringLiteral("never.md"));
        shown.window.exportView(exportedViews().front(), never);
        QVERIFY(document.isStale());
        AfterAnalysis* after = shown.window.findChild<AfterAnalysis*>();
        QVERIFY(after && after->isWaiting());
        after->run(QStringLiteral("other.md"), [] { QFAIL("given up"); });
        after->cancel();
        QVERIFY(!after->isWaiting());
        document.waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY(!QFile::exists(never));

        // So does opening another experiment.
        edited.title = "Edited once more";
        QVERIFY(document.edit(edited, QStringLiteral("title")));
        shown.window.exportView(exportedViews().front(), never);
        QVERIFY(after->isWaiting());
        document.setExperiment(test::example("jax-layer"), {});
        QVERIFY(!after->isWaiting());
        document.waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY(!QFile::exists(never));
    }

    /// The strip names what is waited for, and its button gives all of it up.
    void stripOfWhatWaits()
    {
        Document document;
        document.setExperiment(test::example("flax-mlp-logical"), {});
        QVERIFY(document.isStale());
        NoticeStrip strip;
        strip.hide();
        AfterAnalysis after(&document, &strip);
        QSignalSpy dropped(&after, &AfterAnalysis::dropped);
        QStringList done;
        after.run(QStringLiteral("a.md"), [&done] { done << QStringLiteral("a.md"); });
        QVERIFY(strip.isHidden()); // most are over before anybody could read it
        strip.show();
        after.run(QStringLiteral("b.md"), [&done] { done << QStringLiteral("b.md"); });
        QCOMPARE(strip.title(), QStringLiteral("Waiting to write a.md, b.md"));
        strip.button()->click();
        QCOMPARE(dropped.size(), 2);
        QVERIFY(strip.isHidden());
        document.waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY(done.isEmpty());
        after.run(QStringLiteral("c.md"), [&done] { done << QStringLiteral("c.md"); });
        QCOMPARE(done, QStringList{ QStringLiteral("c.md") });
        // A window that closes waits for what was asked for.
        document.setExperiment(test::example("jax-layer"), {});
        after.run(QStringLiteral("d.md"), [&done] { done << QStringLiteral("d.md"); });
        QVERIFY(after.isWaiting());
        after.finish();
        QVERIFY(!document.isStale() && !after.isWaiting());
        QCOMPARE(done.back(), QStringLiteral("d.md"));
    }

    void paletteOfTheWindow()
    {
        ShownWindow shown;
        QTest::keyClick(&shown.window, Qt::Key_K, Qt::ControlModifier);
        CommandPalette* palette = shown.window.findChild<CommandPalette*>();
        QVERIFY(palette && palette->isVisible());
        QTest::keyClicks(palette->field(), QStringLiteral("view rules"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(shown.window.shows(QStringLiteral("rules")));

        QTest::keyClick(&shown.window, Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(palette->field(), QStringLiteral("tensor layers.3/W2"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QVERIFY(shown.window.selection()->tensor().endsWith(QStringLiteral("layers.3/W2")));

        QTest::keyClick(&shown.window, Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(palette->field(), QStringLiteral("command dark"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QCOMPARE(shown.appearance.choice(), ThemeChoice::Dark);
        QTest::keyClick(&shown.window, Qt::Key_K, Qt::ControlModifier);
        QTest::keyClick(palette->field(), Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
    }
};

REGISTER_TEST(TestExport)
#include "test_export.moc"
