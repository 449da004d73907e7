// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QWidget>
#include <algorithm>

namespace shardscope {

/// Two groups of controls: beside each other where there is room, else one below the other.
class ControlGroups : public QWidget {
public:
    ControlGroups(QLayout* first, QLayout* second, QWidget* parent)
        : QWidget(parent)
        , m_both(new QBoxLayout(QBoxLayout::LeftToRight, this))
    {
        m_both->setContentsMargins(8, 4, 8, 6);
        m_both->setSpacing(6);
        m_both->addLayout(first);
        m_both->addLayout(second);
        m_both->addStretch(1);
    }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        const QMargins edge = m_both->contentsMargins();
        const int width = std::max(m_both->itemAt(0)->minimumSize().width(), m_both->itemAt(1)->minimumSize().width());
        return { width + edge.left() + edge.right(), QWidget::minimumSizeHint().height() };
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        const QMargins edge = m_both->contentsMargins();
        const int wanted = m_both->itemAt(0)->sizeHint().width() + m_both->itemAt(1)->sizeHint().width() + edge.left()
            + edge.right() + m_both->spacing();
        m_both->setDirection(width() >= wanted ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    }

private:
    QBoxLayout* m_both;
};

} // namespace shardscope
