// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment's variants and the session's runs as tables.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"
#include "document/run_log.h"
#include "experiment/experiment.h"
#include "views/widgets/column_model.h"

namespace shardscope {

/// What a variant makes of the experiment.
struct VariantFigures {
    QString mesh; ///< "4 × 2"; empty where there is none
    std::optional<std::int64_t> stateBytes; ///< per device, of parameters, gradients and moments
    std::optional<Rational> sentBytes; ///< per device and step
    QString problem; ///< why it makes no experiment, or one whose steps cannot run; one sentence
    bool operator==(const VariantFigures&) const = default;
};

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

/// Newest first.
class RunsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Mesh, Time, Loss, Agreement, Peak, Sent, Steps, Inputs, ColumnCount };
    explicit RunsModel(QObject* parent = nullptr);

    void setRuns(std::vector<KeptRun> runs);
    [[nodiscard]] const KeptRun& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_runs.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::vector<KeptRun> m_runs;
    std::unordered_map<std::uint64_t, qint64> m_numbers; ///< of different inputs
};

} // namespace shardscope
