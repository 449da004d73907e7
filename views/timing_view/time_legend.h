// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

#include "views/panel/flow_layout.h"

namespace shardscope {

/// Swatches with their names and figures, set one after the other.
class TimeLegend : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        QString name;
        QString figure;
        QColor fill; ///< none: a name without swatch
        bool operator==(const Entry&) const = default;
    };
    explicit TimeLegend(QWidget* parent = nullptr);
    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] FlowLayout flowFor(int width) const;
    std::vector<Entry> m_entries;
};

} // namespace shardscope
