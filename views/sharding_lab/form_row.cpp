// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/form_row.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include "views/panel/overflow_label.h"
#include "views/sharding_lab/caret_line.h"
#include "views/sharding_lab/lab_words.h"
#include "views/theme/icons.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

FormRow::FormRow(const QString& name, const QString& tip, QWidget* parent)
    : QWidget(parent)
    , m_name(new RoleLabel(name, RoleLabel::Size::Small, &Theme::secondary, this))
    , m_edit(new QLineEdit(this))
    , m_copy(new QToolButton(this))
    , m_caret(new CaretLine(this))
    , m_problem(new RoleLabel(RoleLabel::Size::Small, &Theme::error, this))
    , m_whole(new OverflowLabel(
          RoleLabel::Size::Small, &Theme::secondary, [this](int width) { return !fits(width); }, this))
    , m_tip(tip)
{
    m_name->setBuddy(m_edit);
    m_name->setToolTip(plainTip(tip));
    m_edit->setAccessibleName(name);
    m_edit->setFont(Metrics::fixed());
    m_edit->setMinimumWidth(Metrics::scaled(90));
    m_edit->installEventFilter(this);
    makeFlat(m_copy, QStringLiteral("copy"), tr("Copy %1", "a text form").arg(name), tr("Copies all of the text"));
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_whole->setAccessibleName(tr("All the text of %1", "a text form").arg(name));
    m_whole->hide();

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(1);
    grid->addWidget(m_name, 0, 0);
    grid->addWidget(m_edit, 0, 1);
    grid->addWidget(m_copy, 0, 2);
    grid->addWidget(m_caret, 1, 1, 1, 2);
    grid->addWidget(m_problem, 2, 1, 1, 2);
    grid->addWidget(m_whole, 3, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    setFocusProxy(m_edit);

    connect(m_edit, &QLineEdit::textEdited, this, &FormRow::edited);
    connect(m_copy, &QToolButton::clicked, this, &FormRow::copyRequested);
    connect(m_caret, &CaretLine::clicked, this, [this] {
        m_edit->setFocus(Qt::MouseFocusReason);
        if (m_diagnostic)
            m_edit->setCursorPosition(m_diagnostic->where.column - 1);
    });
}

void FormRow::setText(const QString& text, const QString& whyEmpty)
{
    // Line ends and indents of printed text are blanks here.
    const QString line = text.simplified();
    if (m_edit->text() != text && m_edit->text() != line) {
        m_edit->setText(line);
        m_edit->setCursorPosition(0);
    }
    m_edit->setPlaceholderText(whyEmpty);
    m_edit->setToolTip(plainTip(text.isEmpty() ? whyEmpty : text));
    m_edit->setAccessibleDescription(text.isEmpty() ? whyEmpty : m_tip);
    m_copy->setEnabled(!text.isEmpty());
    m_text = text;
    showWhole();
}

void FormRow::showWhole()
{
    // Breaks go after commas and brackets, where a reader would put them.
    QString broken;
    for (const QChar each : m_text.left(maxShown)) {
        broken += each;
        if (QStringLiteral(",]})").contains(each))
            broken += QChar(0x200B);
    }
    if (m_text.size() > maxShown)
        broken += QChar(0x2026);
    m_whole->setFont(Metrics::fixed());
    m_whole->setText(broken);
    m_whole->setVisible(!m_text.isEmpty() && !m_diagnostic);
}

bool FormRow::fits(int width) const
{
    if (m_text.contains(QLatin1Char('\n')) || m_text.size() > maxShown)
        return false;
    const auto* grid = qobject_cast<const QGridLayout*>(layout());
    const int copy = m_copy->isHidden() || !grid ? 0 : m_copy->sizeHint().width() + grid->horizontalSpacing();
    return QFontMetrics(m_edit->font()).horizontalAdvance(m_text) <= width - copy - Metrics::scaled(12);
}

void FormRow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        showWhole();
}

void FormRow::setProblem(const std::optional<Diagnostic>& problem)
{
    m_diagnostic = problem;
    const QString said = problem ? lab::problemText(*problem) : QString();
    m_problem->setText(said);
    m_problem->setVisible(!said.isEmpty());
    showWhole();
    if (problem)
        m_caret->setPlace(m_edit->text(), problem->where.line, problem->where.column);
    else
        m_caret->setPlace({}, 0, 0);
    if (problem)
        m_edit->setAccessibleDescription(
            problem->where.column > 0 ? tr("Column %1: %2").arg(problem->where.column).arg(said) : said);
}

QString FormRow::problem() const
{
    return m_problem->text();
}

void FormRow::setSource(bool source)
{
    m_name->setColour(source ? &Theme::text : &Theme::secondary);
    m_name->setToolTip(plainTip(source ? tr("%1. The other forms are derived from this text.").arg(m_tip) : m_tip));
}

void FormRow::setStale(bool stale)
{
    QPalette colours; // the application's, in force
    if (stale)
        colours.setColor(QPalette::Text, Theme::current().hint);
    m_edit->setPalette(colours);
}

void FormRow::setNameWidth(int width)
{
    m_name->setFixedWidth(width);
}

int FormRow::nameWidth() const
{
    return m_name->sizeHint().width();
}

bool FormRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && m_diagnostic) {
        Q_EMIT escaped();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
