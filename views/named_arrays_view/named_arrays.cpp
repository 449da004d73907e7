// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_arrays.h"

#include <algorithm>

namespace shardscope {

NamedArrays::NamedArrays(QObject* parent)
    : QObject(parent)
    , m_mesh(std::make_shared<const Mesh>())
{
}

int NamedArrays::problemCount() const
{
    return static_cast<int>(
        std::ranges::count_if(m_outcomes, [](const ArrayOutcome& outcome) { return outcome.problem.has_value(); }));
}

void NamedArrays::setMesh(MeshPtr mesh)
{
    m_mesh = std::move(mesh);
    m_outcomes = resolve(m_tree, m_mesh);
    Q_EMIT changed();
}

void NamedArrays::setTree(NamedTree tree)
{
    m_tree = std::move(tree);
    m_outcomes = resolve(m_tree, m_mesh);
    Q_EMIT changed();
}

} // namespace shardscope
