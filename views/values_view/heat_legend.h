// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of a heat map mean: a bar with its numbers, and how many elements are no finite numbers.
#pragma once

#include <QWidget>
#include <algorithm>
#include <optional>
#include <vector>

#include "geometry/heat_data.h"
#include "views/theme/theme.h"

namespace shardscope {

class HeatLegend : public QWidget {
    Q_OBJECT
public:
    explicit HeatLegend(QWidget* parent = nullptr);
    void setContent(const HeatSummary& summary, DType dtype, bool difference, bool padding);
    /// What is counted stands below the bar instead of beside it.
    void setColumn(bool column);
    [[nodiscard]] bool isColumn() const { return m_column; }
    /// "NaN 3"; empty where there is none.
    [[nodiscard]] QStringList marks() const;
    struct Number {
        QString text;
        QRect place;
    };
    /// Those below the bar, from left to right: its ends, and 0 where there is room between them.
    [[nodiscard]] std::vector<Number> numbers() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(120), sizeHint().height() }; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HeatSummary m_summary;
    DType m_dtype = DType::F32;
    bool m_difference = false;
    bool m_padding = false;
    bool m_column = false;

    [[nodiscard]] int barWidth() const;
    [[nodiscard]] int entryCount() const { return std::max(1, static_cast<int>(marks().size())) + (m_padding ? 1 : 0); }
};

/// "A point: the largest magnitude of up to 4 × 4 elements. All 1,048,576 elements were read."
[[nodiscard]] QString heatNote(const HeatData& data, HeatReduction reduction);
/// Of differences, what they are to be measured by: "Largest difference 352 where values reach 5.9e+08: 6e-07 of that.
/// Their root mean square is 41, and up to 1.2e+04 counts as rounding." "" where the magnitude of the reference (0) is
/// not known. `allowed`: ShownValues::allowedDifference.
[[nodiscard]] QString differenceNote(
    const HeatSummary& differences, double referenceMagnitude, std::optional<double> allowed, DType dtype);
/// Whether they are those of roundings: a few elements may be far apart where an optimizer divides by what is small,
/// but not all. What is finite on one side alone is not. Nothing where it is not known what is allowed.
[[nodiscard]] std::optional<bool> agreesWithReference(const HeatSummary& differences, std::optional<double> allowed);

} // namespace shardscope
