// SPDX-License-Identifier: GPL-3.0-or-later
// One collective: why it is there, what the devices hold before and after it, and what else could stand in its place.
#pragma once

#include <QVariant>
#include <QWidget>

#include "analysis/collective_alternatives.h"
#include "document/latest_job.h"
#include "document/selection.h"
#include "views/collectives_view/collectives_model.h"
#include "views/widgets/column_model.h"

class QPushButton;
class QTableView;

namespace shardscope {

class ExchangeView;
class RoleLabel;
class SpanLabel;

/// What could stand in place of a collective, with the price of each, as a table: the present one first.
class AlternativesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, Sent, Difference, Step, Held, Work, ColumnCount };
    explicit AlternativesModel(QObject* parent = nullptr);

    /// Those of list->entries[index], whose value goes by the name of `named`; a null list gives no rows.
    void setAlternatives(
        CollectiveListPtr list, std::size_t index, ValueId named, std::vector<CollectiveAlternative> alternatives);
    [[nodiscard]] const std::vector<CollectiveAlternative>& alternatives() const { return m_alternatives; }
    [[nodiscard]] QString title(int row) const; ///< in a few words
    /// What it would be, and at what price.
    [[nodiscard]] words::Text sentence(int row) const;
    /// No row says anything of it: what the whole step would send, what would be computed more.
    [[nodiscard]] bool isIdle(int column) const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_alternatives.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const CollectiveAlternative& at(int row) const
    {
        return m_alternatives[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] double difference(int row) const; ///< bytes per step, against the first row
    CollectiveListPtr m_list;
    std::size_t m_index = 0;
    ValueId m_named;
    std::vector<CollectiveAlternative> m_alternatives;
};

class CollectivePage : public QWidget {
    Q_OBJECT
public:
    explicit CollectivePage(Selection* selection, QWidget* parent = nullptr);

    /// list->entries[index]; a null list empties the page. `named`: by whose name its value goes. `rule`: who decided
    /// it, with a link where there is something to be shown.
    void show(CollectiveListPtr list, std::size_t index, SnapshotPtr snapshot, ValueId named, const words::Text& rule);
    using QWidget::show;
    [[nodiscard]] QString why() const;
    [[nodiscard]] ExchangeView* exchange() const { return m_exchange; }
    [[nodiscard]] AlternativesModel* alternatives() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    /// The prices are being worked out.
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

Q_SIGNALS:
    void dockRequested(const QString& id); ///< a link leads to something that this view shows
    /// Another sharding is to be looked at value by value before it counts.
    void previewRequested(const shardscope::Experiment& after, const QString& change);

protected:
    void resizeEvent(QResizeEvent*) override { fitTable(); }

private:
    void follow(const QString& link);
    void showAlternatives(std::vector<CollectiveAlternative> alternatives);
    void showAlternative();
    void fitTable();

    Selection* m_selection;
    CollectiveListPtr m_list;
    std::size_t m_index = 0;
    SnapshotPtr m_snapshot;
    ValueId m_named;
    RoleLabel* m_title;
    SpanLabel* m_why;
    ExchangeView* m_exchange;
    RoleLabel *m_alternativesTitle, *m_alternativesNote;
    QTableView* m_table;
    AlternativesModel* m_model;
    SpanLabel* m_sentence; ///< about the alternative that is chosen
    QPushButton* m_preview;
    LatestJob<std::vector<CollectiveAlternative>> m_job;
};

} // namespace shardscope
