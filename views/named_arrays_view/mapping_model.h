// SPDX-License-Identifier: GPL-3.0-or-later
// From the names of array axes to mesh axes, as a table: every name that an array has or that is mapped.
#pragma once

#include <QAbstractTableModel>

#include "views/named_arrays_view/named_arrays.h"

namespace shardscope {

class MappingModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Axes, Uses, ColumnCount };
    explicit MappingModel(NamedArrays* arrays, QObject* parent = nullptr);

    /// -1 where no row has that name.
    [[nodiscard]] int rowOf(const std::string& name) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

private:
    void refresh();
    [[nodiscard]] QString text(const MappedName& name, int column, bool editing) const;
    [[nodiscard]] QString tip(const MappedName& name) const;

    NamedArrays* m_arrays;
    std::vector<MappedName> m_names;
};

} // namespace shardscope
