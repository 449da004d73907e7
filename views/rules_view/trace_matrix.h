// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what every rule did for one array, and lets the rules be stepped through.
#pragma once

#include <QWidget>
#include <vector>

#include "sharding/logical_rules.h"
#include "views/rules_view/trace_layout.h"
#include "views/widgets/canvas.h"
#include "words/words.h"

namespace shardscope {

struct Theme;

/// One array's names, the rules, and what became of them.
struct TraceSubject {
    LogicalNames names;
    LogicalRules rules;
    Resolution resolution;
    std::vector<std::string> meshAxes;

    [[nodiscard]] int axisIndex(const std::string& name) const;
    [[nodiscard]] QString dimensionName(int dimension) const;
    /// Mesh axes that the result does not use.
    [[nodiscard]] std::vector<int> leftover() const;
    /// The spec as it stands once the rules up to and with `rule` have been read.
    [[nodiscard]] PartitionSpec specAfter(int rule) const;
    /// How many rules came out so.
    [[nodiscard]] int count(Verdict verdict) const;
};

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
    [[nodiscard]] int tableRowCount() const override;
    [[nodiscard]] int tableColumnCount() const override { return 5; }
    [[nodiscard]] QString tableHeader(int column) const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override;
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

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
    void paintLeader(QPainter& painter, const Theme& theme) const;
    void paintResult(QPainter& painter, const Theme& theme) const;
    [[nodiscard]] QString targetOf(int rule) const;
    [[nodiscard]] words::Text resultSentence(bool whole) const;
    [[nodiscard]] QString replicatedBecause(int dimension) const;
    TraceSubject m_subject;
    TraceLayout m_layout;
    int m_current = -1;
};

} // namespace shardscope
