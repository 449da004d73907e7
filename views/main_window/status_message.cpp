// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/status_message.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPainter>
#include <QStyleOptionToolButton>
#include <QToolButton>
#include <algorithm>

#include "document/document.h"
#include "experiment/model_settings.h"
#include "experiment_file/gallery.h"
#include "pipeline/collective_list.h"
#include "views/preview/edit_plate.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "words/collective_texts.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int messageTime = 5000; ///< milliseconds

} // namespace

StatusMessage::StatusMessage(Document* document, const EditPlate* plate, QWidget* parent)
    : QWidget(parent)
    , m_edit(document)
    , m_plate(plate)
    , m_text(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Elided, &Theme::text, this))
    , m_undo(new QToolButton(this))
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // it takes what figures leave
    m_text->setObjectName(QStringLiteral("statusMessage"));
    m_text->setContentsMargins(8, 0, 8, 0);
    m_undo->setObjectName(QStringLiteral("statusUndo"));
    m_undo->setText(tr("Undo"));
    m_undo->setAutoRaise(true);
    m_undo->hide();
    hbox(this, {}, 0, { m_text, m_undo, boxStretch() });
    m_time.setSingleShot(true);
    m_time.setInterval(messageTime);
    connect(&m_time, &QTimer::timeout, this, [this] {
        put({}, false);
        m_edit.forget();
    });
    connect(m_undo, &QToolButton::clicked, document->undoStack(), &QUndoStack::undo);
    connect(&m_edit, &EditSummary::changed, this, &StatusMessage::tell);
    connect(m_plate, &EditPlate::left, this, &StatusMessage::tell);
}

void StatusMessage::say(const QString& text)
{
    put(text, false);
    m_time.start();
}

void StatusMessage::put(const QString& text, bool isEdit)
{
    m_text->setText(text);
    if (m_undo->hasFocus() && !isEdit)
        window()->setFocus(Qt::OtherFocusReason); // rather than what happens to be next
    m_undo->setVisible(isEdit);
    describe(m_undo, tr("Undo %1").arg(m_edit.title()));
}

void StatusMessage::tell()
{
    if (!m_plate->text().isEmpty()) // said there
        return;
    if (!m_edit.text().isEmpty()) {
        put(m_edit.text(), true);
        m_time.start();
    } else if (m_undo->isVisibleTo(this)) { // another message stays
        put({}, false);
    }
}

namespace {

struct StatusBar {
    Q_DECLARE_TR_FUNCTIONS(StatusBar)
};

} // namespace

StatusText statusText(const Document& document, std::span<const Diagnostic> messages)
{
    StatusText text;
    const bool isProgram = sourceText(*document.experiment()) != nullptr;
    text.saved = document.isModified()   ? StatusBar::tr("Unsaved changes")
        : !document.filePath().isEmpty() ? StatusBar::tr("Saved")
        : !document.sourceName().isEmpty()
        ? (isProgram ? StatusBar::tr("Program, not edited") : StatusBar::tr("Table, not edited"))
        : findExample(*document.experiment()) ? StatusBar::tr("Example, not edited")
                                              : StatusBar::tr("Not saved yet");
    text.hardware = QString::fromStdString(document.experiment()->hardware.devices.kind);
    const SnapshotPtr snapshot = document.snapshot();
    const auto add = [&text](const Diagnostic& diagnostic) {
        text.errors += diagnostic.severity() == Severity::Error ? 1 : 0;
        text.warnings += diagnostic.severity() == Severity::Warning ? 1 : 0;
    };
    std::for_each(messages.begin(), messages.end(), add);
    std::for_each(document.readWarnings().begin(), document.readWarnings().end(), add);
    if (snapshot)
        for (const Problem& problem : snapshot->problems)
            add(problem.diagnostic);
    QStringList parts;
    if (text.errors > 0)
        parts << words::counted(text.errors, words::Noun::Error);
    if (text.warnings > 0)
        parts << words::counted(text.warnings, words::Noun::Warning);
    text.problems = parts.isEmpty() ? StatusBar::tr("No problems") : parts.join(QStringLiteral(", "));
    if (!snapshot)
        return text;
    if (!snapshot->ok() && (!snapshot->laidOut() || snapshot->errorCount() > 0))
        text.solved = StatusBar::tr("Not solved");
    if (snapshot->mesh)
        text.devices = words::counted(snapshot->mesh->deviceCount(), words::Noun::Device);
    if (!snapshot->ok())
        return text;
    const CollectiveList& list = *snapshot->collectives;
    const std::int64_t exchanges = words::exchangesIn(list);
    // As the graph counts them.
    const auto all = snapshot->program ? static_cast<qint64>(operationCount(*snapshot->program)) : 0;
    text.operations =
        StatusBar::tr("%1, %2", "ops, collectives")
            .arg(words::counted(all, words::Noun::Operation), words::counted(exchanges, words::Noun::Collective));
    text.sent = words::sentSummary(list);
    text.sentShort = StatusBar::tr("Sent %1 per step").arg(words::bytes(snapshot->sent.step));
    return text;
}

StatusButton::StatusButton(QWidget* parent)
    : QToolButton(parent)
{
    setAutoRaise(true);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setFocusPolicy(Qt::TabFocus); // a click leads elsewhere and leaves the focus to that place
    setCursor(Qt::PointingHandCursor);
    apply();
}

void StatusButton::setFigure(const QString& text, const QString& tip)
{
    setText(text);
    setToolTip(tip);
    setAccessibleName(text);
    setAccessibleDescription(tip);
    setVisible(!text.isEmpty());
}

QSize StatusButton::sizeHint() const
{
    const int picture = icon().isNull() ? 0 : iconSize().width() + Metrics::scaled(4);
    return { fontMetrics().horizontalAdvance(text()) + picture + 2 * Metrics::scaled(8) + 1, Metrics::scaled(22) };
}

void StatusButton::apply()
{
    if (m_applying)
        return;
    m_applying = true;
    setFont(Metrics::small());
    setIconSize(QSize(Metrics::scaled(14), Metrics::scaled(14)));
    QPalette colours = palette();
    colours.setColor(QPalette::ButtonText, Theme::current().secondary);
    setPalette(colours);
    m_applying = false;
}

void StatusButton::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange)
        apply();
    QToolButton::changeEvent(event);
}

void StatusButton::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.rect.adjust(2, 1, -3, -1);
    style()->drawPrimitive(QStyle::PE_PanelButtonTool, &option, &painter, this);
    QRect place = rect().adjusted(Metrics::scaled(8), 0, -Metrics::scaled(8), 0);
    if (!icon().isNull()) {
        const QSize side = iconSize();
        icon().paint(&painter, QRect(QPoint(place.left(), (height() - side.height()) / 2), side));
        place.setLeft(place.left() + side.width() + Metrics::scaled(4));
    }
    painter.setPen(theme.secondary);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.fillRect(QRect(width() - 1, height() / 2 - 7, 1, 14), theme.border);
}

} // namespace shardscope
