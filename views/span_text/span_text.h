// SPDX-License-Identifier: GPL-3.0-or-later
// Draws words::Text: plain and strong words, code in the fixed font, mesh axes in their colours or as chips.
#pragma once

#include <QFont>
#include <QRectF>
#include <QTextLayout>
#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "views/theme/theme.h"
#include "words/words.h"

class QPainter;

namespace shardscope {

enum class AxisMarks : std::uint8_t { Coloured, Chips };

/// Text broken into lines of a width. Chips lie at `chips`, in the coordinates of the text.
struct SpanLayout {
    struct Chip {
        QRectF rect;
        int axis = 0;
    };
    std::unique_ptr<QTextLayout> text;
    std::vector<Chip> chips;
    /// Where the words of a link lie, line by line; `span` is its place in the text.
    struct Link {
        QRectF rect;
        int span = 0;
    };
    std::vector<Link> links;
    qreal height = 0;
    qreal naturalWidth = 0; ///< of the widest line

    /// `width` <= 0: one line. Colours are those of the theme.
    static SpanLayout make(const words::Text& spans, const QFont& font, qreal width, AxisMarks marks,
        const Theme& theme, qreal lineHeight = 0);
    void draw(QPainter& painter, QPointF at, const Theme& theme) const;
};

/// Splits code such as "P(data, -)" so that names of mesh axes become axis spans.
[[nodiscard]] words::Text axisSpans(const QString& code, const std::vector<std::string>& axisNames);

/// A paragraph of spans, as a widget: wraps, grows downwards, can be read aloud and copied. Links in it are followed by
/// a click, or by keyboard: arrow keys choose one, Return follows it.
class SpanLabel : public QWidget {
    Q_OBJECT
public:
    explicit SpanLabel(QWidget* parent = nullptr);
    explicit SpanLabel(words::Text text, AxisMarks marks = AxisMarks::Coloured, QWidget* parent = nullptr);

    /// Is what a screen reader reads first, unless the label has got an accessible name before: that stays, and the
    /// text follows as the description.
    void setText(words::Text text);
    [[nodiscard]] const words::Text& text() const { return m_text; }
    void setMarks(AxisMarks marks);
    void setWrapping(bool wraps); ///< true at first
    void setColour(QColor Theme::*role); ///< of plain words; text at first

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return m_wraps; }
    [[nodiscard]] int heightForWidth(int width) const override;
    /// The link at a point, "" for none.
    [[nodiscard]] QString linkAt(QPoint point) const;

Q_SIGNALS:
    void linkActivated(const QString& link);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int spanAt(QPoint point) const; ///< of a link, -1 for none
    /// Spans that are links, in order.
    [[nodiscard]] std::vector<int> linkSpans() const;
    void setCurrentLink(int span);
    int m_hovered = -1, m_currentLink = -1; ///< spans
    [[nodiscard]] SpanLayout layoutFor(int width) const;
    /// Sizes that layouts ask for again and again while neither text nor fonts change.
    struct Measured {
        QFont font, code;
        int lineWidth = 0; ///< of the text in one line
        std::vector<QSize> wrapped; ///< each width that was asked for, with its height; the newest last
    };
    [[nodiscard]] Measured& measured() const;
    void measureAnew();
    mutable std::optional<Measured> m_measured;
    words::Text m_text;
    AxisMarks m_marks = AxisMarks::Coloured;
    bool m_wraps = true;
    QColor Theme::*m_colour = &Theme::text;
};

} // namespace shardscope
