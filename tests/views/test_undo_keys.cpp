// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Z takes back the last edit of the experiment wherever the keyboard is, except in text that is being typed.
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>
#include <QSpinBox>
#include <QTest>

#include "registered_test.h"
#include "views/main_window/main_window.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/model_view/model_field.h"
#include "views/model_view/model_form.h"
#include "views/model_view/model_view.h"
#include "views/panel_fixture.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/tensors_view/tensors_view.h"
#include "views/widgets/search_field.h"

using namespace shardscope;

namespace {

QString nameOf(const QWidget* control)
{
    return QStringLiteral("%1 “%2” in %3")
        .arg(QLatin1String(control->metaObject()->className()), control->accessibleName(),
            control->parentWidget() ? QLatin1String(control->parentWidget()->metaObject()->className())
                                    : QLatin1String("-"));
}

/// An edit that no view looks at.
void editNotes(Document* document)
{
    Experiment after = *document->experiment();
    after.notes += '.';
    document->edit(std::move(after), QStringLiteral("notes"));
}

} // namespace

class TestUndoKeys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void everyControlHandsThemOver_data()
    {
        QTest::addColumn<QString>("example");
        QTest::newRow("network") << QStringLiteral("flax-mlp-logical");
        QTest::newRow("program") << QStringLiteral("flax-mlp-program");
        QTest::newRow("arrays") << QStringLiteral("penzai-name-to-name");
    }
    void everyControlHandsThemOver()
    {
        QFETCH(QString, example);
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.openExample(example);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        window.findChild<ModelView*>()->form()->setUnfolded({ QStringLiteral("sizes"), QStringLiteral("blocks"),
            QStringLiteral("training"), QStringLiteral("layout") });
        int walked = 0, fields = 0;
        for (const MainWindow::Part& part : window.parts()) {
            QVERIFY(window.present(part.id));
            QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60'000);
            QList<QPointer<QWidget>> controls;
            for (QWidget* control : window.findChildren<QWidget*>())
                controls << control;
            for (const QPointer<QWidget>& control : controls) {
                if (!control || !control->isVisible() || !control->isEnabled() || control->focusPolicy() == Qt::NoFocus
                    || control->window() != &window || control->property("walked").toBool())
                    continue;
                control->setProperty("walked", true); // one that stays while other parts come to the front
                control->setFocus(Qt::TabFocusReason);
                QWidget* focused = QApplication::focusWidget();
                if (!focused)
                    continue;
                ++walked;
                fields += qobject_cast<QLineEdit*>(focused) || qobject_cast<QAbstractSpinBox*>(focused) ? 1 : 0;
                const QString name = nameOf(focused);
                editNotes(document);
                const int index = document->undoStack()->index();
                QTest::keyClick(focused, Qt::Key_Z, Qt::ControlModifier);
                QVERIFY2(document->undoStack()->index() == index - 1, qPrintable(name));
                focused = QApplication::focusWidget();
                QTest::keyClick(focused ? focused : &window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
                QVERIFY2(document->undoStack()->index() == index, qPrintable(name));
                document->undoStack()->undo();
            }
        }
        QVERIFY2(walked > 60 && fields > 5, qPrintable(QStringLiteral("%1, %2").arg(walked).arg(fields)));
    }

    /// A box that shows a word for its least number holds nothing that was typed.
    void wordsInTheBox()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.openExample(QStringLiteral("transformer-t5x"));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        QVERIFY(window.present(QStringLiteral("model")));
        window.findChild<ModelView*>()->form()->setUnfolded({ QStringLiteral("blocks") });
        auto* experts =
            qobject_cast<QSpinBox*>(window.findChild<ModelView*>()->form()->field(QStringLiteral("expert"))->control());
        QCOMPARE(experts->text(), experts->specialValueText());
        experts->setFocus(Qt::TabFocusReason);
        editNotes(document);
        const int index = document->undoStack()->index();
        QTest::keyClick(experts, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document->undoStack()->index(), index - 1);
    }

    void whatIsTypedIsTheFieldsOwn()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        const auto data = [document] { return document->experiment()->mesh.axes[0].size; };

        // A number that is typed is the box's own until Return; then it is an edit.
        QSpinBox* box = window.findChild<MeshView*>()->row(0)->spinBox();
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("4"));
        QCOMPARE(data(), 2);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(box->text(), QStringLiteral("2"));
        QCOMPARE(document->undoStack()->count(), 0);
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("4"));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(data(), 4);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(data(), 2);
        QCOMPARE(box->value(), 2);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(data(), 4);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);

        // So is what is typed into a filter, until nothing of it is left to be taken back.
        editNotes(document);
        auto* filter = window.part(QStringLiteral("tensors"))->findChild<SearchField*>();
        QVERIFY(filter);
        filter->setFocus();
        QTest::keyClicks(filter, QStringLiteral("W1"));
        QTest::keyClick(filter, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(filter->text().isEmpty());
        QCOMPARE(document->undoStack()->index(), 1);
        QTest::keyClick(filter, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document->undoStack()->index(), 0);

        // The editor of a new axis holds nothing typed yet.
        window.findChild<MeshView*>()->addAxis();
        QCOMPARE(document->experiment()->mesh.axes.size(), 3U);
        auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(editor);
        QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document->experiment()->mesh.axes.size(), 2U);

        // Nor does that of a rule, until something is typed.
        editNotes(document);
        RulesTable* table = window.findChild<RulesView*>()->table();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, RulesModel::Name));
        table->edit(table->currentIndex());
        auto* rule = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(rule);
        QTest::keyClicks(rule, QStringLiteral("x"));
        QTest::keyClick(rule, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document->undoStack()->index(), 1);
        QTest::keyClick(rule, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document->undoStack()->index(), 0);
    }
};

REGISTER_TEST(TestUndoKeys)
#include "test_undo_keys.moc"
