// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/what_if_view/changes_model.h"

#include "sharding/text.h"
#include "views/span_text/span_text.h"
#include "words/definitions.h"
#include "words/utf8.h"
#include "words/value_changes.h"

namespace shardscope {

using namespace Qt::StringLiterals;
using words::fromStd;

ChangesModel::ChangesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Value"), [this](int row) { return name(row); } },
        { tr("Now"), [this](int row) { return words::plain(spec(row, Now)); }, Look::Code },
        { tr("Then"), [this](int row) { return words::plain(spec(row, Then)); }, Look::Code },
        { tr("Per device"),
            [this](int row) { return words::bytesStep(change(row).bytesBefore, change(row).bytesAfter); },
            Look::Number },
    });
}

void ChangesModel::setChanges(std::shared_ptr<const ValueChanges> changes, SnapshotPtr now, SnapshotPtr then)
{
    refill(false, [&] {
        m_changes = std::move(changes);
        m_now = std::move(now);
        m_then = std::move(then);
    });
}

QString ChangesModel::path(int row) const
{
    return row < 0 || row >= count() ? QString() : fromStd(m_now->program->value(change(row).before).path);
}

QString ChangesModel::name(int row) const
{
    const shardscope::Value& value = m_now->program->value(change(row).before);
    if (value.path.empty())
        return value.definition.valid() ? u'%' + QString::number(value.definition.index) : QString();
    return words::operandName(*m_now->program, change(row).before);
}

words::Text ChangesModel::spec(int row, int column) const
{
    const bool now = column == Now;
    const TensorSharding& sharding = now ? change(row).old : change(row).now;
    const Mesh& mesh = now ? *m_now->mesh : *m_then->mesh;
    words::Text text = axisSpans(fromStd(toColumn(toPartitionSpec(sharding, mesh))), mesh.axisNames());
    for (const AxisRef& ref : sharding.unreduced) {
        text.push_back({ u"  Σ "_s, words::Span::Style::Code, -1 });
        text.push_back({ fromStd(toString(mesh, ref)), words::Span::Style::Axis, ref.axis });
    }
    return text;
}

QVariant ChangesModel::cell(int row, int column, int role) const
{
    if (role == SpansRole && (column == Now || column == Then))
        return QVariant::fromValue(spec(row, column));
    return role == Qt::ToolTipRole ? QVariant(text(row, column)) : QVariant();
}

} // namespace shardscope
