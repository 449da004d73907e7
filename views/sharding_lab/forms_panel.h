// SPDX-License-Identifier: GPL-3.0-or-later
// The laboratory's array and its sharding in every text form, all of them to be edited.
#pragma once

#include <QWidget>
#include <array>

#include "experiment/lab_state.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace shardscope {

class FormRow;
class RoleLabel;

class FormsPanel : public QWidget {
    Q_OBJECT
public:
    explicit FormsPanel(LabState* state, QWidget* parent = nullptr);

    /// Shows what the state says now.
    void refresh();
    [[nodiscard]] FormRow* row(ShardingForm form) const { return m_rows[static_cast<std::size_t>(form)]; }
    [[nodiscard]] QPushButton* fromTensorButton() const { return m_fromTensor; }
    /// Adds an operation to the chain of the PositionalSharding, with arguments that can be used and are selected.
    void addOperation(const QString& operation);

Q_SIGNALS:
    /// The state has got other input.
    void changed();
    void fromTensorRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void fillMemory();
    void copy(ShardingForm form);

    LabState* m_state;
    FormRow* m_shape;
    QComboBox* m_dtype;
    QComboBox* m_memory;
    QComboBox* m_version;
    QPushButton* m_fromTensor;
    RoleLabel* m_memoryProblem;
    RoleLabel* m_stale;
    RoleLabel* m_steps;
    std::array<FormRow*, 8> m_rows{};
    std::string m_memoryPlatform; ///< whose kinds are offered
};

} // namespace shardscope
