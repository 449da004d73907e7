// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/selection_trail.h"

#include <utility>

#include "program/operation_path.h"
#include "report/tensor_tree.h"
#include "views/theme/theme.h"
#include "views/widgets/elided_name.h"
#include "words/propagation_steps.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr qsizetype maximumPast = 100;
/// Operations that are seen for less are passed, by the player or a key that is held: nobody goes back to them.
constexpr qint64 passing = 2000; // ms

} // namespace

SelectionTrail::SelectionTrail(Document* document, Selection* selection, QWidget* parent)
    : ZoomTrail(parent)
    , m_document(document)
    , m_selection(selection)
{
    setAccessibleName(tr("Where the selection is"));
    connect(selection, &Selection::changed, this, &SelectionTrail::follow);
    connect(document, &Document::snapshotChanged, this, &SelectionTrail::showPlaces);
    connect(this, &ZoomTrail::chosen, this, &SelectionTrail::choose);
    follow();
}

void SelectionTrail::follow()
{
    Place now{ m_selection->tensor(), m_selection->dimension(), m_selection->deviceGroup(), namelessOperation() };
    if (now == m_now)
        return;
    const bool isOperation = !m_selection->operation().isEmpty();
    const bool passes = std::exchange(m_isOperation, isOperation) && isOperation && m_since.elapsed() < passing;
    m_since.start();
    if (now.tensor.isEmpty()) // another experiment
        m_past.clear();
    else if (!m_goesBack && !m_now.tensor.isEmpty() && !passes)
        m_past << m_now;
    if (m_past.size() > maximumPast)
        m_past.removeFirst();
    m_now = std::move(now);
    showPlaces();
}

/// Of the selection; one whose result has a path is where the tensor comes from.
QString SelectionTrail::namelessOperation() const
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const QString& path = m_selection->operation();
    if (path.isEmpty() || !snapshot || !snapshot->program)
        return {};
    const OperationId operation = findOperation(*snapshot->program, path.toStdString());
    if (!operation.valid())
        return {};
    const auto& results = snapshot->program->operation(operation).results;
    return results.empty() || snapshot->program->value(results[0]).path.empty() ? path : QString();
}

void SelectionTrail::showOperation(const Snapshot& snapshot)
{
    const QString kind = tr("Operations");
    const OperationId operation = findOperation(*snapshot.program, m_now.operation.toStdString());
    const QString name = operation.valid() ? words::operationName(snapshot.program->operation(operation)) : QString();
    const QFontMetrics strong(Metrics::semibold());
    m_hasKind = true;
    if (name.isEmpty()
        || strong.horizontalAdvance(name) + QFontMetrics(Metrics::small()).horizontalAdvance(kind)
                + 2 * Metrics::scaled(26)
            > m_room)
        return setPlaces({});
    setKey({});
    setPlaces({ kind, name });
}

QString SelectionTrail::textOf(const TensorRow& row, const DeviceGroup& devices) const
{
    if (const std::optional<std::int64_t> shard = devices.shardIn(row.layout))
        return tr("shard %1").arg(words::count(*shard));
    if (devices.size() == 1)
        return QStringLiteral("d%1").arg(devices.deviceAt(0));
    return words::counted(devices.size(), words::Noun::Device);
}

void SelectionTrail::showPlaces()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const TensorRow* row = snapshot ? snapshot->row(m_now.tensor.toStdString()) : nullptr;
    if (!m_now.operation.isEmpty() && snapshot && snapshot->program)
        return showOperation(*snapshot);
    if (!row)
        return setPlaces({});
    const QFontMetrics small(Metrics::small()), strong(Metrics::semibold());
    QStringList below;
    if (const auto d = static_cast<std::size_t>(m_now.dimension); m_now.dimension >= 0 && d < row->type.rank())
        below << (d < row->dimNames.size() && !row->dimNames[d].empty() ? QString::fromStdString(row->dimNames[d])
                                                                        : tr("dimension %1").arg(m_now.dimension));
    if (!m_now.devices.empty())
        below << textOf(*row, m_now.devices);
    const int between = Metrics::scaled(26); // a mark, and what surrounds a button
    const QString kind = TensorTree::groupName(groupOf(row->role), snapshot->experiment.get());
    int rest = m_room - between;
    for (const QString& text : below)
        rest -= strong.horizontalAdvance(text) + between;
    const int least = Metrics::scaled(72), kindWidth = small.horizontalAdvance(kind) + between;
    m_hasKind = rest - kindWidth >= least || below.isEmpty();
    if (m_hasKind)
        rest -= kindWidth;
    if (rest < least)
        return setPlaces({});
    const QString name = words::tensorName(row->path);
    QStringList names{ name }, shown{ elidedName(name, strong, rest) };
    if (m_hasKind) {
        names.prepend(kind);
        shown.prepend(kind);
    }
    setKey(below.isEmpty() ? QString() : tr("Esc")); // which leads to no kind
    setPlaces(shown + below, names + below);
}

void SelectionTrail::setRoom(int width)
{
    if (std::exchange(m_room, width) != width)
        showPlaces();
}

void SelectionTrail::choose(int index)
{
    const int place = index + (m_hasKind ? 0 : 1);
    if (!m_now.operation.isEmpty())
        Q_EMIT operationsRequested();
    else if (place == 0)
        Q_EMIT arraysRequested();
    else
        goUp(); // from the last place
    if (place == 1 && m_now.operation.isEmpty())
        goUp();
}

bool SelectionTrail::goUp()
{
    if (!m_selection->deviceGroup().empty())
        m_selection->setDevices({});
    else if (m_selection->dimension() >= 0)
        m_selection->setDimension(-1);
    else
        return false;
    return true;
}

bool SelectionTrail::goBack()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    while (!m_past.isEmpty()) {
        const Place place = m_past.takeLast();
        if (!snapshot || !snapshot->row(place.tensor.toStdString())) // an edit has taken it away
            continue;
        m_goesBack = true;
        if (place.operation.isEmpty())
            m_selection->setTensor(place.tensor);
        else
            m_selection->setOperation(place.operation, place.tensor);
        m_selection->setDimension(place.dimension);
        m_selection->setDevices(place.devices);
        m_goesBack = false;
        return true;
    }
    return false;
}

} // namespace shardscope
