// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/initial_choice.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <utility>

#include "analysis/initial_setting.h"
#include "analysis/step_inputs.h"
#include "base/codes.h"
#include "document/array_file.h"
#include "experiment/edits.h"
#include "program/main_interface.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// Forms with numbers in them, from which one can go on.
constexpr const char* startingForms[] = { "zeros", "ones", "constant 0.5", "normal 0.02", "uniform -1 1", "fan_in",
    "xavier", "non_negative", "integers 8", "iota", "numpy_normal 0" };

/// A list below a name of its own, hidden until there is an argument.
void makeLine(QWidget* line, QComboBox* box, const QString& label, const QString& name, const char* id)
{
    auto* shown = new QLabel(label, line);
    shown->setBuddy(box);
    fitBox(box, 20);
    box->setAccessibleName(name);
    box->setObjectName(QLatin1String(id));
    hbox(line, { 8, 2, 8, 4 }, styleSpacing, { shown, box, boxStretch(1) });
    line->hide();
}

/// The number of the argument of that path; nothing where the program has none that is an array.
std::optional<std::size_t> arrayArgument(const SnapshotPtr& snapshot, const std::string& path)
{
    if (!snapshot || !snapshot->program)
        return std::nullopt;
    const MainInterface main(*snapshot->program);
    const std::optional<std::size_t> number = main.find(path);
    return number && isTensor(main.argumentType(*number).dtype) ? number : std::nullopt;
}

} // namespace

InitialChoice::InitialChoice(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_box(new QComboBox(this))
{
    makeLine(this, m_box, tr("&Starts from:"), tr("Values that the argument starts from"), "initialValue");
    m_box->setEditable(true);
    m_box->setInsertPolicy(QComboBox::NoInsert);
    m_box->setCompleter(nullptr); // it would complete "normal 0" to another number
    m_box->lineEdit()->setAccessibleName(m_box->accessibleName());

    connect(m_box, &QComboBox::activated, this, [this](int index) {
        if (index == 0)
            apply(std::nullopt);
        else if (index == m_box->count() - 1)
            askForFile();
        else
            choose(m_box->itemText(index));
    });
    connect(m_box->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        const QString text = m_box->currentText();
        if (text != m_inForce && m_box->findText(text) < 0)
            choose(text);
    });
}

void InitialChoice::follow(const SnapshotPtr& snapshot, const std::string& path)
{
    m_path.clear();
    const std::optional<std::size_t> number = arrayArgument(snapshot, path);
    setVisible(number.has_value());
    if (!number)
        return;
    const Program& program = *snapshot->program;
    if (m_program != snapshot->program) {
        InitialValues none = initialValuesOf(*snapshot);
        none.chosen.clear();
        m_program = snapshot->program;
        m_defaults = argumentStarts(program, none);
        m_ofText.clear();
        for (const auto& source : withTrainingText(std::move(none), *snapshot).perStep)
            m_ofText.insert(source.first);
    }
    m_path = path;
    m_number = *number;
    m_dtype = program.value(program.main().arguments[m_number]).type.dtype;
    showForce();
}

void InitialChoice::showForce()
{
    const std::vector<ChosenInitial>& all = m_document->experiment()->run.initial;
    const std::optional<std::size_t> choice = choiceFor(all, m_number, m_path, m_dtype);
    const bool isOfText = m_ofText.contains(m_number);
    const QString byDefault = isOfText
        ? tr("default: batches of a text")
        : tr("default: %1").arg(QString::fromStdString(toString(m_defaults[m_number].value)));
    m_inForce = choice ? QString::fromStdString(toString(all[*choice].value)) : byDefault;
    if ((m_box->lineEdit()->isModified() && m_box->lineEdit()->hasFocus()) || m_box->view()->isVisible())
        return; // somebody is writing or choosing
    const QSignalBlocker quiet(m_box);
    m_box->clear();
    m_box->addItem(byDefault);
    for (const char* form : startingForms)
        if (const auto value = parseInitialValue(form); value && fitsType(*value, m_dtype))
            m_box->addItem(QString::fromLatin1(form));
    if (choice && m_box->findText(m_inForce) < 0)
        m_box->addItem(m_inForce);
    m_box->addItem(tr("File…"));
    m_box->setCurrentIndex(m_box->findText(m_inForce));
    m_box->setToolTip(choice && all[*choice].argument != m_path
            ? tr("Chosen for %1.").arg(QString::fromStdString(all[*choice].argument))
            : isOfText && !choice
            ? tr("Every step reads another batch of a text about sharding, as the command train does. What is chosen "
                 "here stays the same in every step.")
            : tr("What the argument holds before the first step. Forms can be written out, such as normal 0.02, "
                 "uniform -1 1 or integers 8. The seed is that of the experiment."));
}

void InitialChoice::chooseFile(const QString& path)
{
    InitialValue value;
    value.kind = InitialValue::Kind::File;
    const QString own = m_document->filePath();
    value.file = (own.isEmpty() ? path : QDir(folderOf(own)).relativeFilePath(path)).toStdString();
    edit(parseInitialValue(toString(value)));
}

void InitialChoice::askForFile()
{
    const std::string path = m_path;
    const QString file = QFileDialog::getOpenFileName(this, tr("Values of %1").arg(words::tensorName(path)),
        folderOf(m_document->filePath()), tr("NumPy files (*.npy *.npz)"));
    if (file.isEmpty() || path != m_path)
        showForce();
    else
        chooseFile(file);
}

void InitialChoice::edit(Result<InitialValue> value)
{
    if (m_path.empty())
        return;
    m_box->lineEdit()->setModified(false);
    if (value && !fitsType(*value, m_dtype)) {
        const std::string_view type = name(m_dtype);
        value = fail(Code::InitialNotUsed,
            { { "argument", m_path }, { "value", toString(*value) }, { "wrong", "kind" }, { "type", type },
                { "known", initialValueForms(m_dtype) } });
    }
    if (value) {
        apply(*value);
        return;
    }
    m_document->edit(tl::unexpected(value.error()), QString());
    showForce();
}

void InitialChoice::apply(const std::optional<InitialValue>& value)
{
    if (m_path.empty())
        return;
    m_box->lineEdit()->setModified(false);
    const QString argument = words::tensorName(m_path);
    const Experiment before = *m_document->experiment();
    Experiment after = withInitial(before, m_path, value);
    if (after == before) {
        showForce();
        return;
    }
    const bool done = m_document->edit(std::move(after),
        value ? tr("%1 starts from %2", "argument, form").arg(argument, QString::fromStdString(toString(*value)))
              : tr("%1 starts from its default").arg(argument));
    showForce();
    if (done)
        Q_EMIT chosen();
}

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

} // namespace

NextStepChoice::NextStepChoice(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_box(new QComboBox(this))
{
    makeLine(this, m_box, tr("Ne&xt step:"), tr("What the argument holds in the next step"), "nextStep");
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
    const std::optional<std::size_t> number = arrayArgument(snapshot, path);
    if (!number)
        return;
    const Program& program = *snapshot->program;
    m_program = snapshot->program;
    m_number = *number;
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
    const std::optional<std::size_t> held = state.resultOf(m_program->main().arguments[m_number]);
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
    if (before.resultOf(m_program->main().arguments[m_number]) == result)
        return;
    const QString argument = words::tensorName(m_program->value(m_program->main().arguments[m_number]).path);
    apply(stateText(*m_program, withPair(*m_program, before, m_number, result)),
        result ? tr("%1 is result %2 of the step before").arg(argument).arg(*result)
               : tr("%1 stays as it is from step to step").arg(argument));
}

void NextStepChoice::apply(std::string state, const QString& words)
{
    if (m_document->edit(withState(*m_document->experiment(), std::move(state)), words))
        Q_EMIT chosen();
}

} // namespace shardscope
