// SPDX-License-Identifier: GPL-3.0-or-later
// The named arrays of the open experiment and the mapping of their names, with what follows for every array on its
// mesh; and their edits, each of which is one undo step of the document.
#pragma once

#include <QObject>

#include "document/document.h"
#include "experiment/named_state.h"

namespace shardscope {

class NamedArrays : public QObject {
    Q_OBJECT
public:
    explicit NamedArrays(Document* document, QObject* parent = nullptr);

    [[nodiscard]] const NamedTree& tree() const { return m_tree; }
    [[nodiscard]] const MeshPtr& mesh() const { return m_mesh; }
    /// Why the mesh of the experiment cannot be used; mesh() is the last one that could be.
    [[nodiscard]] const std::optional<Error>& meshProblem() const { return m_meshProblem; }
    /// One per array, in the order of the tree.
    [[nodiscard]] const std::vector<ArrayOutcome>& outcomes() const { return m_outcomes; }
    [[nodiscard]] const std::vector<MappedName>& names() const { return m_names; }
    [[nodiscard]] int problemCount() const;
    [[nodiscard]] const NamedArraySetting& array(int index) const;
    /// Of that path; -1 for none.
    [[nodiscard]] int indexOf(const std::string& path) const;

    /// Follows the document while that is true; nothing is worked out for a view that nobody sees.
    void setFollowing(bool following);

    // Edits. False where nothing changes; refused() then says why, unless it is what there is already.
    bool rename(int array, const QString& path);
    bool setAxes(int array, const QString& text);
    bool setAxisName(int array, int dimension, const QString& name); ///< "" for none
    /// In a network the size of that dimension everywhere.
    bool setAxisSize(int array, int dimension, const QString& size);
    bool setType(int array, DType type);
    bool addArray();
    bool addAxis(int array);
    bool removeArray(int array);
    bool removeAxis(int array, int dimension);
    /// The mesh axes of a name, as one types them: "bar", "(pod, data)", nothing for none.
    bool map(const std::string& name, const QString& axes);
    bool mapNamesToThemselves();
    /// The rules as a mapping instead of a list of rules in order.
    bool readAsMapping();
    /// The arrays of the network or the program as a list, in place of the model.
    bool makeList();
    /// Of the view alone: no edit.
    void setIgnoreUnnamed(bool ignore);

Q_SIGNALS:
    void changed();
    void refused(const QString& what, const shardscope::Diagnostic& why);

private:
    void follow();
    bool apply(Result<Experiment> after, const QString& text);
    bool replace(int array, NamedArraySetting changed, const QString& text);

    Document* m_document;
    NamedTree m_tree;
    MeshPtr m_mesh;
    std::optional<Error> m_meshProblem;
    std::vector<ArrayOutcome> m_outcomes;
    std::vector<MappedName> m_names;
    /// Of the newest analysis of this model: its arrays have the logical names that they were given.
    SourcePtr m_source;
    bool m_ignoreUnnamed = false;
    bool m_following = true;
};

} // namespace shardscope
