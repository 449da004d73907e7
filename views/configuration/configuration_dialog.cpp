// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/configuration/configuration_dialog.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <iterator>
#include <utility>

#include "base/codes.h"
#include "experiment/network_rules.h"
#include "networks/transformer_parameters.h"
#include "sharding/text.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

const QString noRules = QStringLiteral("none"), presentRules = QStringLiteral("present");

/// A group of keys, if it has any.
class FieldGroup {
public:
    FieldGroup(QTreeWidget* tree, QString title, bool open)
        : m_tree(tree)
        , m_title(std::move(title))
        , m_isOpen(open)
    {
    }
    void add(const QStringList& columns)
    {
        if (!m_top) {
            m_top = new QTreeWidgetItem(m_tree);
            m_top->setFlags(Qt::ItemIsEnabled);
            m_top->setFont(0, Metrics::semibold());
            m_top->setFirstColumnSpanned(true);
            m_top->setExpanded(m_isOpen);
        }
        auto* item = new QTreeWidgetItem(m_top, columns);
        for (int column = 0; column < static_cast<int>(columns.size()); ++column)
            item->setToolTip(column, plainTip(columns[column]));
        m_top->setText(0, m_title.arg(words::count(m_top->childCount())));
    }

private:
    QTreeWidget* m_tree;
    QString m_title; ///< with %1 for the number of keys
    bool m_isOpen;
    QTreeWidgetItem* m_top = nullptr;
};

QString meshText(const MeshSetting& mesh)
{
    QStringList axes;
    for (const MeshAxis& axis : mesh.axes)
        axes << QStringLiteral("%1=%2").arg(words::fromStd(axis.name), QString::number(axis.size));
    return axes.join(QLatin1Char(','));
}

QString remedied(const Diagnostic& diagnostic)
{
    const words::ProblemText text = words::describe(diagnostic);
    return text.remedy.isEmpty() ? text.cause : ConfigurationDialog::tr("%1. %2").arg(text.cause, text.remedy);
}

} // namespace

ConfigurationDialog::ConfigurationDialog(
    const QString& fileName, std::string text, const Experiment& present, QWidget* parent)
    : QDialog(parent)
    , m_fileName(fileName)
    , m_text(std::move(text))
    , m_presentRules(present.rules)
    , m_read(readHuggingFace(m_text))
    , m_families(new QComboBox(this))
    , m_mesh(new QLineEdit(meshText(present.mesh), this))
    , m_rules(new QComboBox(this))
    , m_fields(new QTreeWidget(this))
    , m_state(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, this))
    , m_open(new QPushButton(tr("&Open model"), this))
{
    setWindowTitle(tr("Open a model's configuration"));
    auto* head = new RoleLabel(QFileInfo(fileName).fileName(), RoleLabel::Size::Title, &Theme::text, this);
    head->setTextFormat(Qt::PlainText);
    auto* what = new RoleLabel(
        tr("A transformer is built of these keys. Nothing is opened before you have seen which of them count."),
        RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this);

    m_families->addItem(
        m_read ? tr("As the file says: %1").arg(words::fromStd(m_read->architecture)) : tr("As the file says"),
        QString());
    for (const std::string& family : huggingFaceFamilies())
        m_families->addItem(words::fromStd(family), words::fromStd(family));
    m_families->setAccessibleName(tr("Architecture"));
    m_mesh->setAccessibleName(tr("Mesh axes and sizes"));
    m_mesh->setPlaceholderText(QStringLiteral("data=2,model=4"));
    m_rules->addItem(QString(), QString());
    m_rules->addItem(tr("Those that are open now"), presentRules);
    m_rules->addItem(tr("None"), noRules);
    for (const PublishedRules& set : publishedRules())
        if (set.overrides.empty())
            m_rules->addItem(words::fromStd(set.id), words::fromStd(set.id));
    m_rules->setAccessibleName(tr("Rules"));

    m_fields->setColumnCount(3);
    m_fields->setHeaderLabels({ tr("Key"), tr("Value"), tr("What becomes of it") });
    m_fields->setAccessibleName(tr("Keys of the configuration"));
    m_fields->setUniformRowHeights(true);
    m_fields->setAllColumnsShowFocus(true);
    m_fields->setTextElideMode(Qt::ElideRight);
    m_fields->header()->setStretchLastSection(true);
    m_state->setTextFormat(Qt::PlainText);

    auto* form = new QFormLayout;
    form->addRow(tr("&Read as"), m_families);
    form->addRow(tr("&Mesh"), m_mesh);
    form->addRow(tr("R&ules"), m_rules);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    setPrimary(m_open);
    m_open->setDefault(true);
    cancel->setAutoDefault(false);
    auto* foot = hbox({}, styleSpacing, { boxStretch(), cancel, m_open });
    vbox(this, { 12, 12, 12, 12 }, 8, { head, what, form, { m_fields, 1 }, m_state, foot });

    connect(m_families, &QComboBox::currentIndexChanged, this, &ConfigurationDialog::readAgain);
    connect(m_mesh, &QLineEdit::textChanged, this, [this] {
        nameDefaultRules();
        showState();
    });
    connect(m_rules, &QComboBox::currentIndexChanged, this, &ConfigurationDialog::showState);
    connect(m_open, &QPushButton::clicked, this, &QDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    QWidget* const order[] = { m_families, m_mesh, m_rules, m_fields, cancel, m_open };
    for (std::size_t i = 1; i < std::size(order); ++i)
        setTabOrder(order[i - 1], order[i]);
    resize(Metrics::scaled(760), Metrics::scaled(560));
    m_fields->header()->resizeSection(0, width() / 3);
    nameDefaultRules();
    showFields();
    showState();
}

std::vector<Diagnostic> ConfigurationDialog::warnings() const
{
    std::vector<Diagnostic> warnings = m_read ? m_read->warnings : std::vector<Diagnostic>();
    for (Diagnostic& warning : warnings)
        warning.where.file = m_fileName.toStdString();
    return warnings;
}

void ConfigurationDialog::readAgain()
{
    m_read = readHuggingFace(m_text, m_families->currentData().toString().toStdString());
    showFields();
    showState();
}

void ConfigurationDialog::showFields()
{
    m_fields->clear();
    if (!m_read)
        return;
    const QString notRead = tr("nothing is read from it");
    FieldGroup unknown(m_fields, tr("Not known: %1"), true);
    FieldGroup leftOut(m_fields, tr("Left out by the network: %1"), true);
    for (const Diagnostic& warning : m_read->warnings) {
        const QString key = words::fromStd(warning.text("key"));
        if (warning.code == Code::UnknownField)
            unknown.add({ key, QString(), remedied(warning) });
        else if (warning.code == Code::FieldLeftOut)
            leftOut.add({ key, words::fromStd(warning.text("value")), remedied(warning) });
    }
    const auto add = [](FieldGroup group, const std::vector<ConfigField>& fields, const QString& becomes) {
        for (const ConfigField& field : fields)
            group.add({ words::fromStd(field.key), words::fromStd(field.value), becomes });
    };
    add({ m_fields, tr("Read: %1"), true }, m_read->used, tr("read"));
    add({ m_fields, tr("Not in the file, as the architecture has it: %1"), false }, m_read->assumed, tr("assumed"));
    add({ m_fields, tr("Without meaning for shapes: %1"), false }, m_read->ignored, notRead);
}

void ConfigurationDialog::showState()
{
    const Result<Experiment> made = experiment();
    m_open->setEnabled(made.has_value());
    m_state->setColour(made ? &Theme::text : &Theme::error);
    if (!made) {
        m_state->setText(made.error().code == Code::UnknownArchitecture
                ? tr("%1. Choose the architecture whose layers it has: its keys are then read as those of that one.")
                      .arg(words::describe(made.error()).cause)
                : remedied(made.error()));
        return;
    }
    QString text = tr("%1 parameters").arg(words::count(parameterCount(m_read->settings)));
    if (m_read->settings.experts)
        text += tr(", %1 of them for each token").arg(words::count(activeParameterCount(m_read->settings)));
    for (const Diagnostic& warning : m_read->warnings)
        if (warning.code == Code::UnverifiedArchitecture)
            text += tr("; %1", "after the number of parameters").arg(remedied(warning));
    m_state->setText(text);
}

void ConfigurationDialog::nameDefaultRules()
{
    const Result<MeshSetting> setting = mesh();
    const PublishedRules* const set = setting ? defaultRules(setting->axes) : nullptr;
    m_rules->setItemText(0,
        set ? tr("As usual on such a mesh: %1").arg(words::fromStd(set->id))
            : tr("As usual on such a mesh: none is published"));
}

Result<MeshSetting> ConfigurationDialog::mesh() const
{
    SHARDSCOPE_TRY(parsed, parseMesh(m_mesh->text().toStdString()));
    MeshSetting setting;
    setting.axes.assign(parsed->axes().begin(), parsed->axes().end());
    setting.deviceOrder.assign(parsed->deviceOrder().begin(), parsed->deviceOrder().end());
    return setting;
}

Result<Experiment> ConfigurationDialog::experiment() const
{
    if (!m_read)
        return tl::unexpected(m_read.error());
    SHARDSCOPE_TRY(setting, mesh());
    const QString chosen = m_rules->currentData().toString();
    const PublishedRules* const set = chosen == presentRules ? nullptr
        : chosen.isEmpty()                                   ? defaultRules(setting->axes)
                                                             : findPublishedRules(chosen.toStdString());
    RulesSetting rules = set ? boundRules(*set) : RulesSetting();
    if (chosen == presentRules)
        rules = m_presentRules;
    return networkExperiment(m_read->settings, QFileInfo(m_fileName).completeBaseName().toStdString(),
        std::move(*setting), std::move(rules), std::nullopt, set);
}

} // namespace shardscope
