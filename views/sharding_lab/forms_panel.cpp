// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sharding_lab/forms_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>

#include "views/panel/panel.h"
#include "views/sharding_lab/form_row.h"
#include "views/widgets/boxes.h"
#include "words/lab_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
namespace {
constexpr DType dtypes[] = { DType::F32, DType::BF16, DType::F16, DType::F64, DType::I8, DType::I16, DType::I32,
    DType::I64, DType::U8, DType::U16, DType::U32, DType::U64, DType::Pred };

/// Arguments to begin with: the grid as it is, its axes the other way round, its first axis.
QString argumentsFor(const QString& operation, const Shape& grid)
{
    QStringList arguments;
    for (std::size_t axis = 0; axis < grid.size(); ++axis)
        arguments << QString::number(
            operation == QLatin1String("transpose") ? static_cast<qint64>(grid.size() - 1 - axis) : grid[axis]);
    if (operation == QLatin1String("replicate"))
        arguments = grid.empty() ? QStringList() : QStringList{ QStringLiteral("0") };
    return arguments.join(QStringLiteral(", "));
}

} // namespace

FormsPanel::FormsPanel(LabState* state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_shape(new FormRow(tr("Shape"), tr("Sizes of the array, as 8, 16; () is a scalar"), this))
    , m_dtype(new QComboBox(this))
    , m_memory(new QComboBox(this))
    , m_version(new QComboBox(this))
    , m_fromTensor(new QPushButton(tr("From selected tensor"), this))
    , m_memoryProblem(new RoleLabel(RoleLabel::Size::Small, &Theme::error, this))
    , m_stale(new RoleLabel(RoleLabel::Size::Small, &Theme::warning, this))
    , m_steps(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
{
    for (const DType dtype : dtypes)
        m_dtype->addItem(words::fromStd(name(dtype)), static_cast<int>(dtype));
    describe(m_dtype, tr("Type of the elements"), tr("By which bytes are counted"));
    describe(m_memory, tr("Memory kind"), tr("In which memory of its devices the array lies; part of the sharding"));
    m_version->addItems({ tr("JAX of 2024"), tr("JAX today") });
    describe(m_version, tr("How JAX prints specs and meshes"),
        tr("2024: PartitionSpec('x', None). Now: P('x', None), and axis types in meshes"));
    fitBox(m_dtype, 4);
    for (QComboBox* box : { m_memory, m_version }) {
        fitBox(box, 8);
        box->setMinimumWidth(Metrics::scaled(64));
    }
    m_fromTensor->setToolTip(tr("Takes shape, type and spec of the tensor that is selected in the window"));
    for (RoleLabel* label : { m_memoryProblem, m_stale, m_steps }) {
        label->setWordWrap(true);
        label->hide();
    }
    m_stale->setAccessibleName(tr("Stale"));
    m_shape->copyButton()->hide();

    auto* content = new QWidget(this);
    auto* array = hbox({}, 6, { { m_shape, 1 }, { m_dtype, 0, Qt::AlignTop } });
    auto* memoryLabel = new RoleLabel(tr("Memory"), RoleLabel::Size::Small, &Theme::secondary, this);
    memoryLabel->setBuddy(m_memory);
    auto* versionLabel = new RoleLabel(tr("Printed by"), RoleLabel::Size::Small, &Theme::secondary, this);
    versionLabel->setBuddy(m_version);
    auto* choices = hbox({}, 6, { memoryLabel, { m_memory, 1 }, versionLabel, { m_version, 1 } });
    auto* tensor = hbox({}, styleSpacing, { m_fromTensor, boxStretch() });
    auto* column = vbox(content, { 8, 6, 8, 8 }, 4, { array, choices, m_memoryProblem, tensor, boxSpace(4), m_stale });
    const auto revert = [this] {
        m_state->revert();
        Q_EMIT changed();
    };
    int names = std::max(m_shape->nameWidth(), memoryLabel->sizeHint().width());
    for (const ShardingForm form : shardingForms()) {
        const lab::FormWords called = lab::formWords(form);
        auto* row = new FormRow(called.name, called.tip, this);
        m_rows[static_cast<std::size_t>(form)] = row;
        names = std::max(names, row->nameWidth());
        column->addWidget(row);
        if (form == ShardingForm::PositionalCode) {
            auto* operations = hbox({}, 4, { boxStretch() });
            for (const char* operation : { "reshape", "transpose", "replicate" }) {
                auto* add = new QToolButton(this);
                add->setText(QStringLiteral("+ .") + QLatin1String(operation));
                add->setObjectName(QLatin1String(operation));
                describe(add, tr("Add %1 to the chain").arg(QLatin1String(operation)));
                connect(
                    add, &QToolButton::clicked, this, [this, operation] { addOperation(QLatin1String(operation)); });
                operations->addWidget(add);
            }
            column->addLayout(operations);
            column->addWidget(m_steps);
        }
        connect(row, &FormRow::edited, this, [this, form](const QString& typed) {
            m_state->edit(form, typed.toStdString());
            Q_EMIT changed();
        });
        connect(row, &FormRow::copyRequested, this, [this, form] { copy(form); });
        connect(row, &FormRow::escaped, this, revert);
    }
    column->addStretch();
    for (FormRow* row : m_rows)
        row->setNameWidth(names);
    m_shape->setNameWidth(names);
    memoryLabel->setFixedWidth(names);

    auto* area = new QScrollArea(this);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setAccessibleName(tr("Text forms"));
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    vbox(this, {}, styleSpacing, { area });
    setMinimumWidth(std::min(content->minimumSizeHint().width() + Metrics::scaled(14), Metrics::scaled(380)));
    setFocusProxy(m_rows.front());

    connect(m_shape, &FormRow::edited, this, [this](const QString& typed) {
        m_state->setShape(typed.toStdString());
        Q_EMIT changed();
    });
    connect(m_shape, &FormRow::escaped, this, revert);
    connect(m_dtype, &QComboBox::activated, this, [this] {
        m_state->setDType(static_cast<DType>(m_dtype->currentData().toInt()));
        Q_EMIT changed();
    });
    connect(m_memory, &QComboBox::activated, this, [this](int index) {
        m_state->setMemoryKind(
            index == 0 ? std::nullopt : std::optional(static_cast<MemoryKind>(m_memory->currentData().toInt())));
        Q_EMIT changed();
    });
    connect(m_version, &QComboBox::activated, this, [this](int index) {
        m_state->setVersion(index == 0 ? JaxVersion::Year2024 : JaxVersion::Current);
        Q_EMIT changed();
    });
    connect(m_fromTensor, &QPushButton::clicked, this, &FormsPanel::fromTensorRequested);
}

void FormsPanel::fillMemory()
{
    const std::string& platform = m_state->devices().platform;
    if (m_memoryPlatform == platform && m_memory->count() > 0)
        return;
    m_memoryPlatform = platform;
    const QSignalBlocker quiet(m_memory);
    m_memory->clear();
    m_memory->addItem(tr("as in the text"));
    m_memory->setItemData(0,
        tr("What the text says, else %1, the default of these devices")
            .arg(words::fromStd(toString(defaultMemoryKind(platform)))),
        Qt::ToolTipRole);
    for (const MemoryKind kind : memoryKinds(platform))
        m_memory->addItem(words::fromStd(toString(kind)), static_cast<int>(kind));
    // A kind that the devices lack stays chosen, and is said to be wrong.
    if (const auto chosen = m_state->memoryKind(); chosen && m_memory->findData(static_cast<int>(*chosen)) < 0)
        m_memory->addItem(words::fromStd(toString(*chosen)), static_cast<int>(*chosen));
}

void FormsPanel::refresh()
{
    fillMemory();
    m_memory->setCurrentIndex(m_state->memoryKind() ? m_memory->findData(static_cast<int>(*m_state->memoryKind())) : 0);
    m_dtype->setCurrentIndex(m_dtype->findData(static_cast<int>(m_state->dtype())));
    m_version->setCurrentIndex(m_state->version() == JaxVersion::Year2024 ? 0 : 1);
    m_shape->setText(QString::fromStdString(m_state->shapeText()), {});
    m_shape->setProblem(m_state->shapeProblem());
    const auto& memory = m_state->memoryProblem();
    showText(m_memoryProblem, memory ? lab::problemText(*memory) : QString());
    for (const ShardingForm form : shardingForms()) {
        FormRow* row = this->row(form);
        const bool source = form == m_state->source();
        row->setText(QString::fromStdString(m_state->text(form)),
            source                  ? QString()
                : m_state->result() ? lab::whyEmpty(m_state->form(form))
                                    : QString());
        row->setProblem(source ? m_state->sourceProblem() : std::nullopt);
        row->setSource(source);
        row->setStale(m_state->isStale() && !source);
        if (m_state->form(form).listed > 0)
            row->copyButton()->setEnabled(true);
    }
    QString stale;
    if (m_state->sourceProblem())
        stale = tr("What was written last cannot be used. The other forms show the last sharding that could; Esc goes "
                   "back to it.");
    else if (m_state->isStale())
        stale = tr("The forms show the last array that could be used; Esc goes back to it.");
    showText(m_stale, stale);
    const std::vector<PositionalStep> steps = m_state->steps();
    m_steps->setText(lab::stepsText(steps));
    m_steps->setVisible(steps.size() > 1);
}

void FormsPanel::addOperation(const QString& operation)
{
    // On the chain as it is typed, or on the one that says what the sharding is, or from the devices on.
    std::string chain = m_state->text(ShardingForm::PositionalCode);
    std::vector<PositionalStep> steps = positionalSteps(chain, m_state->devices().mesh);
    if (steps.empty()) {
        chain = "PositionalSharding(devices)";
        steps = positionalSteps(chain, m_state->devices().mesh);
    }
    const QString arguments = argumentsFor(operation, steps.empty() ? Shape{} : steps.back().shape);
    const QString head = QString::fromStdString(chain) + QLatin1Char('.') + operation + QLatin1Char('(');
    m_state->edit(ShardingForm::PositionalCode, (head + arguments + QLatin1Char(')')).toStdString());
    Q_EMIT changed();
    QLineEdit* edit = row(ShardingForm::PositionalCode)->edit();
    edit->setFocus(Qt::OtherFocusReason);
    edit->setSelection(static_cast<int>(head.size()), static_cast<int>(arguments.size()));
}

void FormsPanel::copy(ShardingForm form)
{
    if (form == m_state->source()) {
        QApplication::clipboard()->setText(QString::fromStdString(m_state->sourceText()));
        return;
    }
    if (const Result<std::string> full = m_state->fullText(form))
        QApplication::clipboard()->setText(QString::fromStdString(*full));
}

void FormsPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        for (const ShardingForm form : shardingForms())
            if (FormRow* row = m_rows[static_cast<std::size_t>(form)])
                row->setStale(m_state->isStale() && form != m_state->source());
    QWidget::changeEvent(event);
}

} // namespace shardscope
