// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what every rule did for one array, and lets the rules be stepped through.
#pragma once

#include <QRect>
#include <QWidget>
#include <optional>
#include <vector>

#include "sharding/logical_rules.h"
#include "views/widgets/canvas.h"
#include "words/words.h"

namespace shardscope {

struct Theme;

/// Geometry of the rule trace: one row per rule, one column per dimension of the array, a result row below.
struct TraceSizes {
    int number = 44; ///< column of the rule's number
    int rule = 150; ///< column of the rule itself
    int dimension = 108; ///< widest column of a dimension
    int narrowDimension = 64; ///< narrowest one
    int verdict = 90; ///< what the verdict needs at least
    int reason = 220; ///< and with its reason beside it
    int head = 30;
    int row = 48;
    int result = 56;
};

struct TraceLayout {
    TraceLayout() = default;
    TraceLayout(int rules, int dimensions, int width, const TraceSizes& sizes);

    int rules = 0, dimensions = 0;
    QRect head, result;
    int ruleLeft = 0, firstDimension = 0, dimensionWidth = 0, verdictLeft = 0;
    QSize size; ///< needed in all
    int minimumWidth = 0; ///< with the narrowest columns and without reasons
    /// The reason stands beside the verdict; otherwise there is room for the verdict alone.
    bool showsReasons = false;

    [[nodiscard]] QRect row(int rule) const;
    [[nodiscard]] QRect dimension(int dimension) const; ///< the column, over all rows
    [[nodiscard]] QRect cell(int rule, int dimension) const;
    [[nodiscard]] QRect resultCell(int dimension) const { return result.intersected(this->dimension(dimension)); }
    [[nodiscard]] QRect verdict(int rule) const;
    /// The chip in the middle of a cell.
    [[nodiscard]] QRect chip(const QRect& cell) const;
    [[nodiscard]] std::optional<int> ruleAt(QPoint point) const;

private:
    int m_rowHeight = 48;
};

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
    [[nodiscard]] int tableRowCount() const override { return m_subject.names.empty() ? 0 : m_layout.rules + 1; }
    [[nodiscard]] QStringList tableHeads() const override;
    [[nodiscard]] QString tableText(int row, int column) const override;
    [[nodiscard]] QRect tableRect(int row) const override;
    [[nodiscard]] int tableRowAt(QPoint point) const override;
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override;

    [[nodiscard]] QSize sizeHint() const override { return { m_layout.minimumWidth, m_layout.size.height() }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { m_layout.minimumWidth, m_layout.size.height() }; }

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
    [[nodiscard]] words::Text resultSentence(bool full) const;
    [[nodiscard]] QString replicatedBecause(int dimension) const;
    TraceSubject m_subject;
    TraceLayout m_layout;
    int m_current = -1;
};

} // namespace shardscope
