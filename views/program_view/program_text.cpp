// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/program_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "program/op_row.h"
#include "views/theme/theme.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

/// The printer shows programs of main alone whose operations have one result each; of others there is a plain list.
bool canPrint(const Program& program)
{
    return program.functions.size() < 2
        && std::all_of(program.operations.begin(), program.operations.end(),
            [](const Operation& operation) { return operation.results.size() == 1 && operation.regions.empty(); });
}

std::string valueName(const Program& program, ValueId id)
{
    const Value& value = program.value(id);
    if (!value.definition.valid())
        return "%arg" + std::to_string(value.index);
    const std::string name = '%' + std::to_string(value.definition.index);
    return value.index == 0 ? name : name + '#' + std::to_string(value.index);
}

void listRegion(const Program& program, RegionId region, std::size_t depth, std::string& text)
{
    const std::string indent(2 * depth, ' ');
    for (const OperationId id : program.regions[region.index].operations) {
        const Operation& operation = program.operation(id);
        text += indent + '%' + std::to_string(id.index) + " = " + qualifiedName(operation);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            text += (i == 0 ? " " : ", ") + valueName(program, operation.operands[i]);
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            text += (i == 0 ? " : " : ", ") + toString(program.value(operation.results[i]).type);
        text += '\n';
        for (const RegionId body : operation.regions) {
            text += indent + "{\n";
            listRegion(program, body, depth + 1, text);
            text += indent + "}\n";
        }
    }
}

std::string listed(const Program& program)
{
    std::string text = "module @" + program.name + " {\n";
    if (program.functions.empty())
        listRegion(program, RegionId(0), 1, text);
    for (const Function& function : program.functions) {
        text += "  func.func @" + function.name + " {\n";
        listRegion(program, function.body, 2, text);
        text += "  }\n";
    }
    return text + "}\n";
}

/// The number behind `prefix` at the line's first word, -1 if it begins otherwise or something else follows.
long numberAfter(std::string_view line, std::string_view prefix, std::string_view behind)
{
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos || !line.substr(begin).starts_with(prefix))
        return -1;
    line.remove_prefix(begin + prefix.size());
    long number = -1;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const auto used = static_cast<std::size_t>(end - line.data());
    return error == std::errc() && line.substr(used).starts_with(behind) ? number : -1;
}

} // namespace

ProgramText ProgramText::of(const Program& program)
{
    ProgramText result;
    result.text = canPrint(program) ? print(program) : listed(program);
    result.lineOfOperation.assign(program.operations.size(), -1);
    result.lineOfArgument.assign(program.main().arguments.size(), -1);
    for (std::size_t begin = 0; begin < result.text.size();) {
        const std::size_t end = std::min(result.text.find('\n', begin), result.text.size());
        const std::string_view line = std::string_view(result.text).substr(begin, end - begin);
        const int index = static_cast<int>(result.starts.size());
        result.starts.push_back(begin);
        result.longest = std::max(result.longest, static_cast<int>(line.size()));
        OperationId operation;
        ValueId argument;
        if (const long number = numberAfter(line, "%", " = ");
            number >= 0 && static_cast<std::size_t>(number) < program.operations.size()) {
            operation = OperationId(static_cast<std::size_t>(number));
            result.lineOfOperation[operation.index] = index;
        } else if (const long which = numberAfter(line, "%arg", ": ");
                   which >= 0 && static_cast<std::size_t>(which) < program.main().arguments.size()) {
            argument = program.main().arguments[static_cast<std::size_t>(which)];
            result.lineOfArgument[static_cast<std::size_t>(which)] = index;
        }
        result.operations.push_back(operation);
        result.arguments.push_back(argument);
        begin = end + 1;
    }
    result.starts.push_back(result.text.size() + (result.text.ends_with('\n') ? 0 : 1));
    return result;
}

std::string_view ProgramText::line(int index) const
{
    const std::size_t begin = starts[static_cast<std::size_t>(index)],
                      end = starts[static_cast<std::size_t>(index) + 1];
    return std::string_view(text).substr(begin, end - begin - 1);
}

int ProgramText::find(std::string_view wanted, int from, bool backwards) const
{
    if (wanted.empty() || lines() == 0)
        return -1;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    const int count = lines();
    for (int i = 0; i < count; ++i) {
        const int at = ((from + (backwards ? -i : i)) % count + count) % count;
        const std::string_view in = line(at);
        if (std::search(in.begin(), in.end(), wanted.begin(), wanted.end(), same) != in.end())
            return at;
    }
    return -1;
}

ProgramTextModel::ProgramTextModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void ProgramTextModel::setText(std::shared_ptr<const ProgramText> text)
{
    beginResetModel();
    m_text = std::move(text);
    endResetModel();
}

int ProgramTextModel::rowCount(const QModelIndex& parent) const
{
    return m_text && !parent.isValid() ? m_text->lines() : 0;
}

QVariant ProgramTextModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_text)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return words::fromStd(m_text->line(index.row()));
    case Qt::FontRole:
        return Metrics::fixed();
    case Qt::ForegroundRole: {
        const auto row = static_cast<std::size_t>(index.row());
        const bool linked = m_text->operations[row].valid() || m_text->arguments[row].valid();
        return linked ? QVariant() : QVariant(Theme::current().secondary);
    }
    default:
        return {};
    }
}

} // namespace shardscope
