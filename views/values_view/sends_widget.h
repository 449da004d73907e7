// SPDX-License-Identifier: GPL-3.0-or-later
// Paints an SendsLayout. What is sent takes its way once when a collective is shown, where things may move.
#pragma once

#include <QVariantAnimation>
#include <QWidget>

#include "views/values_view/sends_layout.h"

namespace shardscope {

class SendsWidget : public QWidget {
    Q_OBJECT
public:
    explicit SendsWidget(QWidget* parent = nullptr);
    /// Hidden without a subject.
    void show(std::optional<SendsSubject> subject, const QString& sentence);
    [[nodiscard]] const std::optional<SendsSubject>& subject() const { return m_subject; }
    [[nodiscard]] SendsLayout layoutNow() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] qreal boxHeight() const;
    std::optional<SendsSubject> m_subject;
    QVariantAnimation m_way;
};

} // namespace shardscope
