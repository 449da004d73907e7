// SPDX-License-Identifier: GPL-3.0-or-later
// What is written on the items of a graph, laid out for one zoom and kept: a picture that moves asks for no text anew.
#pragma once

#include <QFont>
#include <QStaticText>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "geometry/graph_layout.h"
#include "words/graph_words.h"

class QPainter;

namespace shardscope {

struct Theme;

class GraphTexts {
public:
    /// Words in a row, of one or of several fonts and colours.
    struct Line {
        struct Run {
            QStaticText text;
            words::Span::Style style = words::Span::Style::Plain;
            int axis = -1;
            double left = 0, height = 0;
        };
        std::vector<Run> runs;
        double width = 0;
        bool isTitle = false; ///< of an operation or a part: in the title's font
    };
    /// Of one item.
    struct Item {
        Line title; ///< name of a part or a value
        Line more; ///< of a part that is no operation: what it holds; of a collective: what it sends
        Line label; ///< of a value, or of what an operation makes: shape and sharding
        double zoom = 0; ///< that the lines are laid out for; 0: not yet
    };

    /// Fonts for one zoom; to be set before texts are asked for.
    void setZoom(double zoom);
    /// The words are others, or the items.
    void forget();
    [[nodiscard]] const Item& of(const GraphLayout& layout, const GraphWords& words, GraphPlace place);
    /// `at`: the left end of the line, halfway up.
    void draw(QPainter& painter, const Line& line, QPointF at, const QColor& plain, const Theme& theme) const;

private:
    [[nodiscard]] const QFont& font(words::Span::Style style, bool isTitle) const;
    void layOut(Line& line) const;

    double m_zoom = 0;
    QFont m_title, m_small, m_smallStrong, m_fixed, m_fixedStrong;
    std::unordered_map<std::uint64_t, Item> m_items; ///< by level and item
};

/// A font at a zoom.
[[nodiscard]] QFont zoomed(QFont font, double zoom);

} // namespace shardscope
