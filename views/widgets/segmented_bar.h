// SPDX-License-Identifier: GPL-3.0-or-later
// A few choices side by side in one frame, one of them chosen: Tip | Paragraph | Derivation. Arrow keys step.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

#include "views/widgets/canvas.h"

namespace shardscope {

class SegmentedBar : public Canvas {
    Q_OBJECT
public:
    explicit SegmentedBar(const QStringList& names, QWidget* parent = nullptr);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int index);

    // One row per choice.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_names.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { accessibleName() }; }
    [[nodiscard]] QString tableText(int row, int) const override { return m_names[row]; }
    [[nodiscard]] QRect tableRect(int row) const override { return segment(row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override { setCurrent(row); }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRect segment(int index) const;
    QStringList m_names;
    int m_current = 0;
};

/// Pages of one view, one of them shown, chosen by a bar on top. The others are hidden and take no room: the view is as
/// small as the page that is shown lets it be.
class PageStack : public QWidget {
    Q_OBJECT
public:
    struct Page {
        QString name;
        QWidget* widget;
    };
    /// `name` is what the bar is called for those who cannot see it.
    PageStack(const QString& name, const QList<Page>& pages, QWidget* parent = nullptr);

    [[nodiscard]] SegmentedBar* bar() const { return m_bar; }
    [[nodiscard]] QWidget* current() const { return m_pages[m_bar->current()]; }
    /// One of the pages.
    void setCurrent(const QWidget* page);

Q_SIGNALS:
    void currentChanged();

private:
    void follow();
    SegmentedBar* m_bar;
    QList<QWidget*> m_pages;
};

} // namespace shardscope
