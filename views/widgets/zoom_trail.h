// SPDX-License-Identifier: GPL-3.0-or-later
// The way back from where one has zoomed to: "16,384 devices › host 37 › d296". Every place but the last is a button.
#pragma once

#include <QStringList>
#include <QWidget>

class QHBoxLayout;

namespace shardscope {

class ZoomTrail : public QWidget {
    Q_OBJECT
public:
    explicit ZoomTrail(QWidget* parent = nullptr);
    /// From the whole to where one is. Hidden with less than two. `names`: what they are called in full, where there is
    /// too little room for that.
    void setPlaces(const QStringList& places, const QStringList& names = {});
    /// The key that leads to the place before the last one, for its tip; "" for none. That of a zoom otherwise.
    void setKey(const QString& key) { m_key = key; }
    [[nodiscard]] const QStringList& places() const { return m_places; }

Q_SIGNALS:
    void chosen(int index);

private:
    QHBoxLayout* m_row;
    QStringList m_places, m_names;
    QString m_key = QStringLiteral("-");
};

} // namespace shardscope
