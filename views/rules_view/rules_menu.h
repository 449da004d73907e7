// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of the rules: published sets by project, import, export, and the comparison of dialects.
#pragma once

#include <QMenu>

#include "document/exchange.h"

namespace shardscope {

class RulesMenu : public QMenu {
    Q_OBJECT
public:
    explicit RulesMenu(QWidget* parent = nullptr);
    /// What T5X' partitioner does to the rules for batch; nothing to do while it is off.
    [[nodiscard]] QAction* rewriteBatch() const { return m_rewriteBatch; }
    /// The rules there are stay after those of a T5X set.
    [[nodiscard]] bool keepsOwn() const { return m_keepOwn && m_keepOwn->isChecked(); }

Q_SIGNALS:
    /// A set is under the pointer or the keyboard's mark; null when none is.
    void setPointedAt(const shardscope::PublishedRules* set);
    void setChosen(const shardscope::PublishedRules* set);
    void partRequested();
    void importRequested();
    void pasteRequested();
    void copyRequested(shardscope::RulesForm form);
    void saveRequested(shardscope::RulesForm form);
    void compareRequested();

private:
    void addProject(const std::string& project);
    void addForms(QMenu* menu, bool save);
    QAction* m_keepOwn = nullptr;
    QAction* m_rewriteBatch = nullptr;
};

/// "Flax tuples", "MaxText YAML": the form's name.
[[nodiscard]] QString formName(RulesForm form);
/// "py", "yml", "json".
[[nodiscard]] QString formSuffix(RulesForm form);

} // namespace shardscope
