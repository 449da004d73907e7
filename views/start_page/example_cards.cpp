// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/example_cards.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "experiment_file/gallery.h"
#include "tasks/tasks.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::size_t thumbnailsAtOnce = 6;

QString documentOf(const GalleryExample& example)
{
    for (const ExampleGroup& group : exampleGroups())
        if (group.id == example.group)
            return words::fromStd(group.title);
    return {};
}

QString firstWordOf(const GalleryExample& example)
{
    return words::fromStd(example.question).section(QLatin1Char(' '), 0, 0);
}

/// Everything that a search finds an example by.
QString searchedText(const GalleryExample& example)
{
    QStringList all{ words::fromStd(example.question), words::fromStd(example.experiment.title), documentOf(example),
        words::fromStd(example.id), words::fromStd(example.experiment.notes) };
    for (const Task* task : tasksOf(example.id))
        all << words::fromStd(task->question);
    return all.join(QLatin1Char('\n'));
}

/// At most so many lines; what does not fit ends in an ellipsis.
void drawLines(QPainter& painter, const QRect& rect, const QString& text, int most)
{
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    const QFontMetrics metrics = painter.fontMetrics();
    for (int number = 0; number < most; ++number) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(rect.width());
        QString shown = text.mid(line.textStart(), line.textLength());
        if (number + 1 == most)
            shown = metrics.elidedText(text.mid(line.textStart()), Qt::ElideRight, rect.width());
        painter.drawText(
            QRect(rect.left(), rect.top() + number * metrics.lineSpacing(), rect.width(), metrics.lineSpacing()),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    }
    layout.endLayout();
}

int thumbnailHeight()
{
    return Metrics::scaled(76);
}

} // namespace

ExampleCards::ExampleCards(QWidget* parent)
    : Canvas(tr("Examples"), parent)
    , m_job(this, [this](std::vector<Named> made) {
        for (Named& each : made)
            m_thumbnails.insert(each.id, std::move(each.thumbnail));
        update();
        requestThumbnails();
    })
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    fill();
}

void ExampleCards::setOrder(Order order)
{
    if (std::exchange(m_order, order) == order)
        return;
    fill();
}

void ExampleCards::setFilter(const QString& text)
{
    if (text.simplified() == m_filter)
        return;
    m_filter = text.simplified();
    fill();
}

void ExampleCards::fill()
{
    const QString before = current();
    const QStringList wanted = m_filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_titles.clear();
    m_counts.clear();
    m_cards.clear();
    // Groups in their own order: documents as they are listed, first words by the alphabet.
    std::vector<std::vector<const GalleryExample*>> groups;
    const auto groupOf = [&](const QString& title) -> std::vector<const GalleryExample*>& {
        const auto at = m_titles.indexOf(title);
        if (at >= 0)
            return groups[static_cast<std::size_t>(at)];
        const auto place =
            m_order == Order::ByDocument ? m_titles.end() : std::lower_bound(m_titles.begin(), m_titles.end(), title);
        const auto index = place - m_titles.begin();
        m_titles.insert(index, title);
        return *groups.insert(groups.begin() + index, std::vector<const GalleryExample*>());
    };
    for (const GalleryExample& example : gallery()) {
        const QString all = searchedText(example);
        if (std::all_of(wanted.begin(), wanted.end(),
                [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); }))
            groupOf(m_order == Order::ByDocument ? documentOf(example) : firstWordOf(example)).push_back(&example);
    }
    for (const std::vector<const GalleryExample*>& group : groups) {
        m_counts.push_back(static_cast<int>(group.size()));
        m_cards.insert(m_cards.end(), group.begin(), group.end());
    }
    m_current = m_hovered = -1;
    arrange();
    updateGeometry();
    tableChanged(this);
    select(before);
    update();
}

void ExampleCards::select(const QString& id)
{
    const auto found = std::find_if(
        m_cards.begin(), m_cards.end(), [&id](const GalleryExample* each) { return words::fromStd(each->id) == id; });
    setCurrent(m_cards.empty() ? -1 : found == m_cards.end() ? 0 : static_cast<int>(found - m_cards.begin()));
}

QString ExampleCards::current() const
{
    return m_current < 0 ? QString() : words::fromStd(m_cards[static_cast<std::size_t>(m_current)]->id);
}

void ExampleCards::setOpened(const QString& id)
{
    m_opened = id;
    update();
}

void ExampleCards::setCurrent(int card)
{
    if (std::exchange(m_current, card) == card)
        return;
    update();
    tableCurrentChanged(this);
    if (card >= 0)
        Q_EMIT revealRequested(tableRect(card));
    Q_EMIT currentChanged();
}

void ExampleCards::open()
{
    if (m_current >= 0 && isVisible())
        Q_EMIT openRequested(current());
}

void ExampleCards::showEvent(QShowEvent* event)
{
    Canvas::showEvent(event);
    requestThumbnails();
}

void ExampleCards::requestThumbnails()
{
    if (m_job.isWorking() || !isVisible())
        return;
    std::vector<const GalleryExample*> wanted;
    for (const GalleryExample* each : m_cards)
        if (wanted.size() < thumbnailsAtOnce && !m_thumbnails.contains(words::fromStd(each->id)))
            wanted.push_back(each);
    if (wanted.empty())
        return;
    m_job.request([wanted](const std::stop_token& stop) { // examples live as long as the program
        std::vector<Named> made;
        for (const GalleryExample* each : wanted)
            if (!stop.stop_requested())
                made.push_back({ words::fromStd(each->id), thumbnailOf(each->experiment, stop) });
        return made;
    });
}

CardsLayout::Sizes ExampleCards::sizes()
{
    CardsLayout::Sizes sizes;
    sizes.minimumWidth = Metrics::scaled(200);
    sizes.maximumWidth = Metrics::scaled(300);
    sizes.heading = Metrics::scaled(24);
    sizes.height = thumbnailHeight() + 3 * QFontMetrics(Metrics::semibold()).lineSpacing()
        + QFontMetrics(Metrics::small()).lineSpacing() + Metrics::scaled(22);
    return sizes;
}

void ExampleCards::arrange()
{
    m_layout = CardsLayout::make(m_counts, width(), sizes());
    m_pictures.clear();
}

QSize ExampleCards::minimumSizeHint() const
{
    return { sizes().minimumWidth + 2 * sizes().margin, sizes().height };
}

int ExampleCards::heightForWidth(int width) const
{
    return CardsLayout::make(m_counts, width, sizes()).height;
}

QString ExampleCards::tableText(int row, int column) const
{
    const GalleryExample& example = *m_cards[static_cast<std::size_t>(row)];
    return column == 0 ? words::fromStd(example.question)
        : column == 1  ? words::fromStd(example.experiment.title)
                       : documentOf(example);
}

void ExampleCards::tableActivate(int row)
{
    setCurrent(row);
    open();
}

Canvas::Tip ExampleCards::tipAt(QPoint point) const
{
    const int card = m_layout.cardAt(point);
    if (card < 0)
        return {};
    const GalleryExample& example = *m_cards[static_cast<std::size_t>(card)];
    const QString notes = words::fromStd(example.experiment.notes);
    return { plainTip(notes.isEmpty() ? words::fromStd(example.question) : notes), tableRect(card) };
}

void ExampleCards::hoverAt(std::optional<QPoint> point)
{
    const int hovered = point ? m_layout.cardAt(*point) : -1;
    if (std::exchange(m_hovered, hovered) == hovered)
        return;
    update();
}

void ExampleCards::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? m_layout.cardAt(event->position().toPoint()) : -1;
    if (m_pressed >= 0)
        setCurrent(m_pressed);
}

void ExampleCards::mouseReleaseEvent(QMouseEvent* event)
{
    const int pressed = std::exchange(m_pressed, -1);
    if (pressed >= 0 && pressed == m_current && m_layout.cardAt(event->position().toPoint()) == pressed)
        open();
}

void ExampleCards::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return setCurrent(m_layout.stepped(m_current, -1, 0));
    case Qt::Key_Right:
        return setCurrent(m_layout.stepped(m_current, 1, 0));
    case Qt::Key_Up:
        return setCurrent(m_layout.stepped(m_current, 0, -1));
    case Qt::Key_Down:
        return setCurrent(m_layout.stepped(m_current, 0, 1));
    case Qt::Key_Home:
        return setCurrent(m_cards.empty() ? -1 : 0);
    case Qt::Key_End:
        return setCurrent(tableRowCount() - 1);
    default:
        if (isActivation(*event))
            open();
        else
            Canvas::keyPressEvent(event);
    }
}

const QPixmap& ExampleCards::pictureOf(const QString& id, QSize size) const
{
    QPixmap& picture = m_pictures[id];
    const qreal ratio = devicePixelRatioF();
    if (picture.isNull() || picture.devicePixelRatio() != ratio) {
        picture = QPixmap(size * ratio);
        picture.setDevicePixelRatio(ratio);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paintThumbnail(painter, QRect(QPoint(), size), m_thumbnails[id], Theme::current(), ratio);
    }
    return picture;
}

void ExampleCards::paintCard(QPainter& painter, int card) const
{
    const Theme& theme = Theme::current();
    const GalleryExample& example = *m_cards[static_cast<std::size_t>(card)];
    const QString id = words::fromStd(example.id);
    const QRect rect = tableRect(card);
    const bool current = card == m_current;
    const int pad = Metrics::scaled(8);

    const QRectF frame = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(current ? theme.selectedRow : theme.base);
    painter.setPen(current      ? QPen(theme.accent, hasFocus() ? 2 : 1)
            : card == m_hovered ? QPen(theme.text, 1)
                                : QPen(theme.border, 1));
    painter.drawRoundedRect(frame, 4, 4);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const QRect top(rect.left() + pad, rect.top() + pad / 2 + 2, rect.width() - 2 * pad, thumbnailHeight() - pad);
    if (m_thumbnails.contains(id))
        painter.drawPixmap(top.topLeft(), pictureOf(id, top.size()));
    painter.setPen(theme.border);
    painter.drawLine(rect.left() + 1, rect.top() + thumbnailHeight(), rect.right() - 1, rect.top() + thumbnailHeight());

    QRect text(rect.left() + pad, rect.top() + thumbnailHeight() + pad / 2, rect.width() - 2 * pad, 0);
    painter.setFont(Metrics::semibold());
    painter.setPen(theme.text);
    drawLines(painter, text, words::fromStd(example.question), 3);

    painter.setFont(Metrics::small());
    const QFontMetrics small = painter.fontMetrics();
    const int foot = rect.bottom() - pad / 2 - small.lineSpacing();
    const auto count = static_cast<qint64>(tasksOf(example.id).size());
    QStringList marks;
    if (count > 0)
        marks << (count == 1 ? tr("1 task") : tr("%1 tasks").arg(words::count(count)));
    if (id == m_opened)
        marks << tr("open now");
    const QString mark = marks.join(QStringLiteral(", "));
    const int markWidth = small.horizontalAdvance(mark);
    painter.setPen(id == m_opened ? theme.accent : theme.secondary);
    painter.drawText(QRect(text.right() - markWidth, foot, markWidth + 1, small.lineSpacing()),
        Qt::AlignRight | Qt::AlignVCenter, mark);
    painter.setPen(theme.secondary);
    const int room = text.width() - (mark.isEmpty() ? 0 : markWidth + pad);
    painter.drawText(QRect(text.left(), foot, room, small.lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter,
        small.elidedText(words::fromStd(example.experiment.title), Qt::ElideRight, room));
}

void ExampleCards::paintEvent(QPaintEvent* event)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(event->rect(), theme.base);
    if (m_cards.empty()) {
        painter.setPen(theme.secondary);
        painter.drawText(rect(), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
            u'\n' + tr("No example has these words. Clear the search to see all of them."));
        return;
    }
    for (std::size_t i = 0; i < m_layout.groups.size(); ++i) {
        const QRect& heading = m_layout.groups[i].heading;
        if (!heading.intersects(event->rect()))
            continue;
        painter.setFont(Metrics::semibold());
        painter.setPen(theme.secondary);
        painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter,
            m_order == Order::ByDocument
                ? m_titles[static_cast<int>(i)]
                : tr("%1 …?", "the first word of questions").arg(m_titles[static_cast<int>(i)]));
    }
    for (int card = 0; card < tableRowCount(); ++card)
        if (tableRect(card).intersects(event->rect()))
            paintCard(painter, card);
}

} // namespace shardscope
