// SPDX-License-Identifier: GPL-3.0-or-later
// The command train, declared in commands.h: many steps of an experiment on simulated devices, with what each gives.
#include <algorithm>
#include <cmath>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "networks/training_text.h"
#include "progress.h"
#include "run_program.h"
#include "run_report.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct TrainOptions {
    RunCommandOptions run;
    std::string text; ///< a file; empty: the text that comes with the program
    bool fixed = false; ///< the same arguments in every step
};

constexpr int stepWidth = 6, numberWidth = 14;

QString numberCell(const std::optional<double>& number)
{
    return (number ? QString::number(*number, 'g', 6) : QStringLiteral("-")).rightJustified(numberWidth);
}

/// Prints steps as they are taken, so that one sees how far it is.
class StepPrinter {
public:
    explicit StepPrinter(std::int64_t steps)
        : m_steps(steps)
        , m_every(std::max<std::int64_t>(1, steps / maxShown))
    {
        m_console.line(QStringLiteral("Step").rightJustified(stepWidth)
                + QStringLiteral("Loss").rightJustified(numberWidth)
                + QStringLiteral("Parameters").rightJustified(numberWidth)
                + QStringLiteral("Gradients").rightJustified(numberWidth)
                + QStringLiteral("Wall time").rightJustified(numberWidth),
            Emphasis::Faint);
    }
    void print(const StepRecord& step)
    {
        ++m_done;
        if (m_done % m_every != 0 && m_done != 1 && m_done != m_steps)
            return;
        m_console.line(QString::number(m_done).rightJustified(stepWidth) + numberCell(step.loss)
            + numberCell(step.parameterNorm) + numberCell(step.gradientNorm)
            + words::seconds(step.wall).rightJustified(numberWidth));
        m_console.flush();
    }

private:
    static constexpr std::int64_t maxShown = 50;
    Console m_console;
    std::int64_t m_steps, m_every, m_done = 0;
};

/// The losses as bars from the least to the largest one, a bar for as many steps each.
QString curveText(const std::vector<StepRecord>& steps)
{
    constexpr std::size_t maxBars = 60;
    const QString bars = QStringLiteral("▁▂▃▄▅▆▇█");
    const std::size_t each = (steps.size() + maxBars - 1) / maxBars;
    std::vector<double> means;
    for (std::size_t begin = 0; begin < steps.size(); begin += each) {
        const std::size_t end = std::min(begin + each, steps.size());
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += steps[i].loss.value_or(0);
        means.push_back(sum / static_cast<double>(end - begin));
    }
    if (!std::all_of(means.begin(), means.end(), [](double mean) { return std::isfinite(mean); }))
        return {};
    const auto [lowest, highest] = std::minmax_element(means.begin(), means.end());
    QString text;
    for (const double mean : means) {
        const double place = *highest > *lowest ? (mean - *lowest) / (*highest - *lowest) : 0;
        if (!std::isfinite(place)) // further apart than the largest number
            return {};
        text += bars[static_cast<qsizetype>(std::lround(place * 7))];
    }
    return text;
}

void printCurve(Console& console, const ProgramRun& run)
{
    const std::vector<StepRecord>& steps = run.steps;
    if (steps.empty() || !steps.front().loss)
        return;
    if (const QString curve = curveText(steps); steps.size() > 1 && !curve.isEmpty()) {
        console.line();
        console.line(QStringLiteral("  ") + curve);
    }
    console.line();
    console.line(
        QStringLiteral("Loss %1 after the first step, %2 after %3.")
            .arg(QString::number(*steps.front().loss, 'g', 6), QString::number(steps.back().loss.value_or(0), 'g', 6),
                words::counted(static_cast<std::int64_t>(steps.size()), words::Noun::Step)));
}

int train(TrainOptions& options)
{
    RunCommandOptions& run = options.run;
    run.check = false;
    run.timeit = false;
    run.norms = true;
    run.needsState = true;
    if (!options.text.empty()) {
        Result<std::string> text = readText(options.text);
        if (!text)
            return reject(run.json, { std::move(text.error()) });
        run.text = std::make_shared<const std::string>(std::move(*text));
        run.needsTokens = true;
    } else if (!options.fixed) {
        run.text = std::make_shared<const std::string>(trainingText());
    }
    Progress progress("train");
    run.onPhase = [&progress](const QString& what, const QString& hint) { progress.now(what, hint); };
    std::unique_ptr<StepPrinter> printer;
    run.onStep = [&](const StepRecord& step) {
        if (!run.json.empty())
            return;
        progress.end(); // the steps say themselves how far it is
        if (!printer) // only now it is clear that there is anything to print
            printer = std::make_unique<StepPrinter>(run.steps);
        printer->print(step);
    };
    const auto found = runProgram(run);
    progress.end();
    if (!found)
        return refuse(run.json, found.error());
    const int status = found->status();
    if (!found->plan && status == Done)
        return reject(run.json,
            { Error{ Code::WrongType,
                { { "key", found->input.name },
                    { "expected",
                        "the name of a network or of a program whose steps follow "
                        "each other" },
                    { "found", "a list of arrays without operations, so that there is no step to train" } },
                {} } });
    if (!run.json.empty()) {
        Json out = envelope(run.json, found->input);
        out["device_count"] = found->plan ? found->deviceCount() : found->snapshot->mesh->deviceCount();
        out["threads"] = found->threads;
        out["steps"] = stepsJson(found->steps);
        addNonFinite(out, *found);
        out["problems"] = toJson(found->problems);
        return emitJson(out, run.json, status);
    }
    Console console;
    printCurve(console, *found);
    printNonFinite(console, *found);
    Console errors(stderr);
    print(errors, found->problems);
    return status;
}

} // namespace

void addTrain(CLI::App& app, int& status)
{
    Command command(app, "train", "Train a network on simulated devices: the loss of every step, and norms");
    const auto options = std::make_shared<TrainOptions>();
    RunCommandOptions& run = options->run;
    run.steps = 50;
    command.addFile(run.file);
    command.addOption("--steps", run.steps, "Steps to take (default 50)").wholeNumber(1, maxSteps).optionText("N");
    const Option text = command
                            .addOption("--text", options->text,
                                "A text whose bytes are the tokens of a transformer, another batch in every step "
                                "(default: one about sharding "
                                "that comes with the program)")
                            .optionText("FILE");
    command.addFlag("--fixed", options->fixed, "The same inputs in every step, as `run` has them").excludes(text);
    command.addOption("--seed", run.seed, "Of initial values and of the order of batches (default: the experiment's)")
        .wholeNumber(0, INT64_MAX)
        .optionText("SEED");
    command
        .addOption(
            "--init", run.init, "What an argument begins with, NAME=KIND, as in `run`. Can be given several times")
        .repeated()
        .optionText("NAME=KIND");
    command.addOption("--state", run.state, "Which results are arguments of the next step, as in `run`: 0=1,2=0")
        .optionText("PAIRS");
    command.addOption("--threads", run.threads, "Worker threads (default: one per core)")
        .wholeNumber(0, 1024)
        .optionText("N");
    command.addJson(run.json);
    command.footer(
        "The norms are those of all parameters after the step and of all gradients, before they are clipped.\n"
        "The steps are those of `run`, on the devices of the mesh: for any mesh and rules the loss is the\n"
        "same but for rounding, which grows from step to step. The first step whose loss or norms are not\n"
        "finite is taken once more, to say which operation makes them so.\n"
        "Exit codes: 0 done; 1 the experiment has errors, cannot be run, or needs more memory than there is;\n"
        "2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return train(*options); });
}

} // namespace shardscope::cli
