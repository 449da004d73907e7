// SPDX-License-Identifier: GPL-3.0-or-later
// The look of standard controls: Fusion made flat, with the theme's sizes, borders and focus ring.
#pragma once

#include <QProxyStyle>

namespace shardscope {

/// Controls with the dynamic property "primary" set are filled with the accent; "quiet" ones have no frame until they
/// are hovered; "segment" ones stand side by side in one frame (see SegmentedBar).
class ShardscopeStyle : public QProxyStyle {
    Q_OBJECT
public:
    ShardscopeStyle();

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(
        StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override;
    QSize sizeFromContents(
        ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
        const QWidget* widget) const override;
    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(
        ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
    QPalette standardPalette() const override { return QProxyStyle::standardPalette(); }
    void polish(QWidget* widget) override;
    using QProxyStyle::polish;

private:
    void drawHeaderSection(const QStyleOption* option, QPainter* painter) const;
    void drawTab(const QStyleOption* option, QPainter* painter) const;
    void drawButtonLabel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
    void drawComboBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
    void drawSpinBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
    void drawSlider(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
    void drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
};

/// Whether a widget has such a mark.
[[nodiscard]] bool isMarked(const QWidget* widget, const char* property);
/// Marks a button as the primary one (filled with the accent).
void setPrimary(QWidget* button, bool primary = true);
/// Marks a button as frameless until hovered.
void setQuiet(QWidget* button, bool quiet = true);

} // namespace shardscope
