// SPDX-License-Identifier: GPL-3.0-or-later
// The token table's promises, recomputed: contrast of text, of marks and of labels on fills; icons that exist and
// follow the theme; patterns that differ by state.
#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <cmath>

#include "registered_test.h"
#include "views/theme/appearance.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

using namespace shardscope;

namespace {

double luminance(const QColor& c)
{
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// Pixels of a 64 x 64 fill that the brush changes.
int covered(const QBrush& brush)
{
    QImage image(64, 64, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.fillRect(image.rect(), brush);
    painter.end();
    int changed = 0;
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            changed += image.pixel(x, y) != qRgb(255, 255, 255);
    return changed;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void contrastOfText_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void contrastOfText()
    {
        QFETCH(bool, dark);
        const Theme& t = dark ? Theme::darkTheme() : Theme::light();
        QCOMPARE(t.dark, dark);
        for (const QColor& role : { t.text, t.secondary, t.hint, t.error, t.warning, t.ok, t.info, t.accent }) {
            QVERIFY2(contrast(role, t.base) >= 4.55, qPrintable(role.name()));
            QVERIFY2(contrast(role, t.window) >= 4.55, qPrintable(role.name()));
        }
        QVERIFY(contrast(t.onAccent, t.accent) >= 4.55);
        for (const QColor& axis : t.meshAxes) {
            QVERIFY2(contrast(axis, t.base) >= 5.25, qPrintable(axis.name()));
            QVERIFY2(contrast(axis, t.window) >= 4.55, qPrintable(axis.name()));
        }
        for (const QColor& fill : t.shards)
            QVERIFY2(contrast(t.textOn(fill), fill) >= 4.55, qPrintable(fill.name()));
        for (const QColor& fill : t.owners)
            QVERIFY2(contrast(t.textOn(fill), fill) >= 4.55, qPrintable(fill.name()));
        for (std::int64_t index = 0; index < 64; ++index) {
            const QColor fill = t.shard(index, 64, index / 8, index % 8);
            QVERIFY2(contrast(t.textOn(fill), fill) >= 4.5, qPrintable(fill.name()));
        }
    }

    void neighboursOfManyShardsDiffer()
    {
        for (const Theme* t : { &Theme::light(), &Theme::darkTheme() }) {
            for (std::int64_t row = 0; row < 4; ++row) {
                for (std::int64_t column = 0; column < 4; ++column) {
                    const QColor here = t->shard(0, 512, row, column);
                    QVERIFY(here != t->shard(0, 512, row + 1, column));
                    QVERIFY(here != t->shard(0, 512, row, column + 1));
                }
            }
            QVERIFY(t->shard(0, 32, 0, 0) != t->shard(1, 32, 0, 1));
            QVERIFY(t->shard(0, 32, 0, 0) != t->shard(4, 32, 1, 0));
        }
    }

    /// Of 32 shards in dark every step of every hue is another colour, and those that are mixed stand out from the
    /// ground.
    void manyShardsStandOutInDark()
    {
        const Theme& t = Theme::darkTheme();
        for (std::int64_t row = 0; row < 8; ++row)
            for (std::int64_t column = 1; column < 4; ++column) {
                const QColor fill = t.shard(0, 32, row, column);
                QVERIFY2(contrast(fill, t.shard(0, 32, row, column - 1)) >= 1.2, qPrintable(fill.name()));
                QVERIFY2(contrast(fill, t.base) >= 3, qPrintable(fill.name()));
                QVERIFY(!t.isDeep(fill)); // its stripes are dark
            }
        QVERIFY(t.isDeep(t.shard(0, 8)));
        QVERIFY(!Theme::light().isDeep(Theme::light().shard(0, 8)));
    }

    void stripesGetDenserWithCopies()
    {
        const Theme& t = Theme::light();
        const QColor fill = t.shards[0];
        QCOMPARE(t.stripes(fill, 1, 1).style(), Qt::NoBrush);
        const int two = covered(t.stripes(fill, 2, 1)), four = covered(t.stripes(fill, 4, 1)),
                  eight = covered(t.stripes(fill, 8, 1));
        QVERIFY(two > 0);
        QVERIFY2(two < four && four < eight, qPrintable(QStringLiteral("%1 %2 %3").arg(two).arg(four).arg(eight)));
        QCOMPARE(covered(t.stripes(fill, 3, 1)), two);
        // A tile at twice the density covers about the same share of a surface.
        QVERIFY(covered(t.dots(fill, 1)) > 0);
        QVERIFY(covered(t.hatch(1)) > covered(t.stripes(fill, 2, 1)));
    }

    void axisLinesAreToldApartByDash()
    {
        const Theme& t = Theme::light();
        QCOMPARE(t.axisPen(0, 2).style(), Qt::SolidLine);
        QCOMPARE(t.axisPen(1, 2).dashPattern(), (QList<qreal>{ 4, 2 })); // 8-4 px in widths of 2
        QCOMPARE(t.axisPen(1, 1).dashPattern(), (QList<qreal>{ 8, 4 }));
        for (int i = 1; i < 6; ++i)
            for (int j = 1; j < i; ++j)
                QVERIFY(t.axisPen(i, 1).dashPattern() != t.axisPen(j, 1).dashPattern());
    }

    void iconsFollowTheTheme()
    {
        Appearance appearance(ThemeChoice::Light);
        const QDir icons(QStringLiteral(":/icons"));
        const QStringList files = icons.entryList({ QStringLiteral("*.svg") });
        QVERIFY(files.size() > 30);
        for (const QString& file : files) {
            const QString name = file.chopped(4);
            const QImage image = icon(name).pixmap(QSize(16, 16)).toImage().convertToFormat(QImage::Format_ARGB32);
            int ink = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    ink += qAlpha(image.pixel(x, y)) > 0;
            QVERIFY2(ink > 4, qPrintable(name));
        }
        const QIcon same = icon(QStringLiteral("grid"));
        const QImage inLight = same.pixmap(QSize(16, 16)).toImage();
        appearance.setChoice(ThemeChoice::Dark);
        QVERIFY(Theme::current().dark);
        QVERIFY(same.pixmap(QSize(16, 16)).toImage() != inLight);
        appearance.setChoice(ThemeChoice::Light);
        QVERIFY(!Theme::current().dark);
        QCOMPARE(same.pixmap(QSize(16, 16)).toImage(), inLight);
    }

    void primaryButtonIsFilledWithTheAccent()
    {
        Appearance appearance(ThemeChoice::Light);
        QPushButton button(QStringLiteral("Run step"));
        setPrimary(&button);
        button.resize(button.sizeHint());
        QCOMPARE(button.sizeHint().height(), Metrics::scaled(24));
        const QImage image = button.grab().toImage();
        QCOMPARE(image.pixelColor(5, image.height() / 2).name(), Theme::light().accent.name());
    }
};

REGISTER_TEST(TestTheme)
#include "test_theme.moc"
