// SPDX-License-Identifier: GPL-3.0-or-later
// The three ways through the window, by keyboard alone, with what a screen reader says on the way: from a question to
// code, from a program to another sharding, from a table of arrays to rules in YAML.
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <functional>

#include "panel_fixture.h"
#include "registered_test.h"
#include "views/collectives_view/collective_page.h"
#include "views/collectives_view/collectives_view.h"
#include "views/command_palette/command_palette.h"
#include "views/compare_view/compare_view.h"
#include "views/main_window/main_window.h"
#include "views/model_view/model_view.h"
#include "views/program_view/program_view.h"
#include "views/span_text/span_text.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/search_field.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

/// What is said of the control that has the keyboard.
struct Heard {
    QString name, description;
    QAccessible::Role role = QAccessible::NoRole;
    QStringList row; ///< the cells of the current row of a table
    QVariant value; ///< of a slider
};

Heard heard()
{
    Heard said;
    QAccessibleInterface* node = QAccessible::queryAccessibleInterface(QApplication::focusWidget());
    if (!node)
        return said;
    said.name = node->text(QAccessible::Name);
    said.description = node->text(QAccessible::Description);
    said.role = node->role();
    if (QAccessibleValueInterface* value = node->valueInterface())
        said.value = value->currentValue();
    QAccessibleTableInterface* table = node->tableInterface();
    for (int row = 0; table && row < table->rowCount() && said.row.isEmpty(); ++row) {
        const QAccessibleInterface* first = table->cellAt(row, 0);
        if (first && (first->state().selected || first->state().focused))
            for (int column = 0; column < table->columnCount(); ++column)
                if (const QAccessibleInterface* cell = table->cellAt(row, column))
                    said.row << cell->text(QAccessible::Name);
    }
    return said;
}

class Keyboard {
public:
    explicit Keyboard(MainWindow& window)
        : m_window(window)
    {
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QWidget* at = QApplication::activePopupWidget();
        if (!at && !QApplication::activeModalWidget() && !m_window.isActiveWindow()) { // a dialog was closed just now
            m_window.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&m_window));
        }
        if (!at)
            at = QApplication::focusWidget();
        QTest::keyClick(at ? at : &m_window, key, modifiers);
    }
    void write(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    /// By Tab to the control of that name; false if it is not among the next ones.
    bool tabTo(const QString& name, int most = 250)
    {
        return tabTo(most, [&](const Heard& said) { return said.name == name; });
    }
    bool tabToTable(const QString& name)
    {
        return tabTo(250, [&](const Heard& said) { return said.name == name && said.role == QAccessible::Table; });
    }
    /// To a sentence with links that begins so.
    bool tabToSentence(const QString& beginning, int most)
    {
        return tabTo(most, [&](const Heard& said) { return said.name.startsWith(beginning); });
    }
    /// Ctrl+K and the first that is found.
    void go(const QString& name)
    {
        press(Qt::Key_K, Qt::ControlModifier);
        QVERIFY(m_window.findChild<CommandPalette*>() && m_window.findChild<CommandPalette*>()->field()->hasFocus());
        QCOMPARE(heard().role, QAccessible::EditableText);
        write(name);
        press(Qt::Key_Return);
        QTRY_VERIFY(!m_window.findChild<CommandPalette*>()->isVisible());
    }
    /// What is done in menus and dialogs, which hold whoever opens them: each step once it can be, one after the other.
    struct Step {
        std::function<bool()> isReady;
        std::function<void()> act;
    };
    static void later(QList<Step> steps, int tries = 400)
    {
        QTimer::singleShot(25, qApp, [steps, tries]() mutable {
            if (!steps.front().isReady()) {
                if (tries > 0)
                    later(steps, tries - 1);
                else if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
                    dialog->reject(); // the test fails, and goes on
                else if (QWidget* popup = QApplication::activePopupWidget())
                    popup->close();
                return;
            }
            const Step now = steps.takeFirst();
            if (!steps.isEmpty())
                later(steps); // before: this one may open another menu or dialog
            now.act();
        });
    }
    /// A path into a dialog for files, which has the keyboard in its field for names.
    static Step toFile(const QString& path)
    {
        const auto field = [] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
            return dialog && line && dialog->isAncestorOf(line) ? line : nullptr;
        };
        return { [field] { return field() != nullptr; },
            [field, path] {
                const QPointer<QLineEdit> line = field();
                QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
                QTest::keyClicks(line, path);
                QTest::keyClick(line, Qt::Key_Return);
            } };
    }
    static Step inMenu(std::function<void()> act)
    {
        return { [] { return QApplication::activePopupWidget() != nullptr; }, std::move(act) };
    }
    static Step toMenu(Qt::Key key)
    {
        return inMenu([key] { QTest::keyClick(QApplication::activePopupWidget(), key); });
    }
    /// Down in the menu that is open to the entry that begins so.
    static bool downTo(const QString& entry)
    {
        for (int i = 0; i < 40; ++i) {
            const auto* menu = qobject_cast<const QMenu*>(QApplication::activePopupWidget());
            if (!menu)
                return false;
            if (const QAction* at = menu->activeAction(); at && at->text().remove(u'&').startsWith(entry))
                return true;
            QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Down);
        }
        return false;
    }

private:
    bool tabTo(int most, const std::function<bool(const Heard&)>& isThere)
    {
        QStringList passed;
        for (int i = 0; i < most; ++i) {
            if (isThere(heard()))
                return true;
            passed << heard().name;
            press(Qt::Key_Tab);
        }
        qInfo("Tab passed %s", qPrintable(passed.mid(0, 60).join(u", "_s)));
        return false;
    }
    MainWindow& m_window;
};

} // namespace

class TestKeyboardFlows : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString write(const QString& name, const QByteArray& content)
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() ? file.fileName() : QString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        for (const QSettings::Format format : { QSettings::NativeFormat, QSettings::IniFormat })
            QSettings::setPath(format, QSettings::UserScope, m_folder.path()); // what dialogs for files remember
    }
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support )"_s)); }

    void fromAQuestionToCode()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QVERIFY(window.openExample(u"rule-lab"_s));
        Document* document = window.document();
        document->waitForAnalysis();
        Keyboard keyboard(window);

        // A question, and its example.
        keyboard.press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(heard().name, u"Search examples and tasks"_s);
        QCOMPARE(heard().role, QAccessible::EditableText);
        keyboard.write(u"train step over eight"_s);
        keyboard.press(Qt::Key_Down);
        QCOMPARE(heard().role, QAccessible::Table);
        QVERIFY2(
            heard().row.value(0).startsWith(u"How do logical axis rules"_s), qPrintable(heard().row.join(u" | "_s)));
        keyboard.press(Qt::Key_Return);
        document->waitForAnalysis();
        QVERIFY2(document->displayName().startsWith(u"Flax MLP"_s), qPrintable(document->displayName()));
        QVERIFY(window.question()->accessibleName().startsWith(u"How do logical axis rules"_s));

        // Another mesh.
        keyboard.go(u"mesh"_s);
        QVERIFY(window.shows(u"mesh"_s));
        QVERIFY(keyboard.tabTo(u"Size of mesh axis model"_s, 10));
        QCOMPARE(heard().role, QAccessible::Slider);
        QCOMPARE(heard().value.toInt(), 4);
        keyboard.press(Qt::Key_Left);
        document->waitForAnalysis();
        QCOMPARE(heard().value.toInt(), 2);
        QCOMPARE(document->experiment()->mesh.axes[0].size, 4);

        // Why: the sentence stands where it is read, and its link leads to the rule.
        keyboard.go(u"explain"_s);
        QTRY_VERIFY(window.isSettled());
        QCOMPARE(heard().name, u"Length of the explanation"_s);
        QVERIFY(keyboard.tabToSentence(u"Layer 0 / W1 is sharded 2 ways along hidden"_s, 4));
        QVERIFY2(heard().description.contains(u"rule 2"_s), qPrintable(heard().description));
        keyboard.press(Qt::Key_Return);
        QTRY_COMPARE(heard().name, u"Rules, highest priority first"_s);
        QVERIFY2(heard().row.join(u' ').contains(u"hidden"_s), qPrintable(heard().row.join(u" | "_s)));

        // Kept, pinned, and compared with what was before.
        keyboard.press(Qt::Key_5, Qt::AltModifier);
        QCOMPARE(window.perspective(), Perspective::Compare);
        QVERIFY2(window.findChild<CompareView*>()->isAncestorOf(QApplication::focusWidget()), qPrintable(heard().name));
        QVERIFY(QApplication::focusWidget()->isVisible());
        QVERIFY(keyboard.tabTo(u"Keep as variant"_s));
        keyboard.press(Qt::Key_Space);
        QCOMPARE(document->experiment()->variants.size(), std::size_t{ 1 });
        QVERIFY(keyboard.tabToTable(u"Variants"_s));
        QCOMPARE(heard().row.value(0), u"4x2"_s);
        document->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        QVERIFY(keyboard.tabTo(u"Pin A"_s));
        keyboard.press(Qt::Key_Space);
        keyboard.go(u"mesh"_s);
        QVERIFY(keyboard.tabTo(u"Size of mesh axis model"_s, 10));
        keyboard.press(Qt::Key_Right);
        document->waitForAnalysis();
        keyboard.go(u"compare"_s);
        QTRY_VERIFY(window.isSettled() && window.findChild<CompareView*>()->comparison());
        QCOMPARE(document->experiment()->mesh.axes[1].size, 4);
        QTRY_VERIFY2(window.findChild<CompareView*>()->sentence().contains(u"MiB instead of"_s),
            qPrintable(window.findChild<CompareView*>()->sentence()));
        QCOMPARE(heard().name, u"What differs between A and B"_s);

        // Taken along.
        QGuiApplication::clipboard()->clear();
        keyboard.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(QGuiApplication::clipboard()->text().contains(u"jax"_s));
        const QString path = m_folder.filePath(u"layout.py"_s);
        keyboard.press(Qt::Key_F, Qt::AltModifier);
        QTRY_VERIFY(QApplication::activePopupWidget());
        QVERIFY(Keyboard::downTo(u"Export"_s));
        keyboard.press(Qt::Key_Right);
        QVERIFY(Keyboard::downTo(u"JAX code"_s));
        Keyboard::later({ Keyboard::toFile(path) });
        keyboard.press(Qt::Key_Return);
        QTRY_VERIFY(QFile::exists(path));
    }

    void fromAProgramToAnotherSharding()
    {
        const QString path = write(u"dump.mlir"_s, R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %v: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x1024xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x1024xf32>, tensor<1024x4096xf32>) -> tensor<8x4096xf32>
  %1 = stablehlo.tanh %0 : tensor<8x4096xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x4096xf32>, tensor<4096x1024xf32>) -> tensor<8x1024xf32>
  return %2 : tensor<8x1024xf32>
}
)");
        QVERIFY(!path.isEmpty());
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        Keyboard keyboard(window);
        Keyboard::later({ Keyboard::toFile(path) });
        keyboard.press(Qt::Key_O, Qt::ControlModifier);
        QCOMPARE(document->displayName(), u"dump.mlir"_s);
        document->waitForAnalysis();

        // All of it is in sight.
        QCOMPARE(window.perspective(), Perspective::Program);
        const GraphCanvas* canvas = window.findChild<ProgramView*>()->canvas();
        QTRY_VERIFY(canvas->layoutOfGraph());
        const auto isFitted = [canvas] {
            for (const GraphPlace place : canvas->layoutOfGraph()->places())
                if (!QRectF(canvas->rect()).contains(canvas->toWidget(canvas->layoutOfGraph()->rect(place))))
                    return false;
            return true;
        };
        QTRY_VERIFY(isFitted());

        // What it sends, why, and what else would do.
        keyboard.press(Qt::Key_4, Qt::AltModifier);
        QCOMPARE(window.perspective(), Perspective::Debug);
        auto* collectives = qobject_cast<CollectivesView*>(window.part(u"collectives"_s));
        QVERIFY(collectives);
        QTRY_VERIFY(!collectives->isWorking() && collectives->current() >= 0);
        const auto tryAlternative = [&] {
            QVERIFY(keyboard.tabToTable(u"Collectives"_s));
            QVERIFY2(heard().row.join(u' ').contains(u"24 KiB"_s), qPrintable(heard().row.join(u" | "_s)));
            QVERIFY2(collectives->page()->why().contains(u"sums away"_s), qPrintable(collectives->page()->why()));
            QVERIFY(keyboard.tabToTable(u"What could stand in its place"_s));
            keyboard.press(Qt::Key_Home, Qt::ControlModifier);
            keyboard.press(Qt::Key_Down);
            QVERIFY2(heard().row.join(u' ').contains(u"KiB"_s), qPrintable(heard().row.join(u" | "_s)));
            QVERIFY(keyboard.tabTo(u"Look at this sharding before it counts"_s, 20));
            QCOMPARE(heard().role, QAccessible::Button);
            keyboard.press(Qt::Key_Space);
            QTRY_VERIFY(document->preview());
        };
        tryAlternative();
        QVERIFY(window.shows(u"whatif"_s));
        keyboard.press(Qt::Key_Escape);
        QTRY_VERIFY(!document->preview());
        QVERIFY(!document->isModified());
        keyboard.go(u"collectives"_s);
        QTRY_VERIFY(window.isSettled());
        tryAlternative();
        keyboard.press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(document->isModified());
        keyboard.press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!document->isModified());
    }

    void fromATableToRules()
    {
        const QString path = write(u"arrays.csv"_s,
            "path,shape,dtype,names\n"
            "token/table,32000x4096,f32,\"vocab,embed\"\n"
            "layers/wi,4096x11008,f32,\"embed,mlp\"\n"
            "layers/wo,11008x4096,f32,\"mlp,embed\"\n");
        QVERIFY(!path.isEmpty());
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        Keyboard keyboard(window);
        Keyboard::later({ Keyboard::toFile(path) });
        keyboard.press(Qt::Key_O, Qt::ControlModifier);
        QCOMPARE(document->displayName(), u"arrays.csv"_s);
        document->waitForAnalysis();

        // How far it is sharded, and what is replicated: the largest first, with the reason.
        keyboard.go(u"rules"_s);
        QVERIFY(keyboard.tabTo(u"Model"_s)); // the head of its section, which is folded at first
        keyboard.press(Qt::Key_Space);
        QVERIFY(window.shows(u"model"_s));
        QTRY_VERIFY(!window.findChild<ModelView*>()->replicated().isEmpty());
        QVERIFY2(window.findChild<ModelView*>()->replicated().front()->accessibleName().contains(u"token"_s),
            qPrintable(window.findChild<ModelView*>()->replicated().front()->accessibleName()));
        const auto before = window.findChild<ModelView*>()->replicated().size();

        // A rule for each.
        const std::size_t rules = document->experiment()->rules.rules.list.size();
        for (const QString& name : { u"vocab"_s, u"mlp"_s }) {
            keyboard.go(u"rules"_s);
            QTRY_COMPARE(heard().name, u"Rules, highest priority first"_s);
            keyboard.press(Qt::Key_Insert);
            QCOMPARE(heard().role, QAccessible::ComboBox); // whose name is what stands in it, with Qt on Unix
            QCOMPARE(QApplication::focusWidget()->accessibleName(), u"Logical axis of the new rule"_s);
            keyboard.press(Qt::Key_A, Qt::ControlModifier);
            keyboard.write(name);
            QVERIFY(keyboard.tabTo(u"Shard along model"_s, 10));
            QCOMPARE(heard().role, QAccessible::CheckBox);
            keyboard.press(Qt::Key_Space);
            QVERIFY(keyboard.tabTo(u"Add the rule"_s, 10));
            keyboard.press(Qt::Key_Space);
            document->waitForAnalysis();
        }
        QCOMPARE(document->experiment()->rules.rules.list.size(), rules + 2);
        QTRY_VERIFY(window.findChild<ModelView*>()->replicated().size() < before);

        // And out, as YAML for MaxText.
        const QString yaml = m_folder.filePath(u"rules.yml"_s);
        keyboard.go(u"rules"_s);
        QVERIFY(keyboard.tabTo(u"Rule sets, import and export"_s));
        Keyboard::later({ Keyboard::inMenu([] { Keyboard::downTo(u"Save as"_s); }), Keyboard::toMenu(Qt::Key_Right),
            Keyboard::inMenu([] { Keyboard::downTo(u"MaxText YAML"_s); }), Keyboard::toMenu(Qt::Key_Return),
            Keyboard::toFile(yaml) });
        keyboard.press(Qt::Key_Space);
        QTRY_VERIFY(QFile::exists(yaml));
        QFile file(yaml);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("vocab"));
    }
};

REGISTER_TEST(TestKeyboardFlows)
#include "test_keyboard_flows.moc"
