// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/size_slider.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "words/words.h"

namespace shardscope {

namespace {

int sliderMargin()
{
    return Metrics::scaled(8);
}

/// For screen readers the value is the size, not the number of the tick.
class SliderInterface : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit SliderInterface(SizeSlider* slider)
        : QAccessibleWidget(slider, QAccessible::Slider)
    {
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    [[nodiscard]] QString text(QAccessible::Text which) const override
    {
        return which == QAccessible::Value ? QString::number(slider()->current()) : QAccessibleWidget::text(which);
    }
    [[nodiscard]] QVariant currentValue() const override { return qint64{ slider()->current() }; }
    void setCurrentValue(const QVariant& value) override { slider()->chooseNear(value.toLongLong()); }
    [[nodiscard]] QVariant maximumValue() const override { return qint64{ slider()->sizes().back() }; }
    [[nodiscard]] QVariant minimumValue() const override { return qint64{ slider()->sizes().front() }; }
    [[nodiscard]] QVariant minimumStepSize() const override { return 1; }

private:
    [[nodiscard]] SizeSlider* slider() const { return static_cast<SizeSlider*>(widget()); }
};

QAccessibleInterface* makeSliderInterface(const QString& className, QObject* object)
{
    return className == QLatin1String(SizeSlider::staticMetaObject.className())
        ? new SliderInterface(static_cast<SizeSlider*>(object))
        : nullptr;
}

} // namespace

SizeSlider::SizeSlider(QWidget* parent)
    : QAbstractSlider(parent)
{
    QAccessible::installFactory(makeSliderInterface);
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SizeSlider::chooseNear(std::int64_t size)
{
    const auto nearer = [size](std::int64_t a, std::int64_t b) { return std::abs(a - size) < std::abs(b - size); };
    Q_EMIT sizeChosen(*std::min_element(m_sizes.begin(), m_sizes.end(), nearer), false);
}

void SizeSlider::setSizes(std::vector<std::int64_t> sizes, std::int64_t current)
{
    m_sizes = std::move(sizes);
    if (m_sizes.empty())
        m_sizes = { current };
    m_current = current;
    const auto at = std::lower_bound(m_sizes.begin(), m_sizes.end(), current);
    const int index = static_cast<int>(
        std::min<std::ptrdiff_t>(at - m_sizes.begin(), static_cast<std::ptrdiff_t>(m_sizes.size()) - 1));
    const QSignalBlocker quiet(this);
    setRange(0, static_cast<int>(m_sizes.size()) - 1);
    setValue(index);
    setAccessibleDescription(QString::number(current));
    update();
}

void SizeSlider::setAxis(int axis)
{
    m_axis = axis;
    update();
}
QPoint SizeSlider::handleAt(int index) const
{
    const int last = std::max(static_cast<int>(m_sizes.size()) - 1, 1);
    return { sliderMargin() + (width() - 2 * sliderMargin()) * index / last, Metrics::scaled(11) };
}

int SizeSlider::indexAt(int x) const
{
    const double room = std::max(width() - 2 * sliderMargin(), 1);
    const double position = (x - sliderMargin()) / room * static_cast<double>(maximum());
    return std::clamp(static_cast<int>(std::lround(position)), 0, maximum());
}

void SizeSlider::choose(int index, bool dragging)
{
    index = std::clamp(index, 0, maximum());
    const std::int64_t size = m_sizes[static_cast<std::size_t>(index)];
    Q_EMIT sizeChosen(size, dragging);
}

void SizeSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    qApp->installEventFilter(this); // Esc gives the drag up, wherever the focus is
    choose(indexAt(event->pos().x()), true);
}

void SizeSlider::mouseMoveEvent(QMouseEvent* event)
{
    if (isSliderDown())
        choose(indexAt(event->pos().x()), true);
}

void SizeSlider::mouseReleaseEvent(QMouseEvent* event)
{
    if (!isSliderDown())
        return;
    release();
    choose(indexAt(event->pos().x()), false);
}

void SizeSlider::release()
{
    setSliderDown(false);
    qApp->removeEventFilter(this);
}

bool SizeSlider::eventFilter(QObject* watched, QEvent* event)
{
    const bool escape = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (!isSliderDown() || !escape)
        return QAbstractSlider::eventFilter(watched, event);
    release();
    Q_EMIT cancelled();
    return true;
}

/// Scrolls what the slider stands in.
void SizeSlider::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

void SizeSlider::keyPressEvent(QKeyEvent* event)
{
    // From a size between two ticks a step leads to the neighbouring tick.
    const auto at = std::lower_bound(m_sizes.begin(), m_sizes.end(), m_current);
    const bool onTick = at != m_sizes.end() && *at == m_current;
    const int index = static_cast<int>(at - m_sizes.begin());
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Plus:
        choose(onTick ? index + 1 : index, false);
        break;
    case Qt::Key_Left:
    case Qt::Key_Minus:
        choose(index - 1, false);
        break;
    case Qt::Key_Home:
        choose(0, false);
        break;
    case Qt::Key_End:
        choose(maximum(), false);
        break;
    default:
        event->ignore();
    }
}

void SizeSlider::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPoint handle = handleAt(value());
    const int left = handleAt(0).x(), right = handleAt(std::max(maximum(), 1)).x(), y = handle.y();
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.border);
    painter.drawRoundedRect(QRectF(left, y - 1.5, right - left, 3), 1.5, 1.5);
    const QColor color = !isEnabled() ? theme.strongLine : m_axis < 0 ? theme.secondary : theme.meshAxis(m_axis);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(left, y - 1.5, handle.x() - left, 3), 1.5, 1.5);

    QFont face = Metrics::small();
    face.setPointSizeF(std::max(face.pointSizeF() * 10 / 11, 7.0));
    const QFontMetrics metrics(face);
    painter.setFont(face);
    int freeFrom = -100;
    for (int i = 0; i <= maximum(); ++i) {
        const QPoint at = handleAt(i);
        painter.setPen(QPen(theme.strongLine, 1));
        painter.drawLine(QPointF(at.x() + 0.5, y - 3), QPointF(at.x() + 0.5, y + 4));
        const QString text = words::count(m_sizes[static_cast<std::size_t>(i)]);
        const int width = metrics.horizontalAdvance(text);
        const int x = std::clamp(at.x() - width / 2, 0, std::max(0, this->width() - width));
        if (x < freeFrom
            || (i < maximum()
                && x + width + 4 > this->width() - metrics.horizontalAdvance(words::count(m_sizes.back()))))
            continue; // numbers that would touch are left out, the last one is kept
        painter.setPen(theme.secondary);
        painter.drawText(
            QRect(x, y + Metrics::scaled(7), width + 2, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        freeFrom = x + width + 4;
    }
    painter.setPen(QPen(color, 2));
    painter.setBrush(theme.base);
    painter.drawEllipse(QPointF(handle.x() + 0.5, y), 5.5, 5.5);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.accent, 2));
        painter.drawEllipse(QPointF(handle.x() + 0.5, y), 8.5, 8.5);
    }
}

} // namespace shardscope
