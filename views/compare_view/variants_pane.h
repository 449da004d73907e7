// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment's variants: kept, named, put in order, opened in place of the experiment, pinned as A. What each of
// them comes to is worked out beside the window.
#pragma once

#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <vector>

#include "comparison/variant_figures.h"
#include "document/document.h"
#include "document/latest_job.h"
#include "experiment/experiment.h"
#include "views/panel/panel.h"
#include "views/widgets/column_model.h"

class QPushButton;

namespace shardscope {

class VariantsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Name, Mesh, State, Sent, Changes, ColumnCount };
    explicit VariantsModel(QObject* parent = nullptr);

    void setVariants(std::vector<Variant> variants);
    /// One for each of them; fewer are of the first ones.
    void setFigures(std::vector<VariantFigures> figures);
    [[nodiscard]] const std::vector<Variant>& variants() const { return m_variants; }
    [[nodiscard]] QString problem(int row) const;

Q_SIGNALS:
    void renameRequested(int row, const QString& name);

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_variants.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] bool canEdit(int, int column) const override { return column == Name; }
    bool edit(int row, int column, const QString& typed) override;

private:
    [[nodiscard]] const Variant& at(int row) const { return m_variants[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const VariantFigures* figuresOf(int row) const;
    std::vector<Variant> m_variants;
    std::vector<VariantFigures> m_figures;
};

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
    Document* m_document;
    ExperimentPtr m_comparedWith;
    VariantsModel* m_model;
    QTableView* m_table;
    QPushButton* m_keep;
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
