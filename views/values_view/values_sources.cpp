// SPDX-License-Identifier: GPL-3.0-or-later
// Where the values dock has its numbers from: the devices of a run, a program that was run on random inputs, and the
// reference of either; and what stands there while there are none.
#include "document/selection.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/values_view/values_view.h"
#include "views/values_view/values_words.h"
#include "views/widgets/segmented_bar.h"
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
        showEmpty(obstacle->text(), QString());
        offerFix(*m_empty, obstacle);
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
    const TensorRow* row = snapshot->row(m_selection->tensor().toStdString());
    if (!row) {
        showEmpty(tr("Choose a tensor to see its numbers."), tr("Show the first one"));
        return std::nullopt;
    }
    return program ? programSubject(*row, *snapshot) : stepSubject(*row);
}

std::optional<ValuesView::Subject> ValuesView::programSubject(const TensorRow& row, const Snapshot& snapshot)
{
    const evaluate::ProgramValuesPtr values = m_program->values(snapshot);
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
    auto reader = std::make_shared<const evaluate::ProgramReader>(snapshot.program, values);
    if (reader->held(row.value) != Held::Yes) {
        showEmpty(tr("%1 is not kept: of a program that was read only arguments and results are. Choose one of them.")
                      .arg(words::tensorName(row.path)),
            QString());
        return std::nullopt;
    }
    return Subject{ &row, row.value, reader->layout(row.value), reader->dtype(row.value), reader };
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
            showEmpty(tr("No step has run yet, so that the devices hold no numbers."), tr("Run step"));
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

void ValuesView::act()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (snapshot && !snapshot->tensors.empty() && !snapshot->row(m_selection->tensor().toStdString()))
        m_selection->setTensor(QString::fromStdString(snapshot->tensors.front().path));
    else if (isProgram() && m_program->isWorking())
        m_program->cancel();
    else if (isProgram() && snapshot && snapshot->errorCount() == 0)
        m_program->run(snapshot);
    else if (obstacleOf(*m_document))
        applyOfferedFix(*m_document);
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
    if (m_shown.difference && m_reader)
        reference = std::make_shared<const std::vector<double>>(m_reader->reference(m_value));
    else if (m_shown.difference)
        if (const auto asked = question())
            if (const auto* answer = m_reference->answer(*asked); answer && *answer)
                reference = **answer;
    struct Source {
        const RunController* controller;
        std::shared_ptr<const evaluate::ProgramReader> program;
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
    return ReferenceJob::Question{ m_controller->plan()->program->program, m_controller->initialValues().seed, m_value,
        m_controller->stepsDone() };
}

} // namespace shardscope
