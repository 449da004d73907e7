// SPDX-License-Identifier: GPL-3.0-or-later
// Members of ValuesView (values_view.h): where the dock has its numbers from, which are the devices of a run, the
// record of a step that was taken again, and the reference of either; and what stands there while there are none.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "document/selection.h"
#include "program/operation_path.h"
#include "schedule/plan.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/values_view/sends_widget.h"
#include "views/values_view/step_bar.h"
#include "views/values_view/values_view.h"
#include "views/widgets/segmented_bar.h"
#include "words/propagation_steps.h"
#include "words/run_words.h"
#include "words/words.h"

namespace shardscope {

std::optional<ValuesView::Subject> ValuesView::subject()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (const std::optional<Obstacle> obstacle = obstacleOf(*m_document)) {
        showEmpty(obstacle->stepText(), QString());
        return std::nullopt;
    }
    if (!snapshot || !snapshot->ok()) {
        showEmpty(tr("The experiment is being analysed."), QString());
        return std::nullopt;
    }
    if (snapshot->tensors.empty()) {
        showEmpty(tr("This program has no arrays with a name."), QString());
        return std::nullopt;
    }
    if (m_recorded && m_atOperation && m_steps->step() > 0)
        return operationSubject(*snapshot);
    const TensorRow* row = snapshot->row(m_selection->tensor().toStdString());
    if (!row) {
        showEmpty(tr("Choose a tensor to see its numbers."), tr("Show the first one"));
        return std::nullopt;
    }
    return m_recorded && m_steps->step() < m_steps->count() ? recordedSubject(*row) : stepSubject(*row);
}

/// What the devices hold after the last step; where they do not hold it any more, what they held in it.
std::optional<ValuesView::Subject> ValuesView::stepSubject(const TensorRow& row)
{
    if (m_controller->stepsDone() == 0) {
        if (m_controller->state() != RunController::State::Idle)
            showEmpty(tr("The first step is running."), tr("Stop"));
        else if (const auto obstacle = obstacleOf(*m_document, *m_controller))
            showEmpty(obstacle->stepText(), QString()); // to try again would be in vain
        else if (!m_failure.isEmpty())
            showEmpty(tr("No step has run. %1").arg(words::sentence(m_failure)), tr("Run step"));
        else
            showEmpty(m_controller->kept()
                    ? tr("No step has run since the edit that laid the arrays out anew: the devices hold no numbers.")
                    : tr("No step has run yet, so that the devices hold no numbers."),
                tr("Run step"));
        return std::nullopt;
    }
    Subject found{ &row, {}, row.layout, row.type.dtype };
    Held held = Held::Yes;
    const std::size_t ran = m_controller->begun().plan->program->program->values.size();
    if (row.value.index < ran) // what comes after was put in for propagation
        found.value = row.value;
    m_controller->read([&](const ValueReader& reader) {
        held = found.value.valid() ? reader.held(found.value) : Held::NoMemory;
        if (held != Held::Yes)
            return;
        found.layout = reader.layout(found.value);
        found.dtype = reader.dtype(found.value);
    });
    if (held == Held::Yes)
        return found;
    if (m_recorded && held != Held::NoStep)
        return recordedSubject(row);
    showEmpty(words::notHeld(held, row.path), held == Held::NoStep ? tr("Run step") : tr("Show it in the step"));
    return std::nullopt;
}

std::optional<ValuesView::Subject> ValuesView::recordedSubject(const TensorRow& row)
{
    const auto done = static_cast<std::size_t>(m_steps->step());
    if (const RecordedArray* array = m_recorded->after(done, row.value)) {
        auto reader = std::make_shared<const RecordedReader>(m_recorded, *array);
        return Subject{ &row, {}, reader->layout({}), reader->dtype({}), reader };
    }
    const std::optional<std::size_t> first = m_recorded->firstOf(row.value);
    showEmpty(first && *first >= done
            ? tr("%1 is computed by operation %2, and the devices have executed %3.")
                  .arg(words::tensorName(row.path), words::count(static_cast<qint64>(*first) + 1),
                      words::count(m_steps->step()))
            : tr("%1 is not there in the step: the devices hold it in another form, or there was no room to keep it.")
                  .arg(words::tensorName(row.path)),
        QString());
    return std::nullopt;
}

std::optional<ValuesView::Subject> ValuesView::operationSubject(const Snapshot& snapshot)
{
    const auto at = static_cast<std::size_t>(m_steps->step()) - 1;
    const RecordedOperation& recorded = m_recorded->operations[at];
    const Operation& operation = m_recorded->device().program.operation(recorded.operation);
    const auto kept = std::find_if(
        recorded.results.begin(), recorded.results.end(), [](const RecordedArray& result) { return result.isKept(); });
    if (kept == recorded.results.end()) {
        showEmpty(recorded.results.empty()
                ? tr("%1 gives no array.").arg(words::operationName(operation))
                : tr("What %1 gives was not kept: there was no room for it.").arg(words::operationName(operation)),
            QString());
        return std::nullopt;
    }
    auto made = std::make_shared<TensorRow>();
    made->value = kept->value;
    if (kept->meant.valid() && kept->meant.index < snapshot.program->values.size())
        made->path = *snapshot.program->value(kept->meant).path;
    if (made->path.empty())
        made->path = tr("operation %1").arg(words::count(static_cast<qint64>(at) + 1)).toStdString();
    made->type = kept->array.type;
    made->dimNames.resize(kept->array.type.rank());
    made->spec = toPartitionSpec(kept->array.sharding, *m_recorded->device().mesh);
    auto reader = std::make_shared<const RecordedReader>(m_recorded, *kept);
    made->layout = reader->layout({});
    Subject found{ made.get(), {}, made->layout, reader->dtype({}), reader, made };
    found.own = kept->own;
    if (found.own)
        found.note = tr("Every device has an array of its own here. Global shows that of d%1.")
                         .arg(m_recorded->device().mesh->deviceAt(0));
    return found;
}

void ValuesView::followSteps()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const auto asked = question();
    const ReplayJob::Recorded* answer = asked && m_steps->isOn() ? m_replay->recorded(*asked) : nullptr;
    const RecordedStepPtr recorded = answer && *answer ? **answer : nullptr;
    const int count = recorded ? static_cast<int>(recorded->operations.size()) : 0;
    m_steps->setVisible(m_controller->stepsDone() > 0);
    if (recorded != m_recorded) {
        // Another step of the same program is looked at where the one before it was.
        const bool stays = recorded && recorded->program == m_place.program && count == m_place.count;
        m_atOperation = m_atOperation && (stays || !recorded);
        m_recorded = recorded;
        m_steps->setCount(count);
        m_steps->setStep(stays ? m_place.step : count);
    }
    if (recorded && snapshot) {
        showOperation();
        return;
    }
    m_steps->exchange()->show(std::nullopt, QString());
    m_steps->setWarning({}, {}, 0);
    const QString step = words::count(m_controller->stepsDone());
    if (answer && !*answer)
        m_steps->setText(tr("Step %1 cannot be taken again: %2.").arg(step, words::describe(answer->error()).cause));
    else if (!asked)
        m_steps->setText(tr("A step is running."));
    else if (const auto [done, all] = m_replay->progress(); all > 0)
        m_steps->setText(tr("Step %1 is taken again, operation by operation: %2 of %3.")
                             .arg(step, words::count(done), words::count(all)));
    else
        m_steps->setText(tr("Step %1 is taken again, operation by operation.").arg(step));
}

void ValuesView::showOperation()
{
    const int step = m_steps->step();
    const int count = m_steps->count();
    const Program& program = m_recorded->device().program;
    std::optional<CollectiveSends> exchange;
    QString text = tr("Nothing has been executed: the devices hold the arguments.");
    if (step > 0) {
        const RecordedOperation& own = m_recorded->operations[static_cast<std::size_t>(step) - 1];
        const Operation& operation = program.operation(own.operation);
        text = own.occurrence > 1 ? tr("Operation %1 of %2: %3, for the %4 time", "number, count, name, 2nd")
                                        .arg(words::count(step), words::count(count), words::operationName(operation),
                                            words::ordinal(own.occurrence))
                                  : tr("Operation %1 of %2: %3", "number, count, name")
                                        .arg(words::count(step), words::count(count), words::operationName(operation));
        if (!own.results.empty())
            text += QStringLiteral(" → ") + words::shape(own.results.front().array.type.shape);
        exchange = sendsOf(operation, m_recorded->device().mesh->deviceCount());
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

    if (m_recorded->nonFinite.empty()) {
        m_steps->setWarning({}, {}, 0);
        return;
    }
    const RecordedStep::FirstNonFinite& first = m_recorded->nonFinite.front();
    m_steps->setWarning(first.found.kind == NonFiniteKind::NotANumber ? tr("First NaN") : tr("First infinity"),
        words::nonFinite(*m_recorded, first),
        static_cast<int>(std::min(first.operation + 1, m_recorded->operations.size())));
}

bool ValuesView::followOperation()
{
    if (std::exchange(m_operation, m_selection->operation()) == m_selection->operation() || m_operation.isEmpty())
        return false;
    const SnapshotPtr snapshot = m_document->lastGood();
    const OperationId wanted =
        snapshot && m_recorded ? findOperation(*snapshot->program, m_operation.toStdString()) : OperationId();
    if (!wanted.valid())
        return false;
    // Of several turns of a loop the one that is nearest to where it stands.
    int nearest = -1;
    for (int i = 0; i < m_steps->count(); ++i)
        if (m_recorded->operations[static_cast<std::size_t>(i)].operation == wanted
            && (nearest < 0 || std::abs(i + 1 - m_steps->step()) < std::abs(nearest - m_steps->step())))
            nearest = i + 1;
    if (nearest < 0)
        return false;
    m_steps->setStep(nearest);
    m_atOperation = true;
    m_selected = m_selection->tensor();
    m_place = { m_recorded->program, m_steps->count(), nearest };
    return true;
}

void ValuesView::chooseStep()
{
    m_atOperation = m_steps->step() > 0;
    if (m_recorded)
        m_place = { m_recorded->program, m_steps->count(), m_steps->step() };
    const SnapshotPtr snapshot = m_document->lastGood();
    if (m_recorded && snapshot && m_atOperation) {
        // What the partition has put in for an operation stands for that one.
        OperationId operation = m_recorded->operations[static_cast<std::size_t>(m_steps->step()) - 1].operation;
        for (const auto& [put, origin] : m_recorded->device().origins)
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
            m_operation = m_selection->operation();
        }
    }
    refresh();
}

void ValuesView::act()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (m_controller->stepsDone() == 0 && m_controller->state() != RunController::State::Idle)
        m_controller->reset(); // nobody waits for the step at work
    else if (!m_atOperation && snapshot && !snapshot->tensors.empty()
        && !snapshot->row(m_selection->tensor().toStdString()))
        m_selection->setTensor(QString::fromStdString(snapshot->tensors.front().path));
    else if (!m_head->isHidden()) // differences, of which there is none to show
        m_content->setCurrent(0);
    else if (m_controller->canRead() && !m_steps->isOn()) {
        m_place = {}; // after the last operation
        m_steps->setOn(true);
    } else
        m_controller->runStep();
    refresh();
}

std::optional<ReplayJob::Question> ValuesView::question() const
{
    if (!m_controller->canRead())
        return std::nullopt;
    return ReplayJob::Question{ m_controller->begun(), m_controller->stepsDone() };
}

void ValuesView::replay()
{
    const auto asked = question();
    if (asked)
        m_replay->request(*asked, m_steps->isOn(),
            m_shown.difference && !m_head->isHidden() && !m_reader ? m_value : ValueId(),
            m_shown.fromStart ? ReplayJob::Against::Start : ReplayJob::Against::Reference);
    else
        m_replay->cancel();
}

ReadSample ValuesView::reader() const
{
    // Everything by value: views may ask when another array has been chosen.
    StepReplay::Array reference;
    if (m_shown.difference && m_reader && m_reader->array().hasReference())
        reference = std::make_shared<const std::vector<double>>(m_reader->array().referenceNumbers());
    else if (const auto* answer = compared(); answer && *answer)
        reference = **answer;
    struct Source {
        const RunController* controller;
        std::shared_ptr<const RecordedReader> recorded;
        ValueId value;
        Layout layout;
        bool difference;
        StepReplay::Array reference;
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
        if (!source.recorded)
            return source.controller->read(look);
        look(*source.recorded);
        return true;
    };
}

} // namespace shardscope
