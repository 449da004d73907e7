// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/shown_values.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "words/collective_texts.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct Values {
    Q_DECLARE_TR_FUNCTIONS(Values)
};

std::size_t at(int dimension)
{
    return static_cast<std::size_t>(dimension);
}

} // namespace

void ShownValues::takeDefaultPlane()
{
    const int dimensions = static_cast<int>(rank());
    rows = dimensions - 2 >= 0 ? dimensions - 2 : -1;
    columns = dimensions - 1;
    index = Shape(rank());
}

bool ShownValues::isEmpty() const
{
    const Shape& shape = subject.layout.shape();
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

std::int64_t ShownValues::size(int dimension) const
{
    if (dimension < 0)
        return 1;
    const Layout& layout = subject.layout;
    return local ? layout.shardShape()[at(dimension)] : layout.shape()[at(dimension)];
}

std::int64_t ShownValues::validRows(std::int64_t position) const
{
    if (position < 0)
        return rowCount();
    const Shape valid = validExtent(subject.layout, position);
    for (int d = 0; d < static_cast<int>(valid.size()); ++d)
        if (d != rows && d != columns && index[at(d)] >= valid[at(d)])
            return 0;
    return rows < 0 ? 1 : valid[at(rows)];
}

std::int64_t ShownValues::validColumns(std::int64_t position) const
{
    if (position < 0)
        return columnCount();
    return columns < 0 ? 1 : validExtent(subject.layout, position)[at(columns)];
}

Shape ShownValues::indexAt(std::int64_t row, std::int64_t column) const
{
    Shape result = index;
    if (rows >= 0)
        result[at(rows)] = row;
    if (columns >= 0)
        result[at(columns)] = column;
    return result;
}

std::optional<Shape> ShownValues::globalIndexAt(std::int64_t position, std::int64_t row, std::int64_t column) const
{
    Shape result = indexAt(row, column);
    const Layout& layout = subject.layout;
    if (local && position >= 0) {
        const Shape block = layout.blockAt(position);
        for (std::size_t d = 0; d < result.size(); ++d)
            result[d] += block[d] * layout.shardShape()[d];
    }
    for (std::size_t d = 0; d < result.size(); ++d)
        if (result[d] >= layout.shape()[d])
            return std::nullopt;
    return result;
}

std::int64_t ShownValues::shardAt(std::int64_t position, std::int64_t row, std::int64_t column) const
{
    return local && position >= 0 ? subject.layout.shardAt(position)
                                  : shardOfElement(subject.layout, indexAt(row, column));
}

bool ShownValues::holds(std::int64_t position, std::span<const std::int64_t> globalIndex) const
{
    return subject.layout.shardAt(position) == shardOfElement(subject.layout, globalIndex);
}

QString ShownValues::indexText(std::span<const std::int64_t> of) const
{
    if (of.empty())
        return {};
    QStringList parts;
    for (std::size_t d = 0; d < of.size(); ++d) {
        const bool named = d < subject.names.size() && !subject.names[d].empty();
        parts << (named ? subject.dimensionName(static_cast<int>(d)) + QLatin1Char(' ') : QString())
                + words::count(of[d]);
    }
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QStringList ShownValues::notes(const TensorRow& row) const
{
    const Layout& layout = subject.layout;
    QStringList sentences;
    if (layout.addends() > 1) {
        const QString axes = words::axesText(layout.mesh(), layout.sharding().unreduced);
        const QString parts = words::count(layout.addends());
        sentences << (layout.copies() > 1
                ? Values::tr("Partial: %1 values still have to be added up over %2, and %3 devices hold each of them.")
                      .arg(parts, axes, words::count(layout.copies()))
                : Values::tr("Partial: %1 values still have to be added up over %2.").arg(parts, axes));
        sentences << (local ? Values::tr("Each panel shows one partial value.")
                            : Values::tr("The global view adds them up; Local shows each partial value."));
        if (difference)
            sentences << Values::tr(
                "A partial value has no counterpart in the reference, so that differences are those of the sum.");
    } else if (!row.partialBefore.empty()) {
        sentences << Values::tr("Its partial values were added up over %1 in their own memory, so that only the sum is "
                                "there.")
                         .arg(words::axesText(layout.mesh(), row.partialBefore));
    }
    const auto listed = static_cast<std::int64_t>(positions.size());
    if (local && listed > 1 && listed < layout.mesh().deviceCount())
        sentences << Values::tr("The first %1 of %2 devices are shown; choose one to see another.")
                         .arg(words::count(listed), words::count(layout.mesh().deviceCount()));
    return sentences;
}

bool readPlane(const ShownValues& shown, const ReadSample& read, std::int64_t position,
    const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns, std::vector<double>& out)
{
    Sample sample;
    for (const std::int64_t index : shown.index)
        sample.indices.push_back({ index });
    if (shown.rows >= 0)
        sample.indices[at(shown.rows)] = rows;
    if (shown.columns >= 0)
        sample.indices[at(shown.columns)] = columns;
    out.assign(sample.count(), 0);
    if (!read(position, sample, out))
        return false;
    if (shown.rows <= shown.columns)
        return true;
    // It came with the dimension that goes across first.
    std::vector<double> turned(out.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t column = 0; column < columns.size(); ++column)
            turned[row * columns.size() + column] = out[column * rows.size() + row];
    out = std::move(turned);
    return true;
}

QString valueText(double value, DType dtype, bool difference)
{
    if (std::isnan(value))
        return Values::tr("NaN");
    if (std::isinf(value))
        return value > 0 ? Values::tr("∞") : Values::tr("−∞");
    const QString sign = difference && value > 0 ? QStringLiteral("+") : QString();
    if (dtype == DType::Pred && !difference)
        return value != 0 ? Values::tr("true") : Values::tr("false");
    const bool full = dtype >= DType::I8 && dtype <= DType::U64;
    if (full && std::abs(value) < 1e15)
        return sign + words::count(static_cast<qint64>(value));
    return sign + QLocale().toString(value, 'g', 5);
}

} // namespace shardscope
