// SPDX-License-Identifier: GPL-3.0-or-later
// The row in which a new rule is put together: its logical name, then the mesh axes, as chips that are switched on in
// the order in which they shard. Nothing is a rule until it is added.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QComboBox;
class QPushButton;

namespace shardscope {

class AxisToggle;
class RoleLabel;

class RuleEntry : public QWidget {
    Q_OBJECT
public:
    explicit RuleEntry(QWidget* parent = nullptr);
    struct Name {
        QString name;
        QString uses; ///< what is said beside it: "13 uses"
    };
    /// Opens it, or goes on with what is there. A name that is specified is not asked for.
    void ask(std::vector<Name> names, const QStringList& meshAxes, const QString& name = {});
    void setMeshAxes(const QStringList& meshAxes);
    void close();

    [[nodiscard]] QComboBox* names() const { return m_names; }
    /// By the number of the mesh axis.
    [[nodiscard]] AxisToggle* toggle(std::size_t axis) const { return m_toggles[axis]; }
    [[nodiscard]] QPushButton* addButton() const { return m_add; }
    /// Mesh axes that are on, the major one first.
    [[nodiscard]] const QStringList& chosen() const { return m_chosen; }

Q_SIGNALS:
    void entered(const QString& name, const QStringList& axes);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void give();
    void switchAxis(const QString& axis);
    void follow();

    std::vector<Name> m_list;
    QStringList m_axes, m_chosen;
    QComboBox* m_names;
    RoleLabel* m_uses;
    QWidget* m_chips; ///< the toggles, in lines
    std::vector<AxisToggle*> m_toggles;
    QPushButton* m_add;
    QPushButton* m_cancel;
};

} // namespace shardscope
