// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment's variants: kept, named, put in order, opened in place of the experiment, pinned as A. What each of
// them comes to is worked out beside the window.
#pragma once

#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "document/document.h"
#include "experiment_file/experiment_file.h"
#include "pipeline/analysis_cache.h"
#include "views/compare_view/kept_models.h"
#include "views/panel/panel.h"
#include "views/widgets/latest_job.h"

class QPushButton;
class QToolButton;

namespace shardscope {

class VariantsPane : public QWidget {
    Q_OBJECT
public:
    explicit VariantsPane(Document* document, QWidget* parent = nullptr);

    /// What keep() compares with: A, or null.
    void setComparedWith(ExperimentPtr experiment) { m_comparedWith = std::move(experiment); }
    /// The experiment as it is now, as a variant of the name of its mesh, which is then edited.
    void keep();
    void duplicate();
    void rename(); ///< edits the name in its cell
    void move(int step); ///< by so many rows
    void remove();
    void open(); ///< in place of the experiment; one step of undo
    [[nodiscard]] int current() const { return m_table->currentIndex().row(); }

    [[nodiscard]] VariantsModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QPushButton* keepButton() const { return m_keep; } ///< stands where it is put, for keep()
    [[nodiscard]] QString message() const { return m_message->text(); } ///< why the last one could not be opened
    [[nodiscard]] bool isWorking() const { return m_delay.isActive() || m_job.isWorking(); }

Q_SIGNALS:
    void pinRequested(int variant);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void follow();
    void requestFigures();
    void showErrors(const std::vector<Diagnostic>& errors);
    void setCurrent(int row);
    void enableButtons();
    Document* m_document;
    ExperimentPtr m_comparedWith;
    VariantsModel* m_model;
    QTableView* m_table;
    QPushButton* m_keep;
    QList<QToolButton*> m_rowButtons;
    RoleLabel* m_message;
    EmptyPage* m_empty;
    std::shared_ptr<AnalysisCache> m_cache;
    LatestJob<std::vector<VariantFigures>> m_job;
    QTimer m_delay;
};

/// The first errors, one a line.
[[nodiscard]] QString errorLines(const std::vector<Diagnostic>& errors);
/// Reads what the document's experiment names, from where its file is.
[[nodiscard]] FileSource filesOfDocument(const Document& document);

} // namespace shardscope
