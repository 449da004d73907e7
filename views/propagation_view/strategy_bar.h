// SPDX-License-Identifier: GPL-3.0-or-later
// The strategy of propagation with its switches, and the choice of another one to compare it with.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "document/document.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;

namespace shardscope {

class StrategyBar : public QWidget {
    Q_OBJECT
public:
    explicit StrategyBar(Document* document, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* strategy() const { return m_strategy; }
    [[nodiscard]] QCheckBox* userPriorities() const { return m_userPriorities; }
    [[nodiscard]] QCheckBox* conservative() const { return m_conservative; }
    [[nodiscard]] QComboBox* compared() const { return m_compared; }
    /// What the experiment's strategy is compared with; nothing without a comparison.
    [[nodiscard]] std::optional<PropagationSetting> comparedSetting() const;
    void setCompared(const std::optional<PropagationSetting>& setting);
    /// Of its parts one above the other.
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void comparedChanged();

protected:
    void resizeEvent(QResizeEvent*) override { arrange(); }
    bool event(QEvent* event) override;

private:
    void refresh();
    void edit(const PropagationSetting& setting);
    void fillCompared(const PropagationSetting& own, const std::optional<PropagationSetting>& chosen);
    void arrange();

    Document* m_document;
    QComboBox* m_strategy;
    QCheckBox *m_userPriorities, *m_conservative;
    QComboBox* m_compared;
    QWidget *m_own, *m_switches, *m_other;
    QBoxLayout *m_ownLayout, *m_layout;
    std::vector<PropagationSetting> m_choices; ///< of m_compared, after its first row, which compares with nothing
};

} // namespace shardscope
