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

/// The legend at work: where the next line stands, and what it says.
struct GridCanvas::Legend {
    const GridCanvas& canvas;
    QPainter& painter;
    const Theme& theme;
    const Layout& layout = canvas.m_subject->layout;
    const QStringList tiles = canvas.tileWords();
    const QStringList axes = canvas.m_subject->copyAxes();
    const bool beside = canvas.legendBeside();
    /// The note on proportions stands below the grid and has the whole width.
    const int bottom =
        beside && canvas.m_grid.isClamped() ? canvas.m_grid.panels().back().bottom() + 2 : canvas.height();
    const int swatchWidth = Metrics::scaled(22), swatchHeight = Metrics::scaled(14), lineHeight = Metrics::scaled(20);
    const int step = swatchWidth + Metrics::scaled(8); ///< from a swatch to its text
    int x = canvas.m_legend.left(), y = canvas.m_legend.top();

    /// A number of copies and its pattern.
    struct Row {
        std::int64_t copies;
        QString text;
        bool current;
        QString brief; ///< without the axes
    };

    [[nodiscard]] Row row(std::int64_t number, const QString& text, bool current) const
    {
        if (!current || axes.isEmpty() || number == 1)
            return { number, text, current, text };
        const QString full = tr("%1, along %2").arg(text, axes.join(QStringLiteral(", ")));
        const int wanted = QFontMetrics(Metrics::semibold()).horizontalAdvance(full) + Metrics::scaled(30);
        return { number, wanted < canvas.m_legend.width() ? full : text, current, text };
    }
    [[nodiscard]] QList<Row> rows() const
    {
        const std::int64_t copies = layout.copies();
        return { row(1, tr("1"), copies == 1), row(2, copies == 3 ? tr("3") : tr("2"), copies == 2 || copies == 3),
            row(4, copies > 4 && copies < 8 ? words::count(copies) : tr("4"), copies >= 4 && copies < 8),
            row(8, tr("8 or more"), copies >= 8) };
    }
    [[nodiscard]] bool hasGrades() const
    {
        return canvas.m_colour > ColourBy::Host && !canvas.m_grades.title.isEmpty();
    }
    [[nodiscard]] QColor gradeColour(qsizetype grade) const
    {
        return QColor(canvas.m_grades.colours[static_cast<std::size_t>(grade)]);
    }
    /// There is room for so many lines.
    [[nodiscard]] bool fits(int lines = 1) const { return y + lines * lineHeight <= bottom; }
    /// There is room for a line with a gap before it, which is left then.
    bool leaveGap()
    {
        constexpr int gap = 6;
        if (y + Metrics::scaled(gap) + lineHeight > bottom)
            return false;
        y += Metrics::scaled(gap);
        return true;
    }

    QRect swatch(const QBrush& pattern, const QColor& fill)
    {
        const QRect box(x, y + (lineHeight - swatchHeight) / 2, swatchWidth, swatchHeight);
        painter.setBrushOrigin(0, 0);
        painter.fillRect(box, fill);
        if (pattern.style() != Qt::NoBrush)
            painter.fillRect(box, pattern);
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
        return box;
    }
    /// Returns the pixels that it takes from the left.
    int write(const QString& text, bool strong, const QColor& color, int indent)
    {
        QFont face = Metrics::small();
        face.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(face);
        painter.setPen(color);
        const int room = canvas.m_legend.right() - x - indent;
        const QFontMetrics metrics(face);
        painter.drawText(QRect(x + indent, y, room, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
            beside ? metrics.elidedText(text, Qt::ElideMiddle, room) : text);
        return indent + metrics.horizontalAdvance(text);
    }
    void paragraph(const QString& head, const QStringList& lines)
    {
        if (!fits(1 + static_cast<int>(lines.size())))
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
    }

    /// Below the grid: one line.
    void paintLine()
    {
        if (!tiles.isEmpty()) // patterns have no room in tiles
            tilesInLine();
        else if (hasGrades())
            gradesInLine();
        else
            copiesInLine();
    }
    /// Beside the grid: as much as there is room for.
    void paintColumn()
    {
        if (y + 4 * lineHeight > bottom || !tilesAndCopies())
            return;
        colours();
        held();
        padding();
        dimensions();
    }

    /// What a tile is comes before how many devices there are, which is said elsewhere, too.
    void tilesInLine()
    {
        const QFontMetrics small(Metrics::small());
        const int room = canvas.m_legend.width();
        QStringList shown = tiles;
        while (shown.size() > 1 && small.horizontalAdvance(shown.join(QStringLiteral("; "))) > room)
            shown.removeFirst();
        write(small.elidedText(shown.join(QStringLiteral("; ")), Qt::ElideRight, room), false, theme.text, 0);
    }
    void gradesInLine()
    {
        const QFontMetrics small(Metrics::small());
        x += write(canvas.m_grades.title, true, theme.text, 0) + Metrics::scaled(10);
        for (qsizetype i = 0; i < canvas.m_grades.names.size(); ++i) {
            const QString& name = canvas.m_grades.names[i];
            if (x + step + small.horizontalAdvance(name) > canvas.m_legend.right())
                break;
            swatch(Qt::NoBrush, gradeColour(i));
            x += write(name, false, theme.secondary, step) + Metrics::scaled(12);
        }
    }
    void copiesInLine()
    {
        const QFontMetrics small(Metrics::small()), strong(Metrics::semibold());
        const QList<Row> all = rows();
        x += write(tr("Copies"), true, theme.text, 0) + Metrics::scaled(10);
        int wanted = 0;
        for (const Row& r : all)
            wanted += step + small.horizontalAdvance(r.text) + Metrics::scaled(12);
        const bool allFit = x + wanted <= canvas.m_legend.right();
        for (const Row& r : all) {
            if (!allFit && !r.current) // what the picture has comes before what others have
                continue;
            const auto hasRoom = [&](const QString& text) {
                return x + step + (r.current ? strong : small).horizontalAdvance(text) <= canvas.m_legend.right();
            };
            if (!hasRoom(r.brief))
                break;
            swatch(theme.stripes(theme.base, r.copies, canvas.devicePixelRatioF()), theme.base);
            x += write(hasRoom(r.text) ? r.text : r.brief, r.current, r.current ? theme.text : theme.secondary, step)
                + Metrics::scaled(12);
        }
    }

    /// False where there is no room for all patterns.
    bool tilesAndCopies()
    {
        for (const QString& line : tiles) {
            const bool first = &line == &tiles.front();
            write(line, first, first ? theme.text : theme.secondary, 0);
            y += lineHeight - 4;
        }
        if (!tiles.isEmpty())
            y += Metrics::scaled(10);
        write(tr("Copies"), true, theme.text, 0);
        y += lineHeight;
        for (const Row& r : rows()) {
            if (!fits())
                return false;
            swatch(theme.stripes(theme.base, r.copies, canvas.devicePixelRatioF()), theme.base);
            write(r.text, r.current, r.current ? theme.text : theme.secondary, step);
            y += lineHeight;
        }
        if (layout.copies() > 1 && canvas.m_grid.detail() < GridDetail::Marks && fits()) {
            write(tr("not striped: too small"), false, theme.secondary, 0);
            y += lineHeight;
        }
        return true;
    }
    /// What colours mean, other than shards.
    void colours()
    {
        if (hasGrades()) {
            y += Metrics::scaled(6);
            if (fits())
                write(canvas.m_grades.title, true, theme.text, 0);
            y += lineHeight;
            for (qsizetype i = 0; i < canvas.m_grades.names.size() && fits(); ++i) {
                swatch(Qt::NoBrush, gradeColour(i));
                write(canvas.m_grades.names[i], false, theme.secondary, step);
                y += lineHeight - 2;
            }
        } else if (!canvas.byShard() && tiles.isEmpty()) {
            devices();
        }
    }
    /// Whose colour it is; eight come again and again.
    void devices()
    {
        constexpr int hues = 8;
        const bool hosts = canvas.m_colour == ColourBy::Host;
        std::set<std::int32_t> ids;
        for (std::int64_t position = 0; position < layout.mesh().deviceCount() && ids.size() < 64; ++position) {
            const std::int32_t device = layout.mesh().deviceAt(position);
            ids.insert(hosts ? canvas.m_subject->hostOf(device) : device);
        }
        y += Metrics::scaled(6);
        for (const std::int32_t id : ids) {
            if (id >= hues || !fits())
                break;
            swatch(Qt::NoBrush, theme.shard(id, hues));
            const bool again = *ids.rbegin() >= id + hues;
            const QString name = (hosts ? tr("host %1") : tr("device %1")).arg(id);
            write(again ? tr("%1, %2, …", "device 0, 8, …").arg(name).arg(id + hues) : name, false, theme.secondary,
                step);
            y += lineHeight - 2;
        }
    }
    void held()
    {
        const std::int64_t copies = layout.copies(), devices = layout.mesh().deviceCount();
        if (layout.addends() > 1) {
            if (!leaveGap())
                return;
            swatch(theme.dots(theme.base, canvas.devicePixelRatioF()), theme.base);
            write(tr("partial sums"), true, theme.text, step);
            y += lineHeight;
        } else if (copies > 1) {
            const GridSubject& subject = *canvas.m_subject;
            const auto elements =
                std::accumulate(layout.shape().begin(), layout.shape().end(), std::int64_t{ 1 }, std::multiplies());
            const QString full =
                words::bytes(static_cast<double>(elements) * static_cast<double>(subject.elementBytes));
            const QString all = words::bytes(static_cast<double>(subject.shardBytes()) * static_cast<double>(devices));
            paragraph(copies == 2 ? tr("Held twice") : tr("Held %1 times").arg(words::count(copies)),
                { tr("%1 on %2").arg(all, words::counted(devices, words::Noun::Device)), tr("for a %1 array").arg(full),
                    axes.size() > 1 ? tr("along %1").arg(axes.join(QStringLiteral(", "))) : QString() });
        }
    }
    void padding()
    {
        if (!layout.isUneven() || !leaveGap())
            return;
        swatch(theme.hatch(canvas.devicePixelRatioF()), theme.alternateRow);
        write(tr("padding"), true, theme.text, step);
        y += lineHeight;
        for (std::size_t d = 0; d < layout.shape().size(); ++d) {
            const std::int64_t padded = layout.shardGrid()[d] * layout.shardShape()[d];
            if (padded <= layout.shape()[d] || !fits(2))
                continue;
            write(tr("%1: %2 in %3", "batch: 7 in 2 shards")
                      .arg(canvas.m_subject->dimensionName(static_cast<int>(d)), words::count(layout.shape()[d]),
                          words::counted(layout.shardGrid()[d], words::Noun::Shard)),
                false, theme.secondary, 0);
            y += lineHeight - 4;
            write(words::paddingOf(padded - layout.shape()[d], padded), false, theme.secondary, 0);
            y += lineHeight;
        }
    }
    /// Where dimensions are that do not span the panels.
    void dimensions()
    {
        const GridLayout& grid = canvas.m_grid;
        const GridSubject& subject = *canvas.m_subject;
        const auto each = [](const std::vector<int>& list, const auto& text) {
            QStringList lines;
            for (const int d : list)
                lines << text(d);
            return lines;
        };
        if (grid.panelsInAll() > 1)
            paragraph(tr("A grid per block of"), each(grid.multiples(), [&](int d) { return subject.titleOf(d); }));
        if (grid.columns().inner > 1 || grid.rows().inner > 1)
            paragraph(tr("Within each cell"), each(grid.columns().nested, [&](int d) {
                return tr("%1, across").arg(subject.titleOf(d));
            }) + each(grid.rows().nested, [&](int d) { return tr("%1, down").arg(subject.titleOf(d)); }));
        if (!grid.sliders().empty())
            paragraph(tr("Shown of the slider"),
                each(grid.sliders(), [&](int d) { return subject.blockText(d, grid.slideOf(d)); }));
        if (!grid.folded().empty() && layout.shape().size() > 2)
            paragraph(tr("Not sharded"), each(grid.folded(), [&](int d) {
                return QStringLiteral("%1 %2").arg(
                    subject.dimensionName(d), QString::number(layout.shape()[static_cast<std::size_t>(d)]));
            }));
        if (canvas.byShard() && tiles.isEmpty() && hasMotifs(layout) && leaveGap()) {
            paintMotif(painter, swatch(Qt::NoBrush, theme.base), 1, theme.text);
            write(tr("another shard"), false, theme.secondary, step);
            y += lineHeight;
        }
        if (grid.panelsInAll() > static_cast<std::int64_t>(grid.panels().size()))
            paragraph(tr("First %1 of %2").arg(grid.panels().size()).arg(words::count(grid.panelsInAll())), {});
    }
};

void GridCanvas::paintLegend(QPainter& painter, const Theme& theme) const
{
    Legend legend{ *this, painter, theme };
    if (legend.beside)
        legend.paintColumn();
    else
        legend.paintLine();
}

} // namespace shardscope
