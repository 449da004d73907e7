// SPDX-License-Identifier: GPL-3.0-or-later
// Paints an SendsLayout. What is sent takes its way once when a collective is shown, where things may move.
#pragma once

#include <QLineF>
#include <QRectF>
#include <QVariantAnimation>
#include <QWidget>
#include <optional>
#include <vector>

#include "analysis/collective_sends.h"
#include "geometry/sends_layout.h"
#include "views/theme/theme.h"

namespace shardscope {

class SendsWidget : public QWidget {
    Q_OBJECT
public:
    explicit SendsWidget(QWidget* parent = nullptr);
    /// Hidden without a subject.
    void show(std::optional<CollectiveSends> subject, const QString& sentence);
    [[nodiscard]] const std::optional<CollectiveSends>& subject() const { return m_subject; }
    [[nodiscard]] SendsLayout layoutNow() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(160), sizeHint().height() }; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] qreal boxHeight() const { return fontMetrics().height() + Metrics::scaled(4); }
    std::optional<CollectiveSends> m_subject;
    QVariantAnimation m_way;
};

} // namespace shardscope
