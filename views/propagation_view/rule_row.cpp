// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/rule_row.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "program/factor_rule_text.h"
#include "program/rule_override.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"

namespace shardscope {
RuleRow::RuleRow(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_name(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_rule(new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Elided, &Theme::text, this))
    , m_custom(new RoleLabel(tr("custom"), RoleLabel::Size::Small, &Theme::accent, this))
    , m_message(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Elided, &Theme::error, this))
    , m_line(new QLineEdit(this))
    , m_edit(makeFlat(new QToolButton(this), QStringLiteral("edit"), tr("Change the rule"),
          tr("Give this operation another sharding rule")))
    , m_apply(makeFlat(new QToolButton(this), QStringLiteral("ok"), tr("Use this rule"), tr("Use this rule (Enter)")))
    , m_cancel(makeFlat(
          new QToolButton(this), QStringLiteral("close"), tr("Keep the rule"), tr("Keep the rule as it was (Esc)")))
    , m_reset(makeFlat(new QToolButton(this), QStringLiteral("reset"), tr("Back to the operation's own rule")))
{
    m_rule->setTextInteractionFlags(Qt::NoTextInteraction);
    m_custom->setToolTip(tr("This rule was given by hand, in the place of the operation's own."));
    m_line->setAccessibleName(tr("Sharding rule"));
    m_line->setFont(Metrics::fixed());
    m_line->installEventFilter(this);
    auto* row =
        hbox({ 8, 0, 4, 0 }, 6, { m_name, { m_rule, 1 }, { m_line, 1 }, m_custom, m_edit, m_apply, m_cancel, m_reset });
    auto* message = hbox({ 8, 0, 8, 2 }, styleSpacing, { { m_message, 1 } });
    vbox(this, { 0, 2, 0, 2 }, 0, { row, message });
    tabOrder({ m_line, m_edit, m_apply, m_cancel, m_reset });

    connect(m_edit, &QToolButton::clicked, this, &RuleRow::begin);
    connect(m_apply, &QToolButton::clicked, this, &RuleRow::commit);
    connect(m_cancel, &QToolButton::clicked, this, &RuleRow::end);
    connect(m_reset, &QToolButton::clicked, this, &RuleRow::reset);
    connect(m_line, &QLineEdit::textChanged, this, &RuleRow::check);
    connect(m_line, &QLineEdit::returnPressed, this, &RuleRow::commit);
    refresh();
}

std::string RuleRow::path() const
{
    // The program of a text is prepared: its operations keep their ids, their values have other names.
    const Program& source = m_snapshot->source->program;
    return source.value(source.operation(m_operation).results[0]).path;
}

void RuleRow::show(const SnapshotPtr& snapshot, OperationId operation)
{
    if (m_isEditing && (!snapshot || operation != m_operation))
        m_isEditing = false;
    m_snapshot = snapshot;
    m_operation = operation;
    refresh();
}

void RuleRow::refresh()
{
    const bool known = m_snapshot && m_operation.valid() && m_operation.index < m_snapshot->program->operations.size();
    m_ruleText.clear();
    m_isCustom = m_isOwn = false;
    bool writable = false;
    if (known) {
        const Program& program = *m_snapshot->program;
        const Operation& operation = program.operation(m_operation);
        const bool conservative = m_snapshot->experiment->propagation.conservative;
        FactorRule rule = factorRule(program, operation, RuleOptions{ conservative });
        m_isCustom = words::hasOwnRule(program, operation);
        rule.custom = false; // the mark says it
        m_ruleText = words::fromStd(toString(rule));
        m_name->setText(tr("Rule of %1").arg(words::operationName(operation)));
        const std::vector<RuleOverride>* rules = ownRules(*m_snapshot->experiment);
        writable = rules && canHaveRule(operation) && m_operation.index < m_snapshot->source->program.operations.size();
        m_isOwn = writable
            && std::any_of(rules->begin(), rules->end(), [&](const RuleOverride& own) { return own.path == path(); });
    }
    const bool shown = known && (writable || !m_ruleText.isEmpty());
    setVisible(shown);
    if (!shown)
        m_isEditing = false;
    m_rule->setText(m_ruleText.isEmpty() ? tr("none: nothing passes it") : m_ruleText);
    m_rule->setVisible(!m_isEditing);
    m_line->setVisible(m_isEditing);
    m_custom->setVisible(m_isCustom && !m_isEditing);
    m_edit->setVisible(writable && !m_isEditing);
    m_apply->setVisible(m_isEditing);
    m_cancel->setVisible(m_isEditing);
    m_reset->setVisible(m_isOwn && !m_isEditing);
    if (m_isEditing)
        check();
    else
        m_message->hide();
}

void RuleRow::begin()
{
    m_isEditing = true;
    m_line->setText(m_ruleText);
    m_line->setCursorPosition(0);
    refresh();
    m_line->setFocus(Qt::OtherFocusReason);
}

void RuleRow::end()
{
    const bool hadFocus = m_line->hasFocus() || m_cancel->hasFocus() || m_apply->hasFocus();
    m_isEditing = false;
    refresh();
    if (hadFocus)
        m_edit->setFocus(Qt::OtherFocusReason);
}

void RuleRow::check()
{
    if (!m_isEditing || !m_snapshot)
        return;
    const Result<std::string> rule = checkedRule(*m_snapshot->program, m_operation, m_line->text().toStdString());
    const QString text = rule ? QString() : words::sentence(words::describe(rule.error()).inFull());
    showText(m_message, text);
    m_line->setAccessibleDescription(text);
    m_apply->setEnabled(rule.has_value());
}

void RuleRow::commit()
{
    if (!m_isEditing || !m_apply->isEnabled())
        return;
    Result<Experiment> after =
        withShardingRule(*m_document->experiment(), m_snapshot->source->program, path(), m_line->text().toStdString());
    const QString name = words::operationName(m_snapshot->program->operation(m_operation));
    end();
    m_document->edit(std::move(after), tr("rule of %1").arg(name));
}

void RuleRow::reset()
{
    const QString name = words::operationName(m_snapshot->program->operation(m_operation));
    m_document->edit(withoutShardingRule(*m_document->experiment(), path()), tr("own rule of %1").arg(name));
}

bool RuleRow::eventFilter(QObject* watched, QEvent* event)
{
    const auto isEscape = [&] { return static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape; };
    if (watched == m_line && event->type() == QEvent::ShortcutOverride && isEscape()) {
        event->accept();
        return true;
    }
    if (watched == m_line && event->type() == QEvent::KeyPress && isEscape()) {
        end();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
