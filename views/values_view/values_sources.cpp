// SPDX-License-Identifier: GPL-3.0-or-later
// Where the values dock has its numbers from: the devices of a run, a program that was run on random inputs, and the
// reference of either; and what stands there while there are none.
#include <algorithm>

#include "document/array_file.h"
#include "document/selection.h"
#include "program/operation_path.h"
#include "schedule/plan.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/values_view/sends_widget.h"
#include "views/values_view/step_bar.h"
#include "views/values_view/values_view.h"
#include "views/values_view/values_words.h"
#include "views/widgets/segmented_bar.h"
#include "words/propagation_steps.h"
#include "words/run_words.h"
#include "words/words.h"

namespace shardscope {

bool ValuesView::isProgram() const
{
    return std::holds_alternative<ProgramModel>(m_document->experiment()->model);
}

std::optional<ValuesView::Subject> ValuesView::subject()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const bool program = snapshot && std::holds_alternative<ProgramModel>(snapshot->experiment->model)
        && snapshot->laidOut() && snapshot->errorCount() == 0;
    const std::optional<Obstacle> obstacle = program ? std::nullopt : obstacleOf(*m_document);
    if (obstacle) {
        showEmpty(obstacle->stepText(), QString());
        return std::nullopt;
    }
    if (!snapshot || (!program && !snapshot->ok())) {
        showEmpty(tr("The experiment is being analysed."), QString());
        return std::nullopt;
    }
    if (snapshot->tensors.empty()) {
        showEmpty(tr("This program has no arrays with a name."), QString());
        return std::nullopt;
    }
    if (program && m_atOperation)
        if (const ProgramValuesPtr values = m_program->values(*snapshot); values && m_steps->step() > 0)
            return operationSubject(*snapshot, values);
    const TensorRow* row = snapshot->row(m_selection->tensor().toStdString());
    if (!row) {
        showEmpty(tr("Choose a tensor to see its numbers."), tr("Show the first one"));
        return std::nullopt;
    }
    return program ? programSubject(*row, *snapshot) : stepSubject(*row);
}

std::optional<ValuesView::Subject> ValuesView::programSubject(const TensorRow& row, const Snapshot& snapshot)
{
    const ProgramValuesPtr values = m_program->values(snapshot);
    if (!values) {
        const std::optional<Diagnostic> failure = m_program->failure(snapshot);
        if (m_program->isWorking()) {
            showEmpty(tr("The program is being run on %1.")
                          .arg(words::counted(snapshot.mesh->deviceCount(), words::Noun::Device)),
                tr("Stop"));
        } else if (failure) {
            const words::ProblemText text = words::describe(*failure);
            showEmpty(tr("The program cannot be run: %1.").arg(text.cause), QString());
        } else {
            showEmpty(tr("The program has not been run, so that the devices hold no numbers. Its inputs would be drawn "
                         "at random, with seed %1.")
                          .arg(snapshot.experiment->run.seed),
                tr("Run the program"));
        }
        return std::nullopt;
    }
    const ProgramSteps& steps = values->steps;
    const auto done = static_cast<std::size_t>(m_steps->step());
    const auto& main = snapshot.program->main();
    const auto among = [&](const auto& list) { return std::find(list.begin(), list.end(), row.value) != list.end(); };
    if (among(main.arguments) || (done == steps.steps.size() && among(main.results))) {
        auto reader = std::make_shared<const ProgramReader>(snapshot.program, values);
        if (reader->held(row.value) == Held::Yes)
            return Subject{ &row, row.value, reader->layout(row.value), reader->dtype(row.value), reader };
    }
    if (const HeldValue* held = steps.lastOf(row.value, done)) {
        auto reader = std::make_shared<const StepReader>(values, *held);
        return Subject{ &row, row.value, reader->layout(row.value), reader->dtype(row.value), reader };
    }
    const std::optional<std::size_t> first = steps.firstOf(row.value);
    showEmpty(first && *first >= done
            ? tr("%1 is computed by operation %2, and the devices have executed %3.")
                  .arg(words::tensorName(row.path), words::count(static_cast<qint64>(*first) + 1),
                      words::count(m_steps->step()))
            : tr("%1 is not kept: the devices hold it in another form, or there was no room for it. Arguments and "
                 "results are kept.")
                  .arg(words::tensorName(row.path)),
        QString());
    return std::nullopt;
}

std::optional<ValuesView::Subject> ValuesView::operationSubject(
    const Snapshot& snapshot, const ProgramValuesPtr& values)
{
    const auto at = static_cast<std::size_t>(m_steps->step()) - 1;
    const ProgramStep& step = values->steps.steps[at];
    const Operation& operation = values->device.program.operation(step.operation);
    const HeldValue* held = nullptr;
    for (const HeldValue& each : step.results)
        if (!held && each.isKept())
            held = &each;
    if (!held) {
        showEmpty(step.results.empty()
                ? tr("%1 gives no array.").arg(words::operationName(operation))
                : tr("What %1 gives was not kept: there was no room for it.").arg(words::operationName(operation)),
            QString());
        return std::nullopt;
    }
    auto made = std::make_shared<TensorRow>();
    made->value = held->value;
    if (held->meant.valid() && held->meant.index < snapshot.program->values.size())
        made->path = *snapshot.program->value(held->meant).path;
    if (made->path.empty())
        made->path = tr("operation %1").arg(words::count(static_cast<qint64>(at) + 1)).toStdString();
    made->type = held->array.type;
    made->dimNames.resize(held->array.type.rank());
    made->spec = toPartitionSpec(held->array.sharding, *values->device.mesh);
    auto reader = std::make_shared<const StepReader>(values, *held);
    made->layout = reader->layout({});
    Subject found{ made.get(), held->value, made->layout, reader->dtype({}), reader, made };
    if (held->own)
        found.note = tr("The partition has put this operation in: every device holds an array of its own here.");
    return found;
}

void ValuesView::followSteps()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const ProgramValuesPtr values = isProgram() && snapshot ? m_program->values(*snapshot) : nullptr;
    const int count = values ? static_cast<int>(values->steps.steps.size()) : 0;
    m_steps->setVisible(count > 0);
    if (values != m_stepped) {
        m_stepped = values;
        m_atOperation = false;
        m_steps->setCount(count);
        m_steps->setStep(count);
    }
    if (count == 0)
        return;
    const int step = m_steps->step();
    std::optional<SendsSubject> exchange;
    QString text = tr("Nothing has been executed: the devices hold the arguments.");
    if (step > 0) {
        const ProgramStep& own = values->steps.steps[static_cast<std::size_t>(step) - 1];
        const Operation& operation = values->device.program.operation(own.operation);
        text = own.occurrence > 1 ? tr("Operation %1 of %2: %3, for the %4th time", "number, count, name, times")
                                        .arg(words::count(step), words::count(count), words::operationName(operation),
                                            words::count(own.occurrence))
                                  : tr("Operation %1 of %2: %3", "number, count, name")
                                        .arg(words::count(step), words::count(count), words::operationName(operation));
        if (!own.results.empty())
            text += QStringLiteral(" → ") + words::shape(own.results.front().array.type.shape);
        exchange = sendsSubject(operation, values->device.mesh->deviceCount());
    }
    m_steps->setText(text);
    QString sentence;
    if (exchange)
        sentence = exchange->groups > exchange->drawn
            ? tr("%1: the first %2 of %3 groups are drawn.")
                  .arg(text, words::count(exchange->drawn), words::count(exchange->groups))
            : text;
    if (exchange && exchange->left > 0)
        sentence =
            tr("%1: %2 of the group's devices are drawn, %3 more take part.")
                .arg(text, words::count(static_cast<qint64>(exchange->devices.size())), words::count(exchange->left));
    m_steps->exchange()->show(std::move(exchange), sentence);

    QString brief, whole;
    int first = 0;
    if (!values->steps.nonFinite.empty()) {
        const ProgramSteps::FirstNonFinite& found = values->steps.nonFinite.front();
        const Program& program = values->device.program;
        const ValueId value = program.operation(found.found.operation).results[found.found.index];
        const std::string path =
            value.index < snapshot->program->values.size() ? *snapshot->program->value(value).path : std::string();
        Shape index = program.value(value).type.shape;
        std::int64_t left = found.found.element;
        for (std::size_t d = index.size(); d-- > 0;) {
            const std::int64_t extent = std::max<std::int64_t>(index[d], 1);
            index[d] = left % extent;
            left /= extent;
        }
        brief = found.found.kind == NonFiniteKind::NotANumber ? tr("First NaN") : tr("First infinity");
        whole = words::nonFinite(program, found.found, words::Runs::Devices,
            path.empty() ? tr("a value") : QLatin1Char('%') + QString::fromStdString(path), index);
        first = static_cast<int>(found.step) + 1;
    }
    m_steps->setWarning(brief, whole, first);
}

void ValuesView::chooseStep()
{
    m_atOperation = m_steps->step() > 0;
    const SnapshotPtr snapshot = m_document->lastGood();
    if (m_stepped && snapshot && m_atOperation) {
        // What the partition has put in for an operation stands for that one.
        OperationId operation = m_stepped->steps.steps[static_cast<std::size_t>(m_steps->step()) - 1].operation;
        for (const auto& [put, origin] : m_stepped->device.origins)
            if (put == operation)
                operation = origin;
        const Program& program = *snapshot->program;
        if (operation.index < program.operations.size()) {
            const auto& results = program.operation(operation).results;
            const std::string path = results.empty() ? std::string() : *program.value(results[0]).path;
            m_choosing = true;
            m_selection->setOperation(QString::fromStdString(operationPath(program, operation)),
                snapshot->row(path) ? QString::fromStdString(path) : QString());
            m_choosing = false;
            m_selected = m_selection->tensor();
        }
    }
    refresh();
}

/// What the devices hold after the last step.
std::optional<ValuesView::Subject> ValuesView::stepSubject(const TensorRow& row)
{
    if (m_controller->stepsDone() == 0) {
        if (m_controller->state() != RunController::State::Idle)
            showEmpty(tr("The first step is running."), QString());
        else if (!m_failure.isEmpty())
            showEmpty(tr("No step has run. %1").arg(m_failure), tr("Run step"));
        else
            showEmpty(m_controller->kept()
                    ? tr("No step has run since the edit that laid the arrays out anew: the devices hold no numbers.")
                    : tr("No step has run yet, so that the devices hold no numbers."),
                tr("Run step"));
        return std::nullopt;
    }
    Subject found{ &row, {}, row.layout, row.type.dtype };
    found.value = m_controller->plan()->program->program->find(row.path);
    Held held = Held::Yes;
    m_controller->read([&](const ValueReader& reader) {
        held = found.value.valid() ? reader.held(found.value) : Held::NoMemory;
        if (held != Held::Yes)
            return;
        found.layout = reader.layout(found.value);
        found.dtype = reader.dtype(found.value);
    });
    if (held == Held::Yes)
        return found;
    showEmpty(notHeldText(held, row.path), held == Held::NoStep ? tr("Run step") : QString());
    return std::nullopt;
}

bool ValuesView::runProgram()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (!isProgram() || !snapshot || !snapshot->laidOut() || snapshot->errorCount() > 0)
        return false;
    if (!m_program->isWorking() && !m_program->values(*snapshot))
        m_program->run(snapshot, folderOf(m_document->filePath()));
    refresh();
    return true;
}

std::optional<Diagnostic> ValuesView::programFailure() const
{
    const SnapshotPtr snapshot = m_document->lastGood();
    return isProgram() && snapshot ? m_program->failure(*snapshot) : std::nullopt;
}

void ValuesView::act()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (snapshot && isProgram() && m_atOperation && m_program->values(*snapshot))
        m_content->setCurrent(0);
    else if (snapshot && !snapshot->tensors.empty() && !snapshot->row(m_selection->tensor().toStdString()))
        m_selection->setTensor(QString::fromStdString(snapshot->tensors.front().path));
    else if (isProgram() && m_program->isWorking())
        m_program->cancel();
    else if (isProgram() && snapshot && m_program->values(*snapshot))
        m_content->setCurrent(0);
    else if (runProgram())
        return;
    else if (m_reference->isWorking())
        m_content->setCurrent(0);
    else
        m_controller->runStep();
    refresh();
}

ReadSample ValuesView::reader() const
{
    // Everything by value: views may ask when another array has been chosen.
    ReferenceSteps::Array reference;
    if (m_shown.difference && m_reader && m_reader->hasReference(m_value))
        reference = std::make_shared<const std::vector<double>>(m_reader->reference(m_value));
    else if (m_shown.difference && !m_reader)
        if (const auto asked = question())
            if (const auto* answer = m_reference->answer(*asked); answer && *answer)
                reference = **answer;
    struct Source {
        const RunController* controller;
        std::shared_ptr<const ComparedReader> program;
        ValueId value;
        Layout layout;
        bool difference;
        ReferenceSteps::Array reference;
    };
    return [source = Source{ m_controller, m_reader, m_value, m_shown.subject.layout, m_shown.difference, reference }](
               std::int64_t position, const Sample& sample, std::span<double> out) {
        const auto look = [&](const ValueReader& held) {
            if (position < 0)
                readGlobal(held, source.value, sample, out);
            else
                held.readLocal(source.value, position, sample, out);
            if (!source.difference)
                return;
            Sample global = sample;
            if (position >= 0) {
                const Shape block = source.layout.blockAt(position);
                for (std::size_t d = 0; d < block.size(); ++d)
                    for (std::int64_t& index : global.indices[d])
                        index += block[d] * source.layout.shardShape()[d];
            }
            subtractReference(*source.reference, source.layout.shape(), global, out);
        };
        if (source.difference && !source.reference)
            return false;
        if (!source.program)
            return source.controller->read(look);
        look(*source.program);
        return true;
    };
}

std::optional<ReferenceJob::Question> ValuesView::question() const
{
    if (m_reader || !m_value.valid() || !m_controller->plan() || m_controller->stepsDone() == 0)
        return std::nullopt;
    auto initial = m_controller->initialValues();
    if (!initial)
        return std::nullopt;
    return ReferenceJob::Question{ m_controller->plan()->program->program, std::move(initial), m_value,
        m_controller->stepsDone() };
}

} // namespace shardscope
