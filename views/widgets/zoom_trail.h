// SPDX-License-Identifier: GPL-3.0-or-later
// The way back from where one has zoomed to, or what one has selected: "16,384 devices › host 37 › d296". Every place
// but the last is a button.
#pragma once

#include <QStringList>
#include <QWidget>

class QHBoxLayout;

namespace shardscope {

class ZoomTrail : public QWidget {
    Q_OBJECT
public:
    explicit ZoomTrail(QWidget* parent = nullptr);
    /// From the whole to where one is. Hidden with less than two.
    void setPlaces(const QStringList& places);
    /// The key that leads one place back, for tips; that of a zoom otherwise.
    void setKey(const QString& key) { m_key = key; }
    [[nodiscard]] const QStringList& places() const { return m_places; }

Q_SIGNALS:
    void chosen(int index);

private:
    QHBoxLayout* m_row;
    QStringList m_places;
    QString m_key = QStringLiteral("-");
};

} // namespace shardscope
