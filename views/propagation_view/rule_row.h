// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding rule of an operation, and, in programs that are texts, another one in its place.
#pragma once

#include <QWidget>

#include "document/document.h"
#include "views/panel/panel.h"

class QLineEdit;
class QToolButton;

namespace shardscope {

class RuleRow : public QWidget {
    Q_OBJECT
public:
    explicit RuleRow(Document* document, QWidget* parent = nullptr);

    /// Hidden without a snapshot, and for an operation that has no rule and cannot have one. What is being written is
    /// given up when the operation is another one.
    void show(const SnapshotPtr& snapshot, OperationId operation);
    [[nodiscard]] OperationId operation() const { return m_operation; }
    [[nodiscard]] QString rule() const { return m_ruleText; }
    /// why the rule that is being written cannot be; empty if it can
    [[nodiscard]] QString message() const { return m_isEditing ? m_message->text() : QString(); }
    [[nodiscard]] QLineEdit* line() const { return m_line; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void begin();
    void end();
    void check();
    void commit();
    void reset();
    [[nodiscard]] std::string path() const; ///< of the operation in the program's text

    Document* m_document;
    SnapshotPtr m_snapshot;
    OperationId m_operation;
    QString m_ruleText;
    bool m_isCustom = false, m_isOwn = false, m_isEditing = false;
    RoleLabel *m_name, *m_rule, *m_custom, *m_message;
    QLineEdit* m_line;
    QToolButton *m_edit, *m_apply, *m_cancel, *m_reset;
};

} // namespace shardscope
