// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/next_step_choice.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "experiment/edits.h"
#include "views/widgets/boxes.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int staysAsItIs = -1;
constexpr int asTheProgramSays = -2;

/// Who says what the state is, as an addition to an entry of the list; "" for a person.
QString sourceAddition(StateSource source)
{
    switch (source) {
    case StateSource::Program:
        return NextStepChoice::tr("the network's own");
    case StateSource::Aliases:
        return NextStepChoice::tr("by tf.aliasing_output");
    case StateSource::Donors:
        return NextStepChoice::tr("by jax.buffer_donor");
    case StateSource::DonatedNames:
        return NextStepChoice::tr("by the names of donated arguments");
    case StateSource::Names:
        return NextStepChoice::tr("guess by names");
    case StateSource::Order:
        return NextStepChoice::tr("guess by order");
    case StateSource::Stated:
        return NextStepChoice::tr("chosen by you");
    case StateSource::None:
        break;
    }
    return {};
}

std::optional<std::size_t> resultOf(const StepState& state, ValueId argument)
{
    for (const StatePair& pair : state.pairs)
        if (pair.argument == argument)
            return pair.result;
    return std::nullopt;
}

} // namespace

NextStepChoice::NextStepChoice(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_box(new QComboBox(this))
{
    auto* label = new QLabel(tr("Ne&xt step:"), this);
    label->setBuddy(m_box);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(20);
    m_box->setAccessibleName(tr("What the argument holds in the next step"));
    m_box->setObjectName(QStringLiteral("nextStep"));
    hbox(this, { 8, 2, 8, 4 }, styleSpacing, { label, m_box, boxStretch(1) });
    hide();
    connect(m_box, &QComboBox::activated, this, [this](int index) {
        const int entry = m_box->itemData(index).toInt();
        if (entry == asTheProgramSays)
            takeBack();
        else
            choose(entry == staysAsItIs ? std::nullopt : std::optional(static_cast<std::size_t>(entry)));
    });
}

void NextStepChoice::follow(const SnapshotPtr& snapshot, const std::string& path)
{
    hide();
    if (!snapshot || !snapshot->program || path.empty())
        return;
    const Program& program = *snapshot->program;
    const std::vector<ValueId>& arguments = program.main().arguments;
    const auto found = std::find_if(arguments.begin(), arguments.end(),
        [&](ValueId argument) { return std::string_view(*program.value(argument).path) == path; });
    if (found == arguments.end() || !isTensor(program.value(*found).type.dtype))
        return;
    m_program = snapshot->program;
    m_number = static_cast<std::size_t>(found - arguments.begin());
    const StepState own = stateOf(program, {});
    const bool isPart = own.source == StateSource::Program;
    list(isPart ? own : stateOf(program, m_document->experiment()->run.state));
    m_box->setEnabled(!isPart);
    m_box->setToolTip(isPart ? tr("The state of this program is part of it.")
                             : tr("The result of a step that the argument holds in the next one. Without a choice it "
                                  "is what the program says of donated arguments, or a guess."));
    show();
}

void NextStepChoice::list(const StepState& state)
{
    const std::optional<std::size_t> held = resultOf(state, m_program->main().arguments[m_number]);
    const QString source = sourceAddition(state.source);
    const auto withSource = [&](const QString& text) {
        return source.isEmpty() ? text : tr("%1 (%2)", "result 3, who says so").arg(text, source);
    };
    const QSignalBlocker quiet(m_box);
    m_box->clear();
    for (const std::size_t r : resultsFor(*m_program, m_number)) {
        const QString text = tr("result %1").arg(r);
        m_box->addItem(held == r ? withSource(text) : text, static_cast<int>(r));
    }
    const QString stays = tr("stays as it is");
    m_box->addItem(held ? stays : withSource(stays), staysAsItIs);
    m_box->setCurrentIndex(m_box->findData(held ? static_cast<int>(*held) : staysAsItIs));
    if (state.source == StateSource::Stated)
        m_box->addItem(tr("As the program says, for all arguments"), asTheProgramSays);
}

void NextStepChoice::choose(std::optional<std::size_t> result)
{
    if (!m_program)
        return;
    const StepState before = stateOf(*m_program, m_document->experiment()->run.state);
    if (resultOf(before, m_program->main().arguments[m_number]) == result)
        return;
    const QString argument = words::tensorName(m_program->value(m_program->main().arguments[m_number]).path);
    apply(stateText(*m_program, withPair(*m_program, before, m_number, result)),
        result ? tr("%1 is result %2 of the step before").arg(argument).arg(*result)
               : tr("%1 stays as it is from step to step").arg(argument));
}

void NextStepChoice::takeBack()
{
    apply({}, tr("State as the program says"));
}

void NextStepChoice::apply(std::string state, const QString& words)
{
    if (m_document->edit(withState(*m_document->experiment(), std::move(state)), words))
        Q_EMIT chosen();
}

} // namespace shardscope
