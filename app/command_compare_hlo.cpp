// SPDX-License-Identifier: GPL-3.0-or-later
// The command compare-hlo, declared in commands.h.
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "analysis/compare_compiled.h"
#include "analysis/compiled_reasons.h"
#include "base/codes.h"
#include "collectives_report.h"
#include "command.h"
#include "commands.h"
#include "hlo/read.h"
#include "hlo/to_stablehlo.h"
#include "stablehlo/read.h"
#include "words/compiled_words.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct CompareOptions {
    std::string before, after;
    JsonTarget json;
};

struct CompiledInput {
    std::string text; ///< that the module refers to
    HloModule module;
    HloCollectives collectives;
};

Result<std::unique_ptr<CompiledInput>> loadCompiled(const std::string& name)
{
    auto input = std::make_unique<CompiledInput>();
    SHARDSCOPE_TRY(text, readText(name, maximumText));
    input->text = std::move(*text);
    if (!isHloText(input->text))
        return fail(Code::NotComparable, { { "wrong", "program" } });
    SHARDSCOPE_TRY(module, readHlo(input->text));
    input->module = std::move(*module);
    SHARDSCOPE_TRY(found, collectivesOf(input->module));
    input->collectives = std::move(*found);
    if (input->collectives.list.empty() && !isCompiled(input->module))
        return fail(Code::NotComparable, { { "wrong", "program" } });
    return input;
}

/// Rows below this share of the largest are counted in one line.
constexpr std::int64_t smallShare = 10'000;

QString axesOr(const std::string& axes)
{
    return axes.empty() ? QStringLiteral("-") : words::fromStd(axes);
}

/// Whether so much is all that is compiled: of some nobody can tell how often they run, and they count once, and the
/// rest of a text that ends early may have more.
bool isAll(const CompiledComparison& comparison, const ExchangeSum& sum, std::int64_t compiled)
{
    return !comparison.endsEarly && (sum.timesKnown || compiled == 0);
}

QString compiledBytes(std::int64_t number, bool isAllOfIt)
{
    return words::bytes(Rational(number)) + (isAllOfIt ? QString() : QStringLiteral("?"));
}

/// Of exchanges that have any: what `predicted` and `compiled` give of them.
template <class Predicted, class Compiled>
Table sumsTable(const CompiledComparison& comparison, Predicted predicted, Compiled compiled)
{
    Table table{ "Exchange", "Axes", "Predicted>", "Compiled>", "Compiled of predicted>" };
    for (const ExchangeSum& sum : comparison.sums)
        if (predicted(sum) > 0 || compiled(sum) > 0) {
            const bool isKnown = isAll(comparison, sum, compiled(sum));
            table.rows.push_back({ words::exchangeName(sum.exchange), axesOr(sum.axes),
                words::bytes(Rational(predicted(sum))), compiledBytes(compiled(sum), isKnown),
                words::shareOfPredicted(predicted(sum), compiled(sum), isKnown) });
        }
    return table;
}

void printSums(Console& console, const CompiledComparison& comparison)
{
    Table table = sumsTable(
        comparison, [](const ExchangeSum& sum) { return sum.predictedBytes; },
        [](const ExchangeSum& sum) { return sum.compiledBytes; });
    table.columns.push_back({ QStringLiteral("Sent, predicted"), true });
    table.columns.push_back({ QStringLiteral("Sent, compiled"), true });
    std::size_t row = 0;
    for (const ExchangeSum& sum : comparison.sums)
        if (sum.predictedBytes > 0 || sum.compiledBytes > 0)
            table.rows[row++] << words::bytes(sum.predictedSent) << words::bytes(sum.compiledSent);
    console.heading(QStringLiteral("Arrays exchanged in a step, on one device"));
    console.table(table);
    const Table weights = sumsTable(
        comparison, [](const ExchangeSum& sum) { return sum.predictedWeights; },
        [](const ExchangeSum& sum) { return sum.compiledWeights; });
    if (weights.rows.empty())
        return;
    console.heading(QStringLiteral("Of them, weights that are gathered and their gradients"));
    console.table(weights);
}

void printReasons(Console& console, const std::vector<CompiledReason>& reasons)
{
    if (reasons.empty())
        return;
    console.heading(QStringLiteral("Why"));
    for (const CompiledReason& reason : reasons)
        console.line(QStringLiteral("  ") + words::reasonText(reason));
}

void printRows(Console& console, const CompiledComparison& comparison)
{
    Table table{ "#>", "Exchange", "Axes", "Array", "Predicted", "Bytes>", "Compiled", "Bytes>", "Cause" };
    std::vector<ExchangeRow> shown;
    std::int64_t left = 0, largest = 0;
    for (const ExchangeRow& row : comparison.rows) {
        const std::int64_t size = std::max(row.predicted.bytes, row.compiled.bytes);
        largest = std::max(largest, size);
        if (size < largest / smallShare) {
            ++left;
            continue;
        }
        shown.push_back(row);
        table.rows.push_back({ QString::number(shown.size()), words::exchangeName(row.exchange), axesOr(row.axes),
            words::exchangedTypes(row), words::exchangeSide(row.predicted), words::bytes(Rational(row.predicted.bytes)),
            words::exchangeSide(row.compiled), words::bytes(Rational(row.compiled.bytes)), words::exchangeCause(row) });
    }
    const QStringList remarks = words::remarkLines(shown);
    console.heading(QStringLiteral("Side by side"));
    console.foldedTable(table);
    if (left > 0)
        console.line(QStringLiteral("  and %1 below a ten thousandth of the largest").arg(words::count(left)));
    if (remarks.isEmpty()) {
        const bool isAsPredicted = std::all_of(
            comparison.rows.begin(), comparison.rows.end(), [](const ExchangeRow& row) { return row.remarks.empty(); });
        console.line(isAsPredicted ? QStringLiteral("XLA does what is predicted.")
                                   : QStringLiteral("XLA does what is predicted, apart from the smallest of them."),
            isAsPredicted ? Emphasis::Good : Emphasis::Faint);
        return;
    }
    console.heading(QStringLiteral("What XLA does otherwise"));
    for (const QString& remark : remarks)
        console.line(QStringLiteral("  ") + remark);
}

Json sideJson(const ExchangeSide& side)
{
    Json out = { { "count", side.collectives }, { "times", side.times }, { "times_known", side.timesKnown },
        { "bytes", side.bytes }, { "sent_bytes", toJson(side.sent) }, { "kinds", side.kinds }, { "types", side.types },
        { "causes", side.causes }, { "merged", side.merged }, { "sliced_afterwards", side.slicedAfterwards } };
    if (!side.lines.empty())
        out["lines"] = side.lines;
    return out;
}

std::string_view remarkId(ExchangeRemark::Kind kind)
{
    constexpr std::string_view names[] = { "sliced_afterwards", "kept_in_full", "scattered", "other_types", "per_layer",
        "at_once", "more_often", "less_often", "merged", "other_axes", "only_predicted", "only_compiled",
        "times_unknown", "no_axes", "not_in_text" };
    return names[static_cast<std::size_t>(kind)];
}

std::string_view exchangeId(ExchangeKind exchange)
{
    constexpr std::string_view names[] = { "gather", "reduction", "all_to_all", "permute", "broadcast" };
    return names[static_cast<std::size_t>(exchange)];
}

std::string_view reasonId(CompiledReason::Kind kind)
{
    constexpr std::string_view names[] = { "gathers_again", "keeps_gathered", "embeds_by_product", "embeds_by_lookup",
        "keys_go_round" };
    return names[static_cast<std::size_t>(kind)];
}

Json reasonsJson(const std::vector<CompiledReason>& reasons)
{
    Json out = Json::array();
    for (const CompiledReason& reason : reasons) {
        Json each = { { "kind", reasonId(reason.kind) }, { "predicted_bytes", reason.predictedBytes },
            { "compiled_bytes", reason.compiledBytes }, { "text", words::reasonText(reason).toStdString() } };
        if (!reason.pointer.empty()) {
            each["setting"] = reason.pointer;
            each["setting_value"] = reason.value;
        }
        out.push_back(std::move(each));
    }
    return out;
}

Json comparisonJson(const CompiledComparison& comparison, const std::vector<CompiledReason>& reasons)
{
    Json out = { { "rows", Json::array() }, { "sums", { { "by_axes", Json::array() } } },
        { "times_known", comparison.timesKnown }, { "ends_early", comparison.endsEarly },
        { "reasons", reasonsJson(reasons) } };
    for (const ExchangeRow& row : comparison.rows) {
        Json each = { { "exchange", exchangeId(row.exchange) }, { "axes_text", row.axes }, { "elements", row.elements },
            { "predicted", sideJson(row.predicted) }, { "compiled", sideJson(row.compiled) },
            { "remarks", Json::array() } };
        if (!row.compiledAxes.empty())
            each["compiled_axes_text"] = row.compiledAxes;
        if (!row.cause.empty())
            each["op_name"] = row.cause;
        if (!row.weight.empty())
            each["weight"] = row.weight;
        for (const ExchangeRemark& remark : row.remarks)
            each["remarks"].push_back({ { "kind", remarkId(remark.kind) }, { "number", remark.number },
                { "text", words::remarkText(row, remark).toStdString() } });
        out["rows"].push_back(std::move(each));
    }
    for (const ExchangeSum& sum : comparison.sums)
        out["sums"]["by_axes"].push_back({ { "exchange", exchangeId(sum.exchange) }, { "axes_text", sum.axes },
            { "predicted_bytes", sum.predictedBytes }, { "compiled_bytes", sum.compiledBytes },
            { "predicted_weight_bytes", sum.predictedWeights }, { "compiled_weight_bytes", sum.compiledWeights },
            { "predicted_sent_bytes", toJson(sum.predictedSent) }, { "compiled_sent_bytes", toJson(sum.compiledSent) },
            { "times_known", sum.timesKnown } });
    return out;
}

int compareWithCompiled(const CompareOptions& options)
{
    const auto refused = [&](Error error) {
        if (error.where.file.empty())
            error.where.file = shownName(options.after);
        return refuse(options.json, Refused{ { std::move(error) } });
    };
    const auto before = loadCommunication(options.before);
    if (!before)
        return refuse(options.json, before.error());
    const auto after = loadCompiled(options.after);
    if (!after && after.error().code == Code::NotComparable && options.before != "-" && loadCompiled(options.before))
        return refused(fail(Code::NotComparable, { { "wrong", "order" } }).value());
    if (!after)
        return refused(after.error());
    const Result<CompiledComparison> comparison =
        compareCompiled(*before->snapshot, before->list, (*after)->module, (*after)->collectives);
    if (!comparison)
        return refused(comparison.error());
    const std::vector<CompiledReason> reasons = reasonsFor(*comparison, before->input.experiment);
    const int status = comparison->differs() ? Findings : Done;
    if (!options.json.empty()) {
        Json out = envelope(options.json, before->input);
        out["compared_with"] = shownName(options.after);
        out["comparison"] = comparisonJson(*comparison, reasons);
        return emitJson(out, options.json, status);
    }
    Console console;
    console.line(QStringLiteral("What is predicted of %1, and what XLA has compiled in %2, on %3.")
                     .arg(words::fromStd(before->input.name), words::fromStd(shownName(options.after)),
                         words::counted((*after)->collectives.devices, words::Noun::Device)));
    if (comparison->endsEarly)
        console.line(
            QStringLiteral("The compiled text ends before its entry computation: what follows is not compared, "
                           "and how often its loops run is not known. What it has counts once."),
            Emphasis::Warning);
    if (comparison->rows.empty()) {
        console.line(QStringLiteral("Neither has any collectives."), Emphasis::Good);
        return status;
    }
    const bool isRelated = std::any_of(comparison->rows.begin(), comparison->rows.end(),
        [](const ExchangeRow& row) { return row.predicted.bytes > 0 && row.compiled.bytes > 0; });
    if (!isRelated && argumentsAgree(*before->snapshot, (*after)->module))
        console.line(QStringLiteral("No exchange is in both: XLA does otherwise what it has to do."));
    else if (!isRelated && (!comparison->endsEarly || !(*after)->collectives.list.empty()))
        console.line(QStringLiteral("No exchange is in both. Was the compiled text made of this program, with these "
                                    "sizes?"),
            Emphasis::Warning);
    printSums(console, *comparison);
    printReasons(console, reasons);
    printRows(console, *comparison);
    return status;
}

} // namespace

void addCompareHlo(CLI::App& app, int& status)
{
    Command command(app, "compare-hlo", "Compare the collectives that are predicted with those that XLA has compiled");
    const auto options = std::make_shared<CompareOptions>();
    command
        .addOption("BEFORE", options->before,
            "Experiment file, program in StableHLO or HLO text, or the id of a built-in example")
        .required();
    command.addOption("AFTER", options->after, "HLO text of the compiled program, as compiled.as_text() prints it")
        .required();
    command.addJson(options->json);
    command.setInput(options->before);
    command.footer(
        "Collectives are matched by what they exchange, along which mesh axes, the size of the array and, where\n"
        "both texts have it, the name of the operation. Bytes are those of the arrays on one device, the\n"
        "results of gathers and operands of all others; what is sent is that of the ring model. Of a network\n"
        "it says with which of its settings the weights are exchanged as XLA does it.\n"
        "Exit codes: 0 XLA does what is predicted, or a text that ends early does as far as it goes; 1 it does\n"
        "something else; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return compareWithCompiled(*options); });
}

} // namespace shardscope::cli
