// SPDX-License-Identifier: GPL-3.0-or-later
// Examples beside each other: one layer written in three ways, and what each of them sends.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/diagnostics.h"
#include "document/latest_job.h"
#include "pipeline/snapshot.h"
#include "views/collectives_view/collectives_model.h"
#include "views/panel/panel.h"
#include "words/example_numbers.h"

class QComboBox;
class QPushButton;
class QTableView;

namespace shardscope {

class OverflowLabel;
class SpanLabel;

// One example of the gallery with its collectives, to stand beside others.

class ExampleColumn : public QWidget {
    Q_OBJECT
public:
    /// `example`: the id of one that has a program.
    explicit ExampleColumn(const QString& example, QWidget* parent = nullptr);

    /// Ids of the examples that have a program: the others send nothing.
    [[nodiscard]] static QStringList examples();
    [[nodiscard]] QComboBox* choice() const { return m_choice; }
    [[nodiscard]] CollectivesModel* model() const { return m_model; }
    /// "1 collective, 28 B per step"; why there is no list
    [[nodiscard]] QString total() const { return m_total->text(); }
    /// What one device sends in a step; nothing before the list is there, and where there is none.
    [[nodiscard]] const std::optional<Rational>& sent() const { return m_sent; }
    /// What its devices compute; nothing where it cannot be run.
    [[nodiscard]] const std::optional<words::ExampleNumbers>& numbers() const { return m_numbers; }
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

Q_SIGNALS:
    void listed(); ///< sent() and total() are those of the example that is chosen

protected:
    void showEvent(QShowEvent*) override { load(); }

private:
    struct Made {
        SnapshotPtr snapshot;
        Result<std::shared_ptr<const CollectiveList>> list;
        std::optional<words::ExampleNumbers> numbers;
    };
    using MadePtr = std::shared_ptr<const Made>;
    void load();
    void receive(const MadePtr& made);
    void showCause();
    /// Whether the choice has room for the name of what is chosen.
    [[nodiscard]] bool choiceFits(int width) const;

    QComboBox* m_choice;
    OverflowLabel* m_title;
    RoleLabel *m_question, *m_total, *m_result;
    CollectivesModel* m_model;
    QTableView* m_table;
    SpanLabel* m_cause;
    std::optional<Rational> m_sent;
    std::optional<words::ExampleNumbers> m_numbers;
    QString m_loaded; ///< the example that is shown or being worked out
    LatestJob<MadePtr> m_job;
};

class SideBySide : public QWidget {
    Q_OBJECT
public:
    explicit SideBySide(QWidget* parent = nullptr);
    [[nodiscard]] const std::vector<ExampleColumn*>& columns() const { return m_columns; }
    [[nodiscard]] QString summary() const { return m_summary->text(); } ///< "All of them send 7 B per device and step."
    /// Whether they compute the same numbers, and why their collectives are the same, if they are.
    [[nodiscard]] QString note() const { return m_note->text(); }
    [[nodiscard]] bool isWorking() const;
    [[nodiscard]] QPushButton* backButton() const { return m_back; }

Q_SIGNALS:
    void left(); ///< back to the collectives of the program that is open

private:
    void summarise();
    void showNote();
    [[nodiscard]] bool haveSameCollectives() const;
    std::vector<ExampleColumn*> m_columns;
    RoleLabel *m_summary, *m_note;
    QPushButton* m_back;
};

} // namespace shardscope
