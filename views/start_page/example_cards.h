// SPDX-License-Identifier: GPL-3.0-or-later
// The gallery as cards: a thumbnail, the question and the example of each, by document or by the first word of the
// question. A click or Return opens, arrow keys walk. Pictures come one after the other, worked out beside the window
// and kept.
#pragma once

#include <QHash>
#include <QPixmap>
#include <QPoint>
#include <QRect>
#include <span>
#include <vector>

#include "document/latest_job.h"
#include "geometry/cards_layout.h"
#include "views/start_page/thumbnail.h"
#include "views/widgets/canvas.h"

namespace shardscope {

struct GalleryExample;

class ExampleCards : public Canvas {
    Q_OBJECT
public:
    enum class Order : std::uint8_t { ByDocument, ByQuestion };
    explicit ExampleCards(QWidget* parent = nullptr);

    void setOrder(Order order);
    /// Those that have all of these words, in whatever field. Case does not count.
    void setFilter(const QString& text);
    /// Makes that one current; one that there is not: the first.
    void select(const QString& id);
    [[nodiscard]] QString current() const; ///< id; "" where nothing is found
    /// The example that is open, which bears a mark; "" for none.
    void setOpened(const QString& id);
    [[nodiscard]] const CardsLayout& layoutOfCards() const { return m_layout; }
    [[nodiscard]] const QStringList& headings() const { return m_titles; } ///< of the groups that have cards
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); } ///< on thumbnails
    [[nodiscard]] bool hasThumbnail(const QString& id) const { return m_thumbnails.contains(id); }
    /// Opens the current one.
    void open();

    // One row per card: question, example, document.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_cards.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { tr("Question"), tr("Example"), tr("Document") }; }
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override { return m_layout.cards[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return m_layout.cardAt(point); }
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override { return { 0, m_layout.height }; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

Q_SIGNALS:
    void currentChanged();
    void openRequested(const QString& id);
    void revealRequested(const QRect& rect); ///< of the card walked to

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] Tip tipAt(QPoint point) const override;
    void arrange() override;
    void recolour() override { m_pictures.clear(); }
    void hoverAt(std::optional<QPoint> point) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Named {
        QString id;
        Thumbnail thumbnail;
    };
    void fill();
    void requestThumbnails();
    void setCurrent(int card);
    [[nodiscard]] static CardsLayout::Sizes sizes();
    [[nodiscard]] const QPixmap& pictureOf(const QString& id, QSize size) const;
    void paintCard(QPainter& painter, int card) const;

    Order m_order = Order::ByDocument;
    QString m_filter, m_opened;
    std::vector<const GalleryExample*> m_cards; ///< in the order in which they are drawn
    std::vector<int> m_counts; ///< cards of each group
    QStringList m_titles; ///< of each group
    CardsLayout m_layout;
    int m_current = -1, m_hovered = -1, m_pressed = -1;
    QHash<QString, Thumbnail> m_thumbnails; ///< by id
    mutable QHash<QString, QPixmap> m_pictures; ///< the same, painted for the theme
    LatestJob<std::vector<Named>> m_job;
};

} // namespace shardscope
