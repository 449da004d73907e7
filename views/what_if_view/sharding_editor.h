// SPDX-License-Identifier: GPL-3.0-or-later
// Edits the sharding that is written for a value: per dimension a chip for every mesh axis, and the whole of it as
// text.
#pragma once

#include <QWidget>
#include <vector>

#include "analysis/annotation_edit.h"

class QGridLayout;
class QLineEdit;

namespace shardscope {

class AxisToggle;
class RoleLabel;

class ShardingEditor : public QWidget {
    Q_OBJECT
public:
    explicit ShardingEditor(QWidget* parent = nullptr);

    /// Shows what is written there. The rows are made anew only if the value or the mesh is another one.
    void setTarget(const AnnotationTarget& target, SnapshotPtr snapshot);
    void setSharding(const TensorSharding& sharding);
    [[nodiscard]] const TensorSharding& sharding() const { return m_sharding; }
    /// What is wrong with the text at the moment; empty if it can be read.
    [[nodiscard]] QString problem() const { return m_problem; }

    [[nodiscard]] AxisToggle* toggle(std::size_t dimension, std::size_t axis) const;
    [[nodiscard]] AxisToggle* openToggle(std::size_t dimension) const; ///< null where nothing can be open
    [[nodiscard]] QLineEdit* textField() const { return m_text; }

Q_SIGNALS:
    void edited(); ///< by the user

private:
    void makeRows();
    void showSharding(bool text);
    void readText();
    SnapshotPtr m_snapshot;
    AnnotationTarget m_target;
    TensorSharding m_sharding;
    QString m_problem;
    struct Row {
        std::vector<AxisToggle*> axes;
        AxisToggle* open = nullptr;
        RoleLabel* pieces = nullptr;
    };
    std::vector<Row> m_rows;
    QWidget* m_rowBox = nullptr;
    QLineEdit* m_text;
    RoleLabel* m_wrong;
};

} // namespace shardscope
