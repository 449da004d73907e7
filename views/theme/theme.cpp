// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmapCache>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

namespace {

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

/// `share` of `over`, the rest of `fill`.
QColor mixed(const QColor& fill, const QColor& over, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(
        channel(fill.red(), over.red()), channel(fill.green(), over.green()), channel(fill.blue(), over.blue()));
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

Theme makeLight()
{
    Theme t;
    t.dark = false;
    t.window = rgb(0xEFF0F2);
    t.base = rgb(0xFFFFFF);
    t.alternateRow = rgb(0xF6F7F9);
    t.button = rgb(0xFAFBFC);
    t.dockTitle = rgb(0xE4E6EA);
    t.border = rgb(0xC9CDD3);
    t.strongLine = rgb(0x8E96A1);
    t.plotGrid = rgb(0xE3E6EA);
    t.text = rgb(0x1B1F24);
    t.secondary = rgb(0x555C66);
    t.hint = rgb(0x656C76);
    t.accent = rgb(0x4353C9);
    t.onAccent = rgb(0xFFFFFF);
    t.selectedRow = rgb(0xE4E7FB);
    t.error = rgb(0xB3261E);
    t.errorBackground = rgb(0xFBE9E7);
    t.warning = rgb(0x8A5300);
    t.warningBackground = rgb(0xFFF4DC);
    t.ok = rgb(0x1E7A3E);
    t.okBackground = rgb(0xE4F4E9);
    t.info = rgb(0x1F67A8);
    t.infoBackground = rgb(0xE4F0FA);
    t.meshAxes = { rgb(0x0067A3), rgb(0xB34B00), rgb(0x00735A), rgb(0x8F4176), rgb(0x665F00), rgb(0x4A515B) };
    t.shards = { rgb(0x78C3ED), rgb(0xEBB233), rgb(0xB2E2D5), rgb(0xCB7A3A), rgb(0xCFA1BA), rgb(0xFAF7C6),
        rgb(0x4799C8), rgb(0x919191) };
    t.owners = { rgb(0x3B4C63), rgb(0x5C718E), rgb(0x9DB0C8), rgb(0xC7D3E2), rgb(0xE9C46A), rgb(0xB9BEC6) };
    t.computeForward = rgb(0x6C7A8C);
    t.computeBackward = rgb(0x8D99A8);
    t.computeOptimizer = rgb(0xC0C7CF);
    t.wait = rgb(0xD5D9DE);
    return t;
}

Theme makeDark()
{
    Theme t;
    t.dark = true;
    t.window = rgb(0x25282D);
    t.base = rgb(0x1B1D21);
    t.alternateRow = rgb(0x202327);
    t.button = rgb(0x33373E);
    t.dockTitle = rgb(0x2E3238);
    t.border = rgb(0x41464E);
    t.strongLine = rgb(0x69717D);
    t.plotGrid = rgb(0x2C3036);
    t.text = rgb(0xF2F4F6);
    t.secondary = rgb(0xAEB5BF);
    t.hint = rgb(0x8C949F);
    t.accent = rgb(0x99A5FF);
    t.onAccent = rgb(0x12152B);
    t.selectedRow = rgb(0x30365C);
    t.error = rgb(0xFF8A80);
    t.errorBackground = rgb(0x43201E);
    t.warning = rgb(0xF0C05A);
    t.warningBackground = rgb(0x3B2F14);
    t.ok = rgb(0x6FD08C);
    t.okBackground = rgb(0x1C3526);
    t.info = rgb(0x7FBFF5);
    t.infoBackground = rgb(0x1A3147);
    t.meshAxes = { rgb(0x63B8F2), rgb(0xFF9B5C), rgb(0x4FCBA3), rgb(0xE4A0C8), rgb(0xD9CF55), rgb(0xB7BEC8) };
    t.shards = { rgb(0x397495), rgb(0x604916), rgb(0x066149), rgb(0x402818), rgb(0x82526F), rgb(0x746F2B),
        rgb(0x0D3B56), rgb(0x2E2F32) };
    t.owners = { rgb(0xA9BBD3), rgb(0x7D92B0), rgb(0x586C8A), rgb(0x3E4E68), rgb(0xC9A23F), rgb(0x555B64) };
    t.computeForward = rgb(0x7E8CA0);
    t.computeBackward = rgb(0x5D6877);
    t.computeOptimizer = rgb(0x3F4650);
    t.wait = rgb(0x363B43);
    return t;
}

/// A tile as a brush, one tile pixel per device pixel. The pixmap's own ratio stays 1 and the brush is scaled instead,
/// which paint engines agree on.
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

const Theme& Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::darkTheme()
{
    static const Theme theme = makeDark();
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
        static constexpr std::array<double, 4> steps{ 0.0, 0.22, 0.44, 0.62 };
        return mixed(tint(row), base, steps[static_cast<std::size_t>(column) % steps.size()]);
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
    const QColor line = dark ? mixed(fill, Qt::white, 0.34) : mixed(fill, Qt::black, 0.30);
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
    const QColor dot = dark ? mixed(fill, Qt::white, 0.50) : mixed(fill, Qt::black, 0.45);
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

QFont Metrics::small()
{
    return resized(QGuiApplication::font(), 11.0 / 12);
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

} // namespace shardscope
