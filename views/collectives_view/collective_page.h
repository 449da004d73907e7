// SPDX-License-Identifier: GPL-3.0-or-later
// One collective: why it is there, what the devices hold before and after it, and what else could stand in its place.
#pragma once

#include <QWidget>

#include "document/selection.h"
#include "views/collectives_view/alternatives_model.h"
#include "views/widgets/latest_job.h"

class QTableView;
class QToolButton;

namespace shardscope {

class ExchangeView;
class RoleLabel;
class SpanLabel;

class CollectivePage : public QWidget {
    Q_OBJECT
public:
    explicit CollectivePage(Selection* selection, QWidget* parent = nullptr);

    /// list->entries[index]; a null list empties the page.
    void show(CollectiveListPtr list, std::size_t index, SnapshotPtr snapshot, const words::Text& rule);
    using QWidget::show;
    [[nodiscard]] QString why() const;
    [[nodiscard]] ExchangeView* exchange() const { return m_exchange; }
    [[nodiscard]] AlternativesModel* alternatives() const { return m_model; }
    [[nodiscard]] QToolButton* operationButton() const { return m_operation; }
    [[nodiscard]] QToolButton* ruleButton() const { return m_rule; }
    /// The prices are being worked out.
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

Q_SIGNALS:
    void dockRequested(const QString& id); ///< a link leads to something that this dock shows

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow(const QString& link);
    void showAlternatives(std::vector<CollectiveAlternative> alternatives);
    void fitTable();

    Selection* m_selection;
    CollectiveListPtr m_list;
    std::size_t m_index = 0;
    SnapshotPtr m_snapshot;
    QString m_operationLink, m_ruleLink;
    RoleLabel* m_title;
    QToolButton *m_operation, *m_rule;
    SpanLabel* m_why;
    ExchangeView* m_exchange;
    RoleLabel *m_alternativesTitle, *m_alternativesNote;
    QTableView* m_table;
    AlternativesModel* m_model;
    LatestJob<std::vector<CollectiveAlternative>> m_job;
};

} // namespace shardscope
