// SPDX-License-Identifier: GPL-3.0-or-later
// What holds of every program, from its text to its shardings, on thousands of random ones.
#include <QtTest>

#include <iostream>
#include <set>

#include "program/program_mesh.h"
#include "program/verify_shardings.h"
#include "program/wide_attributes.h"
#include "propagation/pass_pipelines.h"
#include "propagation/program_texts.h"
#include "propagation/propagate_program.h"
#include "random_cases.h"
#include "registered_test.h"
#include "sharding/sharding_text.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"
#include "stablehlo/same_program.h"

using namespace shardscope;
using program_texts::Draft;

class TestRandomPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsAreLegalAndVaried();
    void propagatingAgainChangesNothing();
    void namesMeanNothing();
    void axesOfSizeOneMeanNothing();
    void everyAxisGoesBackToWhatWasGiven();
};

namespace {

const auto programs = shardscope::test::randomCases(std::uint64_t{ 1500 });

/// The program, or an empty one and a message for the test.
Program readText(const std::string& text, std::string& wrong)
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read) {
        wrong = std::string(read.error().id()) + " in line " + std::to_string(read.error().where.line);
        for (const Arg& arg : read.error().args)
            wrong += ", " + arg.name + " " + read.error().text(arg.name);
        return {};
    }
    std::vector<Diagnostic> found = verify(read->program);
    const std::vector<Diagnostic> shardings = verifyShardings(read->program);
    found.insert(found.end(), shardings.begin(), shardings.end());
    for (const Diagnostic& one : found) {
        wrong += std::string(one.id()) + " in line " + std::to_string(one.where.line);
        for (const Arg& arg : one.args)
            wrong += ", " + arg.name + " " + one.text(arg.name);
    }
    return std::move(read->program);
}

Strategy strategyOf(std::uint64_t seed)
{
    constexpr Strategy all[] = { Strategy::Full, Strategy::Full, Strategy::OperationPriority, Strategy::Aggressive,
        Strategy::Basic };
    return all[seed % 5];
}

passes::PipelineOptions optionsOf(std::uint64_t seed)
{
    passes::PipelineOptions options;
    options.strategy = strategyOf(seed);
    options.dedupFunctionsFully = seed % 3 == 0;
    options.propagation.conservative = seed % 7 == 0;
    return options;
}

/// Priorities say in which turn axes go, and have done their work.
TensorSharding withoutPriorities(TensorSharding sharding)
{
    for (DimensionSharding& dim : sharding.dims)
        dim.priority = -1;
    return sharding;
}

/// Axes of each mesh that count: all, or those of more than one device.
struct AxisNames {
    std::vector<std::int32_t> numbers; ///< new number per axis, -1 for one that goes
    std::vector<MeshAxis> axes;
};

/// The same program under names that say nothing: meshes, axes and functions by number, axes of size 1 gone.
class Plain {
public:
    explicit Plain(Program program)
        : m_program(std::move(program))
    {
        for (ProgramMesh& mesh : m_program.meshes) {
            AxisNames names;
            for (std::size_t a = 0; a < mesh.mesh->rank(); ++a) {
                const bool counts = mesh.mesh->size(a) > 1;
                names.numbers.push_back(counts ? static_cast<std::int32_t>(names.axes.size()) : -1);
                if (counts)
                    names.axes.push_back({ "a" + std::to_string(names.axes.size()), mesh.mesh->size(a) });
            }
            m_names.push_back(std::move(names));
        }
    }
    [[nodiscard]] TensorSharding sharding(std::uint32_t mesh, const TensorSharding& given) const
    {
        TensorSharding made = given;
        for (DimensionSharding& dim : made.dims)
            renumber(mesh, dim.axes);
        renumber(mesh, made.replicated);
        renumber(mesh, made.unreduced);
        return made;
    }
    [[nodiscard]] AxisRef axis(std::uint32_t mesh, AxisRef given) const
    {
        given.axis = m_names[mesh].numbers[static_cast<std::size_t>(given.axis)];
        return given;
    }
    Program run() &&
    {
        for (ProgramSharding& one : m_program.shardings)
            one.sharding = sharding(one.mesh, one.sharding);
        std::vector<std::string> functions;
        for (Function& function : m_program.functions) {
            functions.push_back(function.name);
            function.name = "f" + std::to_string(functions.size() - 1);
            function.originalName.clear();
        }
        for (Operation& operation : m_program.operations)
            rename(operation, functions);
        for (std::size_t m = 0; m < m_program.meshes.size(); ++m) {
            ProgramMesh& mesh = m_program.meshes[m];
            mesh.name = "m" + std::to_string(m);
            const std::span<const std::int32_t> order = mesh.mesh->deviceOrder();
            mesh.mesh = std::make_shared<const Mesh>(*Mesh::create(m_names[m].axes, { order.begin(), order.end() }));
        }
        return std::move(m_program);
    }

private:
    void renumber(std::uint32_t mesh, AxisList& axes) const
    {
        AxisList kept;
        for (const AxisRef& one : axes)
            if (axis(mesh, one).axis >= 0)
                kept.push_back(axis(mesh, one));
        axes = kept;
    }
    void renumber(std::vector<ProgramSharding>& list) const
    {
        for (ProgramSharding& one : list)
            one.sharding = sharding(one.mesh, one.sharding);
    }
    void rename(Operation& operation, const std::vector<std::string>& functions) const
    {
        if (const auto* call = wideAs<CallAttributes>(operation.attributes)) {
            const auto found = std::find(functions.begin(), functions.end(), call->callee);
            operation.attributes = wide(CallAttributes{ "f" + std::to_string(found - functions.begin()) });
        } else if (const auto* custom = wideAs<CustomCallAttributes>(operation.attributes)) {
            CustomCallAttributes made = *custom;
            made.target = "c";
            operation.attributes = wide(std::move(made));
        } else if (const auto* named = wideAs<NamedComputationAttributes>(operation.attributes)) {
            NamedComputationAttributes made = *named;
            made.name = "n";
            renumber(made.in);
            renumber(made.out);
            operation.attributes = wide(std::move(made));
        } else if (const auto* manual = wideAs<ManualComputationAttributes>(operation.attributes)) {
            ManualComputationAttributes made = *manual;
            const std::uint32_t mesh = made.in.empty() ? made.out.at(0).mesh : made.in[0].mesh;
            std::vector<std::string> kept;
            for (const std::string& name : made.manualAxes) {
                const auto index = static_cast<std::size_t>(*m_program.meshes[mesh].mesh->axisIndex(name));
                if (m_names[mesh].numbers[index] >= 0)
                    kept.push_back("a" + std::to_string(m_names[mesh].numbers[index]));
            }
            made.manualAxes = kept;
            renumber(made.in);
            renumber(made.out);
            operation.attributes = wide(std::move(made));
        } else if (const auto* own = wideAs<OwnShardingAttributes>(operation.attributes)) {
            OwnShardingAttributes made = *own;
            if (made.sharding)
                made.sharding->sharding = sharding(made.sharding->mesh, made.sharding->sharding);
            operation.attributes = wide(std::move(made));
        } else if (auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
            if (const auto* given = std::get_if<GivenSharding>(&constraint->annotation)) {
                auto made = std::make_shared<ProgramSharding>(*given->given);
                made->sharding = sharding(made->mesh, made->sharding);
                constraint->annotation = GivenSharding{ std::move(made) };
            }
        }
    }

    Program m_program;
    std::vector<AxisNames> m_names; ///< per mesh
};

/// What is different between two outcomes but the names; empty if nothing is.
std::string difference(const passes::PipelineOutcome& a, const passes::PipelineOutcome& b)
{
    const PropagationResult& first = a.propagation;
    const PropagationResult& second = b.propagation;
    if (first.steps != second.steps || first.log.size() != second.log.size())
        return "other steps";
    if (first.meshes != second.meshes || first.resultMeshes != second.resultMeshes)
        return "other meshes";
    const Plain left(a.propagated), right(b.propagated);
    for (std::size_t v = 0; v < first.shardings.size(); ++v)
        if (first.meshes[v] != 0
            && !(left.sharding(first.meshes[v] - 1, first.shardings[v])
                == right.sharding(second.meshes[v] - 1, second.shardings[v])))
            return "value " + std::to_string(v) + " is sharded in another way";
    for (std::size_t i = 0; i < first.log.size(); ++i) {
        PropagationStep one = first.log[i], other = second.log[i];
        const std::uint32_t mesh = std::max<std::uint32_t>(first.meshes[one.to.index], 1) - 1;
        one.axis = left.axis(mesh, one.axis);
        other.axis = right.axis(mesh, other.axis);
        if (!(one == other))
            return "record " + std::to_string(i) + " of the log is another";
    }
    return shardscope::difference(Plain(a.program).run(), Plain(b.program).run(), false);
}

std::string compareInPlace(const Draft& draft, const std::string& text, const std::string& other);

/// Runs the whole pipeline on two ways to write a draft.
std::string compare(const Draft& draft, const std::string& text, const std::string& other)
{
    std::string wrong;
    Program one = readText(text, wrong);
    Program two = wrong.empty() ? readText(other, wrong) : Program();
    if (!wrong.empty())
        return wrong;
    const auto first = passes::propagationPipeline(std::move(one), optionsOf(draft.seed));
    const auto second = passes::propagationPipeline(std::move(two), optionsOf(draft.seed));
    if (bool(first) != bool(second))
        return "only one of the two can be propagated";
    std::string found = first ? difference(*first, *second) : std::string();
    return found.empty() ? compareInPlace(draft, text, other) : found;
}

/// What of a program as a person reads it is sharded otherwise when it is written in another way; empty: nothing.
std::string compareInPlace(const Draft& draft, const std::string& text, const std::string& other)
{
    const auto propagated = [&](const std::string& from, std::string& wrong) {
        PropagatedProgram done;
        Program program = readText(from, wrong);
        Result<Program> prepared = passes::prepareInPlace(std::move(program));
        if (wrong.empty() && !prepared)
            wrong = std::string(prepared.error().id());
        if (wrong.empty())
            done = propagateProgram(*prepared, strategyOf(draft.seed), optionsOf(draft.seed).propagation);
        return done;
    };
    std::string wrong;
    const PropagatedProgram first = propagated(text, wrong), second = propagated(other, wrong);
    if (!wrong.empty())
        return wrong;
    const Plain left(first.program), right(second.program);
    for (std::size_t v = 0; v < first.result.shardings.size(); ++v) {
        if (first.result.meshes[v] != second.result.meshes[v])
            return "in place: other meshes";
        if (first.result.meshes[v] != 0
            && !(left.sharding(first.result.meshes[v] - 1, first.result.shardings[v])
                == right.sharding(second.result.meshes[v] - 1, second.result.shardings[v])))
            return "in place: value " + std::to_string(v) + " is sharded in another way";
    }
    return first.result.steps == second.result.steps ? std::string() : "in place: other steps";
}

#define VERIFY_SAME(draft, text, other)                                                                                \
    do {                                                                                                               \
        const std::string found = compare(draft, text, other);                                                         \
        if (!found.empty())                                                                                            \
            std::cout << (text) << "\n---\n" << (other) << std::endl;                                                  \
        QVERIFY2(found.empty(), ("program " + std::to_string((draft).seed) + ": " + found).c_str());                   \
    } while (false)

} // namespace

void TestRandomPrograms::textsAreLegalAndVaried()
{
    std::set<OpKind> kinds;
    std::size_t operations = 0, steps = 0, functions = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const std::string text = program_texts::write(program_texts::draft(seed), {});
        std::string wrong;
        const Program program = readText(text, wrong);
        if (!wrong.empty())
            std::cout << text << std::endl;
        QVERIFY2(wrong.empty(), ("program " + std::to_string(seed) + ": " + wrong).c_str());
        for (const Operation& operation : program.operations)
            kinds.insert(operation.kind);
        operations += program.operations.size();
        functions += program.functions.size();
        const auto outcome = passes::propagationPipeline(program, optionsOf(seed));
        if (!outcome)
            qWarning("program %d: %s", int(seed), std::string(outcome.error().id()).c_str());
        QVERIFY(outcome);
        steps += outcome->propagation.steps;
    }
    // The programs are worth something: many kinds of operations, calls, and much that moves.
    qInfo("%zu kinds, %zu operations, %zu functions, %zu steps", kinds.size(), operations, functions, steps);
    QVERIFY(kinds.size() >= 25 || !test::triesAllRandomCases());
    QVERIFY(operations > 8 * programs && functions > 3 * programs / 2 && steps > 3 * programs);
}

void TestRandomPrograms::propagatingAgainChangesNothing()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const std::string text = program_texts::write(program_texts::draft(seed), {});
        std::string wrong;
        Program program = readText(text, wrong);
        QVERIFY2(wrong.empty(), wrong.c_str());
        // As a person reads it, with implicit edges, and as the pipeline has it, with explicit ones.
        Result<Program> prepared = seed % 2 == 0 ? passes::prepareInPlace(std::move(program))
                                                 : passes::importProgram(std::move(program), optionsOf(seed));
        QVERIFY(prepared);
        const PropagatedProgram first = propagateProgram(*prepared, strategyOf(seed), optionsOf(seed).propagation);
        const PropagatedProgram again = propagateProgram(first.program, strategyOf(seed), optionsOf(seed).propagation);
        const std::string found = shardscope::difference(first.program, again.program);
        if (!found.empty())
            std::cout << printStableHlo(*prepared) << "\n---\n"
                      << printStableHlo(first.program) << "\n---\n"
                      << printStableHlo(again.program) << std::endl;
        QVERIFY2(found.empty(), ("program " + std::to_string(seed) + ": " + found).c_str());
        for (std::size_t v = 0; v < first.result.shardings.size(); ++v)
            if (first.result.meshes[v] != 0
                && !(withoutPriorities(first.result.shardings[v]) == withoutPriorities(again.result.shardings[v]))) {
                std::cout << printStableHlo(*prepared) << "\n---\n" << printStableHlo(first.program) << std::endl;
                const ProgramMesh& mesh = first.program.meshes[first.result.meshes[v] - 1];
                QFAIL(("program " + std::to_string(seed) + ", value " + std::to_string(v) + ": "
                    + toShardy(first.result.shardings[v], *mesh.mesh) + ", then "
                    + toShardy(again.result.shardings[v], *mesh.mesh))
                          .c_str());
            }
    }
}

void TestRandomPrograms::namesMeanNothing()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Draft draft = program_texts::draft(seed);
        const std::string plain = program_texts::write(draft, {});
        const int scheme = seed % 2 == 0 ? 1 : 2;
        VERIFY_SAME(draft, plain, program_texts::write(draft, { .scheme = scheme }));
    }
}

void TestRandomPrograms::axesOfSizeOneMeanNothing()
{
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const Draft draft = program_texts::draft(seed);
        const std::string plain = program_texts::write(draft, {});
        VERIFY_SAME(draft, plain, program_texts::write(draft, { .unused = true, .sprinkled = seed % 3 != 0 }));
    }
}

/// As a person reads the program: the chain of an axis begins with what was given, and every step takes up the one
/// before it.
void TestRandomPrograms::everyAxisGoesBackToWhatWasGiven()
{
    std::size_t chains = 0, borders = 0;
    for (std::uint64_t seed = 0; seed < programs; ++seed) {
        const std::string text = program_texts::write(program_texts::draft(seed), {});
        std::string wrong;
        Result<Program> prepared = passes::prepareInPlace(readText(text, wrong));
        QVERIFY2(wrong.empty() && prepared, wrong.c_str());
        const PropagatedProgram done = propagateProgram(*prepared, strategyOf(seed), optionsOf(seed).propagation);
        for (std::size_t v = 0; v < done.result.shardings.size(); ++v)
            for (std::size_t d = 0; d < done.result.shardings[v].rank(); ++d)
                for (const AxisRef& axis : done.result.shardings[v].dims[d].axes) {
                    const std::vector<PropagationStep> chain = provenance(done.result, ValueId(v), d, axis);
                    if (chain.empty() || !chain.front().seed) {
                        std::cout << printStableHlo(done.program) << std::endl;
                        QFAIL(("program " + std::to_string(seed) + ", value " + std::to_string(v) + ", dimension "
                            + std::to_string(d))
                                  .c_str());
                    }
                    ++chains;
                    borders += chain.front().from.valid() ? std::size_t{ 1 } : std::size_t{ 0 };
                }
    }
    qInfo("%zu chains, %zu of them from what a manual computation takes over", chains, borders);
    QVERIFY(chains > 5 * programs && (borders > 0 || !test::triesAllRandomCases()));
}

REGISTER_TEST(TestRandomPrograms)
#include "test_random_programs.moc"
