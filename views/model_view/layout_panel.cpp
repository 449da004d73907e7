// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/layout_panel.h"

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QStringListModel>
#include <optional>
#include <utility>

#include "analysis/parameter_coverage.h"
#include "experiment/network_edits.h"
#include "networks/chosen_parts.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

const TransformerSettings* networkIn(const Experiment& experiment)
{
    const auto* model = std::get_if<TransformerModel>(&experiment.model);
    return model ? &model->settings.model : nullptr;
}

/// Repeated layers once, with a *.
QStringList partsOf(const std::vector<std::string>& paths)
{
    QStringList parts;
    for (const std::string& path : paths)
        parts << words::fromStd(withoutLayerNumbers(path));
    parts.removeDuplicates();
    return parts;
}

/// Paths for which nothing is chosen stay as they are, unless there is nothing to take back for any.
Result<Experiment> withoutChosen(const Experiment& before, bool outputs, const QStringList& globs)
{
    Result<Experiment> after = before;
    std::optional<Error> refusal;
    bool any = false;
    for (const QString& glob : globs) {
        const std::string at = glob.toStdString();
        Result<Experiment> without = outputs ? withoutConstraints(*after, at) : withoutParameterSpecs(*after, at);
        if (without) {
            after = std::move(without);
            any = true;
        } else if (!refusal) {
            refusal = std::move(without.error());
        }
    }
    if (refusal && !any)
        return tl::unexpected(std::move(*refusal));
    return after;
}

} // namespace

LayoutPanel::LayoutPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_what(new QComboBox)
    , m_at(new QLineEdit)
    , m_axes(new QLineEdit)
    , m_button(new QPushButton)
    , m_message(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error))
    , m_rows(vbox({}, 2, {}))
{
    m_what->addItem(tr("Output of"), static_cast<int>(What::Outputs));
    m_what->addItem(tr("Parameter"), static_cast<int>(What::Parameters));
    describe(m_what, tr("What is sharded"),
        plainTip(tr("Outputs of modules are constrained; parameters get a spec of their own in the place "
                    "of what the rules say.")));
    describe(m_at, tr("Path"), plainTip(tr("A path or a glob; * is any layer. Several are separated by spaces.")));
    auto* completer = new QCompleter(new QStringListModel(m_at), m_at);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_at->setCompleter(completer);
    m_axes->setAccessibleName(tr("Sharded by"));
    m_axes->setToolTip(plainTip(tr("Logical names, one for each dimension and - for none, or mesh axes as in JAX.")));
    m_axes->setPlaceholderText(tr("batch, -, -  or  P('data')"));
    m_button->setProperty("small", true);
    m_message->hide();
    for (QLineEdit* field : { m_at, m_axes })
        field->setMinimumWidth(Metrics::scaled(90));
    vbox(this, { 0, 0, 0, 4 }, 4,
        { hbox({}, styleSpacing, { m_what, { m_at, 3 }, { m_axes, 2 }, m_button }), m_message, m_rows });

    const auto enable = [this] {
        m_button->setEnabled(!m_at->text().trimmed().isEmpty() && !m_axes->text().trimmed().isEmpty());
    };
    const auto chooseTyped = [this] {
        static const QRegularExpression gap(QStringLiteral("[\\s;]+"));
        if (m_button->isEnabled()
            && choose(static_cast<What>(m_what->currentData().toInt()), m_at->text().split(gap, Qt::SkipEmptyParts),
                m_axes->text()))
            m_axes->clear();
    };
    connect(m_what, &QComboBox::currentIndexChanged, this, &LayoutPanel::showWhat);
    connect(m_at, &QLineEdit::textChanged, this, enable);
    connect(m_axes, &QLineEdit::textChanged, this, enable);
    connect(m_at, &QLineEdit::returnPressed, m_axes, [this] { m_axes->setFocus(Qt::OtherFocusReason); });
    connect(m_axes, &QLineEdit::returnPressed, this, chooseTyped);
    connect(m_button, &QPushButton::clicked, this, chooseTyped);
    connect(document, &Document::experimentChanged, this, &LayoutPanel::refresh);
    enable();
    refresh();
}

QList<QWidget*> LayoutPanel::controls() const
{
    return { m_what, m_at, m_axes, m_button };
}

void LayoutPanel::begin(What what, const QStringList& globs)
{
    m_what->setCurrentIndex(m_what->findData(static_cast<int>(what)));
    m_at->setText(globs.join(QLatin1Char(' ')));
    m_axes->setFocus(Qt::OtherFocusReason);
}

bool LayoutPanel::choose(What what, const QStringList& globs, const QString& axes)
{
    const bool outputs = what == What::Outputs, takenBack = axes.trimmed().isEmpty();
    Result<Experiment> after = *m_document->experiment();
    Result<Annotation> chosen = Annotation();
    if (!takenBack)
        chosen = parseChosenAxes(axes.toStdString());
    if (!chosen)
        after = tl::unexpected(chosen.error());
    if (takenBack)
        after = withoutChosen(*after, outputs, globs);
    for (const QString& glob : takenBack ? QStringList() : globs) {
        const std::string at = glob.toStdString();
        if (!after)
            break;
        after = outputs ? withConstraint(*after, at, *chosen) : withParameterSpec(*after, at, *chosen);
    }
    const QString paths = globs.join(QLatin1Char(' '));
    const QString text = takenBack ? (outputs ? tr("%1 without its constraint") : tr("%1 by the rules")).arg(paths)
                                   : QStringLiteral("%1 → %2").arg(paths, axes.trimmed());
    return edit(std::move(after), text);
}

bool LayoutPanel::edit(Result<Experiment> after, const QString& text)
{
    m_message->setVisible(!after);
    m_message->setText({});
    if (!after) {
        const words::ProblemText problem = words::describe(after.error());
        m_message->setText(words::fromStd(after.error().id()) + QLatin1Char(' ') + problem.cause);
        m_message->setToolTip(plainTip(problem.remedy));
        return false;
    }
    return m_document->edit(std::move(after), text);
}

void LayoutPanel::refresh()
{
    const TransformerSettings* network = networkIn(*m_document->experiment());
    for (QWidget* row : m_shown) {
        row->hide();
        row->deleteLater(); // it may be the one whose button led here
    }
    m_shown.clear();
    m_removeButtons.clear();
    if (!network)
        return;
    showWhat();
    for (std::size_t i = 0; i < network->constraints.size(); ++i)
        addRow(What::Outputs, i, network->constraints[i]);
    for (std::size_t i = 0; i < network->parameterSpecs.size(); ++i)
        addRow(What::Parameters, i, network->parameterSpecs[i]);
}

void LayoutPanel::addRow(What what, std::size_t index, const ChosenSharding& chosen)
{
    const bool outputs = what == What::Outputs;
    const QString glob = words::fromStd(chosen.at);
    auto* path = new RoleLabel(outputs ? tr("output of %1").arg(glob) : glob, RoleLabel::Size::Normal);
    path->setElided(true, Qt::ElideMiddle);
    auto* axes = new RoleLabel(words::fromStd(chosenAxesText(chosen.axes)), RoleLabel::Size::Fixed);
    auto* remove = makeSmallFlat(new QToolButton, QStringLiteral("remove"),
        outputs ? tr("Remove the constraint on %1").arg(glob) : tr("Take back the spec of %1").arg(glob));
    auto* row = new QWidget;
    hbox(row, {}, styleSpacing, { { path, 3 }, { axes, 2 }, remove });
    connect(remove, &QToolButton::clicked, this, [this, outputs, index, glob] {
        const Experiment& now = *m_document->experiment();
        edit(outputs ? withoutConstraint(now, index) : withoutParameterSpec(now, index),
            (outputs ? tr("%1 without its constraint") : tr("%1 by the rules")).arg(glob));
    });
    m_rows->addWidget(row);
    m_shown << row;
    m_removeButtons << remove;
}

void LayoutPanel::showWhat()
{
    const bool outputs = m_what->currentData().toInt() == static_cast<int>(What::Outputs);
    m_button->setText(outputs ? tr("Constrain") : tr("Choose"));
    m_at->setPlaceholderText(
        outputs ? QStringLiteral("decoder/layers.*") : QStringLiteral("decoder/layers.*/mlp/wo/kernel"));
    if (const TransformerSettings* network = networkIn(*m_document->experiment()))
        static_cast<QStringListModel*>(m_at->completer()->model())
            ->setStringList(partsOf(outputs ? constrainableModules(*network) : parameterPaths(*network)));
}

} // namespace shardscope
