// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compiled_parts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/analyse.h"
#include "base/codes.h"
#include "base/text.h"
#include "pipeline/stage_results.h"
#include "program/outline/operation_scopes.h"
#include "program/path.h"
#include "program/region_values.h"
#include "program/value_shardings.h"
#include "propagation/propagate_program.h"
#include "sharding/sharding_edit.h"
#include "stablehlo/print.h"

namespace shardscope {

namespace {

/// Operations of main that follow each other in one scope.
struct PartOperations {
    std::string name;
    std::vector<OperationId> operations;
};

std::vector<PartOperations> partsIn(const Program& program, std::string_view glob)
{
    const OperationScopes scopes(program);
    const auto depth = static_cast<std::size_t>(std::count(glob.begin(), glob.end(), '/')) + 1;
    std::vector<PartOperations> parts;
    bool goesOn = false;
    for (const OperationId id : program.main().operations) {
        const ScopeNames& names = *scopes.of(id);
        std::string name;
        if (names.size() >= depth)
            name = join(ScopeNames(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(depth)), "/");
        if (name.empty() || !globMatches(glob, name)) {
            goesOn = false;
            continue;
        }
        if (!goesOn || parts.back().name != name)
            parts.push_back({ name, {} });
        parts.back().operations.push_back(id);
        goesOn = true;
    }
    return parts;
}

/// Names that the outermost scopes have: the first twenty.
std::vector<std::string> outerScopes(const Program& program)
{
    constexpr std::size_t most = 20;
    const OperationScopes scopes(program);
    std::vector<std::string> known;
    for (const OperationId id : program.main().operations)
        if (const ScopeNames& names = *scopes.of(id); !names.empty() && known.size() < most
            && std::find(known.begin(), known.end(), names.front()) == known.end())
            known.push_back(names.front());
    return known;
}

/// What an operation reads, its bodies included.
std::vector<ValueId> readBy(const Program& program, const Operation& operation)
{
    std::vector<ValueId> read(operation.operands.begin(), operation.operands.end());
    const std::vector<ValueId> inside = usedFromOutside(program, operation);
    read.insert(read.end(), inside.begin(), inside.end());
    return read;
}

/// Texts of the parts of one program.
class PartPrinter {
public:
    /// `program`: with the shardings that propagation found.
    explicit PartPrinter(Program program)
        : m_program(std::move(program))
        , m_main(m_program.main())
    {
        const ValueShardings found(m_program);
        const auto note = [&](ValueId value) {
            if (const ProgramSharding* sharding = found.of(value))
                m_borders.emplace(value, closed(*sharding));
        };
        std::for_each(m_main.arguments.begin(), m_main.arguments.end(), note);
        for (const OperationId id : m_main.operations)
            for (const ValueId value : m_program.operation(id).results)
                note(value);
        m_program.name = "part";
        m_program.functions.clear();
        m_program.state.clear();
        for (const OperationId id : m_main.operations)
            for (const ValueId value : readBy(m_program, m_program.operation(id)))
                m_lastRead[value] = id;
    }

    struct Text {
        std::string text;
        std::int64_t arguments = 0, results = 0;
    };
    /// `operations` follow each other in main.
    [[nodiscard]] Text print(const std::vector<OperationId>& operations)
    {
        std::unordered_set<ValueId> made, taken;
        Region& main = m_program.regions.front();
        main.operations = operations;
        main.arguments.clear();
        main.results.clear();
        for (const OperationId id : operations) {
            for (const ValueId value : readBy(m_program, m_program.operation(id)))
                if (!made.contains(value) && taken.insert(value).second)
                    main.arguments.push_back(value);
            const auto& results = m_program.operation(id).results;
            made.insert(results.begin(), results.end());
        }
        for (const OperationId id : operations)
            for (const ValueId value : m_program.operation(id).results)
                if (isReadLater(value, operations))
                    main.results.push_back(value);
        m_program.valueShardings.assign(m_program.values.size(), 0);
        m_program.argumentAnnotations = bordersOf(main.arguments);
        m_program.resultAnnotations = bordersOf(main.results);
        PrintOptions options;
        options.locations = false;
        options.names = PrintedNames::None;
        return { printStableHlo(m_program, options), static_cast<std::int64_t>(main.arguments.size()),
            static_cast<std::int64_t>(main.results.size()) };
    }

private:
    [[nodiscard]] bool isReadLater(ValueId value, const std::vector<OperationId>& operations) const
    {
        if (std::find(m_main.results.begin(), m_main.results.end(), value) != m_main.results.end())
            return true;
        const auto last = m_lastRead.find(value);
        return last != m_lastRead.end()
            && std::find(operations.begin(), operations.end(), last->second) == operations.end();
    }
    /// As it was found, and no further.
    static Annotation closed(ProgramSharding sharding)
    {
        closeDimensions(sharding.sharding);
        dropPriorities(sharding.sharding);
        return ExplicitSharding{ std::make_shared<const ProgramSharding>(std::move(sharding)) };
    }
    /// In and out shardings.
    [[nodiscard]] std::vector<Annotation> bordersOf(const std::vector<ValueId>& values) const
    {
        std::vector<Annotation> annotations;
        for (const ValueId value : values) {
            const auto found = m_borders.find(value);
            annotations.push_back(found == m_borders.end() ? Annotation() : found->second);
        }
        return annotations;
    }

    Program m_program;
    Region m_main; ///< main, of all parts
    std::unordered_map<ValueId, Annotation> m_borders; ///< by value of main
    std::unordered_map<ValueId, OperationId> m_lastRead;
};

/// Whether everything that the cache has results of was there.
bool isFromCache(const std::vector<StageTime>& times)
{
    return !times.empty() && std::all_of(times.begin(), times.end(), [](const StageTime& time) {
        return time.fromCache || time.stage == "summarise";
    });
}

} // namespace

double CompiledPart::seconds() const
{
    double all = 0;
    for (const StageTime& time : times)
        all += time.seconds;
    return all;
}

Result<std::vector<CompiledPart>> compiledParts(
    const Snapshot& snapshot, std::string_view glob, AnalysisCache& cache, const std::stop_token& stop)
{
    if (const std::optional<Error> error = firstError(snapshot))
        return tl::unexpected(*error);
    const Program& program = *snapshot.program;
    if (program.functions.size() > 1)
        return fail(Code::InvalidAttribute, { { "op", "part" }, { "detail", "functions besides main" } });
    const std::vector<PartOperations> found = partsIn(program, glob);
    if (found.empty())
        return fail(Code::UnknownValue,
            { { "key", "part" }, { "value", std::string(glob) }, { "known", outerScopes(program) } });
    PartPrinter printer(withShardings(program, *snapshot.propagation, true));
    std::vector<CompiledPart> parts;
    std::vector<std::string> texts;
    for (const PartOperations& each : found) {
        PartPrinter::Text text = printer.print(each.operations);
        CompiledPart part;
        part.name = each.name;
        part.operations = static_cast<std::int64_t>(each.operations.size());
        part.arguments = text.arguments;
        part.results = text.results;
        if (const auto same = std::find(texts.begin(), texts.end(), text.text); same != texts.end())
            part.sameAs = static_cast<int>(same - texts.begin());
        Experiment alone = *snapshot.experiment;
        ProgramModel model;
        model.text = std::make_shared<const std::string>(text.text);
        alone.model = std::move(model);
        alone.run.state = "none";
        alone.run.roles.clear();
        alone.run.initial.clear();
        alone.acknowledged.clear();
        alone.placement = {};
        const SnapshotPtr compiled = analyse(std::make_shared<const Experiment>(std::move(alone)), 1, cache, stop);
        if (!compiled)
            break;
        part.times = compiled->times;
        part.isHit = isFromCache(part.times);
        part.sentBytes = compiled->sent.step;
        for (const Problem& problem : compiled->problems)
            if (problem.diagnostic.severity() == Severity::Error)
                part.errors.push_back(problem.diagnostic);
        texts.push_back(std::move(text.text));
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace shardscope
