// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/form_row.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>

#include "experiment/lab_state.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"
#include "words/lab_words.h"

namespace shardscope {

FormRow::FormRow(const QString& name, const QString& tip, QWidget* parent)
    : QWidget(parent)
    , m_name(new RoleLabel(name, RoleLabel::Size::Small, &Theme::secondary, this))
    , m_edit(new QLineEdit(this))
    , m_copy(new QToolButton(this))
    , m_caret(new CaretLine(this))
    , m_problem(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, this))
    , m_full(new OverflowLabel(
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
    m_problem->hide();
    m_full->setAccessibleName(tr("All the text of %1", "a text form").arg(name));
    m_full->hide();

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(1);
    grid->addWidget(m_name, 0, 0);
    grid->addWidget(m_edit, 0, 1);
    grid->addWidget(m_copy, 0, 2);
    grid->addWidget(m_caret, 1, 1, 1, 2);
    grid->addWidget(m_problem, 2, 1, 1, 2);
    grid->addWidget(m_full, 3, 1, 1, 2);
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
    showAll();
}

void FormRow::showAll()
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
    m_full->setFont(Metrics::fixed());
    m_full->setText(broken);
    m_full->setVisible(!m_text.isEmpty() && !m_diagnostic);
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
        showAll();
}

void FormRow::setProblem(const std::optional<Diagnostic>& problem)
{
    m_diagnostic = problem;
    const QString stated = problem ? lab::problemText(*problem) : QString();
    showText(m_problem, stated);
    showAll();
    if (problem)
        m_caret->setPlace(m_edit->text(), problem->where.line, problem->where.column);
    else
        m_caret->setPlace({}, 0, 0);
    if (problem)
        m_edit->setAccessibleDescription(
            problem->where.column > 0 ? tr("Column %1: %2").arg(problem->where.column).arg(stated) : stated);
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

bool FormRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && m_diagnostic) {
        Q_EMIT escaped();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

CaretLine::CaretLine(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setAccessibleName(tr("Place in the text"));
    hide();
}

void CaretLine::setPlace(const QString& text, int line, int column)
{
    m_text = text;
    m_line = line;
    m_column = column;
    setVisible(line > 0);
    setAccessibleDescription(line > 1 ? tr("line %1, column %2").arg(line).arg(column) : tr("column %1").arg(column));
    update();
}

QSize CaretLine::sizeHint() const
{
    return { Metrics::scaled(120), QFontMetrics(Metrics::fixed()).height() + Metrics::scaled(6) };
}

void CaretLine::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    const QFont font = Metrics::fixed();
    const QFontMetrics metrics(font);
    const int character = std::max(1, metrics.horizontalAdvance(QLatin1Char('0')));
    const Excerpt excerpt =
        excerptAround(m_text.toStdU32String(), m_line, m_column, std::max(8, width() / character - 1));
    const QString shown = QString::fromStdU32String(excerpt.text);
    const auto advance = [&](int characters) {
        return metrics.horizontalAdvance(
            QString::fromStdU32String(excerpt.text.substr(0, static_cast<std::size_t>(characters))));
    };
    const int left = advance(excerpt.column);
    const int after = std::min(excerpt.column + excerpt.length, static_cast<int>(excerpt.text.size()));
    const int right = std::max(advance(after), left + character);
    QPainter painter(this);
    painter.setFont(font);
    painter.fillRect(QRect(left - 1, 0, right - left + 2, metrics.height()), theme.errorBackground);
    painter.setPen(theme.secondary);
    painter.drawText(0, metrics.ascent(), shown);
    painter.setPen(theme.error);
    painter.drawText(left, metrics.ascent(),
        QString::fromStdU32String(excerpt.text.substr(
            static_cast<std::size_t>(excerpt.column), static_cast<std::size_t>(std::max(0, after - excerpt.column)))));
    painter.fillRect(QRect(left, metrics.height(), right - left, 2), theme.error);
    // The caret points at the first character, so that it is found in a long word too.
    const int tip = left + character / 2, size = Metrics::scaled(3);
    QPainterPath caret;
    caret.moveTo(tip, metrics.height());
    caret.lineTo(tip - size, metrics.height() + 2 * size);
    caret.lineTo(tip + size, metrics.height() + 2 * size);
    caret.closeSubpath();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(caret, theme.error);
}

void CaretLine::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT clicked();
}

} // namespace shardscope
