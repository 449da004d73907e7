// SPDX-License-Identifier: GPL-3.0-or-later
// Sections below each other in one column that is scrolled as a whole. Each is as high as what is in it. Where there is
// less room, tables become lower, those at the bottom before those above. Where that is not enough either the column is
// scrolled, and each has its own height again, as far as the column is high. Where there is more room, the last section
// that is unfolded takes it.
#pragma once

#include <QList>
#include <QScrollArea>
#include <functional>
#include <vector>

#include "views/theme/theme.h"

namespace shardscope {

class Section;

class SectionColumn : public QScrollArea {
    Q_OBJECT
public:
    struct Heights {
        int least = 0; ///< in which its content is still of use
        int wanted = 0; ///< to show all of it
    };
    explicit SectionColumn(QWidget* parent = nullptr);

    /// At the bottom. `heights` tells those of the body at a width; without it they are the body's hints. What is left
    /// of the column goes to the last one with `heights`, or with a body that expands.
    void add(Section* section, std::function<Heights(int width)> heights = {});
    [[nodiscard]] QList<Section*> sections() const;
    /// Shows the section, unfolds it and scrolls to it.
    void reveal(Section* section);
    /// Heights follow contents; to be called where rows come and go without a word.
    void fit();

    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return { minimumSizeHint().width(), Metrics::scaled(600) }; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void scrollTo(const Section* section);
    struct Row {
        Section* section;
        std::function<Heights(int width)> heights;
    };
    [[nodiscard]] Heights heightsOf(const Row& row, int width) const;
    struct Placed {
        Section* section;
        int y, height;
    };
    /// The sections that are seen, in a column of that width.
    [[nodiscard]] std::vector<Placed> placedAt(int width) const;
    QWidget* m_content;
    QList<Row> m_rows;
    bool m_fitting = false;
};

} // namespace shardscope
