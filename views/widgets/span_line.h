// SPDX-License-Identifier: GPL-3.0-or-later
// One line of words::Text: mesh axes in their colour. Shortened at its end when there is no room.
#pragma once

#include <QWidget>

#include "words/words.h"

namespace shardscope {

struct Theme;

/// Paints the spans from the left of `rect`, vertically centred; returns the width used. `flat`: all in one colour, as
/// on selected rows.
int paintSpans(QPainter& painter, const QRect& rect, const words::Text& text, const QFont& font, const QColor& color,
    const Theme& theme, bool flat = false);
[[nodiscard]] int spansWidth(const words::Text& text, const QFont& font);

class SpanLine : public QWidget {
    Q_OBJECT
public:
    explicit SpanLine(QWidget* parent = nullptr);
    /// `shorter` is shown where the text does not fit; empty: the text, shortened.
    void setText(words::Text text, words::Text shorter = {});
    [[nodiscard]] const words::Text& text() const { return m_text; }
    void setBaseFont(const QFont& font);
    /// In the secondary colour.
    void setMuted(bool muted) { m_muted = muted; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    words::Text m_text, m_shorter;
    QFont m_font;
    bool m_muted = false;
};

} // namespace shardscope
