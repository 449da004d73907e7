// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/named_arrays.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "experiment/rule_lists.h"
#include "words/named_words.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

/// "array", "array2", ...: a path that no array has.
std::string freshPath(const NamedArrays& arrays)
{
    for (int number = 1;; ++number) {
        std::string path = number == 1 ? "array" : "array" + std::to_string(number);
        if (arrays.indexOf(path) < 0)
            return path;
    }
}

/// The first letter that no axis of the array has.
std::string freshName(const NamedArraySetting& array)
{
    for (int number = 0;; ++number) {
        std::string name =
            number < 26 ? std::string(1, static_cast<char>('a' + number)) : "axis" + std::to_string(number);
        if (std::ranges::find(array.names, LogicalName::of(name)) == array.names.end())
            return name;
    }
}

QString axesOf(const NamedArraySetting& array)
{
    return words::fromStd(axesText(array.names, array.shape));
}

} // namespace

NamedArrays::NamedArrays(Document* document, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_mesh(std::make_shared<const Mesh>())
{
    connect(document, &Document::experimentChanged, this, &NamedArrays::follow);
    // What a network is made of comes with its analysis.
    connect(document, &Document::snapshotChanged, this, [this] {
        if (m_tree.source == NamedTree::Source::Network)
            follow();
    });
    follow();
}

const NamedArraySetting& NamedArrays::array(int index) const
{
    return m_tree.arrays[static_cast<std::size_t>(index)].array;
}

int NamedArrays::indexOf(const std::string& path) const
{
    const auto found =
        std::ranges::find_if(m_tree.arrays, [&](const ProgramArray& each) { return each.array.path == path; });
    return found == m_tree.arrays.end() ? -1 : static_cast<int>(found - m_tree.arrays.begin());
}

int NamedArrays::problemCount() const
{
    return static_cast<int>(std::ranges::count_if(
        m_outcomes, [](const ArrayOutcome& outcome) { return outcome.specified.problem.has_value(); }));
}

void NamedArrays::setFollowing(bool following)
{
    const bool begins = following && !m_following;
    m_following = following;
    if (begins)
        follow();
}

void NamedArrays::follow()
{
    if (!m_following)
        return;
    const Experiment& experiment = *m_document->experiment();
    Result<Mesh> mesh = makeMesh(experiment.hardware.devices, experiment.mesh);
    m_meshProblem = mesh ? std::nullopt : std::optional(mesh.error());
    if (mesh)
        m_mesh = std::make_shared<const Mesh>(std::move(*mesh));
    // Between an edit of a model and its analysis the former arrays stay; those of another kind of model do not.
    const SnapshotPtr snapshot = m_document->snapshot();
    if (!snapshot || snapshot->experiment->model.index() != experiment.model.index())
        m_source.reset();
    else if (snapshot->source)
        m_source = snapshot->source;
    m_tree = namedTree(experiment, m_source ? &m_source->program : nullptr);
    m_tree.ignoreUnnamed = m_ignoreUnnamed;
    m_outcomes = outcomesOf(m_tree, m_mesh);
    m_names = mappedNames(m_tree);
    Q_EMIT changed();
}

bool NamedArrays::apply(Result<Experiment> after, const QString& text)
{
    if (!after) {
        Q_EMIT refused(text, after.error());
        return false;
    }
    if (*after == *m_document->experiment())
        return false;
    return m_document->edit(std::move(after), text);
}

bool NamedArrays::replace(int array, NamedArraySetting changed, const QString& text)
{
    return apply(
        withArrayReplaced(*m_document->experiment(), static_cast<std::size_t>(array), std::move(changed)), text);
}

bool NamedArrays::rename(int array, const QString& path)
{
    NamedArraySetting changed = this->array(array);
    const QString text = tr("rename %1 to %2").arg(words::fromStd(changed.path), path);
    changed.path = path.toStdString();
    return replace(array, std::move(changed), text);
}

bool NamedArrays::setAxes(int array, const QString& typed)
{
    NamedArraySetting changed = this->array(array);
    const QString text = QStringLiteral("%1 [%2]").arg(words::fromStd(changed.path), typed);
    Result<ArrayAxes> axes = parseArrayAxes(typed.toStdString());
    if (!axes) {
        axes.error().where.path = changed.path;
        return apply(tl::unexpected(std::move(axes.error())), text);
    }
    changed.names = std::move(axes->names);
    changed.shape = std::move(axes->shape);
    return replace(array, std::move(changed), text);
}

bool NamedArrays::setAxisName(int array, int dimension, const QString& name)
{
    NamedArraySetting changed = this->array(array);
    changed.names[static_cast<std::size_t>(dimension)] =
        name.isEmpty() ? LogicalName::none() : LogicalName::of(name.toStdString());
    const QString text = QStringLiteral("%1 [%2]").arg(words::fromStd(changed.path), axesOf(changed));
    return replace(array, std::move(changed), text);
}

bool NamedArrays::setAxisSize(int array, int dimension, const QString& typed)
{
    NamedArraySetting changed = this->array(array);
    const auto d = static_cast<std::size_t>(dimension);
    // As it is typed, so that what is no size is refused in its own words.
    const Result<ArrayAxes> read = parseArrayAxes(typed.trimmed().toStdString());
    const QString text = QStringLiteral("%1 %2").arg(words::fromStd(nameText(changed.names[d])), typed);
    if (!read || read->shape.size() != 1 || read->names.front() != LogicalName::none()) {
        Error error = read ? Error{ Code::Syntax, { { "expected", "a size" }, { "found", typed.toStdString() } }, {} }
                           : read.error();
        error.where.path = changed.path;
        return apply(tl::unexpected(std::move(error)), text);
    }
    if (m_tree.source == NamedTree::Source::Network) {
        const std::vector<std::string>& dimensions = m_tree.arrays[static_cast<std::size_t>(array)].dimensions;
        const std::string ofNetwork = d < dimensions.size() ? dimensions[d] : nameText(changed.names[d]);
        return apply(withDimension(*m_document->experiment(), ofNetwork, read->shape.front()), text);
    }
    changed.shape[d] = read->shape.front();
    const QString full = QStringLiteral("%1 [%2]").arg(words::fromStd(changed.path), axesOf(changed));
    return replace(array, std::move(changed), full);
}

bool NamedArrays::setType(int array, DType type)
{
    NamedArraySetting changed = this->array(array);
    changed.dtype = type;
    const QString text = QStringLiteral("%1 %2").arg(words::fromStd(changed.path), words::fromStd(name(type)));
    return replace(array, std::move(changed), text);
}

bool NamedArrays::addArray()
{
    NamedArraySetting added;
    added.path = freshPath(*this);
    added.names = { LogicalName::of("a"), LogicalName::of("b") };
    added.shape = { 8, 8 };
    const QString text = tr("add array %1").arg(words::fromStd(added.path));
    return apply(withArrayAdded(*m_document->experiment(), std::move(added)), text);
}

bool NamedArrays::addAxis(int array)
{
    NamedArraySetting changed = this->array(array);
    std::string name = freshName(changed);
    const QString text = tr("add axis %1 to %2").arg(words::fromStd(name), words::fromStd(changed.path));
    changed.names.push_back(LogicalName::of(std::move(name)));
    changed.shape.push_back(8);
    return replace(array, std::move(changed), text);
}

bool NamedArrays::removeArray(int array)
{
    const QString text = tr("remove array %1").arg(words::fromStd(this->array(array).path));
    return apply(withArrayRemoved(*m_document->experiment(), static_cast<std::size_t>(array)), text);
}

bool NamedArrays::removeAxis(int array, int dimension)
{
    NamedArraySetting changed = this->array(array);
    const QString name = named::dimensionName(changed, static_cast<std::size_t>(dimension));
    const QString text = tr("remove %1 from %2").arg(name, words::fromStd(changed.path));
    changed.names.erase(changed.names.begin() + dimension);
    changed.shape.erase(changed.shape.begin() + dimension);
    return replace(array, std::move(changed), text);
}

bool NamedArrays::map(const std::string& name, const QString& typed)
{
    const std::vector<std::string> axes = named::parseAxes(typed);
    const QString text = axes.empty() ? tr("%1 not sharded").arg(words::fromStd(name))
                                      : QStringLiteral("%1 → %2").arg(words::fromStd(name), named::joined(axes));
    return apply(withNameMappedTo(*m_document->experiment(), name, axes), text);
}

bool NamedArrays::mapNamesToThemselves()
{
    return apply(withNamesAsMeshAxes(*m_document->experiment(), m_tree.settings()), tr("names are mesh axes"));
}

bool NamedArrays::readAsMapping()
{
    Experiment after = *m_document->experiment();
    setSequence(after.rules, false);
    return apply(std::move(after), tr("rules as a mapping"));
}

bool NamedArrays::makeList()
{
    const Experiment& before = *m_document->experiment();
    const QString text = tr("list of arrays");
    const SnapshotPtr snapshot = m_document->snapshot();
    if (snapshot && snapshot->source && snapshot->experiment->model == before.model)
        return apply(withListOfArrays(before, snapshot->source->program), text);
    const Result<SourceProgram> built = buildProgram(before);
    if (!built)
        return apply(tl::unexpected(built.error()), text);
    return apply(withListOfArrays(before, built->program), text);
}

void NamedArrays::setIgnoreUnnamed(bool ignore)
{
    if (ignore == m_ignoreUnnamed)
        return;
    m_ignoreUnnamed = ignore;
    follow();
}

} // namespace shardscope
