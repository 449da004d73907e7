// SPDX-License-Identifier: GPL-3.0-or-later
// Strips on top of the window, below the tool bar: a file that could not be opened, the question of an example. There
// while one of them has something to say, as high as its words need.
#pragma once

#include <QToolBar>

namespace shardscope {

class NoticeStrip;

class NoticeBar : public QToolBar {
    Q_OBJECT
public:
    explicit NoticeBar(QWidget* parent = nullptr);
    /// A strip below those that are there.
    NoticeStrip* addStrip(const QString& name);

    /// Saved arrangements of the window do not know what there is to say now: only strips show and hide the bar.
    void setVisible(bool) override { QToolBar::setVisible(hasNews()); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] bool hasNews() const;
    void fit();
    QWidget* m_content;
    QList<NoticeStrip*> m_strips;
};

} // namespace shardscope
