// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/device_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "analysis/fixes.h"
#include "document/document.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "mesh/device_presets.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "words/things.h"
#include "words/topology_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// One axis after the other as "data=2, model=1", or sizes as "2 × 2 × 1 × 1".
QString optionText(const OrderSetting& order)
{
    QStringList parts;
    if (order.method == OrderMethod::Hybrid)
        for (const MeshAxis& axis : order.dcn)
            parts << QStringLiteral("%1=%2").arg(words::fromStd(axis.name), QString::number(axis.size));
    else
        for (const std::int32_t size : order.submesh)
            parts << QString::number(size);
    return parts.join(order.method == OrderMethod::Hybrid ? QStringLiteral(", ") : QStringLiteral(" × "));
}

} // namespace

DeviceControls::DeviceControls(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_presets(new QComboBox(this))
    , m_own(new QToolButton(this))
    , m_list(new DeviceListEditor(this))
    , m_facts(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_orders(new QComboBox(this))
    , m_share(new QCheckBox(tr("Share physical axes"), this))
    , m_contiguous(new QCheckBox(tr("Contiguous submeshes"), this))
    , m_byHost(new QCheckBox(tr("Hosts as slices"), this))
    , m_option(new QLineEdit(this))
    , m_auto(new QPushButton(tr("Auto mesh"), this))
    , m_messageBox(new QWidget(this))
    , m_messageText(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, m_messageBox))
    , m_fixes(new QHBoxLayout)
{
    addPresets();
    m_auto->setToolTip(tr("Lets JAX's create_device_mesh put the devices in an order that suits the hardware"));
    describe(m_orders, tr("Order of the devices in the mesh"), tr("Which device stands where in the mesh"));
    for (const OrderMethod method : { OrderMethod::RowMajor, OrderMethod::AsListed, OrderMethod::CreateDeviceMesh,
             OrderMethod::MakeMesh, OrderMethod::Hybrid, OrderMethod::T5x }) {
        MeshSetting setting;
        setting.order.method = method;
        m_orders->addItem(tr("Order: %1").arg(words::orderName(setting)), static_cast<int>(method));
    }
    m_share->setToolTip(tr("Parts of one direction of the hardware may go to several mesh axes"));
    m_contiguous->setToolTip(tr("Every part of the mesh lies together on the hardware, where a topology allows that"));
    m_byHost->setToolTip(tr("The parts that the slow network joins are hosts, not slices"));
    m_own->setText(tr("Own list"));
    m_own->setCheckable(true);
    describe(m_own, tr("Write the devices one by one"),
        tr("The devices one by one, to be written by hand; the file keeps them"));
    m_list->hide();
    m_option->setClearButtonEnabled(true);
    m_facts->setWordWrap(true); // two lines beside the boxes

    m_orderLines = hbox({}, 4,
        { { hbox({}, 8, { m_orders, { m_option, 1 }, boxStretch() }), 1 },
            hbox({}, 12, { m_share, m_contiguous, m_byHost, boxStretch(), m_auto }) });
    hbox(m_messageBox, { 8, 4, 8, 4 }, styleSpacing, { { m_messageText, 1 }, m_fixes });
    m_messageBox->setAutoFillBackground(true);
    m_messageBox->setBackgroundRole(QPalette::Window);
    m_messageBox->hide();

    auto* devices = hbox({}, 8, { m_presets, m_own, { m_facts, 1 } });
    vbox(this, {}, 4, { devices, m_list, m_orderLines, m_messageBox });
    setFocusProxy(m_presets);

    connect(m_presets, &QComboBox::activated, this, [this] { chooseDevices(m_presets->currentText()); });
    connect(
        m_presets->lineEdit(), &QLineEdit::returnPressed, this, [this] { chooseDevices(m_presets->currentText()); });
    connect(m_auto, &QPushButton::clicked, this, [this] {
        const Experiment& now = *m_document->experiment();
        setOrder(automaticOrder(now.hardware.devices, now.mesh), tr("auto mesh"));
    });
    connect(m_orders, &QComboBox::activated, this, [this] {
        if (!m_orders->currentData().isValid())
            return;
        OrderSetting chosen = m_document->experiment()->mesh.order;
        chosen.method = static_cast<OrderMethod>(m_orders->currentData().toInt());
        setOrder(std::move(chosen), m_orders->currentText());
    });
    const auto follow = [this](QCheckBox* box, bool OrderSetting::*option, const QString& on, const QString& off) {
        connect(box, &QCheckBox::clicked, this, [this, option, on, off](bool checked) {
            OrderSetting chosen = m_document->experiment()->mesh.order;
            chosen.*option = checked;
            setOrder(std::move(chosen), checked ? on : off);
        });
    };
    follow(m_share, &OrderSetting::sharePhysicalAxes, tr("share physical axes"), tr("whole physical axes"));
    follow(m_contiguous, &OrderSetting::contiguousSubmeshes, tr("contiguous submeshes"), tr("submeshes anywhere"));
    follow(m_byHost, &OrderSetting::byHost, tr("hosts as slices"), tr("slices of the machine"));
    connect(m_own, &QToolButton::toggled, this, &DeviceControls::showList);
    connect(m_list, &DeviceListEditor::closed, this, [this] { showList(false); });
    connect(m_list, &DeviceListEditor::applied, this, [this](const DeviceSet& own) {
        if (edit(withDevices(*m_document->experiment(), own), tr("own devices")))
            showList(false);
    });
    connect(m_option, &QLineEdit::editingFinished, this, &DeviceControls::setOption);
    connect(document, &Document::experimentChanged, this, &DeviceControls::refresh);
    refresh();
}

/// Grouped by kind; whatever else a text names can be typed.
void DeviceControls::addPresets()
{
    const std::pair<const char*, std::vector<const char*>> groups[] = {
        { "CPU", { "cpu:8", "cpu:2x4", "cpu:16" } },
        { "GPU", { "gpu:8", "gpu:4x8", "gpu:32x8" } },
        { "TPU v2", { "tpu-v2:2x2", "tpu-v2:4x4", "tpu-v2:8x8", "tpu-v2:16x16" } },
        { "TPU v3", { "tpu-v3:2x2", "tpu-v3:4x4", "tpu-v3:16x16", "tpu-v3:32x32" } },
        { "TPU v4", { "tpu-v4:2x2x1", "tpu-v4:4x4x4", "tpu-v4:8x8x8", "tpu-v4:16x16x16", "2*tpu-v4:4x4x4" } },
        { "TPU v5e", { "tpu-v5e:2x4", "tpu-v5e:4x4", "tpu-v5e:16x16", "2*tpu-v5e:16x16" } },
        { "TPU v5p", { "tpu-v5p:2x2x2", "tpu-v5p:4x4x8", "tpu-v5p:8x8x16" } },
        { "TPU v6e", { "tpu-v6e:2x4", "tpu-v6e:4x4", "tpu-v6e:16x16" } },
        { "TPU v7", { "tpu-v7:2x2x1", "tpu-v7:4x4x4", "tpu-v7:8x16x16" } },
    };
    m_presets->setEditable(true);
    m_presets->setInsertPolicy(QComboBox::NoInsert);
    m_presets->setMinimumContentsLength(16);
    m_presets->setMaxVisibleItems(24);
    describe(m_presets, tr("Devices"),
        tr("cpu:8, gpu:4x8 (hosts × devices), tpu-v4:4x4x4 (chips), 2*tpu-v5e:16x16 (two slices)"));
    QStringList names;
    for (const auto& [family, sets] : groups) {
        m_presets->addItem(QString::fromLatin1(family));
        m_presets->setItemData(m_presets->count() - 1, 0, Qt::UserRole - 1); // neither selectable nor enabled
        for (const char* set : sets) {
            names << QString::fromLatin1(set);
            m_presets->addItem(names.back());
            if (const Result<DeviceSet> devices = parseDevices(set))
                m_presets->setItemData(m_presets->count() - 1, words::deviceFacts(*devices), Qt::ToolTipRole);
        }
    }
    auto* completer = new QCompleter(names, m_presets);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_presets->setCompleter(completer);
    m_presets->lineEdit()->setAccessibleName(tr("Devices"));
}

void DeviceControls::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    int needed = 12;
    for (const QWidget* control :
        std::initializer_list<QWidget*>{ m_orders, m_option, m_share, m_contiguous, m_byHost, m_auto })
        if (!control->isHidden())
            needed += control->sizeHint().width() + 12;
    m_orderLines->setDirection(width() >= needed ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void DeviceControls::showList(bool show)
{
    const QSignalBlocker quiet(m_own);
    m_own->setChecked(show);
    if (show)
        m_list->start(m_document->experiment()->hardware.devices);
    m_list->setVisible(show);
    (show ? static_cast<QWidget*>(m_list) : m_own)->setFocus(Qt::OtherFocusReason);
}
QString DeviceControls::message() const
{
    return m_messageBox->isVisibleTo(this) ? m_messageText->text() : QString();
}
std::vector<QPushButton*> DeviceControls::fixButtons() const
{
    std::vector<QPushButton*> buttons;
    for (int i = 0; i < m_fixes->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_fixes->itemAt(i)->widget()))
            buttons.push_back(button);
    return buttons;
}

bool DeviceControls::edit(Result<Experiment> after, const QString& text)
{
    std::optional<Diagnostic> refused;
    if (!after)
        refused = after.error();
    const bool done = m_document->edit(std::move(after), text);
    if (done)
        return true;
    refresh();
    if (refused)
        setMessage(words::shown(*refused).inFull(), {});
    return false;
}

bool DeviceControls::chooseDevices(const QString& chosen)
{
    const Experiment& now = *m_document->experiment();
    Result<DeviceSet> devices = parseDevices(chosen.toStdString());
    // Hosts of a kind that has no preset are resized as those of others are: generic-tpu:2x8.
    const DeviceSet& before = now.hardware.devices;
    const QString kind = words::fromStd(before.kind) + QLatin1Char(':');
    if (!devices && before.own.empty() && !before.hasChipGrid() && chosen.startsWith(kind)) {
        devices = parseDevices("cpu:" + chosen.mid(kind.size()).toStdString());
        if (devices)
            devices = DeviceSet::ofHosts(before.kind, before.platform, devices->hosts, devices->devicesPerHost);
    }
    if (!devices) {
        if (chosen.toStdString() == toText(now.hardware.devices)) // an own list has no short form
            return true;
        setMessage(words::shown(devices.error()).inFull(), {});
        return false;
    }
    if (*devices == now.hardware.devices) {
        setMessage(m_standing, m_standingFixes);
        return true;
    }
    return edit(withDevices(now, std::move(*devices)), tr("devices %1").arg(chosen));
}

void DeviceControls::setOrder(OrderSetting order, const QString& text)
{
    edit(withOrder(*m_document->experiment(), std::move(order)), text);
}

void DeviceControls::setOption()
{
    OrderSetting order = m_document->experiment()->mesh.order;
    const QString specified = m_option->text().trimmed();
    if (specified == optionText(order))
        return;
    static const QRegularExpression betweenSizes(QStringLiteral("[,x×]"));
    const QStringList parts = order.method == OrderMethod::Hybrid
        ? specified.split(QLatin1Char(','), Qt::SkipEmptyParts)
        : specified.split(betweenSizes, Qt::SkipEmptyParts);
    bool right = true;
    order.dcn.clear();
    order.submesh.clear();
    for (const QString& part : parts) {
        bool number = false;
        const qsizetype equals = part.indexOf(QLatin1Char('='));
        const int size = part.mid(equals + 1).trimmed().toInt(&number);
        right = right && number && size >= 0 && (order.method == OrderMethod::Hybrid) == (equals > 0);
        if (order.method == OrderMethod::Hybrid)
            order.dcn.push_back({ part.left(std::max<qsizetype>(equals, 0)).trimmed().toStdString(), size });
        else
            order.submesh.push_back(size);
    }
    if (right) {
        setOrder(std::move(order), m_option->accessibleName());
        return;
    }
    setMessage(order.method == OrderMethod::Hybrid
            ? tr("The slices along axes are written as data=2. Leave it empty for as the axes can take them.")
            : tr("A submesh is written as four sizes: 2 × 2 × 1 × 1. Leave it empty for that of T5X's table."),
        {});
}

void DeviceControls::setMessage(const QString& stated, const std::vector<Fix>& fixes)
{
    while (m_fixes->count() > 0) {
        QLayoutItem* item = m_fixes->takeAt(0);
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    constexpr std::size_t maxButtons = 2;
    for (std::size_t i = 0; i < std::min(fixes.size(), maxButtons); ++i) {
        auto* button = new QPushButton(words::fixLabel(fixes[i]), m_messageBox);
        button->setProperty("small", true);
        const Fix fix = fixes[i];
        connect(button, &QPushButton::clicked, this,
            [this, fix] { edit(applyFix(*m_document->experiment(), fix), words::fixLabel(fix)); });
        m_fixes->addWidget(button);
    }
    QPalette colours = m_messageBox->palette();
    colours.setColor(QPalette::Window, Theme::current().errorBackground);
    m_messageBox->setPalette(colours);
    m_messageText->setText(stated);
    m_messageBox->setVisible(!stated.isEmpty());
}

void DeviceControls::showProblem(const Problem* problem)
{
    m_standing.clear();
    m_standingFixes.clear();
    if (problem) {
        m_standing =
            words::fromStd(problem->diagnostic.id()) + QLatin1Char(' ') + words::shown(problem->diagnostic).inFull();
        m_standingFixes = problem->fixes;
    }
    setMessage(m_standing, m_standingFixes);
}

void DeviceControls::refresh()
{
    const Experiment& now = *m_document->experiment();
    const DeviceSet& devices = now.hardware.devices;
    {
        const QSignalBlocker quiet(m_presets);
        const QString name = words::fromStd(toText(devices));
        m_presets->setCurrentIndex(m_presets->findText(name, Qt::MatchFixedString));
        m_presets->setEditText(name);
    }
    const QString facts = words::deviceFacts(devices);
    m_facts->setText(facts);
    m_facts->setToolTip(plainTip(facts + QStringLiteral("\n") + words::wrapText(devices)));
    {
        const QSignalBlocker quiet(m_orders);
        const bool explicitly = !now.mesh.deviceOrder.empty();
        const int methods = static_cast<int>(OrderMethod::T5x) + 1;
        m_orders->removeItem(methods);
        if (explicitly)
            m_orders->addItem(tr("Order: %1").arg(words::orderName(now.mesh)));
        m_orders->setCurrentIndex(explicitly ? methods : static_cast<int>(now.mesh.order.method));
    }
    const OrderSetting& order = now.mesh.order;
    const bool built = now.mesh.deviceOrder.empty();
    m_share->setVisible(
        built && (order.method == OrderMethod::CreateDeviceMesh || order.method == OrderMethod::Hybrid));
    m_share->setChecked(order.sharePhysicalAxes);
    m_contiguous->setVisible(built && order.method == OrderMethod::CreateDeviceMesh);
    m_contiguous->setChecked(order.contiguousSubmeshes);
    m_byHost->setVisible(built && order.method == OrderMethod::Hybrid);
    m_byHost->setChecked(order.byHost);
    const bool hybrid = order.method == OrderMethod::Hybrid;
    m_option->setVisible(built && (hybrid || order.method == OrderMethod::T5x));
    m_option->setAccessibleName(hybrid ? tr("Slices along axes") : tr("Model-parallel submesh"));
    m_option->setPlaceholderText(hybrid ? tr("slices along axes: as they fit") : tr("submesh: from the table"));
    m_option->setToolTip(hybrid ? tr("How many slices stand along each mesh axis, as data=2")
                                : tr("The part of the machine that one model takes: x, y, z, cores"));
    m_option->setText(optionText(order));
}

namespace {

/// More lines than a person would look through.
constexpr std::int64_t maxListed = 4096;

} // namespace

DeviceListEditor::DeviceListEditor(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QPlainTextEdit(this))
    , m_stated(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_apply(new QPushButton(tr("Use these devices"), this))
{
    m_edit->setFont(Metrics::fixed());
    m_edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_edit->setTabChangesFocus(true);
    m_edit->setAccessibleName(tr("Devices, one a line: id, host, x, y, z, core, slice"));
    m_edit->setMinimumHeight(Metrics::scaled(110));
    m_edit->installEventFilter(this);
    m_apply->setProperty("small", true);
    m_apply->setToolTip(tr("Ctrl+Return does the same"));
    auto* close = new QPushButton(tr("Close"), this);
    close->setProperty("small", true);
    close->setAccessibleName(tr("Close the list of devices"));
    vbox(this, {}, 4, { { m_edit, 1 }, hbox({}, 8, { { m_stated, 1 }, m_apply, close }) });
    setFocusProxy(m_edit);

    connect(m_edit, &QPlainTextEdit::textChanged, this, &DeviceListEditor::check);
    connect(m_apply, &QPushButton::clicked, this, &DeviceListEditor::apply);
    connect(close, &QPushButton::clicked, this, &DeviceListEditor::closed);
    check();
}

void DeviceListEditor::start(const DeviceSet& devices)
{
    if (devices.count() <= maxListed)
        m_edit->setPlainText(QString::fromStdString(toListText(devices)));
    else
        m_edit->setPlainText(QStringLiteral("platform: tpu\nkind: TPU v4\n# id process x y z core slice\n0 0 0 0 0\n"));
}

void DeviceListEditor::check()
{
    Result<DeviceSet> read = parseDeviceList(m_edit->toPlainText().toStdString());
    m_read = read ? std::optional(std::move(*read)) : std::nullopt;
    if (m_read) {
        m_stated->setText(words::deviceFacts(*m_read));
    } else {
        QString stated = words::describe(read.error()).inFull();
        if (read.error().where.line > 0)
            stated = tr("Line %1: %2").arg(read.error().where.line).arg(stated);
        m_stated->setText(stated);
    }
    m_stated->setColour(m_read ? &Theme::secondary : &Theme::error);
    m_apply->setEnabled(m_read.has_value());
}

void DeviceListEditor::apply()
{
    if (m_read)
        Q_EMIT applied(*m_read);
}

bool DeviceListEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            Q_EMIT closed();
            return true;
        }
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers() & Qt::ControlModifier) {
            apply();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
