// SPDX-License-Identifier: GPL-3.0-or-later
// The tree that the dock of named arrays shows and edits, on the experiment's mesh, and what follows from it.
#pragma once

#include <QObject>

#include "views/named_arrays_view/named_state.h"

namespace shardscope {

class NamedArrays : public QObject {
    Q_OBJECT
public:
    explicit NamedArrays(QObject* parent = nullptr);

    [[nodiscard]] const NamedTree& tree() const { return m_tree; }
    [[nodiscard]] const MeshPtr& mesh() const { return m_mesh; }
    /// One per array, in the order of the tree.
    [[nodiscard]] const std::vector<ArrayOutcome>& outcomes() const { return m_outcomes; }
    [[nodiscard]] int problemCount() const;

    void setMesh(MeshPtr mesh);
    void setTree(NamedTree tree);

Q_SIGNALS:
    void changed();

private:
    NamedTree m_tree;
    MeshPtr m_mesh;
    std::vector<ArrayOutcome> m_outcomes;
};

} // namespace shardscope
