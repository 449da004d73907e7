// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as a tree: name, A, B, B − A, and a bar.
#pragma once

#include <vector>

#include "views/compare_view/compare_rows.h"

namespace shardscope {

class CompareModel : public ColumnTreeModel {
    Q_OBJECT
public:
    enum Column { Name, Before, After, Difference, Bar, ColumnCount };
    enum Role {
        ShareRole = Qt::UserRole, ///< double from −1 to 1, of the column Bar: how long, and to which side
        PathRole, ///< of an array that B has; ""
    };
    explicit CompareModel(QObject* parent = nullptr);

    /// `held`: the scale of the bars stays as it is.
    void setRows(std::vector<CompareRow> rows, bool held);
    [[nodiscard]] const CompareRow& row(const QModelIndex& index) const;
    [[nodiscard]] const HeldScale& scale() const { return m_scale; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const TreeNode& node(int item) const override { return at(item); }
    [[nodiscard]] QVariant cell(int item, int column, int role) const override;

private:
    [[nodiscard]] const CompareRow& at(int item) const { return m_rows[static_cast<std::size_t>(item)]; }
    std::vector<CompareRow> m_rows{ CompareRow() }; ///< the root at least
    HeldScale m_scale;
};

} // namespace shardscope
