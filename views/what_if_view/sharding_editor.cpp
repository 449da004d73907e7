// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/what_if_view/sharding_editor.h"

#include <QGridLayout>
#include <QLineEdit>

#include "sharding/sharding_edit.h"
#include "sharding/sharding_text.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
using namespace Qt::StringLiterals;
using words::fromStd;

ShardingEditor::ShardingEditor(QWidget* parent)
    : QWidget(parent)
    , m_text(new QLineEdit)
    , m_wrong(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::error))
{
    m_text->setFont(Metrics::fixed());
    m_text->setAccessibleName(tr("Sharding as text"));
    m_text->setToolTip(tr("Axes per dimension, the major one first; ? leaves a dimension open for more.\n"
                          "[{data}, {model, ?}]   [{x:(1)2}, {}]   [{data}p1, {}], replicated={model}"));
    m_wrong->hide();
    vbox(this, {}, 6, { m_text, m_wrong });
    connect(m_text, &QLineEdit::textEdited, this, &ShardingEditor::readText);
}

void ShardingEditor::setTarget(const AnnotationTarget& target, SnapshotPtr snapshot)
{
    const bool same = m_snapshot && m_rowBox && *m_snapshot->mesh == *snapshot->mesh && m_target.kind == target.kind
        && m_target.name == target.name && m_target.dimNames == target.dimNames
        && m_snapshot->program->value(m_target.value).path == snapshot->program->value(target.value).path
        && m_snapshot->program->value(m_target.value).type == snapshot->program->value(target.value).type;
    m_target = target;
    m_snapshot = std::move(snapshot);
    m_sharding = target.declared;
    if (!same)
        makeRows();
    m_text->setVisible(target.takesAnySharding());
    showSharding(true);
}

void ShardingEditor::setSharding(const TensorSharding& sharding)
{
    m_sharding = sharding;
    showSharding(true);
}

void ShardingEditor::makeRows()
{
    delete m_rowBox;
    m_rows.clear();
    m_rowBox = new QWidget(this);
    auto* grid = new QGridLayout(m_rowBox);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(3);
    const Value& value = m_snapshot->program->value(m_target.value);
    const Mesh& mesh = *m_snapshot->mesh;
    QWidget* before = nullptr;
    const auto follow = [&](QWidget* widget) {
        if (before)
            setTabOrder(before, widget);
        before = widget;
    };
    for (std::size_t d = 0; d < value.type.rank(); ++d) {
        // The name with what becomes of it, and below them the axes: there may be many of these.
        const int r = 2 * static_cast<int>(d);
        Row row;
        const auto nameIn = [d](const std::vector<std::string>& names) { return d < names.size() ? names[d] : ""; };
        std::string chosen = m_target.kind == AnnotationTarget::Kind::Rules ? nameIn(m_target.dimNames) : "";
        if (chosen.empty()) // what rules call it, else what the network does
            chosen = nameIn(value.dimNames);
        const QString name = chosen.empty() ? tr("dimension %1").arg(d) : fromStd(chosen);
        auto* label = new RoleLabel(name, RoleLabel::Size::Normal);
        label->setElided(true);
        grid->addWidget(label, r, 0);
        auto* size = new RoleLabel(words::count(value.type.shape[d]), RoleLabel::Size::Fixed, &Theme::secondary);
        grid->addWidget(size, r, 1);
        auto* chips = new QHBoxLayout;
        chips->setSpacing(2);
        for (std::size_t a = 0; a < mesh.rank(); ++a) {
            auto* toggle = new AxisToggle(fromStd(mesh.axis(a).name), static_cast<int>(a), m_rowBox);
            toggle->setAccessibleName(tr("%1 shards %2").arg(fromStd(mesh.axis(a).name), name));
            toggle->setToolTip(
                tr("%1 has %2").arg(fromStd(mesh.axis(a).name), words::counted(mesh.size(a), words::Noun::Device)));
            toggle->setEnabled(m_target.canChange(d));
            connect(toggle, &QAbstractButton::clicked, this, [this, d, a] {
                m_sharding = withAxisToggled(m_sharding, d, fullAxis(*m_snapshot->mesh, a));
                showSharding(true);
                Q_EMIT edited();
            });
            chips->addWidget(toggle);
            follow(toggle);
            row.axes.push_back(toggle);
        }
        chips->addStretch(1);
        grid->addLayout(chips, r + 1, 0, 1, 4);
        if (m_target.takesAnySharding()) {
            row.open = new AxisToggle(tr("open", "dimension of a sharding"), -1, m_rowBox);
            row.open->setAccessibleName(tr("%1 is open").arg(name));
            row.open->setToolTip(tr("Propagation may add axes to the dimension"));
            connect(row.open, &QAbstractButton::clicked, this, [this, d] {
                m_sharding.dims[d].open = !m_sharding.dims[d].open;
                showSharding(true);
                Q_EMIT edited();
            });
            chips->insertWidget(chips->count() - 1, row.open);
            follow(row.open);
        }
        row.parts = new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary);
        grid->addWidget(row.parts, r, 2);
        m_rows.push_back(std::move(row));
    }
    grid->setColumnStretch(3, 1);
    if (before)
        setTabOrder(before, m_text);
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_rowBox);
}

AxisToggle* ShardingEditor::toggle(std::size_t dimension, std::size_t axis) const
{
    return m_rows[dimension].axes[axis];
}

AxisToggle* ShardingEditor::openToggle(std::size_t dimension) const
{
    return m_rows[dimension].open;
}

void ShardingEditor::showSharding(bool text)
{
    const Shape shape = m_snapshot->program->value(m_target.value).type.shape;
    const bool withoutOnes = words::leavesOutOnes(m_snapshot->mesh->axes());
    for (std::size_t d = 0; d < m_rows.size(); ++d) {
        const bool several = m_sharding.dims[d].axes.size() > 1;
        for (std::size_t a = 0; a < m_rows[d].axes.size(); ++a) {
            const int place = placeOf(m_sharding, d, fullAxis(*m_snapshot->mesh, a));
            m_rows[d].axes[a]->setChecked(place >= 0);
            m_rows[d].axes[a]->setVisible(place >= 0 || m_snapshot->mesh->size(a) > 1 || !withoutOnes);
            m_rows[d].axes[a]->setPlace(several && place >= 0 ? place + 1 : 0);
        }
        if (m_rows[d].open)
            m_rows[d].open->setChecked(m_sharding.dims[d].open);
        const std::int64_t parts = shardCount(m_sharding.dims[d]);
        const std::int64_t size = shape[d], room = (size + parts - 1) / parts;
        m_rows[d].parts->setText(parts == 1 ? (m_sharding.dims[d].open ? tr("propagation decides") : tr("replicated"))
                : room * parts == size
                ? u"%1 × %2"_s.arg(words::count(parts), words::count(room))
                : tr("%1 × %2, %3 padding")
                      .arg(words::count(parts), words::count(room), words::count(room * parts - size)));
    }
    if (!text)
        return;
    m_problem.clear();
    m_wrong->hide();
    const QString declared = fromStd(dimensionsText(m_sharding, *m_snapshot->mesh));
    if (m_text->text() != declared)
        m_text->setText(declared);
}

void ShardingEditor::readText()
{
    Result<TensorSharding> sharding = parseDimensions(m_text->text().toStdString(), *m_snapshot->mesh);
    const std::size_t rank = m_snapshot->program->value(m_target.value).type.rank();
    if (!sharding || sharding->rank() != rank) {
        m_problem = sharding ? tr("The value has %1: write one pair of braces for each.")
                                   .arg(words::counted(static_cast<qint64>(rank), words::Noun::Dimension))
                             : words::sentence(words::describe(sharding.error()).inFull());
        m_wrong->setText(m_problem);
        m_wrong->show();
        Q_EMIT edited();
        return;
    }
    m_problem.clear();
    m_wrong->hide();
    m_sharding = std::move(*sharding);
    showSharding(false);
    Q_EMIT edited();
}

} // namespace shardscope
