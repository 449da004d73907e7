// SPDX-License-Identifier: GPL-3.0-or-later
// Paints an SendsLayout. What is sent takes its way once when a collective is shown, where things may move.
#pragma once

#include <QLineF>
#include <QRectF>
#include <QVariantAnimation>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"
#include "views/theme/theme.h"

namespace shardscope {

// The picture of a collective: the devices of a group before it, above those after it, and arrows for what goes from
// one to the other. Plain values, without a window.
//
//     all-reduce over devices 0 and 1:   [0]   [1]
//                                         | \ / |
//                                        [0]   [1]

/// Who sends to whom.
struct SendsSubject {
    std::vector<std::int32_t> devices; ///< of the groups that are drawn, at most maxDevices
    std::vector<std::pair<int, int>> sends; ///< places in `devices`
    std::int64_t groups = 1, drawn = 1; ///< of the collective, and those of them in the picture

    std::int64_t left = 0; ///< devices of the groups that are drawn without a place in the picture

    static constexpr std::size_t maxDevices = 8;
    bool operator==(const SendsSubject&) const = default;
};
/// Nothing for an operation that is no collective of StableHLO.
[[nodiscard]] std::optional<SendsSubject> sendsSubject(const Operation& operation, std::int64_t devices);

struct SendsLayout {
    std::vector<QRectF> before, after; ///< by place
    std::vector<QLineF> arrows; ///< by send

    SendsLayout() = default;
    SendsLayout(const SendsSubject& subject, const QRectF& room, qreal boxHeight, qreal widestBox);
};

class SendsWidget : public QWidget {
    Q_OBJECT
public:
    explicit SendsWidget(QWidget* parent = nullptr);
    /// Hidden without a subject.
    void show(std::optional<SendsSubject> subject, const QString& sentence);
    [[nodiscard]] const std::optional<SendsSubject>& subject() const { return m_subject; }
    [[nodiscard]] SendsLayout layoutNow() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(160), sizeHint().height() }; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] qreal boxHeight() const { return fontMetrics().height() + Metrics::scaled(4); }
    std::optional<SendsSubject> m_subject;
    QVariantAnimation m_way;
};

} // namespace shardscope
