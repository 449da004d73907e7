// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/kept_models.h"

#include <algorithm>

#include "experiment_file/variants.h"
#include "views/theme/theme.h"
#include "views/timing_view/timing_summary.h"
#include "views/widgets/plain_tip.h"
#include "words/comparison_words.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

constexpr QChar unknownFigure(0x2013);

QString verdictName(const std::optional<CheckVerdict>& verdict)
{
    if (!verdict)
        return QString(unknownFigure);
    switch (*verdict) {
    case CheckVerdict::Agrees:
        return RunsModel::tr("agrees");
    case CheckVerdict::Differs:
        return RunsModel::tr("differs");
    case CheckVerdict::NotCompared:
        return RunsModel::tr("not finite");
    }
    return {};
}

} // namespace

VariantsModel::VariantsModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    const auto figure = [this](auto text) {
        return [this, text](int row) {
            const VariantFigures* figures = figuresOf(row);
            return figures ? text(*figures) : QString(unknownFigure);
        };
    };
    setColumns({ { tr("Variant"), [this](int row) { return words::fromStd(at(row).name); } },
        { tr("Mesh"), figure([](const VariantFigures& f) { return f.mesh; }) },
        { tr("State and gradients"), figure([](const VariantFigures& f) {
             return f.stateBytes ? words::bytes(static_cast<double>(*f.stateBytes)) : QString(unknownFigure);
         }),
            Look::Number, tr("Parameters, gradients and moments per device") },
        { tr("Sent"), figure([](const VariantFigures& f) {
             return f.sentBytes ? words::bytes(*f.sentBytes) : QString(unknownFigure);
         }),
            Look::Number, tr("Per device and step") },
        { tr("Changes"),
            [this](int row) {
                QStringList parts;
                for (const PatchedSetting& each : patchedSettings(at(row)))
                    parts << tr("%1 %2", "place in the file, what stands there")
                                 .arg(
                                     words::fromStd(each.pointer), words::settingValue(each.value, "/" + each.pointer));
                return parts.join(tr(", "));
            },
            Look::Plain, tr("What it says in place of the experiment") } });
}

void VariantsModel::setVariants(std::vector<Variant> variants)
{
    if (variants == m_variants)
        return;
    std::vector<VariantFigures> figures; // of those that stay
    for (const Variant& variant : variants) {
        const auto same = std::find(m_variants.begin(), m_variants.end(), variant);
        const VariantFigures* known =
            same == m_variants.end() ? nullptr : figuresOf(static_cast<int>(same - m_variants.begin()));
        figures.push_back(known ? *known : VariantFigures());
    }
    refill(variants.size() == m_variants.size(), [&] {
        m_variants = std::move(variants);
        m_figures = std::move(figures);
    });
}

void VariantsModel::setFigures(std::vector<VariantFigures> figures)
{
    if (figures != m_figures)
        refill(true, [&] { m_figures = std::move(figures); });
}

const VariantFigures* VariantsModel::figuresOf(int row) const
{
    const auto place = static_cast<std::size_t>(row);
    return place < m_figures.size() ? &m_figures[place] : nullptr;
}

QString VariantsModel::problem(int row) const
{
    const VariantFigures* figures = figuresOf(row);
    return figures ? figures->problem : QString();
}

QVariant VariantsModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::ToolTipRole: {
        const QString wrong = problem(row);
        return plainTip(wrong.isEmpty() ? words::fromStd(at(row).patch) : wrong);
    }
    case Qt::ForegroundRole:
        if (!problem(row).isEmpty())
            return Theme::current().error;
        return column == Changes ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::AccessibleDescriptionRole:
        return problem(row);
    default:
        return {};
    }
}

bool VariantsModel::edit(int row, int, const QString& typed)
{
    // The edit of the document brings other variants here.
    Q_EMIT renameRequested(row, typed);
    return true;
}

RunsModel::RunsModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Mesh"), [this](int row) { return run(row).mesh; } },
        { tr("Time"), [this](int row) { return words::meanAndDeviation(run(row).mean, run(row).deviation); },
            Look::Number, tr("Mean and standard deviation of a step") },
        { tr("Loss"), [this](int row) { return figureText(run(row).loss); }, Look::Number, tr("Of the last step") },
        { tr("Reference"), [this](int row) { return verdictName(run(row).agreement); }, Look::Plain,
            tr("Whether a step gives what the program gives on one device") },
        { tr("Peak"), [this](int row) { return words::bytes(static_cast<double>(run(row).peakBytes)); }, Look::Number,
            tr("Memory per device") },
        { tr("Sent"), [this](int row) { return words::bytes(run(row).sentBytes); }, Look::Number,
            tr("Per device and step") },
        { tr("Steps"), [this](int row) { return words::count(run(row).steps); }, Look::Number },
        { tr("Inputs"), [this](int row) { return words::count(m_numbers.at(run(row).inputs)); }, Look::Number,
            tr("The same number for runs that compute the same") } });
}

void RunsModel::setRuns(std::vector<KeptRun> runs)
{
    std::reverse(runs.begin(), runs.end());
    const bool same = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
        [](const KeptRun& a, const KeptRun& b) { return a.number == b.number; });
    std::unordered_map<std::uint64_t, qint64> numbers; // from the oldest run on
    for (auto each = runs.rbegin(); each != runs.rend(); ++each)
        numbers.try_emplace(each->inputs, static_cast<qint64>(numbers.size()) + 1);
    refill(same, [&] {
        m_runs = std::move(runs);
        m_numbers = std::move(numbers);
    });
}

QVariant RunsModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return plainTip(tr("Run %1 of %2", "number, name of a file")
                            .arg(words::count(static_cast<qint64>(run(row).number)), run(row).name));
    if (role == Qt::ForegroundRole && column == Agreement && run(row).agreement == CheckVerdict::Differs)
        return Theme::current().error;
    return {};
}

} // namespace shardscope
