// SPDX-License-Identifier: GPL-3.0-or-later
// From the names of array axes to mesh axes, as a table: every name that an array has or that is mapped.
#pragma once

#include "views/named_arrays_view/named_arrays.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class MappingModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, Axes, Uses };
    explicit MappingModel(NamedArrays* arrays, QObject* parent = nullptr);

    /// -1 where no row has that name.
    [[nodiscard]] int rowOf(const std::string& name) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] bool canEdit(int row, int column) const override;
    bool edit(int row, int column, const QString& typed) override;

private:
    void refresh();
    [[nodiscard]] const MappedName& at(int row) const { return m_names[static_cast<std::size_t>(row)]; }
    [[nodiscard]] QString tip(const MappedName& name) const;

    NamedArrays* m_arrays;
    std::vector<MappedName> m_names;
};

} // namespace shardscope
