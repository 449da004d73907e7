// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>
#include <limits>

#include "experiment/model_settings.h"
#include "experiment/network_choices.h"
#include "experiment/network_edits.h"
#include "networks/presets.h"
#include "views/model_view/layout_panel.h"
#include "views/model_view/model_choices.h"
#include "views/model_view/model_field.h"
#include "views/widgets/boxes.h"
#include "views/widgets/fold_button.h"
#include "views/widgets/size_slider.h"
#include "views/widgets/size_spin_box.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int columns = 2;

} // namespace

ModelForm::ModelForm(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_networks(new QComboBox)
    , m_sentence(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_heads(hbox({}, 2, {}))
    , m_bodies(vbox({}, 4, {}))
{
    m_network = new ModelField(tr("Network"), m_networks, this);
    watch(m_network);
    addNetworks();
    vbox(this, { 8, 6, 8, 2 }, 4, { m_network, m_sentence, m_heads, m_bodies });
    addSection("sizes", tr("Sizes"));
    addSection("blocks", tr("Blocks"));
    addSection("training", tr("Training"));
    addSection("layout", tr("Layout"));
    m_layout = new LayoutPanel(document, m_sections.back().body);
    m_sections.back().ofFields = false;
    m_sections.back().grid->addWidget(m_layout, 0, 0, 1, columns);
    m_heads->addStretch();

    addSize("sizes", "batch", tr("Batch"));
    addSize("sizes", "length", tr("Length"));
    addSize("sizes", "layers", tr("Layers"));
    addSize("sizes", "embed", tr("Embed"));
    addSize("sizes", "hidden", tr("Hidden"));
    addSize("sizes", "heads", tr("Heads"));
    addSize("sizes", "kv_heads", tr("KV heads"));
    addSize("sizes", "kv", tr("Head size"));
    addSize("sizes", "mlp", tr("MLP"));
    addSize("sizes", "vocab", tr("Vocabulary"));
    addSize("blocks", "rank", tr("Latent rank"));
    addSize("blocks", "query_rank", tr("Query rank"));
    addSize("blocks", "dense_layers", tr("Dense layers"));
    addSize("blocks", "expert", tr("Experts"), tr("none", "experts"));
    addSize("blocks", "sliding_window", tr("Sliding window"), tr("none", "window"));
    addSize("blocks", "window_pattern", tr("Window pattern"), tr("none", "layers without a window"));
    addSize("training", "microbatches", tr("Microbatches"));
    addDropout();
    for (const ModelChoice& choice : modelChoices()) {
        QComboBox* const combo = addChoice(choice.section, choice.name, choice.title);
        for (const ModelChoice::Option& option : choice.options)
            combo->addItem(option.title, option.value);
        if (choice.isFree)
            makeFree(combo);
    }

    connect(m_networks, &QComboBox::activated, this, &ModelForm::chooseNetwork);
    connect(document, &Document::experimentChanged, this, [this] {
        if (!m_editing)
            acceptAll();
        refresh();
    });
    refresh();
}

void ModelForm::addNetworks()
{
    auto* items = new QStandardItemModel(m_networks);
    const auto heading = [items](const QString& title) {
        auto* item = new QStandardItem(title);
        item->setFlags(Qt::NoItemFlags);
        item->setFont(Metrics::semibold());
        items->appendRow(item);
    };
    const auto add = [items](const QString& title, const QString& id) {
        auto* item = new QStandardItem(title);
        item->setData(id, Qt::UserRole);
        items->appendRow(item);
    };
    heading(tr("Examples"));
    add(tr("MLP of the Flax notebook"), words::fromStd(mlpNetwork));
    std::string_view family;
    for (const TransformerPreset& preset : transformerPresets()) {
        if (preset.family != family)
            heading(words::fromStd(family = preset.family));
        add(words::fromStd(preset.title), words::fromStd(preset.id));
        items->item(items->rowCount() - 1)
            ->setToolTip(tr("%1 parameters").arg(words::count(static_cast<qint64>(preset.parameters))));
    }
    m_networks->setModel(items);
    fitBox(m_networks, 16);
    m_networks->setMaxVisibleItems(24);
}

void ModelForm::addSection(const char* name, const QString& title)
{
    auto* head = new FoldButton(title, this);
    auto* body = new QWidget(this);
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, 0, 4);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    for (int column = 0; column < columns; ++column)
        grid->setColumnStretch(column, 1);
    m_heads->addWidget(head);
    m_bodies->addWidget(body);
    m_sections.push_back({ QLatin1String(name), head, body, grid, true });
    body->hide();
    connect(head, &QToolButton::toggled, body, &QWidget::setVisible);
}

std::size_t ModelForm::sectionOf(const char* name) const
{
    std::size_t index = 0;
    while (m_sections[index].name != QLatin1String(name))
        ++index;
    return index;
}

FoldButton* ModelForm::head(const QString& section) const
{
    for (const Section& each : m_sections)
        if (each.name == section)
            return each.head;
    return nullptr;
}

QStringList ModelForm::unfolded() const
{
    QStringList names;
    for (const Section& section : m_sections)
        if (section.head->isChecked())
            names << section.name;
    return names;
}

void ModelForm::setUnfolded(const QStringList& sections)
{
    for (const Section& section : m_sections)
        section.head->setChecked(sections.contains(section.name));
}

void ModelForm::addSize(const char* section, const char* name, const QString& title, const QString& none)
{
    auto* spin = new SizeSpinBox;
    spin->setRange(none.isEmpty() ? 1 : 0, std::numeric_limits<int>::max());
    spin->setSpecialValueText(none);
    spin->setGroupSeparatorShown(true);
    spin->setMinimumWidth(Metrics::scaled(92));
    auto* field = new ModelField(title, spin, m_sections[sectionOf(section)].body);
    watch(field);
    const std::size_t index = m_sizes.size();
    m_sizes.push_back({ name, sectionOf(section), field, spin });
    connect(spin, &QSpinBox::valueChanged, this, [this, index](int value) { setSize(index, value); });
    if (m_sections[m_sizes.back().section].name != QStringLiteral("sizes"))
        return;
    auto* slider = new SizeSlider(field);
    slider->setAxis(-1);
    field->setSlider(slider);
    connect(slider, &SizeSlider::sizeChosen, this,
        [this, index](qint64 value, bool dragging) { slide(index, value, dragging); });
    connect(slider, &SizeSlider::cancelled, this, [this, index] { cancelSlide(index); });
}

void ModelForm::addDropout()
{
    constexpr int decimals = 3;
    m_dropoutRate = new QDoubleSpinBox;
    m_dropoutRate->setDecimals(decimals);
    m_dropoutRate->setRange(0, 0.999);
    m_dropoutRate->setSingleStep(0.05);
    m_dropoutRate->setSpecialValueText(tr("none", "dropout"));
    m_dropoutRate->setMinimumWidth(Metrics::scaled(92));
    m_dropout = new ModelField(tr("Dropout"), m_dropoutRate, m_sections[sectionOf("training")].body);
    watch(m_dropout);
    connect(m_dropoutRate, &QDoubleSpinBox::valueChanged, this, &ModelForm::setDropout);
}

QComboBox* ModelForm::addChoice(const char* section, const char* name, const QString& title)
{
    auto* combo = new QComboBox;
    fitBox(combo, 8);
    auto* field = new ModelField(title, combo, m_sections[sectionOf(section)].body);
    watch(field);
    m_choices.push_back({ name, sectionOf(section), field, combo });
    connect(combo, &QComboBox::activated, this, [this, field, combo, key = std::string(name)] {
        if (combo->isEditable())
            write(key, field, combo->currentText());
        else
            choose(key, field, *combo);
    });
    return combo;
}

void ModelForm::makeFree(QComboBox* combo)
{
    Choice& choice = m_choices.back();
    choice.isFree = true;
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->lineEdit()->setAccessibleName(choice.field->title());
    combo->lineEdit()->setPlaceholderText(tr("none", "name of a dimension"));
    connect(combo->lineEdit(), &QLineEdit::editingFinished, this,
        [this, combo, field = choice.field, key = choice.name] { write(key, field, combo->currentText()); });
}

void ModelForm::watch(ModelField* field)
{
    connect(field, &ModelField::left, this, [this] { m_merging = nullptr; });
}

ModelField* ModelForm::field(const QString& key) const
{
    const std::string name = key.toStdString();
    for (const Size& size : m_sizes)
        if (size.name == name && !size.field->isHidden())
            return size.field;
    for (const Choice& choice : m_choices)
        if (choice.name == name && !choice.field->isHidden())
            return choice.field;
    if (name == "dropout")
        return m_dropout->isHidden() ? nullptr : m_dropout;
    return key == QStringLiteral("network") ? m_network : nullptr;
}

void ModelForm::refresh()
{
    const Experiment& now = *m_document->experiment();
    refreshNetworks();
    for (const Size& size : m_sizes)
        refreshSize(size);
    refreshChoices();
    refreshDropout();
    m_sentence->setVisible(!isNetwork(now));
    m_sentence->setText(sourceText(now)
            ? tr("The sizes of this model are those of its text. Below are its parameters.")
            : tr(
                "This experiment lists its arrays one by one. Below are its parameters, by the parts of their names."));
    place();
}

void ModelForm::refreshNetworks()
{
    const Experiment& now = *m_document->experiment();
    const QSignalBlocker quiet(m_networks);
    // What is none of the list stands before it.
    if (m_networks->itemData(0).isValid())
        m_networks->removeItem(0);
    const QString id = words::fromStd(networkOf(now));
    if (const int index = id.isEmpty() ? -1 : m_networks->findData(id); index > 0) {
        m_networks->setCurrentIndex(index);
        return;
    }
    m_networks->insertItem(0,
        isNetwork(now)        ? tr("Transformer of own sizes")
            : sourceText(now) ? tr("Program in a text")
                              : tr("List of arrays"),
        QString());
    m_networks->setCurrentIndex(0);
}

void ModelForm::refreshSize(const Size& size)
{
    const Experiment& now = *m_document->experiment();
    const std::optional<std::int64_t> value = shownSize(now, size.name);
    size.field->setHidden(!value);
    if (!value)
        return;
    const QSignalBlocker quiet(size.spin);
    const bool fits = *value <= size.spin->maximum();
    size.spin->setEnabled(fits);
    size.spin->setToolTip(fits ? QString() : tr("%1, which is more than can be edited here").arg(words::count(*value)));
    size.spin->setSizes(sizesInReach(now, size.name));
    size.spin->setValue(static_cast<int>(std::min<std::int64_t>(*value, size.spin->maximum())));
    if (SizeSlider* slider = size.field->slider()) {
        // The same sizes through all of a drag, or ticks would move under the pointer.
        slider->setSizes(sizesOnSlider(m_beforeDrag ? *m_beforeDrag : now, size.name), *value);
        slider->setEnabled(fits);
    }
}

void ModelForm::refreshChoices()
{
    const Experiment& now = *m_document->experiment();
    for (const Choice& choice : m_choices) {
        if (choice.isFree) {
            const std::optional<std::string> text = textOption(now, choice.name);
            choice.field->setHidden(!text);
            const QSignalBlocker quiet(choice.combo);
            choice.combo->setEditText(words::fromStd(text.value_or(std::string())));
            continue;
        }
        const std::optional<int> value = chosenOption(now, choice.name);
        choice.field->setHidden(!value);
        const QSignalBlocker quiet(choice.combo);
        choice.combo->setCurrentIndex(value ? choice.combo->findData(*value) : -1);
    }
}

void ModelForm::refreshDropout()
{
    const std::optional<double> rate = shownDropout(*m_document->experiment());
    m_dropout->setHidden(!rate);
    const QSignalBlocker quiet(m_dropoutRate);
    m_dropoutRate->setValue(rate.value_or(0));
}

void ModelForm::place()
{
    for (std::size_t section = 0; section < m_sections.size(); ++section)
        placeSection(section);
    QWidget* before = m_networks;
    for (const Section& section : m_sections) {
        setTabOrder(before, section.head);
        before = section.head;
    }
    for (const Section& section : m_sections)
        for (int i = 0; section.ofFields && i < section.grid->count(); ++i) {
            QWidget* control = static_cast<ModelField*>(section.grid->itemAt(i)->widget())->control();
            setTabOrder(before, control);
            before = control;
            if (QWidget* slider = static_cast<ModelField*>(section.grid->itemAt(i)->widget())->slider()) {
                setTabOrder(before, slider);
                before = slider;
            }
        }
    for (QWidget* control : m_layout->controls()) {
        setTabOrder(before, control);
        before = control;
    }
}

void ModelForm::placeSection(std::size_t index)
{
    const Section& section = m_sections[index];
    if (!section.ofFields) {
        const bool has = std::holds_alternative<TransformerModel>(m_document->experiment()->model);
        section.head->setVisible(has);
        section.body->setVisible(has && section.head->isChecked());
        return;
    }
    std::vector<ModelField*> shown;
    for (const Size& size : m_sizes)
        if (size.section == index && !size.field->isHidden())
            shown.push_back(size.field);
    for (const Choice& choice : m_choices)
        if (choice.section == index && !choice.field->isHidden())
            shown.push_back(choice.field);
    if (index == sectionOf("training") && !m_dropout->isHidden())
        shown.push_back(m_dropout);
    section.head->setHidden(shown.empty());
    section.body->setVisible(!shown.empty() && section.head->isChecked());
    bool same = section.grid->count() == static_cast<int>(shown.size());
    for (int i = 0; same && i < section.grid->count(); ++i)
        same = section.grid->itemAt(i)->widget() == shown[static_cast<std::size_t>(i)];
    if (same)
        return;
    while (section.grid->count() > 0)
        delete section.grid->takeAt(0);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const int at = static_cast<int>(i);
        section.grid->addWidget(shown[i], at / columns, at % columns, Qt::AlignTop);
    }
}

void ModelForm::acceptAll()
{
    m_network->accept();
    for (const Size& size : m_sizes)
        size.field->accept();
    for (const Choice& choice : m_choices)
        choice.field->accept();
    m_dropout->accept();
}

void ModelForm::chooseNetwork(int index)
{
    const QString id = m_networks->itemData(index).toString();
    if (!id.isEmpty() && id != words::fromStd(networkOf(*m_document->experiment())))
        edit(m_network, withNetwork(*m_document->experiment(), id.toStdString()), m_networks->itemText(index), 0);
}

void ModelForm::setSize(std::size_t index, int value)
{
    const Size& size = m_sizes[index];
    const Experiment& now = *m_document->experiment();
    const std::int64_t before = shownSize(now, size.name).value_or(value);
    if (value == before)
        return;
    merge(size.field, words::count(before));
    edit(size.field, withSize(now, size.name, value),
        QStringLiteral("%1 %2 → %3").arg(size.field->title(), m_before, words::count(value)), m_mergeId);
}

/// A drag over several sizes is one edit.
void ModelForm::slide(std::size_t index, qint64 value, bool dragging)
{
    if (dragging && !m_beforeDrag) {
        m_merging = nullptr;
        m_beforeDrag = m_document->experiment();
    }
    if (value <= m_sizes[index].spin->maximum())
        setSize(index, static_cast<int>(value));
    if (!dragging && m_beforeDrag) {
        m_merging = nullptr;
        m_beforeDrag.reset();
        refreshSize(m_sizes[index]);
    }
}

void ModelForm::cancelSlide(std::size_t index)
{
    // A step that ends where it began vanishes.
    if (m_beforeDrag && m_merging == m_sizes[index].field)
        edit(m_sizes[index].field, Experiment(*m_beforeDrag), QString(), m_mergeId);
    m_merging = nullptr;
    m_beforeDrag.reset();
    refreshSize(m_sizes[index]);
}

void ModelForm::setDropout(double rate)
{
    const Experiment& now = *m_document->experiment();
    const double before = shownDropout(now).value_or(rate);
    if (rate == before)
        return;
    merge(m_dropout, words::percent(before));
    edit(m_dropout, withDropout(now, rate),
        QStringLiteral("%1 %2 → %3").arg(m_dropout->title(), m_before, words::percent(rate)), m_mergeId);
}

void ModelForm::merge(ModelField* field, const QString& before)
{
    if (m_merging == field)
        return;
    m_merging = field;
    m_mergeId = m_document->newMergeId();
    m_before = before;
}

void ModelForm::choose(const std::string& name, ModelField* field, const QComboBox& combo)
{
    const Experiment& now = *m_document->experiment();
    const int value = combo.currentData().toInt();
    if (value != chosenOption(now, name))
        edit(
            field, withOption(now, name, value), QStringLiteral("%1 → %2").arg(field->title(), combo.currentText()), 0);
}

void ModelForm::write(const std::string& name, ModelField* field, const QString& text)
{
    const Experiment& now = *m_document->experiment();
    const QString entered = text.trimmed();
    if (const std::optional<std::string> before = textOption(now, name); before && *before != entered.toStdString())
        edit(field, withText(now, name, entered.toStdString()),
            QStringLiteral("%1 → %2").arg(
                field->title(), entered.isEmpty() ? tr("none", "name of a dimension") : entered),
            0);
}

bool ModelForm::edit(ModelField* field, Result<Experiment> after, const QString& text, int mergeId)
{
    acceptAll();
    if (mergeId == 0)
        m_merging = nullptr;
    const std::optional<Diagnostic> refused = after ? std::nullopt : std::optional<Diagnostic>(after.error());
    bool done = false;
    {
        const QScopedValueRollback editing(m_editing, true);
        done = m_document->edit(std::move(after), text, mergeId);
    }
    if (done)
        return true;
    // Controls go back to what is; the message says why.
    if (refused)
        field->refuse(*refused);
    refresh();
    return false;
}

} // namespace shardscope
