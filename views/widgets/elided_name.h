// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QString>
#include <QStyledItemDelegate>

namespace shardscope {

/// A path that is shortened to `room` pixels before its last parts, which is what names of one module differ in:
/// "lay…/mlp/kernel", "…/kernel", "kernel". Of two parts the first one tells more, if any of a long second one can be
/// read: "query/ker…". What has no parts, or too long a last one, is shortened in its middle.
[[nodiscard]] QString elidedName(const QString& name, const QFontMetrics& metrics, int room);

/// Cells of such paths.
class NameDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace shardscope
