// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what every rule did for one array, and lets the rules be stepped through.
#pragma once

#include <QRect>
#include <QWidget>
#include <optional>
#include <vector>

#include "geometry/trace_layout.h"
#include "views/widgets/canvas.h"
#include "words/trace_subject.h"
#include "words/words.h"

namespace shardscope {

struct Theme;

class TraceMatrix : public Canvas {
    Q_OBJECT
public:
    explicit TraceMatrix(QWidget* parent = nullptr);
    void setSubject(TraceSubject subject);
    [[nodiscard]] const TraceSubject& subject() const { return m_subject; }
    [[nodiscard]] const TraceLayout& traceLayout() const { return m_layout; }
    [[nodiscard]] int currentRule() const { return m_current; }
    void setCurrentRule(int rule);

    // One row per rule, and the result.
    [[nodiscard]] int tableRowCount() const override { return m_subject.names.empty() ? 0 : m_layout.rules + 1; }
    [[nodiscard]] QStringList tableHeads() const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override { return { m_minimumWidth, m_layout.size.height() }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void currentRuleChanged(int rule);
    void moveRequested(int rule, int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void arrange() override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paintRule(QPainter& painter, int rule, const Theme& theme) const;
    void paintMapping(QPainter& painter, int rule, const Theme& theme) const;
    void paintLeader(QPainter& painter, const Theme& theme) const;
    void paintResult(QPainter& painter, const Theme& theme) const;
    [[nodiscard]] QString targetOf(int rule) const;
    TraceSubject m_subject;
    TraceLayout m_layout;
    int m_current = -1;
    int m_minimumWidth = 0;
    bool m_isStacked = false; ///< what a rule maps to stands below its name, so that more dimensions are seen
};

} // namespace shardscope
