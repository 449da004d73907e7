// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in maxtext_goldens.h.
#include <algorithm>
#include <map>

#include "base/codes.h"
#include "interchange/config_fields.h"
#include "interchange/golden_keys.h"
#include "interchange/maxtext_goldens.h"
#include "interchange/table_builder.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr const char* activationList = "Activation Sharding Dump";

class GoldenReader {
public:
    ReadGoldens read(const GoldenTexts& texts)
    {
        readFile(0, texts.named, [this](const Literal& root) { readNamed(root); });
        if (texts.logical)
            readFile(1, *texts.logical, [this](const Literal& root) { readLogical(root); });
        if (texts.inputs)
            readFile(2, *texts.inputs, [this](const Literal& root) { readInputs(root); });
        if (!m_errors.empty())
            return tl::unexpected(std::move(m_errors));
        return std::move(m_goldens);
    }

private:
    template <class Read>
    void readFile(std::size_t number, const std::string& text, Read readRoot)
    {
        m_builder = TableBuilder();
        Tokens tokens(text, Tokens::Language::Python, maximumTableRows * 64);
        const Result<Literal> root = tokens.readLiteral();
        if (!root)
            m_builder.report(root.error());
        else if (tokens.peek().kind != Tokens::Kind::End)
            m_builder.report(tokens.unexpected("end of text").value());
        else if (root->kind != Literal::Kind::Mapping)
            m_builder.report(unexpectedLiteral(*root, "an object").value());
        else
            readRoot(*root);
        const ReadTable table = m_builder.finish();
        if (table)
            return;
        for (Diagnostic error : table.error()) {
            error.where.file = goldenFiles[number];
            m_errors.push_back(std::move(error));
        }
    }

    /// Calls `visit(key, array)` for each entry that is an object.
    template <class Visit>
    void forEntries(const Literal& root, Visit visit)
    {
        for (std::size_t i = 0; i + 1 < root.items.size() && !m_builder.full(); i += 2)
            if (root.items[i + 1].kind == Literal::Kind::Mapping)
                visit(root.items[i], root.items[i + 1]);
            else
                m_builder.wrongType(root.items[i].text.c_str(), "an object", root.items[i + 1]);
    }
    const Literal* needed(const Literal& entry, const char* key)
    {
        const Literal* found = memberOf(entry, key);
        if (!found)
            m_builder.report({ Code::MissingKey, { { "key", key } }, entry.where() });
        return found;
    }

    /// ["fsdp", ["data", "tensor"], null], or what Python prints of a PartitionSpec.
    std::optional<PartitionSpec> specOf(const Literal& cell)
    {
        if (cell.kind == Literal::Kind::String) {
            Result<PartitionSpec> spec = parseSpec(cell.text);
            if (spec)
                return canonical(*spec);
            Diagnostic error = spec.error();
            error.where = cell.where();
            m_builder.report(std::move(error));
            return std::nullopt;
        }
        if (!cell.isSequence()) {
            m_builder.wrongType("partition_spec", "a list with mesh axes for each dimension", cell);
            return std::nullopt;
        }
        if (cell.items.size() > maximumTableRank) {
            m_builder.tooMany("dimensions", cell, maximumTableRank);
            return std::nullopt;
        }
        PartitionSpec spec;
        for (const Literal& item : cell.items) {
            SpecEntry entry;
            if (item.kind == Literal::Kind::String) {
                entry = SpecEntry::axis(item.text);
            } else if (item.isSequence() && std::all_of(item.items.begin(), item.items.end(), [](const Literal& axis) {
                           return axis.kind == Literal::Kind::String;
                       })) {
                entry = SpecEntry::tuple({});
                for (const Literal& axis : item.items)
                    entry.axes.push_back(axis.text);
            } else if (item.kind != Literal::Kind::None) {
                m_builder.wrongType("partition_spec", "a mesh axis, a list of them, or null", item);
                return std::nullopt;
            }
            spec.entries.push_back(std::move(entry));
        }
        return canonical(spec);
    }

    /// What is wrong with a spec on the mesh is said where it stands.
    void checkSpec(const PartitionSpec& spec, std::size_t rank, bool rankKnown, const Literal& cell)
    {
        const auto report = [&](Diagnostic error) {
            error.where = cell.where();
            m_builder.report(std::move(error));
        };
        if (const Result<void> valid = m_mesh ? validate(spec, *m_mesh) : validate(spec); !valid)
            report(valid.error());
        else if (rankKnown && spec.size() > rank)
            report({ Code::SpecTooLong, { { "spec_len", spec.size() }, { "rank", rank } }, {} });
    }

    std::optional<std::vector<MeshAxis>> meshOf(const Literal& cell)
    {
        if (cell.kind != Literal::Kind::Mapping) {
            m_builder.wrongType("mesh", "an object with axis_names and shape", cell);
            return std::nullopt;
        }
        const Literal* names = needed(cell, "axis_names");
        const Literal* sizes = needed(cell, "shape");
        if (!names || !sizes)
            return std::nullopt;
        if (!names->isSequence() || sizes->kind != Literal::Kind::Mapping) {
            m_builder.wrongType(
                "mesh", "axis_names as a list and shape as an object", names->isSequence() ? *sizes : *names);
            return std::nullopt;
        }
        if (names->items.size() > maximumMeshAxes) {
            m_builder.tooMany("mesh axes", *names, maximumMeshAxes);
            return std::nullopt;
        }
        std::vector<MeshAxis> axes;
        for (const Literal& name : names->items) {
            const Literal* size = memberOf(*sizes, name.text);
            if (name.kind != Literal::Kind::String || !size || size->kind != Literal::Kind::Number) {
                m_builder.wrongType("axis_names", "names of axes whose sizes shape has", name);
                return std::nullopt;
            }
            const auto number = m_builder.size(size->text, size->where());
            if (!number)
                return std::nullopt;
            axes.push_back({ name.text, *number });
        }
        return axes;
    }

    /// All arrays of a dump are on one mesh; the first one's is checked.
    bool takeMesh(const Literal& cell)
    {
        std::optional<std::vector<MeshAxis>> axes = meshOf(cell);
        if (!axes)
            return false;
        if (m_mesh) {
            if (*axes != m_goldens.mesh)
                m_builder.wrongType("mesh", "the mesh of the arrays before", cell);
            return true;
        }
        Result<Mesh> mesh = Mesh::create(*axes);
        if (!mesh) {
            mesh.error().where = cell.where();
            m_builder.report(std::move(mesh.error()));
            return false;
        }
        m_goldens.mesh = std::move(*axes);
        m_mesh = std::move(*mesh);
        return true;
    }

    void readNamed(const Literal& root)
    {
        forEntries(root, [&](const Literal& key, const Literal& entry) {
            const Literal *mesh = needed(entry, "mesh"), *cell = needed(entry, "partition_spec");
            if (!mesh || !cell || !takeMesh(*mesh))
                return;
            const auto spec = specOf(*cell);
            const Literal* sizes = memberOf(entry, "shape");
            const auto shape = sizes ? m_builder.shape(*sizes) : Shape(spec ? spec->size() : 0, 1);
            if (!spec || !shape)
                return;
            checkSpec(*spec, shape->size(), sizes != nullptr, *cell);
            GoldenArray array{ pathOfKey(key.text), { DType::F32, *shape }, sizes != nullptr, {}, *spec, key.where() };
            array.where.file = goldenFiles[0];
            addRow(array.path, array.type, {}, key, *cell);
            m_byPath.emplace(array.path, m_goldens.state.size());
            m_goldens.state.push_back(std::move(array));
        });
        if (m_goldens.state.empty() && m_builder.rightSoFar())
            m_builder.report({ Code::MissingKey, { { "key", "partition_spec" } }, root.where() });
    }

    /// As the rows of a table are checked: paths that occur twice, sizes, names.
    void addRow(const std::string& path, const TensorType& type, const LogicalNames& names, const Literal& key,
        const Literal& cell)
    {
        m_builder.add(
            { path, *type.shape, type.dtype, names }, { key.where(), key.where(), cell.where(), cell.where() });
    }

    void readLogical(const Literal& root)
    {
        forEntries(root, [&](const Literal& key, const Literal& entry) {
            const Literal* cell = needed(entry, "partition_spec");
            if (!cell)
                return;
            const std::string path = pathOfKey(key.text);
            const auto found = m_byPath.find(path);
            if (found == m_byPath.end()) {
                m_builder.wrongType("logical_shardings", "an array that named_shardings.json has", key);
                return;
            }
            GoldenArray& array = m_goldens.state[found->second];
            Result<LogicalNames> names =
                cell->kind == Literal::Kind::String ? parseNames(cell->text) : toLogicalNames(*cell);
            if (!names) {
                if (cell->kind == Literal::Kind::String)
                    names.error().where = cell->where();
                m_builder.report(std::move(names.error()));
                return;
            }
            if (const Literal* sizes = memberOf(entry, "shape"); sizes && !array.shapeKnown) {
                const auto shape = m_builder.shape(*sizes);
                if (!shape)
                    return;
                array.type.shape = *shape;
                array.shapeKnown = true;
            }
            if (!array.shapeKnown)
                array.type.shape.resize(std::max(array.type.rank(), names->size()), 1);
            addRow(path, array.type, *names, key, *cell);
            names->resize(array.type.rank());
            array.names = std::move(*names);
        });
    }

    void readInputs(const Literal& root)
    {
        const Literal* list = needed(root, activationList);
        if (!list)
            return;
        if (!list->isSequence()) {
            m_builder.wrongType(activationList, "a list", *list);
            return;
        }
        for (const Literal& item : list->items) {
            if (item.kind != Literal::Kind::Mapping) {
                m_builder.wrongType(activationList, "objects with one activation each", item);
                return;
            }
            forEntries(item, [&](const Literal& key, const Literal& entry) { readActivation(key, entry); });
        }
    }

    /// "deepseek/inputs: bfloat16[192,2048,2048]"
    void readActivation(const Literal& key, const Literal& entry)
    {
        const std::size_t colon = key.text.rfind(": "), bracket = key.text.rfind('[');
        if (colon == std::string::npos || bracket == std::string::npos || bracket < colon || !key.text.ends_with(']')) {
            m_builder.wrongType(
                "activation", "a name with type and shape, as attention/query: bfloat16[8,2048,32,128]", key);
            return;
        }
        GoldenArray array;
        array.path = key.text.substr(0, colon);
        const auto dtype = m_builder.dtype(key.text.substr(colon + 2, bracket - colon - 2), key.where());
        const Result<Shape> shape = parseShape(key.text.substr(bracket));
        const Literal *names = memberOf(entry, "logic_axes"), *cell = needed(entry, "PartitionSpec");
        if (!shape) {
            Diagnostic error = shape.error();
            error.where = key.where();
            m_builder.report(std::move(error));
        }
        if (!dtype || !shape || !cell)
            return;
        const auto spec = specOf(*cell);
        if (!spec)
            return;
        array.type = { *dtype, *shape };
        array.spec = *spec;
        checkSpec(array.spec, shape->size(), false, *cell); // what was not written with names may have fewer dimensions
        if (names && names->kind == Literal::Kind::String && names->text != "Unknown" && names->text != "None") {
            Result<LogicalNames> read = parseNames(names->text);
            if (!read) {
                read.error().where = names->where();
                m_builder.report(std::move(read.error()));
                return;
            }
            array.names = std::move(*read);
        } else if (names && names->isSequence()) {
            Result<LogicalNames> read = toLogicalNames(*names);
            if (!read) {
                m_builder.report(std::move(read.error()));
                return;
            }
            array.names = std::move(*read);
        }
        array.where = key.where();
        array.where.file = goldenFiles[2];
        if (const int before = m_activations[array.path]++; before > 0)
            array.path += '#' + std::to_string(before + 1);
        addRow(array.path, array.type, array.names.value_or(LogicalNames()), key, *cell);
        if (array.names)
            array.names->resize(array.type.rank());
        m_goldens.activations.push_back(std::move(array));
    }

    MaxTextGoldens m_goldens;
    std::optional<Mesh> m_mesh;
    std::map<std::string, std::size_t> m_byPath; ///< of the state
    std::map<std::string, int> m_activations; ///< how often one was constrained at a place
    TableBuilder m_builder; ///< errors of the file that is read
    std::vector<Diagnostic> m_errors;
};

} // namespace

ReadGoldens readMaxTextGoldens(const GoldenTexts& texts)
{
    return GoldenReader().read(texts);
}

std::vector<ParameterRow> toRows(const MaxTextGoldens& goldens)
{
    std::vector<ParameterRow> rows;
    for (const std::vector<GoldenArray>* arrays : { &goldens.state, &goldens.activations })
        for (const GoldenArray& array : *arrays)
            if (array.names && array.shapeKnown)
                rows.push_back({ array.path, array.type, *array.names, array.where.line, array.where.column });
    return rows;
}

} // namespace shardscope
