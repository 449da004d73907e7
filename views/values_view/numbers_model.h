// SPDX-License-Identifier: GPL-3.0-or-later
// The plane that is shown as a table of numbers. Reads what is asked for, a page around each cell, and keeps few pages.
// Global: the array's rows and columns. Local: the rows of one device below those of another.
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <map>
#include <optional>
#include <tuple>

#include "report/shown_values.h"

namespace shardscope {

class NumbersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Beside what every model has: the mesh axis that cuts off this cell from the one above it (to its left), -1 for
    /// one that is not cut off there, and -2 for a boundary that is no axis' cut (of another device).
    enum Role { TopBorder = Qt::UserRole, LeftBorder };
    /// Headers of more rows or columns would take more memory than numbers do.
    static constexpr std::int64_t maxLines = std::int64_t{ 1 } << 20;

    explicit NumbersModel(QObject* parent = nullptr);

    void setContent(std::optional<ShownValues> shown, ReadSample read);
    /// The same cells hold other numbers now. While nothing can be read, those read before stay.
    void readAgain();
    [[nodiscard]] const std::optional<ShownValues>& shown() const { return m_shown; }
    /// Some rows or columns are left out.
    [[nodiscard]] static bool hasMoreLines(const ShownValues& shown);
    /// Elements read so far, for tests: only what is looked at.
    [[nodiscard]] std::int64_t elementsRead() const { return m_elementsRead; }
    /// The first cell that the chosen device holds, in the global view.
    [[nodiscard]] QModelIndex firstHeld() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Place {
        std::int64_t position = -1; ///< of the device whose shard it is, -1: global
        std::int64_t row = 0, column = 0;
    };
    struct Page {
        std::vector<double> numbers;
        std::int64_t columns = 0;
    };
    using PageKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    [[nodiscard]] Place placeOf(const QModelIndex& index) const;
    [[nodiscard]] std::optional<double> number(const Place& place) const;
    [[nodiscard]] QString tip(const Place& place) const;

    std::optional<ShownValues> m_shown;
    ReadSample m_read;
    mutable std::map<PageKey, Page> m_pages;
    mutable std::int64_t m_elementsRead = 0;
};

/// The table of numbers: cells in the tint of their shard, its borders as lines of the mesh axis that shards there.
class BorderDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class NumbersTable : public QTableView {
    Q_OBJECT
public:
    explicit NumbersTable(NumbersModel* model, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fit();
};

} // namespace shardscope
