// SPDX-License-Identifier: GPL-3.0-or-later
// What can become A, as a list: what is open, variants, runs, the last files. Return or a double click pins one.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "views/widgets/column_model.h"

class QTableView;

namespace shardscope {

struct PinChoice {
    QString name; ///< "4x2"
    QString about; ///< "variant"
    QString path; ///< of a file: in the tip, since several may have one name
    std::function<void()> pin;
};

class PinChoicesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, About, ColumnCount };
    explicit PinChoicesModel(QObject* parent = nullptr);
    void setChoices(std::vector<PinChoice> choices);
    [[nodiscard]] const PinChoice& choice(int row) const { return m_choices[static_cast<std::size_t>(row)]; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_choices.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::vector<PinChoice> m_choices;
};

class PinChoices : public QWidget {
    Q_OBJECT
public:
    explicit PinChoices(QWidget* parent = nullptr);
    [[nodiscard]] PinChoicesModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }

private:
    PinChoicesModel* m_model;
    QTableView* m_table;
};

} // namespace shardscope
