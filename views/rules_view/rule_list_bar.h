// SPDX-License-Identifier: GPL-3.0-or-later
// Which of an experiment's lists of rules is edited: the one that holds everywhere, or one for a part of the model; and
// the places to make, rename and remove the latter.
#pragma once

#include <QWidget>
#include <vector>

#include "experiment/rule_lists.h"

class QComboBox;
class QToolButton;

namespace shardscope {

class RuleListBar : public QWidget {
    Q_OBJECT
public:
    explicit RuleListBar(QWidget* parent = nullptr);

    /// What is said of a list.
    struct Entry {
        QString text; ///< "within decoder/layer_1 · 3 arrays"
        QString tip; ///< the arrays
        QString within; ///< "" for the outer list, which stands first
        bool operator==(const Entry&) const = default;
    };
    void setEntries(std::vector<Entry> entries, RuleList current);
    /// Parts that a list could be for.
    void setParts(const QStringList& parts);
    /// Asks for the path of a part, of a new list or of the current one.
    void askForNew() { ask(Asking::New, {}); }
    void askForName();
    [[nodiscard]] QComboBox* lists() const { return m_lists; }
    [[nodiscard]] QToolButton* addButton() const { return m_add; }
    [[nodiscard]] QToolButton* removeButton() const { return m_remove; }
    [[nodiscard]] bool isAsking() const { return m_asking != Asking::Nothing; }
    /// For another name of the list that is shown.
    [[nodiscard]] bool isAskingForName() const { return m_asking == Asking::Name; }
    void stopAsking();

Q_SIGNALS:
    void chosen(int inner); ///< RuleList::inner
    void partSpecified(const QString& within); ///< for a new list
    void nameSpecified(const QString& within); ///< for the current one
    void removeRequested();
    void askingChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Asking { Nothing, New, Name };
    void ask(Asking what, const QString& text);
    void give();
    QComboBox* m_lists;
    QComboBox* m_path;
    QToolButton *m_add, *m_rename, *m_remove;
    std::vector<Entry> m_entries;
    Asking m_asking = Asking::Nothing;
};

} // namespace shardscope
