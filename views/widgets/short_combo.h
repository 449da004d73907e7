// SPDX-License-Identifier: GPL-3.0-or-later
// A choice whose closed form says the short text of an item where the full one has no room. The list, the tip and
// screen readers have the full one.
//
//     "No match: unsharded" in 160 px, "unsharded" in 110
#pragma once

#include <QComboBox>

namespace shardscope {

class ShortCombo : public QComboBox {
    Q_OBJECT
public:
    explicit ShortCombo(QWidget* parent = nullptr);
    void setShortText(int index, const QString& text) { setItemData(index, text, shortTextRole); }
    /// What stands in the closed form.
    [[nodiscard]] QString shownText() const;

    [[nodiscard]] QSize sizeHint() const override { return sizeFor(currentText()); }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    static constexpr int shortTextRole = Qt::UserRole + 20;
    [[nodiscard]] QString shortText() const; ///< the full one where there is none
    [[nodiscard]] QSize sizeFor(const QString& text) const;
};

} // namespace shardscope
