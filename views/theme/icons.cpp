// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <cmath>

#include "views/theme/theme.h"

namespace shardscope {

namespace {

QColor colorOf(IconColor color)
{
    static constexpr QColor Theme::*colours[] = { &Theme::text, &Theme::secondary, &Theme::onAccent, &Theme::accent,
        &Theme::error, &Theme::warning, &Theme::ok, &Theme::info }; // in the order of IconColor
    return Theme::current().*colours[static_cast<std::size_t>(color)];
}

QPixmap rendered(const QString& name, QSize pixels, const QColor& color)
{
    const QString key = QStringLiteral("icon-%1-%2x%3-%4")
                            .arg(name)
                            .arg(pixels.width())
                            .arg(pixels.height())
                            .arg(color.name(QColor::HexArgb));
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (file.open(QIODevice::ReadOnly)) {
        QByteArray svg = file.readAll();
        svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
        QSvgRenderer renderer(svg);
        QPainter painter(&pixmap);
        painter.setOpacity(color.alphaF());
        renderer.render(&painter);
    }
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class ThemedIconEngine : public QIconEngine {
public:
    ThemedIconEngine(QString name, IconColor color)
        : m_name(std::move(name))
        , m_color(color)
    {
    }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const qreal ratio = painter->device()->devicePixelRatioF();
        const int side = std::min(rect.width(), rect.height());
        QPixmap picture = rendered(m_name, QSize(side, side) * ratio, color(mode));
        picture.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2, picture);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override
    {
        return rendered(m_name, size, color(mode));
    }
    QIconEngine* clone() const override { return new ThemedIconEngine(*this); }

private:
    [[nodiscard]] QColor color(QIcon::Mode mode) const
    {
        QColor result = colorOf(m_color);
        if (mode == QIcon::Disabled)
            result.setAlphaF(0.38F);
        return result;
    }
    QString m_name;
    IconColor m_color;
};

} // namespace

QIcon icon(const QString& name, IconColor color)
{
    return QIcon(new ThemedIconEngine(name, color));
}

QPixmap iconPixmap(const QString& name, int size, const QColor& color, qreal devicePixelRatio)
{
    const int pixels = static_cast<int>(std::lround(size * devicePixelRatio));
    QPixmap picture = rendered(name, QSize(pixels, pixels), color);
    picture.setDevicePixelRatio(devicePixelRatio);
    return picture;
}

QIcon severityIcon(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return icon(QStringLiteral("error"), IconColor::Failure);
    case Severity::Warning:
        return icon(QStringLiteral("warning"), IconColor::Warning);
    case Severity::Info:
        break;
    }
    return icon(QStringLiteral("info"), IconColor::Info);
}

} // namespace shardscope
