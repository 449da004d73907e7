// SPDX-License-Identifier: GPL-3.0-or-later
// A model's config.json in the window: what is read of it is shown before anything is opened, and an unknown
// architecture is read as one that is chosen.
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include "panel_fixture.h"
#include "registered_test.h"
#include "rules/published_rules.h"
#include "views/configuration/configuration_dialog.h"
#include "views/main_window/main_window.h"
#include "views/problems_view/problems_view.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

/// A small Llama with a key of its own and one that changes no shape.
std::string configuration(const char* type, const char* architecture, const char* more = "")
{
    return std::string(R"({ "architectures": [")") + architecture + R"("], "model_type": ")" + type + R"(",
  "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
  "intermediate_size": 128, "vocab_size": 320, "rope_theta": 500000.0, "rms_norm_eps": 1e-5, "hidden_act": "silu",
  "tie_word_embeddings": false, "max_position_embeddings": 512, "bos_token_id": 1, "secret_size": 7)"
        + more + " }";
}
const char* const parameters = "152,000"; ///< 2·320·64 + 64 + 3·(2·64·64 + 2·64·32 + 3·64·128 + 2·64)

/// The row of a key; null where there is none.
QTreeWidgetItem* rowOf(const ConfigurationDialog& dialog, const QString& key)
{
    for (QTreeWidgetItemIterator item(dialog.fields()); *item; ++item)
        if ((*item)->parent() && (*item)->text(0) == key)
            return *item;
    return nullptr;
}

QString groupOf(const ConfigurationDialog& dialog, const char* key)
{
    const QTreeWidgetItem* row = rowOf(dialog, QLatin1String(key));
    return row ? row->parent()->text(0).section(QLatin1Char(':'), 0, 0) : QString();
}

void choose(QComboBox* box, const char* data)
{
    const int index = box->findData(QLatin1String(data));
    QVERIFY2(index >= 0, data);
    box->setCurrentIndex(index);
}

Experiment present()
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
    experiment.rules.rules.list = { { LogicalName::of("mlp"), SpecEntry::axis("model") } };
    return experiment;
}

QPushButton* openButton(const ConfigurationDialog& dialog)
{
    return test::named<QPushButton>(&dialog, u"&Open model"_s);
}

} // namespace

class TestConfiguration : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void keysByWhatBecomesOfThem()
    {
        Appearance appearance(ThemeChoice::Light);
        const ConfigurationDialog dialog(
            QStringLiteral("/models/small.json"), configuration("llama", "LlamaForCausalLM"), present());
        QCOMPARE(groupOf(dialog, "secret_size"), QStringLiteral("Not known"));
        QCOMPARE(groupOf(dialog, "hidden_size"), QStringLiteral("Read"));
        QCOMPARE(rowOf(dialog, QStringLiteral("hidden_size"))->text(1), QStringLiteral("64"));
        QCOMPARE(groupOf(dialog, "bos_token_id"), QStringLiteral("Without meaning for shapes"));
        QCOMPARE(dialog.fields()->topLevelItem(0)->text(0), QStringLiteral("Not known: 1")); // comes first
        QVERIFY2(dialog.stateText().startsWith(QLatin1String(parameters)), qPrintable(dialog.stateText()));
        QVERIFY(openButton(dialog)->isEnabled());
        QCOMPARE(dialog.warnings().size(), 1U);
    }

    void expertsCountByToken()
    {
        Appearance appearance(ThemeChoice::Light);
        const ConfigurationDialog dialog(QStringLiteral("experts.json"),
            configuration("mixtral", "MixtralForCausalLM", R"(, "num_local_experts": 8, "num_experts_per_tok": 2)"),
            present());
        const QString counts = QStringLiteral("669,632 parameters, 227,264 of them for each token");
        QVERIFY2(dialog.stateText().startsWith(counts), qPrintable(dialog.stateText()));
    }

    void meshAndRules()
    {
        Appearance appearance(ThemeChoice::Light);
        ConfigurationDialog dialog(
            QStringLiteral("/models/small.json"), configuration("llama", "LlamaForCausalLM"), present());
        QCOMPARE(dialog.meshField()->text(), QStringLiteral("data=2,model=4"));
        QVERIFY(dialog.ruleSets()->itemText(0).endsWith(QStringLiteral("t5x-a2p2")));
        Result<Experiment> made = dialog.experiment();
        QVERIFY(made.has_value());
        QCOMPARE(made->title, "small");
        QVERIFY(made->rules.rules == findPublishedRules("t5x-a2p2")->rules);
        QCOMPARE(std::get<TransformerModel>(made->model).settings.model.layers, 3);

        dialog.meshField()->setText(QStringLiteral("data=2,fsdp=4"));
        QVERIFY(dialog.ruleSets()->itemText(0).endsWith(QStringLiteral("maxtext-base-2026-08")));
        made = dialog.experiment();
        QVERIFY(made.has_value());
        QVERIFY(std::get<TransformerModel>(made->model).settings.model.axisNames == AxisNames::MaxText);
        QCOMPARE(made->hardware.devices.count(), 8);

        choose(dialog.ruleSets(), "present");
        QVERIFY(dialog.experiment()->rules.rules == present().rules.rules);
        choose(dialog.ruleSets(), "none");
        QVERIFY(dialog.experiment()->rules.rules.list.empty());
        QCOMPARE(dialog.experiment()->mesh.axes.size(), 2U);
        choose(dialog.ruleSets(), "t5x-a1p1");
        QVERIFY(dialog.experiment()->rules.rules == findPublishedRules("t5x-a1p1")->rules);

        dialog.meshField()->setText(QStringLiteral("data"));
        QVERIFY(!dialog.experiment());
        QVERIFY(!openButton(dialog)->isEnabled());
        QVERIFY(!dialog.stateText().isEmpty());
    }

    void unknownArchitectures()
    {
        Appearance appearance(ThemeChoice::Light);
        ConfigurationDialog dialog(
            QStringLiteral("other.json"), configuration("falcon3", "Falcon3ForCausalLM"), present());
        QVERIFY(!openButton(dialog)->isEnabled());
        QCOMPARE(dialog.fields()->topLevelItemCount(), 0);
        QVERIFY2(dialog.stateText().contains(QStringLiteral("falcon3")), qPrintable(dialog.stateText()));
        choose(dialog.families(), "llama");
        QVERIFY(openButton(dialog)->isEnabled());
        QVERIFY(dialog.stateText().startsWith(QLatin1String(parameters)));
        QCOMPARE(groupOf(dialog, "secret_size"), QStringLiteral("Not known"));
        choose(dialog.families(), "");
        QVERIFY(!openButton(dialog)->isEnabled());
    }

    /// The document stays as it is until the dialog is accepted.
    void inTheWindow()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.show();
        const QString path = m_folder.filePath(QStringLiteral("config.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(configuration("llama", "LlamaForCausalLM").c_str());
        file.close();
        const ExperimentPtr before = window.document()->experiment();
        const auto opened = [&] {
            const bool asked = window.openFile(path);
            const QList<ConfigurationDialog*> dialogs = window.findChildren<ConfigurationDialog*>();
            return asked && !dialogs.isEmpty() ? dialogs.constLast() : nullptr;
        };
        ConfigurationDialog* dialog = opened();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(window.document()->experiment(), before);
        dialog->reject();
        QCOMPARE(window.document()->experiment(), before);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        dialog = opened();
        QVERIFY(dialog);
        openButton(*dialog)->click();
        const auto* model = std::get_if<TransformerModel>(&window.document()->experiment()->model);
        QVERIFY(model);
        QCOMPARE(model->settings.model.vocab, 320);
        QCOMPARE(window.document()->sourceName(), QStringLiteral("config.json"));
        QVERIFY(window.document()->filePath().isEmpty());
        QCOMPARE(window.findChild<ProblemsView*>()->messages().size(), 1U);
        window.document()->waitForAnalysis();
        window.document()->undoStack()->setClean();
    }
};

REGISTER_TEST(TestConfiguration)
#include "test_configuration.moc"
