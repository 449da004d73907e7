// SPDX-License-Identifier: GPL-3.0-or-later
// What the documents tell to click is there: menus by their paths in all of them, and in the first minute, which is
// done with the window alone, every control by its name.
#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTest>
#include <set>

#include "panel_fixture.h"
#include "registered_test.h"
#include "views/main_window/main_window.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/segmented_bar.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

QString sourceText(const QString& name)
{
    QFile file(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// What stands in italics, on one line each.
QStringList italicsOf(const QString& text)
{
    static const QRegularExpression code(QStringLiteral("^```.*?^```$|`[^`\\n]*`"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression italics(QStringLiteral("(?<![*\\w])\\*(?![*\\s])([^*]+?)(?<!\\s)\\*(?![*\\w])"));
    QStringList found;
    for (auto each = italics.globalMatch(QString(text).remove(code)); each.hasNext();)
        found << each.next().captured(1).simplified();
    return found;
}

/// "Open" of "&Open…	Ctrl+O".
QString plainName(const QString& shown)
{
    return shown.section(u'\t', 0, 0).remove(u'&').remove(u'…').simplified();
}

/// The entry that a path leads to, "File > Export > JAX code"; null if there is none.
QAction* entryAt(const QMenuBar& bar, const QString& path)
{
    QAction* at = nullptr;
    QList<QAction*> entries = bar.actions();
    for (const QString& name : path.split(QStringLiteral(" > "))) {
        at = nullptr;
        for (QAction* entry : entries)
            if (plainName(entry->text()) == name)
                at = entry;
        if (!at)
            return nullptr;
        entries = at->menu() ? at->menu()->actions() : QList<QAction*>();
    }
    return at;
}

} // namespace

class TestGuides : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void menusAreWhereTheDocumentsSay()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        // What it would tell of a menu that is not there.
        QVERIFY(!entryAt(*window.menuBar(), u"File > Export > Nothing"_s));
        QVERIFY(!entryAt(*window.menuBar(), u"Fil > Export"_s));
        int paths = 0;
        QStringList documents{ u"README.md"_s };
        for (const QString& name : QDir(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/docs")).entryList({ u"*.md"_s }))
            documents << u"docs/"_s + name;
        for (const QString& document : documents)
            for (const QString& path : italicsOf(sourceText(document)))
                if (path.contains(u" > "_s)) {
                    ++paths;
                    QVERIFY2(entryAt(*window.menuBar(), path), qPrintable(document + u": "_s + path));
                }
        QVERIFY2(paths >= 8, qPrintable(QString::number(paths)));
    }

    void theFirstMinuteNamesWhatIsThere()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.showStartPage();
        QVERIFY(window.openExample(u"flax-mlp-logical"_s));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        std::set<QString> shown;
        for (const QAction* action : window.findChildren<QAction*>()) {
            shown.insert(plainName(action->text()));
            shown.insert(plainName(action->iconText()));
        }
        for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
            shown.insert(plainName(button->text()));
        for (const SegmentedBar* bar : window.findChildren<SegmentedBar*>())
            for (int row = 0; row < bar->tableRowCount(); ++row)
                shown.insert(bar->tableText(row, 0));
        for (const DockFrame* dock : window.docks())
            shown.insert(dock->name());
        for (const MainWindow::Part& part : window.parts())
            shown.insert(part.name);
        int named = 0;
        for (const QString& name : italicsOf(sourceText(u"docs/first_minute.md"_s))) {
            if (name.contains(u" > "_s) || name == u"italics"_s)
                continue;
            ++named;
            QVERIFY2(shown.contains(name), qPrintable(name));
        }
        QVERIFY2(named >= 10, qPrintable(QString::number(named)));
    }
};

REGISTER_TEST(TestGuides)
#include "test_guides.moc"
