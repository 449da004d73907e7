// SPDX-License-Identifier: GPL-3.0-or-later
// render_icon ICON.svg SIZE PICTURE.png: the application's icon as a picture, for places that draw no SVG.
#include <QImage>
#include <QPainter>
#include <QString>
#include <QSvgRenderer>
#include <cstdio>

int main(int argc, char** argv)
{
    const int size = argc == 4 ? QString::fromLocal8Bit(argv[2]).toInt() : 0;
    if (size <= 0) {
        std::fputs("Usage: render_icon ICON.svg SIZE PICTURE.png\n", stderr);
        return 2;
    }
    QSvgRenderer icon(QString::fromLocal8Bit(argv[1]));
    QImage picture(size, size, QImage::Format_ARGB32);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    icon.render(&painter);
    painter.end();
    if (!icon.isValid() || !picture.save(QString::fromLocal8Bit(argv[3]), "PNG")) {
        std::fprintf(stderr, "render_icon: %s cannot be drawn to %s\n", argv[1], argv[3]);
        return 2;
    }
    return 0;
}
