// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmapCache>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

/// Relative luminance and contrast as WCAG 2 defines them.
double luminance(const QColor& color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

/// Tokens and their colours in the light and in the dark set.
struct Token {
    QColor Theme::*colour;
    QRgb light, dark;
};
constexpr Token tokens[] = {
    { &Theme::window, 0xEFF0F2, 0x25282D },
    { &Theme::base, 0xFFFFFF, 0x1B1D21 },
    { &Theme::alternateRow, 0xF6F7F9, 0x202327 },
    { &Theme::button, 0xFAFBFC, 0x33373E },
    { &Theme::dockTitle, 0xE4E6EA, 0x2E3238 },
    { &Theme::border, 0xC9CDD3, 0x41464E },
    { &Theme::strongLine, 0x8E96A1, 0x69717D },
    { &Theme::plotGrid, 0xE3E6EA, 0x2C3036 },
    { &Theme::text, 0x1B1F24, 0xF2F4F6 },
    { &Theme::secondary, 0x555C66, 0xAEB5BF },
    { &Theme::hint, 0x656C76, 0x8C949F },
    { &Theme::accent, 0x4353C9, 0x99A5FF },
    { &Theme::onAccent, 0xFFFFFF, 0x12152B },
    { &Theme::selectedRow, 0xE4E7FB, 0x30365C },
    { &Theme::error, 0xB3261E, 0xFF8A80 },
    { &Theme::errorBackground, 0xFBE9E7, 0x43201E },
    { &Theme::warning, 0x8A5300, 0xF0C05A },
    { &Theme::warningBackground, 0xFFF4DC, 0x3B2F14 },
    { &Theme::ok, 0x1E7A3E, 0x6FD08C },
    { &Theme::info, 0x1F67A8, 0x7FBFF5 },
    { &Theme::infoBackground, 0xE4F0FA, 0x1A3147 },
    { &Theme::computeBackward, 0x8D99A8, 0x5D6877 },
    { &Theme::wait, 0xD5D9DE, 0x363B43 },
};

Theme makeTheme(bool dark)
{
    Theme theme;
    theme.dark = dark;
    for (const Token& token : tokens)
        theme.*token.colour = rgb(dark ? token.dark : token.light);
    const auto fill = [dark](auto& list, const auto& light, const auto& deep) {
        std::transform(light.begin(), light.end(), list.begin(), rgb);
        if (dark)
            std::transform(deep.begin(), deep.end(), list.begin(), rgb);
    };
    fill(theme.meshAxes, std::array<QRgb, 6>{ 0x0067A3, 0xB34B00, 0x00735A, 0x8F4176, 0x665F00, 0x4A515B },
        std::array<QRgb, 6>{ 0x63B8F2, 0xFF9B5C, 0x4FCBA3, 0xE4A0C8, 0xD9CF55, 0xB7BEC8 });
    fill(theme.shards,
        std::array<QRgb, 8>{ 0x78C3ED, 0xEBB233, 0xB2E2D5, 0xCB7A3A, 0xCFA1BA, 0xFAF7C6, 0x4799C8, 0x919191 },
        std::array<QRgb, 8>{ 0x397495, 0x604916, 0x066149, 0x402818, 0x82526F, 0x746F2B, 0x0D3B56, 0x2E2F32 });
    fill(theme.owners, std::array<QRgb, 6>{ 0x3B4C63, 0x5C718E, 0x9DB0C8, 0xC7D3E2, 0xE9C46A, 0xB9BEC6 },
        std::array<QRgb, 6>{ 0xA9BBD3, 0x7D92B0, 0x586C8A, 0x3E4E68, 0xC9A23F, 0x555B64 });
    return theme;
}

/// One tile pixel per device pixel. The brush is scaled, not the pixmap's ratio: paint engines agree on that.
template <class Paint>
QBrush tiled(const QString& key, int pixels, qreal ratio, Paint paint)
{
    QPixmap tile;
    if (!QPixmapCache::find(key, &tile)) {
        tile = QPixmap(pixels, pixels);
        tile.fill(Qt::transparent);
        QPainter painter(&tile);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(painter);
        painter.end();
        QPixmapCache::insert(key, tile);
    }
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    return brush;
}

} // namespace

QColor mixed(const QColor& fill, const QColor& over, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(
        channel(fill.red(), over.red()), channel(fill.green(), over.green()), channel(fill.blue(), over.blue()));
}

const Theme& Theme::light()
{
    static const Theme theme = makeTheme(false);
    return theme;
}

const Theme& Theme::darkTheme()
{
    static const Theme theme = makeTheme(true);
    return theme;
}

const Theme& Theme::current()
{
    return QGuiApplication::palette().color(QPalette::Window).lightness() < 128 ? darkTheme() : light();
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, alternateRow);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, hint);
    p.setColor(QPalette::Button, button);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, error);
    p.setColor(QPalette::Light, base);
    p.setColor(QPalette::Midlight, dockTitle);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, strongLine);
    p.setColor(QPalette::Shadow, strongLine);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, onAccent);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, base);
    p.setColor(QPalette::ToolTipText, text);
    const QColor faded = mixed(window, text, 0.38);
    for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
        p.setColor(QPalette::Disabled, role, faded);
    p.setColor(QPalette::Disabled, QPalette::Highlight, border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, faded);
    return p;
}

QPen Theme::axisPen(int index, qreal width) const
{
    QPen pen(meshAxis(index), width, Qt::SolidLine, Qt::FlatCap);
    static const std::array<QList<qreal>, 6> dashes{ QList<qreal>{}, { 8, 4 }, { 2, 3 }, { 8, 3, 2, 3 }, { 12, 3 },
        { 4, 4 } };
    QList<qreal> pattern = dashes[static_cast<std::size_t>(index) % 6];
    if (!pattern.isEmpty()) {
        for (qreal& length : pattern)
            length /= std::max(width, qreal{ 0.5 }); // a dash pattern counts in pen widths
        pen.setDashPattern(pattern);
    }
    return pen;
}

QColor Theme::textOn(const QColor& fill) const
{
    const QColor onBright = rgb(0x1B1F24), onDeep = rgb(0xFFFFFF);
    return contrast(fill, onBright) >= contrast(fill, onDeep) ? onBright : onDeep;
}

QColor Theme::shard(std::int64_t index, std::int64_t count, std::int64_t row, std::int64_t column) const
{
    const auto tint = [this](std::int64_t i) { return shards[static_cast<std::size_t>(i) % shards.size()]; };
    if (count <= 8)
        return tint(index);
    if (count <= 64) {
        // Always lighter: a deep tint that went towards a dark ground would be lost in it. In dark the middle is left
        // out, on which no text can be read.
        static constexpr std::array<double, 4> light{ 0.0, 0.22, 0.44, 0.62 }, deep{ 0.0, 0.46, 0.62, 0.78 };
        return mixed(tint(row), Qt::white, (dark ? deep : light)[static_cast<std::size_t>(column) % light.size()]);
    }
    static constexpr std::array<std::int64_t, 4> four{ 0, 5, 4, 2 };
    return mixed(tint(four[static_cast<std::size_t>(2 * (row % 2) + column % 2)]), base, 0.2);
}

QBrush Theme::stripes(const QColor& fill, std::int64_t copies, qreal devicePixelRatio) const
{
    if (copies < 2)
        return Qt::NoBrush;
    const int pitch = copies < 4 ? 12 : copies < 8 ? 8 : 5;
    const int side = std::max(2, static_cast<int>(std::lround(pitch * std::sqrt(2.0) * devicePixelRatio)));
    const QColor line = isDeep(fill) ? mixed(fill, Qt::white, 0.34) : mixed(fill, Qt::black, 0.30);
    const QString key = QStringLiteral("stripes-%1-%2").arg(line.name()).arg(side);
    return tiled(key, side, devicePixelRatio, [&](QPainter& painter) {
        painter.setPen(QPen(line, 1.25 * devicePixelRatio, Qt::SolidLine, Qt::SquareCap));
        for (const int shift : { -side, 0, side })
            painter.drawLine(QPointF(shift, side), QPointF(shift + side, 0));
    });
}

QBrush Theme::dots(const QColor& fill, qreal devicePixelRatio) const
{
    const int side = std::max(3, static_cast<int>(std::lround(8 * devicePixelRatio)));
    const QColor dot = isDeep(fill) ? mixed(fill, Qt::white, 0.50) : mixed(fill, Qt::black, 0.45);
    const QString key = QStringLiteral("dots-%1-%2").arg(dot.name()).arg(side);
    return tiled(key, side, devicePixelRatio, [&](QPainter& painter) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(dot);
        painter.drawEllipse(QPointF(side / 2.0, side / 2.0), 1.25 * devicePixelRatio, 1.25 * devicePixelRatio);
    });
}

QBrush Theme::hatch(qreal devicePixelRatio) const
{
    const int side = std::max(3, static_cast<int>(std::lround(8 * std::sqrt(2.0) * devicePixelRatio)));
    const QString key = QStringLiteral("hatch-%1-%2").arg(strongLine.name()).arg(side);
    return tiled(key, side, devicePixelRatio, [&](QPainter& painter) {
        painter.setPen(QPen(strongLine, devicePixelRatio, Qt::SolidLine, Qt::SquareCap));
        painter.drawLine(QPointF(0, side), QPointF(side, 0));
        painter.drawLine(QPointF(0, 0), QPointF(side, side));
    });
}

namespace {

QFont resized(QFont font, double factor, double lessPixels = 0)
{
    const QFont application = QGuiApplication::font();
    if (application.pointSizeF() > 0) {
        const double pixelsPerPoint = QFontInfo(application).pixelSize() / application.pointSizeF();
        font.setPointSizeF(application.pointSizeF() * factor - (pixelsPerPoint > 0 ? lessPixels / pixelsPerPoint : 0));
    } else {
        font.setPixelSize(static_cast<int>(std::lround(application.pixelSize() * factor - lessPixels)));
    }
    return font;
}

} // namespace

int Metrics::scaled(int pixels)
{
    const int size = QFontInfo(QGuiApplication::font()).pixelSize();
    return static_cast<int>(std::lround(pixels * std::max(size, 6) / 12.0));
}

QFont Metrics::semibold()
{
    QFont font = QGuiApplication::font();
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont Metrics::title()
{
    QFont font = resized(QGuiApplication::font(), 13.0 / 12);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont Metrics::fixed()
{
    return resized(QFontDatabase::systemFont(QFontDatabase::FixedFont), 1, 0.5);
}

QFont Metrics::small()
{
    return resized(QGuiApplication::font(), 11.0 / 12);
}

} // namespace shardscope
