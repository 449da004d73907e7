// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/sketch_widget.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <algorithm>

#include "views/theme/theme.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

constexpr int travelTime = 450; ///< milliseconds

qreal textWidth(const QFont& font, const QString& text)
{
    return QFontMetricsF(font).horizontalAdvance(text);
}

} // namespace

SketchWidget::SketchWidget(QWidget* parent)
    : Canvas(tr("The step as a picture"), parent)
{
    setFocusPolicy(Qt::NoFocus); // the table beside it has the same steps
    m_way.setStartValue(0.0);
    m_way.setEndValue(1.0);
    m_way.setDuration(travelTime);
    m_way.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_way, &QVariantAnimation::valueChanged, this, [this] { update(); });
}

QString SketchWidget::axesText(const SketchTensor& tensor) const
{
    QStringList dims;
    for (const SketchTensor::Dimension& dim : tensor.dims) {
        QStringList axes;
        for (const AxisRef& axis : dim.axes)
            axes << words::fromStd(toString(*m_mesh, axis));
        dims << (axes.isEmpty()    ? QStringLiteral("-")
                : axes.size() == 1 ? axes.front()
                                   : QLatin1Char('(') + axes.join(QStringLiteral(", ")) + QLatin1Char(')'));
    }
    return dims.join(QStringLiteral(", "));
}

qreal SketchWidget::boxWidth(const SketchTensor& tensor) const
{
    const QFont plain = font(), fixed = Metrics::fixed();
    return 2 * Metrics::scaled(8)
        + std::max(textWidth(plain, tensor.name) + Metrics::scaled(10) + textWidth(fixed, tensor.shape),
            textWidth(fixed, axesText(tensor)));
}

/// Where an axis comes from, the operation and where the axis goes are in sight together: in a low dock all three are
/// lower, as far as two lines of text allow.
qreal SketchWidget::boxHeight() const
{
    const qreal room = height() - 2 * Metrics::scaled(8) - 2 * gap();
    return std::clamp<qreal>(room / 3, Metrics::scaled(31), Metrics::scaled(40));
}

qreal SketchWidget::gap() const
{
    return height() < 3 * Metrics::scaled(40) + 2 * Metrics::scaled(26) ? Metrics::scaled(11) : Metrics::scaled(18);
}

void SketchWidget::arrange()
{
    if (m_sketch.tensors.empty())
        return;
    m_sketch.place([this](const SketchTensor& tensor) { return boxWidth(tensor); }, boxHeight(), gap());
    tableChanged(this);
}

void SketchWidget::show(const Snapshot& snapshot, const Replay& replay, std::uint32_t step, bool animated)
{
    m_mesh = snapshot.mesh;
    m_program = snapshot.program;
    m_sketch = StepSketch::make(
        *m_program, replay, step, [this](const SketchTensor& tensor) { return boxWidth(tensor); }, boxHeight(), gap());
    m_way.stop();
    if (animated && style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0)
        m_way.start();
    else
        m_way.setCurrentTime(travelTime);
    tableChanged(this);
    updateGeometry();
    update();
}

void SketchWidget::clear()
{
    m_sketch = {};
    m_way.stop();
    tableChanged(this);
    updateGeometry();
    update();
}

QSize SketchWidget::sizeHint() const
{
    // As low as it may be: the height that there is decides.
    return { m_sketch.size.toSize().width() + 2 * Metrics::scaled(8), minimumSizeHint().height() };
}

QSize SketchWidget::minimumSizeHint() const
{
    return { Metrics::scaled(120), 3 * Metrics::scaled(31) + 2 * Metrics::scaled(11) + 2 * Metrics::scaled(8) };
}

QPointF SketchWidget::origin() const
{
    return { std::max<qreal>(Metrics::scaled(8), (width() - m_sketch.size.width()) / 2),
        std::max<qreal>(Metrics::scaled(8), (height() - m_sketch.size.height()) / 2) };
}

void SketchWidget::paintTensor(QPainter& painter, const SketchTensor& tensor) const
{
    const Theme& theme = Theme::current();
    const bool changed =
        std::any_of(tensor.dims.begin(), tensor.dims.end(), [](const auto& dim) { return dim.arrived; });
    painter.setPen(QPen(changed ? theme.accent : theme.strongLine, changed ? 2 : 1));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(tensor.rect, 4, 4);
    const QRectF inner = tensor.rect.adjusted(Metrics::scaled(8), Metrics::scaled(3), -Metrics::scaled(8), 0);
    const QRectF head(inner.left(), inner.top(), inner.width(), inner.height() / 2);
    painter.setFont(font());
    painter.setPen(theme.text);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, tensor.name);
    painter.setFont(Metrics::fixed());
    painter.setPen(theme.secondary);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, tensor.shape);

    qreal x = inner.left();
    const QRectF foot = head.translated(0, head.height() - Metrics::scaled(2));
    const auto write = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(QRectF(x, foot.top(), foot.width(), foot.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += textWidth(Metrics::fixed(), text);
    };
    for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
        if (d > 0)
            write(QStringLiteral(", "), theme.secondary);
        const AxisList& axes = tensor.dims[d].axes;
        if (axes.empty())
            write(QStringLiteral("-"), theme.secondary);
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (axes.size() > 1)
                write(a == 0 ? QStringLiteral("(") : QStringLiteral(", "), theme.secondary);
            write(words::fromStd(toString(*m_mesh, axes[a])), theme.meshAxis(axes[a].axis));
        }
        if (axes.size() > 1)
            write(QStringLiteral(")"), theme.secondary);
    }
}

void SketchWidget::paintEvent(QPaintEvent*)
{
    if (m_sketch.tensors.empty())
        return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(origin());
    const QPointF middle = m_sketch.operationRect.center();
    // Edges of the graph first: operands into the operation, the operation into its results.
    painter.setPen(QPen(theme.strongLine, 1));
    for (const SketchTensor& tensor : m_sketch.tensors)
        painter.drawLine(tensor.isResult ? QPointF(tensor.rect.center().x(), tensor.rect.top())
                                         : QPointF(tensor.rect.center().x(), tensor.rect.bottom()),
            middle);
    for (const SketchTensor& tensor : m_sketch.tensors)
        paintTensor(painter, tensor);
    // The way of each axis, and how far along it is.
    const qreal done = m_way.currentValue().toDouble();
    for (const SketchMove& move : m_sketch.moves) {
        const SketchTensor& to = m_sketch.tensors[static_cast<std::size_t>(move.to)];
        const auto port = [](const SketchTensor& tensor) {
            return QPointF(tensor.rect.center().x(), tensor.isResult ? tensor.rect.top() : tensor.rect.bottom());
        };
        const QPointF end = port(to);
        const QPointF begin = move.from < 0 ? middle : port(m_sketch.tensors[static_cast<std::size_t>(move.from)]);
        QPainterPath path(begin);
        path.quadTo(middle, end);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(theme.axisPen(move.axis, 2));
        painter.drawPath(path);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.meshAxis(move.axis));
        painter.drawEllipse(path.pointAtPercent(std::clamp(done, 0.0, 1.0)), Metrics::scaled(4), Metrics::scaled(4));
    }
    if (!m_sketch.operation.isEmpty()) {
        const qreal width = textWidth(Metrics::semibold(), m_sketch.operation) + 2 * Metrics::scaled(8);
        const QRectF box(middle.x() - width / 2, middle.y() - Metrics::scaled(11), width, 2 * Metrics::scaled(11));
        painter.setPen(QPen(theme.border, 1));
        painter.setBrush(theme.button);
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
        painter.setPen(theme.text);
        painter.setFont(Metrics::semibold());
        painter.drawText(box, Qt::AlignCenter, m_sketch.operation);
    }
}

void SketchWidget::mousePressEvent(QMouseEvent* event)
{
    if (const int row = tableRowAt(event->position().toPoint()); row >= 0)
        tableActivate(row);
}

int SketchWidget::tableRowCount() const
{
    return static_cast<int>(m_sketch.tensors.size());
}

QString SketchWidget::tableHeader(int column) const
{
    return column == 0 ? tr("Tensor") : column == 1 ? tr("Shape") : tr("Axes after the step");
}

QString SketchWidget::tableText(int row, int column) const
{
    const SketchTensor& tensor = m_sketch.tensors[static_cast<std::size_t>(row)];
    return column == 0 ? tensor.name : column == 1 ? tensor.shape : axesText(tensor);
}

QRect SketchWidget::tableRect(int row) const
{
    return m_sketch.tensors[static_cast<std::size_t>(row)].rect.translated(origin()).toAlignedRect();
}

int SketchWidget::tableRowAt(QPoint point) const
{
    return m_sketch.tensorAt(point - origin());
}

void SketchWidget::tableActivate(int row)
{
    const ValueId value = m_sketch.tensors[static_cast<std::size_t>(row)].value;
    if (const QString path = words::fromStd(m_program->value(value).path); !path.isEmpty())
        Q_EMIT tensorChosen(path);
}

} // namespace shardscope
