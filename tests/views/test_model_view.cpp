// SPDX-License-Identifier: GPL-3.0-or-later
// The Model dock: the form of a network, its parameters by modules, and what is replicated.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>
#include <algorithm>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/model_view/layout_panel.h"
#include "views/model_view/model_field.h"
#include "views/model_view/model_form.h"
#include "views/model_view/model_view.h"
#include "views/model_view/modules_model.h"
#include "views/panel_fixture.h"
#include "views/span_text/span_text.h"
#include "views/widgets/fold_button.h"
#include "views/widgets/search_field.h"
#include "views/widgets/section.h"
#include "views/widgets/size_slider.h"
#include "views/widgets/size_spin_box.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

// The embedding and the kernel of the logits have 256 · 64 elements; a layer has 2 norms of 64, attention with
// 2 · 64 · 8 · 8 + 2 · 64 · 4 · 8 and an MLP with 3 · 64 · 256.
constexpr qint64 attention = 12288, inAll = 2 * 16384 + 3 * (128 + attention + 49152) + 64;

/// 3 layers, 8 heads, 4 KV heads on 2 x 4; norms are replicated, since nothing shards embed.
Experiment smallDecoder()
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
    experiment.rules.rules =
        *parseRules("[('batch', 'data'), ('vocab', 'model'), ('mlp', 'model'), ('heads', 'model')]");
    TransformerTraining training;
    training.model.layers = 3;
    training.model.heads = 8;
    training.model.kvHeads = 4;
    training.model.headSize = 8;
    experiment.model = TransformerModel{ training };
    return experiment;
}

struct ModelFixture : Fixture {
    ModelView view;

    explicit ModelFixture(Experiment experiment = smallDecoder())
        : Fixture(std::move(experiment))
        , view(&document, &selection)
    {
        view.resize(700, 700);
        view.show();
    }
    [[nodiscard]] const TransformerTraining& training() const
    {
        return std::get<TransformerModel>(document.experiment()->model).settings;
    }
    [[nodiscard]] ModelField* field(const QString& key) const { return view.form()->field(key); }
    [[nodiscard]] SizeSpinBox* spin(const QString& key) const
    {
        return qobject_cast<SizeSpinBox*>(field(key)->control());
    }
    [[nodiscard]] QComboBox* combo(const QString& key) const { return qobject_cast<QComboBox*>(field(key)->control()); }
    /// As somebody does it.
    static void choose(QComboBox* combo, const QVariant& data)
    {
        const int index = combo->findData(data);
        QVERIFY(index >= 0);
        combo->setCurrentIndex(index);
        Q_EMIT combo->activated(index);
    }
};

} // namespace

class TestModelView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void fieldsShowTheModel()
    {
        const ModelFixture f;
        QCOMPARE(f.spin(u"layers"_s)->value(), 3);
        QCOMPARE(f.spin(u"kv_heads"_s)->value(), 4);
        QCOMPARE(f.spin(u"kv"_s)->value(), 8);
        QCOMPARE(f.spin(u"expert"_s)->value(), 0);
        QCOMPARE(f.spin(u"microbatches"_s)->value(), 1);
        QVERIFY(!f.field(u"hidden"_s));
        QCOMPARE(f.combo(u"parameter_dtype"_s)->currentText(), u"f32"_s);
        QCOMPARE(f.combo(u"optimizer"_s)->currentText(), u"Adam"_s);
        QVERIFY(f.view.form()->sentence().isEmpty());
        QCOMPARE(test::named<QComboBox>(f.view.form(), u"Network"_s)->currentIndex(), 0); // of own sizes
        QCOMPARE(f.view.keyFigure(), u"%1 parameters"_s.arg(words::count(inAll)));
    }

    /// Folded, a section shows its head alone; what was unfolded is remembered by the window.
    void sectionsFold()
    {
        ModelFixture f;
        ModelForm* form = f.view.form();
        QVERIFY(form->unfolded().isEmpty());
        QVERIFY(!f.spin(u"heads"_s)->isVisible());
        QCOMPARE(form->head(u"sizes"_s)->accessibleName(), u"Sizes"_s);
        QTest::keyClick(form->head(u"sizes"_s), Qt::Key_Space);
        QVERIFY(f.spin(u"heads"_s)->isVisible());
        QVERIFY(!f.combo(u"optimizer"_s)->isVisible());
        form->setUnfolded({ u"training"_s, u"unknown"_s });
        QCOMPARE(form->unfolded(), QStringList{ u"training"_s });
        QVERIFY(!f.spin(u"heads"_s)->isVisible());
        QVERIFY(f.combo(u"optimizer"_s)->isVisible());
        // An MLP has the program to choose, but no optimizer, and no layout of modules; what was unfolded comes again.
        ModelFixture::choose(test::named<QComboBox>(form, u"Network"_s), u"mlp"_s);
        QVERIFY(form->head(u"layout"_s)->isHidden());
        QVERIFY(!f.field(u"optimizer"_s));
        QVERIFY(f.combo(u"step"_s)->isVisible());
        QVERIFY(!form->head(u"sizes"_s)->isHidden());
        f.document.undoStack()->undo();
        QVERIFY(f.combo(u"optimizer"_s)->isVisible());
        f.document.waitForAnalysis();
    }

    /// In the least room that the dock has in a window of 1,000 px.
    void treeKeepsRows()
    {
        ModelFixture f;
        f.view.resize(690, 406);
        QCoreApplication::processEvents();
        const QTreeView* tree = f.view.tree();
        const int rows = tree->viewport()->height() / tree->sizeHintForRow(0);
        QVERIFY2(rows >= 8, qPrintable(QString::number(rows)));
        f.view.form()->setUnfolded({ u"sizes"_s, u"blocks"_s });
        QCoreApplication::processEvents();
        QVERIFY(tree->viewport()->height() / tree->sizeHintForRow(0) >= 8);
    }

    /// Steps of one field are one step of undo, another field begins another one.
    void stepsAreOneEdit()
    {
        ModelFixture f;
        f.spin(u"heads"_s)->stepUp();
        QCOMPARE(f.training().model.heads, 12);
        f.spin(u"heads"_s)->stepUp();
        QCOMPARE(f.training().model.heads, 16);
        QCOMPARE(f.document.undoStack()->count(), 1);
        QCOMPARE(f.document.undoStack()->undoText(), u"Heads 8 → 16"_s);
        f.spin(u"layers"_s)->stepUp();
        QCOMPARE(f.training().model.layers, 4);
        QCOMPARE(f.document.undoStack()->count(), 2);
        f.document.undoStack()->undo();
        f.document.undoStack()->undo();
        QCOMPARE(f.training().model.heads, 8);
        QCOMPARE(f.spin(u"heads"_s)->value(), 8);
        QCOMPARE(f.spin(u"layers"_s)->value(), 3);
    }

    /// A slider below every size: a drag is one edit, the ticks stand still during it, and Esc takes it back.
    void sizesOnSliders()
    {
        ModelFixture f;
        f.view.form()->setUnfolded({ u"sizes"_s });
        QVERIFY(!f.field(u"microbatches"_s)->slider());
        SizeSlider* slider = f.field(u"batch"_s)->slider();
        QVERIFY(slider && slider->isVisible());
        QVERIFY(slider->accessibleName().startsWith(u"Batch"_s));
        const std::int64_t before = f.training().model.batch;
        QCOMPARE(slider->current(), before);
        const std::vector<std::int64_t> sizes = slider->sizes();
        const int at = static_cast<int>(std::find(sizes.begin(), sizes.end(), before) - sizes.begin());
        QVERIFY(at + 2 < static_cast<int>(sizes.size()));
        const auto batch = [&] { return f.training().model.batch; };
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(at));
        QTest::mouseMove(slider, slider->handleAt(at + 1));
        QCOMPARE(batch(), before * 2);
        QTest::mouseMove(slider, slider->handleAt(at + 2));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(at + 2));
        QCOMPARE(batch(), before * 4);
        QCOMPARE(f.spin(u"batch"_s)->value(), static_cast<int>(before * 4));
        QCOMPARE(f.document.undoStack()->count(), 1);
        QCOMPARE(
            f.document.undoStack()->undoText(), u"Batch %1 → %2"_s.arg(words::count(before), words::count(before * 4)));
        f.document.undoStack()->undo();
        QCOMPARE(slider->current(), before);
        const QPoint begin = slider->handleAt(at), twice = slider->handleAt(at + 1);
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, begin);
        for (const QPoint& place : { twice, twice + QPoint(1, 0), twice })
            QTest::mouseMove(slider, place);
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, twice);
        QCOMPARE(batch(), before * 2);
        f.document.undoStack()->undo();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(at));
        QTest::mouseMove(slider, slider->handleAt(at + 1));
        QTest::keyClick(slider, Qt::Key_Escape);
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(at + 1));
        QCOMPARE(batch(), before);
        QTest::keyClick(slider, Qt::Key_Right);
        QCOMPARE(batch(), before * 2);
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(batch(), before);

        SizeSlider* heads = f.field(u"heads"_s)->slider();
        QCOMPARE(heads->current(), 8);
        QVERIFY(
            std::all_of(heads->sizes().begin(), heads->sizes().end(), [](std::int64_t size) { return size % 4 == 0; }));
    }

    /// What cannot be is said at its field and changes nothing.
    void refusedAtTheField()
    {
        ModelFixture f;
        const ExperimentPtr before = f.document.experiment();
        f.spin(u"kv_heads"_s)->setValue(3);
        QVERIFY2(f.field(u"kv_heads"_s)->message().contains(u"8 query heads"_s),
            qPrintable(f.field(u"kv_heads"_s)->message()));
        QVERIFY(f.field(u"heads"_s)->message().isEmpty());
        QCOMPARE(f.spin(u"kv_heads"_s)->value(), 4);
        QCOMPARE(f.document.experiment(), before);
        QCOMPARE(f.document.undoStack()->count(), 0);
        QVERIFY(f.document.lastGood() && !f.document.isStale());
        f.spin(u"microbatches"_s)->setValue(3);
        QVERIFY(f.field(u"kv_heads"_s)->message().isEmpty());
        QVERIFY(!f.field(u"microbatches"_s)->message().isEmpty());
        f.spin(u"microbatches"_s)->setValue(2);
        QVERIFY(f.field(u"microbatches"_s)->message().isEmpty());
        QCOMPARE(f.training().microbatches, 2);
    }

    void choices()
    {
        ModelFixture f;
        ModelFixture::choose(f.combo(u"parameter_dtype"_s), static_cast<int>(DType::BF16));
        QCOMPARE(f.training().model.parameterDtype, DType::BF16);
        QCOMPARE(f.training().model.computeDtype, DType::F32);
        ModelFixture::choose(f.combo(u"optimizer"_s), static_cast<int>(OptimizerKind::AdamW));
        QCOMPARE(f.training().optimizer.kind, OptimizerKind::AdamW);
        QCOMPARE(f.document.undoStack()->count(), 2);
        f.spin(u"expert"_s)->setValue(4);
        QCOMPARE(f.training().model.experts->experts, 4);
        f.document.undoStack()->undo();
        QVERIFY(!f.training().model.experts);
    }

    /// Windows of some layers, and the rate of dropout.
    void windowsAndDropout()
    {
        ModelFixture f;
        QCOMPARE(f.spin(u"sliding_window"_s)->text(), u"none"_s);
        QVERIFY(!f.field(u"window_pattern"_s)); // without a window
        f.spin(u"sliding_window"_s)->setValue(8);
        QCOMPARE(f.training().model.slidingWindow, 8);
        f.spin(u"window_pattern"_s)->setValue(2);
        QCOMPARE(f.training().model.windowPattern, 2);
        auto* rate = qobject_cast<QDoubleSpinBox*>(f.field(u"dropout"_s)->control());
        QVERIFY(rate);
        QCOMPARE(rate->text(), u"none"_s);
        const int edits = f.document.undoStack()->count();
        rate->setValue(0.05);
        rate->setValue(0.1); // steps of one field are one edit
        QCOMPARE(f.training().model.dropout, 0.1);
        QCOMPARE(f.document.undoStack()->count(), edits + 1);
        f.document.undoStack()->undo();
        QCOMPARE(f.training().model.dropout, 0.0);
        QCOMPARE(rate->value(), 0.0);
        Experiment forward = smallDecoder();
        std::get<TransformerModel>(forward.model).settings.trainStep = false;
        ModelFixture without(forward);
        QVERIFY(!without.field(u"dropout"_s));
        QVERIFY(without.field(u"sliding_window"_s));
        without.document.waitForAnalysis();
        f.document.waitForAnalysis();
    }

    void anotherNetwork()
    {
        ModelFixture f;
        QComboBox* networks = test::named<QComboBox>(f.view.form(), u"Network"_s);
        ModelFixture::choose(networks, u"mlp"_s);
        QVERIFY(std::holds_alternative<MlpModel>(f.document.experiment()->model));
        QVERIFY(f.field(u"hidden"_s) && !f.field(u"heads"_s) && !f.field(u"optimizer"_s));
        QCOMPARE(networks->currentData().toString(), u"mlp"_s);
        f.document.undoStack()->undo();
        QVERIFY(f.field(u"heads"_s) && !f.field(u"hidden"_s));
        QCOMPARE(f.spin(u"heads"_s)->value(), 8);
        QCOMPARE(networks->currentIndex(), 0);
        QVERIFY(networks->findData(u"llama3-8b"_s) > 0);
        f.document.waitForAnalysis();
    }

    /// The dimension of a scanned MLP's parameters has a name that can be any.
    void nameOfTheScannedDimension()
    {
        Fixture f;
        ModelView view(&f.document, &f.selection);
        view.resize(700, 700);
        view.show();
        view.form()->setUnfolded({ u"blocks"_s });
        const auto field = [&view](const QString& key) { return view.form()->field(key); };
        const auto combo = [&field](const QString& key) { return qobject_cast<QComboBox*>(field(key)->control()); };
        const auto settings = [&f] { return std::get<MlpModel>(f.document.experiment()->model).settings; };
        QVERIFY(field(u"form"_s) && !field(u"layers_name"_s));
        ModelFixture::choose(combo(u"form"_s), static_cast<int>(LayerForm::Scanned));
        QVERIFY(settings().form == LayerForm::Scanned);
        QVERIFY(field(u"layers_name"_s) && combo(u"layers_name"_s)->currentText().isEmpty());
        QLineEdit* const name = combo(u"layers_name"_s)->lineEdit();
        name->setFocus();
        QTest::keyClicks(name, u"stage"_s);
        QTest::keyClick(name, Qt::Key_Return);
        QVERIFY(settings().layersName == "stage");
        QCOMPARE(f.document.undoStack()->count(), 2);
        f.document.waitForAnalysis();
        const TensorRow* row = f.snapshot().row("params/layers/W1");
        QVERIFY(row && row->type.shape.size() == 3);
        f.document.undoStack()->undo();
        QVERIFY(!settings().layersName && combo(u"layers_name"_s)->currentText().isEmpty());
    }

    void treeOfModules()
    {
        ModelFixture f;
        const QAbstractItemModelTester tester(f.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(f.view.model()->parameters(), inAll);
        const QModelIndex decoder = f.view.model()->index(1, 0);
        QCOMPARE(decoder.data().toString(), u"decoder"_s);
        QCOMPARE(f.view.model()->rowCount(decoder), 3);
        const QModelIndex layers = f.view.model()->index(0, 0, decoder);
        QCOMPARE(layers.data().toString(), u"layers.0 … layers.2 %1"_s.arg(words::copies(3)));
        QCOMPARE(layers.siblingAtColumn(ModulesModel::Parameters).data().toString(),
            words::count(3 * (128 + attention + 49152)));
        const QModelIndex wo = f.view.model()->find(u"params/decoder/layers.1/mlp/wo/kernel"_s);
        QVERIFY(wo.isValid());
        QCOMPARE(wo.siblingAtColumn(ModulesModel::Names).data().toString(), u"mlp, embed"_s);
        QCOMPARE(wo.siblingAtColumn(ModulesModel::Spec).data().toString(), u"P(model, -)"_s);
        QCOMPARE(wo.siblingAtColumn(ModulesModel::Extent).data().toString(), u"[256, 64] → [64, 64]"_s);

        f.spin(u"layers"_s)->stepUp();
        f.document.waitForAnalysis();
        QCOMPARE(f.view.model()->parameters(), inAll + 128 + attention + 49152);
    }

    /// As somebody types it; what is there stands below with a button that takes it back.
    void constraints()
    {
        ModelFixture f;
        const QAbstractItemModelTester tester(f.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        f.view.form()->setUnfolded({ u"layout"_s });
        LayoutPanel* panel = f.view.form()->layoutPanel();
        QVERIFY(panel->isVisible() && !panel->button()->isEnabled());
        panel->at()->setText(u"decoder/layers.*"_s);
        QTest::keyClicks(panel->axes(), u"batch, -, -"_s);
        QTest::keyClick(panel->axes(), Qt::Key_Return);
        QVERIFY2(panel->message().isEmpty(), qPrintable(panel->message()));
        QCOMPARE(f.training().model.constraints.size(), std::size_t(1));
        QCOMPARE(f.document.undoStack()->count(), 1);
        f.document.waitForAnalysis();
        const QModelIndex layers = f.view.model()->index(0, 0, f.view.model()->index(1, 0));
        QCOMPARE(layers.siblingAtColumn(ModulesModel::Names).data().toString(), u"output: batch, -, -"_s);
        QCOMPARE(layers.siblingAtColumn(ModulesModel::Spec).data().toString(), u"P(data, -, -)"_s);
        QVERIFY(f.view.model()->hasConstraint(layers));

        // What fits no module is refused, and nothing changes.
        QVERIFY(!panel->choose(LayoutPanel::What::Outputs, { u"decoder/layer.*"_s }, u"batch"_s));
        QVERIFY2(panel->message().contains(u"decoder/layer.*"_s), qPrintable(panel->message()));
        QCOMPARE(f.document.undoStack()->count(), 1);

        QCOMPARE(panel->removeButtons().size(), 1);
        QTest::keyClick(panel->removeButtons().front(), Qt::Key_Space);
        QVERIFY(f.training().model.constraints.empty());
        QVERIFY(panel->message().isEmpty() && panel->removeButtons().isEmpty());
        f.document.undoStack()->undo();
        QCOMPARE(f.training().model.constraints.size(), std::size_t(1));
        f.document.undoStack()->undo();
        QVERIFY(f.training().model.constraints.empty());
        f.document.waitForAnalysis();
        // An MLP has no such section.
        ModelFixture::choose(test::named<QComboBox>(f.view.form(), u"Network"_s), u"mlp"_s);
        QVERIFY(f.view.form()->head(u"layout"_s)->isHidden());
        f.document.waitForAnalysis();
    }

    /// What is selected in all layers is one glob.
    void selectedGlobs()
    {
        const ModelFixture f;
        const ModulesModel* model = f.view.model();
        const QModelIndex layers = model->index(0, 0, model->index(1, 0));
        QCOMPARE(model->globs({ layers }, false), QStringList{ u"decoder/layers.*"_s });
        QCOMPARE(model->globs({ model->index(1, 0, layers) }, false), QStringList{ u"decoder/layers.1"_s });
        QModelIndexList kernels;
        for (const char* layer : { "0", "1", "2" })
            kernels << model->find(u"params/decoder/layers.%1/mlp/wo/kernel"_s.arg(QLatin1String(layer)));
        QCOMPARE(model->globs(kernels, true), QStringList{ u"decoder/layers.*/mlp/wo/kernel"_s });
        QCOMPARE(model->globs(kernels, false), QStringList());
        kernels.removeLast();
        QCOMPARE(model->globs(kernels, true),
            QStringList({ u"decoder/layers.0/mlp/wo/kernel"_s, u"decoder/layers.1/mlp/wo/kernel"_s }));
        // The embedding has no output that can be constrained.
        QCOMPARE(model->globs({ model->index(0, 0) }, false), QStringList());
    }

    /// By kind or path, over folded layers; and what the menu does is done for all of them.
    void selector()
    {
        ModelFixture f;
        const auto select = [&](const QString& text) {
            f.view.selector()->setText(text);
            QTest::keyClick(f.view.selector(), Qt::Key_Return);
            return f.view.model()->globs(f.view.tree()->selectionModel()->selectedRows(), false);
        };
        QCOMPARE(select(u"every attention"_s), QStringList{ u"decoder/layers.*/self_attention"_s });
        QVERIFY2(f.view.selectedText().contains(u'3'), qPrintable(f.view.selectedText()));
        QVERIFY(f.selection.tensor().isEmpty()); // nothing is explained for many
        QCOMPARE(select(u"layers.*.attention"_s), QStringList{ u"decoder/layers.*/self_attention"_s });
        QCOMPARE(select(u"layers.*/mlp"_s), QStringList{ u"decoder/layers.*/mlp"_s });
        QCOMPARE(select(u"layers.1"_s), QStringList{ u"decoder/layers.1"_s });
        QCOMPARE(select(u"layers.*"_s), QStringList{ u"decoder/layers.*"_s });
        QCOMPARE(select(u"**/wo/kernel"_s), QStringList());
        QCOMPARE(f.view.model()->globs(f.view.tree()->selectionModel()->selectedRows(), true),
            QStringList{ u"decoder/layers.*/mlp/wo/kernel"_s });
        select(u"no such module"_s);
        QVERIFY(!f.view.selectedText().isEmpty());
        f.view.selector()->clear();
        QVERIFY(f.view.selectedText().isEmpty());
    }

    /// A spec that is typed counts in the place of the rules, says what these say, and can be taken back.
    void specOfAParameter()
    {
        ModelFixture f;
        const auto cell = [&] {
            return f.view.model()->find(u"params/decoder/layers.1/mlp/wo/kernel"_s).siblingAtColumn(ModulesModel::Spec);
        };
        QVERIFY(cell().flags().testFlag(Qt::ItemIsEditable));
        QCOMPARE(cell().data(Qt::EditRole).toString(), u"P('model', None)"_s);
        QVERIFY(!cell().siblingAtColumn(ModulesModel::Names).flags().testFlag(Qt::ItemIsEditable));
        QVERIFY(f.view.model()->setData(cell(), u"P(None, 'data')"_s));
        QCOMPARE(f.training().model.parameterSpecs.size(), std::size_t(1));
        QCOMPARE(f.training().model.parameterSpecs.front().at, "decoder/layers.1/mlp/wo/kernel");
        f.document.waitForAnalysis();
        QCOMPARE(cell().data().toString(), u"P(-, data)   was P(model, -) by the rule mlp → model"_s);
        QVERIFY(f.view.model()->hasOwnSpec(cell()));
        // Only this layer is another one.
        QCOMPARE(f.view.model()
                     ->find(u"params/decoder/layers.0/mlp/wo/kernel"_s)
                     .siblingAtColumn(ModulesModel::Spec)
                     .data()
                     .toString(),
            u"P(model, -)"_s);
        // An axis that is not there is a problem of the analysis; text that is none is refused at the panel.
        QVERIFY(f.view.model()->setData(cell(), u"P('data'"_s));
        QVERIFY(!f.view.form()->layoutPanel()->message().isEmpty());
        QVERIFY(f.view.form()->unfolded().contains(u"layout"_s));
        QCOMPARE(f.document.undoStack()->count(), 1);
        QVERIFY(f.view.model()->setData(cell(), QString()));
        QVERIFY(f.training().model.parameterSpecs.empty());
        f.document.waitForAnalysis();
        QCOMPARE(cell().data().toString(), u"P(model, -)"_s);
        f.document.undoStack()->undo();
        QCOMPARE(f.training().model.parameterSpecs.size(), std::size_t(1));
        // Of several parameters those that follow the rules anyway are no obstacle.
        const QStringList both{ u"decoder/layers.0/mlp/wo/kernel"_s, u"decoder/layers.1/mlp/wo/kernel"_s };
        QVERIFY(f.view.form()->layoutPanel()->choose(LayoutPanel::What::Parameters, both, QString()));
        QVERIFY(f.training().model.parameterSpecs.empty());
        QVERIFY(!f.view.form()->layoutPanel()->choose(LayoutPanel::What::Parameters, both, QString()));
        QVERIFY(!f.view.form()->layoutPanel()->message().isEmpty());
        f.document.waitForAnalysis();
    }

    void filter()
    {
        ModelFixture f;
        const QAbstractItemModelTester tester(f.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        f.view.filter()->setText(u"attention"_s);
        QCOMPARE(f.view.model()->parameters(), 3 * attention);
        f.view.filter()->setText(u"decoder/layers.*/mlp"_s);
        QCOMPARE(f.view.model()->parameters(), qint64(3 * 49152));
        f.view.filter()->setText(u"nothing of that name"_s);
        QVERIFY(f.view.tree()->isHidden());
        f.view.filter()->clear();
        QVERIFY(!f.view.tree()->isHidden());
        QCOMPARE(f.view.model()->parameters(), inAll);
    }

    void selectionBothWays()
    {
        ModelFixture f;
        const QString wo = u"params/decoder/layers.1/mlp/wo/kernel"_s, embedding = u"params/token_embedder/embedding"_s;
        f.selection.setTensor(wo);
        QCOMPARE(f.view.model()->path(f.view.tree()->currentIndex()), wo);
        f.view.tree()->setCurrentIndex(f.view.model()->find(embedding));
        QCOMPARE(f.selection.tensor(), embedding);
        f.selection.setTensor(u"loss"_s); // not among the parameters
        QVERIFY(f.view.model()->path(f.view.tree()->currentIndex()).isEmpty());
        QCOMPARE(f.selection.tensor(), u"loss"_s);
    }

    void coverageAndWhatIsReplicated()
    {
        ModelFixture f;
        QVERIFY2(f.view.coverage().contains(u"sharded 4 ways or more"_s), qPrintable(f.view.coverage()));
        QCOMPARE(f.view.replicated().size(), 3);
        SpanLabel* first = f.view.replicated().front();
        const QString text = words::plain(first->text());
        QVERIFY2(text.contains(u"3 arrays, 768 B"_s) && text.contains(u"embed: no rule"_s), qPrintable(text));
        Q_EMIT first->linkActivated(first->text().front().link);
        QTRY_VERIFY(f.selection.tensor().endsWith(u"_norm/scale"_s));

        // With a rule for embed nothing is left.
        f.document.edit(withNameMapped(*f.document.experiment(), "embed", SpecEntry::axis("data")), u"embed"_s);
        f.document.waitForAnalysis();
        QVERIFY(f.view.replicated().isEmpty());
        QVERIFY2(f.view.coverage().contains(u"sharded 8 ways or more, none are replicated"_s),
            qPrintable(f.view.coverage()));
    }

    /// Where there is no network the form says what stands below.
    void listsOfArrays()
    {
        const ModelFixture f(findExample("maxtext-llama3-8b")->experiment);
        QVERIFY(!f.view.form()->sentence().isEmpty());
        QVERIFY(!f.field(u"batch"_s) && !f.field(u"optimizer"_s));
        QVERIFY(f.view.model()->rowCount() > 0);
    }

    /// Nothing is worked out while nobody sees it.
    void followsWhenItIsShown()
    {
        ModelFixture f;
        f.view.hide();
        f.spin(u"layers"_s)->stepUp();
        f.document.waitForAnalysis();
        QCOMPARE(f.view.model()->parameters(), inAll);
        f.view.show();
        QCOMPARE(f.view.model()->parameters(), inAll + 128 + attention + 49152);
    }
};

REGISTER_TEST(TestModelView)
#include "test_model_view.moc"
