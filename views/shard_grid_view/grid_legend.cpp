// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside GridCanvas (grid_canvas.h): what its patterns mean, what it holds, and what of it is padding.
#include <QPainter>
#include <functional>
#include <numeric>
#include <set>

#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "words/words.h"

namespace shardscope {

QStringList GridCanvas::tileWords() const
{
    if (m_grid.detail() != GridDetail::Raster || m_grid.panels().empty())
        return {};
    const Layout& layout = m_subject->layout;
    QStringList lines{ words::counted(layout.mesh().deviceCount(), words::Noun::Device),
        tr("%1 different shards").arg(words::count(layout.distinctShards())) };
    const std::int64_t rows = m_grid.rowsPerTile(), columns = m_grid.columnsPerTile();
    const HostTile& host = m_grid.hostTile();
    if (rows * columns == 1)
        return lines;
    if (rows == host.rows && columns == host.columns)
        lines << tr("1 tile: 1 host, %1").arg(words::counted(m_subject->devicesPerHost, words::Noun::Device));
    else
        lines << tr("1 tile: %1 × %2 shards").arg(words::count(rows), words::count(columns));
    return lines;
}

void GridCanvas::paintLegend(QPainter& painter, const Theme& theme) const
{
    const Layout& layout = m_subject->layout;
    const qreal ratio = devicePixelRatioF();
    const QFontMetrics small(Metrics::small());
    struct Row {
        std::int64_t copies;
        QString text;
        bool current;
        QString brief; ///< without the axes
    };
    QStringList axes;
    for (const int axis : m_subject->copyAxes())
        axes << QString::fromStdString(layout.mesh().axis(static_cast<std::size_t>(axis)).name);
    const std::int64_t copies = layout.copies();
    const auto row = [&](std::int64_t number, const QString& text, bool current) {
        if (!current || axes.isEmpty() || number == 1)
            return Row{ number, text, current, text };
        const QString full = tr("%1, along %2").arg(text, axes.join(QStringLiteral(", ")));
        const bool fits =
            QFontMetrics(Metrics::semibold()).horizontalAdvance(full) + Metrics::scaled(30) < m_legend.width();
        return Row{ number, fits ? full : text, current, text };
    };
    const QList<Row> rows{ row(1, tr("1"), copies == 1),
        row(2, copies == 3 ? tr("3") : tr("2"), copies == 2 || copies == 3),
        row(4, copies > 4 && copies < 8 ? words::count(copies) : tr("4"), copies >= 4 && copies < 8),
        row(8, tr("8 or more"), copies >= 8) };

    const bool beside = legendBeside();
    // The note on proportions stands below the grid and has the whole width.
    const int bottom = beside && m_grid.isClamped() ? m_grid.panels().back().bottom() + 2 : height();
    int x = m_legend.left(), y = m_legend.top();
    const int swatchWidth = Metrics::scaled(22), swatchHeight = Metrics::scaled(14), lineHeight = Metrics::scaled(20);
    const auto swatch = [&](const QBrush& pattern, const QColor& fill) {
        const QRect box(x, y + (lineHeight - swatchHeight) / 2, swatchWidth, swatchHeight);
        painter.setBrushOrigin(0, 0);
        painter.fillRect(box, fill);
        if (pattern.style() != Qt::NoBrush)
            painter.fillRect(box, pattern);
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
    };
    const auto write = [&](const QString& text, bool strong, const QColor& color, int indent) {
        QFont face = Metrics::small();
        face.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(face);
        painter.setPen(color);
        const int room = m_legend.right() - x - indent;
        const QFontMetrics metrics(face);
        painter.drawText(QRect(x + indent, y, room, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
            beside ? metrics.elidedText(text, Qt::ElideMiddle, room) : text);
        return indent + metrics.horizontalAdvance(text);
    };
    const int step = swatchWidth + Metrics::scaled(8);
    const QStringList tiles = tileWords();
    if (!beside && !tiles.isEmpty()) { // patterns have no room in tiles
        // What a tile is comes before how many devices there are, which is said elsewhere, too.
        QStringList shown = tiles;
        while (shown.size() > 1 && small.horizontalAdvance(shown.join(QStringLiteral("; "))) > m_legend.width())
            shown.removeFirst();
        write(
            small.elidedText(shown.join(QStringLiteral("; ")), Qt::ElideRight, m_legend.width()), false, theme.text, 0);
        return;
    }
    if (!beside && m_colour > ColourBy::Host && !m_grades.title.isEmpty()) {
        x += write(m_grades.title, true, theme.text, 0) + Metrics::scaled(10);
        for (qsizetype i = 0; i < m_grades.names.size(); ++i) {
            if (x + step + small.horizontalAdvance(m_grades.names[i]) > m_legend.right())
                break;
            swatch(Qt::NoBrush, QColor(m_grades.colours[static_cast<std::size_t>(i)]));
            x += write(m_grades.names[i], false, theme.secondary, step) + Metrics::scaled(12);
        }
        return;
    }
    if (!beside) {
        x += write(tr("Copies"), true, theme.text, 0) + Metrics::scaled(10);
        int wanted = 0;
        for (const Row& r : rows)
            wanted += step + small.horizontalAdvance(r.text) + Metrics::scaled(12);
        const bool all = x + wanted <= m_legend.right();
        const QFontMetrics strong(Metrics::semibold());
        for (const Row& r : rows) {
            if (!all && !r.current) // what the picture has comes before what others have
                continue;
            const auto fits = [&](const QString& text) {
                return x + step + (r.current ? strong : small).horizontalAdvance(text) <= m_legend.right();
            };
            if (!fits(r.brief))
                break;
            const QString& text = fits(r.text) ? r.text : r.brief;
            swatch(theme.stripes(theme.base, r.copies, ratio), theme.base);
            x += write(text, r.current, r.current ? theme.text : theme.secondary, step) + Metrics::scaled(12);
        }
        return;
    }
    if (y + 4 * lineHeight > bottom)
        return;
    for (const QString& line : tiles) {
        write(line, &line == &tiles.front(), &line == &tiles.front() ? theme.text : theme.secondary, 0);
        y += lineHeight - 4;
    }
    if (!tiles.isEmpty())
        y += Metrics::scaled(10);
    write(tr("Copies"), true, theme.text, 0);
    y += lineHeight;
    for (const Row& r : rows) {
        if (y + lineHeight > bottom)
            return;
        swatch(theme.stripes(theme.base, r.copies, ratio), theme.base);
        write(r.text, r.current, r.current ? theme.text : theme.secondary, step);
        y += lineHeight;
    }
    if (copies > 1 && m_grid.detail() < GridDetail::Marks && y + lineHeight <= bottom) {
        write(tr("not striped: too small"), false, theme.secondary, 0);
        y += lineHeight;
    }
    if (m_colour > ColourBy::Host && !m_grades.title.isEmpty()) {
        y += Metrics::scaled(6);
        if (y + lineHeight <= bottom)
            write(m_grades.title, true, theme.text, 0);
        y += lineHeight;
        for (qsizetype i = 0; i < m_grades.names.size() && y + lineHeight <= bottom; ++i) {
            swatch(Qt::NoBrush, QColor(m_grades.colours[static_cast<std::size_t>(i)]));
            write(m_grades.names[i], false, theme.secondary, step);
            y += lineHeight - 2;
        }
    } else if (!byShard() && tiles.isEmpty()) { // whose colour it is; eight come again and again
        const bool hosts = m_colour == ColourBy::Host;
        const std::int64_t devices = layout.mesh().deviceCount();
        std::set<std::int32_t> ids;
        for (std::int64_t position = 0; position < devices && ids.size() < 64; ++position) {
            const std::int32_t device = layout.mesh().deviceAt(position);
            ids.insert(hosts ? m_subject->hostOf(device) : device);
        }
        y += Metrics::scaled(6);
        for (const std::int32_t id : ids) {
            if (id >= 8 || y + lineHeight > bottom)
                break;
            swatch(Qt::NoBrush, theme.shard(id, 8));
            const bool again = *ids.rbegin() >= id + 8;
            const QString name = (hosts ? tr("host %1") : tr("device %1")).arg(id);
            write(again ? tr("%1, %2, …", "device 0, 8, …").arg(name).arg(id + 8) : name, false, theme.secondary, step);
            y += lineHeight - 2;
        }
    }
    const auto paragraph = [&](const QString& head, const QStringList& lines) {
        if (y + lineHeight * (1 + static_cast<int>(lines.size())) > bottom)
            return;
        y += Metrics::scaled(6);
        write(head, true, theme.text, 0);
        y += lineHeight - 2;
        for (const QString& line : lines) {
            if (line.isEmpty())
                continue;
            write(line, false, theme.secondary, 0);
            y += lineHeight - 4;
        }
    };
    const std::int64_t deviceCount = layout.mesh().deviceCount();
    const auto elements =
        std::accumulate(layout.shape().begin(), layout.shape().end(), std::int64_t{ 1 }, std::multiplies());
    const QString full = words::bytes(static_cast<double>(elements) * static_cast<double>(m_subject->elementBytes));
    const QString held = words::bytes(static_cast<double>(m_subject->shardBytes()) * static_cast<double>(deviceCount));
    const auto room = [&] { return y + Metrics::scaled(6) + lineHeight <= bottom; };
    if (layout.addends() > 1) {
        if (room()) {
            y += Metrics::scaled(6);
            swatch(theme.dots(theme.base, ratio), theme.base);
            write(tr("partial sums"), true, theme.text, step);
            y += lineHeight;
        }
    } else if (copies > 1) {
        paragraph(copies == 2 ? tr("Held twice") : tr("Held %1 times").arg(words::count(copies)),
            { tr("%1 on %2").arg(held, words::counted(deviceCount, words::Noun::Device)),
                tr("for a %1 array").arg(full),
                axes.size() > 1 ? tr("along %1").arg(axes.join(QStringLiteral(", "))) : QString() });
    }
    if (layout.isUneven() && room()) {
        y += Metrics::scaled(6);
        swatch(theme.hatch(ratio), theme.alternateRow);
        write(tr("padding"), true, theme.text, step);
        y += lineHeight;
        for (std::size_t d = 0; d < layout.shape().size(); ++d) {
            const std::int64_t padded = layout.shardGrid()[d] * layout.shardShape()[d];
            if (padded <= layout.shape()[d] || y + 2 * lineHeight > bottom)
                continue;
            write(tr("%1: %2 in %3", "batch: 7 in 2 shards")
                      .arg(m_subject->dimensionName(static_cast<int>(d)), words::count(layout.shape()[d]),
                          words::counted(layout.shardGrid()[d], words::Noun::Shard)),
                false, theme.secondary, 0);
            y += lineHeight - 4;
            write(words::paddingOf(padded - layout.shape()[d], padded), false, theme.secondary, 0);
            y += lineHeight;
        }
    }
    const auto each = [](const std::vector<int>& dimensions, const auto& text) {
        QStringList lines;
        for (const int d : dimensions)
            lines << text(d);
        return lines;
    };
    if (m_grid.panelsInAll() > 1)
        paragraph(tr("A grid per block of"), each(m_grid.multiples(), [&](int d) { return m_subject->titleOf(d); }));
    if (m_grid.columns().inner > 1 || m_grid.rows().inner > 1)
        paragraph(tr("Within each cell"), each(m_grid.columns().nested, [&](int d) {
            return tr("%1, across").arg(m_subject->titleOf(d));
        }) + each(m_grid.rows().nested, [&](int d) { return tr("%1, down").arg(m_subject->titleOf(d)); }));
    if (!m_grid.sliders().empty())
        paragraph(tr("Shown of the slider"),
            each(m_grid.sliders(), [&](int d) { return m_subject->blockText(d, m_grid.slideOf(d)); }));
    if (!m_grid.folded().empty() && layout.shape().size() > 2)
        paragraph(tr("Not sharded"), each(m_grid.folded(), [&](int d) {
            return QStringLiteral("%1 %2").arg(
                m_subject->dimensionName(d), QString::number(layout.shape()[static_cast<std::size_t>(d)]));
        }));
    if (byShard() && tiles.isEmpty() && hasMotifs(layout) && room()) {
        y += Metrics::scaled(6);
        const QRect box(x, y + (lineHeight - swatchHeight) / 2, swatchWidth, swatchHeight);
        swatch(Qt::NoBrush, theme.base);
        paintMotif(painter, box, 1, theme.text);
        write(tr("another shard"), false, theme.secondary, step);
        y += lineHeight;
    }
    if (m_grid.panelsInAll() > static_cast<std::int64_t>(m_grid.panels().size()))
        paragraph(tr("First %1 of %2").arg(m_grid.panels().size()).arg(words::count(m_grid.panelsInAll())), {});
}

} // namespace shardscope
