// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/roles.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/contraction_parts.h"
#include "program/element_updates.h"
#include "program/main_interface.h"
#include "program/moments.h"
#include "program/name_words.h"
#include "program/op_row.h"
#include "program/ops/checks.h"
#include "program/path.h"
#include "program/program.h"
#include "program/step_state.h"

namespace shardscope {

namespace {

// Which values of a train step are the gradients of its parameters, found by what becomes of the parameters.
//
//     g = dot_general(...)
//     mu' = 0.9 mu + 0.1 g;  nu' = 0.999 nu + 0.001 g g;  p' = p - 0.001 mu' / (sqrt(nu') + 1e-8)
//     p' is worked out element by element from p, mu, nu and one more array of its shape: g

/// Where operations stand in main.
using Places = std::unordered_map<OperationId, std::size_t>;

/// Null for an argument.
const Operation* makerOf(const Program& program, ValueId value)
{
    const OperationId maker = program.value(value).definition;
    return maker.valid() ? &program.operation(maker) : nullptr;
}

/// A constant, or one that was broadcast.
bool isConstant(const Program& program, ValueId value)
{
    const Operation* maker = makerOf(program, value);
    while (maker && maker->kind == OpKind::BroadcastInDim)
        maker = makerOf(program, maker->operands[0]);
    return maker && (maker->kind == OpKind::Constant || maker->kind == OpKind::SdyConstant);
}

/// A broadcast scalar or a constant says nothing of single elements.
bool isScalar(const Program& program, ValueId value)
{
    const Operation* maker = makerOf(program, value);
    return maker
        && (maker->kind == OpKind::Constant || maker->kind == OpKind::SdyConstant
            || (maker->kind == OpKind::BroadcastInDim && program.value(maker->operands[0]).type.rank() == 0));
}

/// As a mean is: a sum by its count. (A gradient that is clipped is scaled by a number that depends on it.)
bool isScaledByConstant(const Program& program, const Operation& operation)
{
    return (operation.kind == OpKind::Multiply || operation.kind == OpKind::Divide)
        && std::any_of(operation.operands.begin(), operation.operands.end(),
            [&](ValueId operand) { return isConstant(program, operand); });
}

/// Goes back from `updated`, the latest operation first. While a single value is left to go back from, everything that
/// the update needs goes through it; the first one that was not worked out element by element ends the way, and so does
/// a mean that several moments are worked out from.
std::optional<ValueId> gradientAfter(const Program& program, const Places& places, ValueId updated)
{
    const TensorType& type = program.value(updated).type;
    std::set<std::pair<std::size_t, ValueId>> left; ///< by the place of the operation that makes it
    std::unordered_map<ValueId, int> reads; ///< of the values that have been added
    const auto add = [&](ValueId value) {
        const OperationId maker = program.value(value).definition;
        const auto place = maker.valid() ? places.find(maker) : places.end();
        if (program.value(value).type.shape == type.shape && !isScalar(program, value) && place != places.end()) {
            left.emplace(place->second, value);
            ++reads[value];
        }
    };
    add(updated);
    std::optional<ValueId> found;
    while (!left.empty()) {
        const auto last = std::prev(left.end());
        const ValueId value = last->second;
        const bool isAlone = left.size() == 1 && value != updated;
        if (isAlone)
            found = value;
        const Operation& maker = program.operation(program.value(value).definition);
        if (!opRow(maker.kind).elementwise || (isAlone && reads[value] > 1 && isScaledByConstant(program, maker)))
            return found;
        left.erase(last);
        for (const ValueId operand : maker.operands)
            add(operand);
    }
    return std::nullopt; // it depends on the state alone
}

/// Per argument of the state whose role is parameter, in the order of the state: the last value through which all that
/// its update needs of the rest of the program goes. An update that needs nothing else, or takes its array as a result
/// of the program, has none. No value stands in the list twice.
std::vector<ValueId> gradientsOf(const Program& program, const StepState& state, std::span<const Role> roles)
{
    const Region& main = program.main();
    Places places;
    if (!state.pairs.empty())
        for (std::size_t i = 0; i < main.operations.size(); ++i)
            places.emplace(main.operations[i], i);
    std::vector<ValueId> gradients;
    for (const StatePair& pair : state.pairs) {
        if (roles[program.value(pair.argument).index] != Role::Parameter)
            continue;
        const std::optional<ValueId> gradient = gradientAfter(program, places, main.results[pair.result]);
        if (gradient && std::find(gradients.begin(), gradients.end(), *gradient) == gradients.end())
            gradients.push_back(*gradient);
    }
    return gradients;
}

constexpr std::array choosable{ Role::Parameter, Role::Gradient, Role::Mu, Role::Nu, Role::Master, Role::Count,
    Role::Step, Role::Input, Role::Activation, Role::Loss };

struct RoleWord {
    std::string_view word;
    Role role;
};
/// The one that stands first in a name decides: "opt_state.mu['params']['w']" is mu, "params['mu']['w']" a parameter.
constexpr std::array roleWords{ RoleWord{ "mu", Role::Mu }, RoleWord{ "nu", Role::Nu },
    RoleWord{ "master", Role::Master }, RoleWord{ "count", Role::Count }, RoleWord{ "step", Role::Step },
    RoleWord{ "grads", Role::Gradient }, RoleWord{ "grad", Role::Gradient }, RoleWord{ "gradients", Role::Gradient },
    RoleWord{ "loss", Role::Loss }, RoleWord{ "params", Role::Parameter }, RoleWord{ "param", Role::Parameter },
    RoleWord{ "parameters", Role::Parameter }, RoleWord{ "weights", Role::Parameter }, RoleWord{ "batch", Role::Input },
    RoleWord{ "inputs", Role::Input }, RoleWord{ "input", Role::Input }, RoleWord{ "x", Role::Input },
    RoleWord{ "labels", Role::Input }, RoleWord{ "targets", Role::Input } };

std::optional<Role> roleByName(std::string_view name)
{
    std::optional<Role> role;
    std::size_t first = name.size();
    for (const RoleWord& known : roleWords)
        if (const auto at = wordIn(name, known.word); at && *at < first) {
            first = *at;
            role = known.role;
        }
    return role;
}

/// Roles of the arrays of a state whose names say nothing.
class StateRoles {
public:
    StateRoles(const Program& program, const StepState& state)
        : m_program(program)
    {
        ElementUpdates updates(program);
        for (const StatePair& pair : state.pairs)
            if (const TensorType& type = program.value(pair.argument).type;
                isFloat(type.dtype) && type.rank() > 0 && isOfOptimizer(updates, state.source, pair))
                m_arrays.push_back(program.value(pair.argument).index);
        if (m_arrays.empty())
            return;
        m_parts = contractionParts(program);
        if (m_arrays.size() < 2)
            return;
        const std::vector<bool> used = usedByLosses(program, state, updates);
        m_allUsed = !used.empty()
            && std::all_of(m_arrays.begin(), m_arrays.end(), [&](std::size_t argument) { return used[argument]; });
        if (!used.empty())
            m_moments = momentsByUse(program, state, updates, used);
        else if (repeats() == 1)
            m_moments = momentsByUse(program, state, updates, contracted());
    }

    void guess(std::vector<std::optional<Role>>& roles) const
    {
        const std::size_t length = m_arrays.size() / (m_moments.empty() ? repeats() : 1);
        constexpr std::array byList{ Role::Parameter, Role::Mu, Role::Nu };
        for (std::size_t i = 0; i < m_arrays.size(); ++i)
            if (!roles[m_arrays[i]])
                roles[m_arrays[i]] =
                    m_moments.empty() ? byList[i / length] : m_moments[m_arrays[i]].value_or(Role::Parameter);
    }

private:
    /// A parameter or a moment comes of itself. Into a cache is written what was computed of something else, and what
    /// the order alone pairs may be something else altogether.
    [[nodiscard]] bool isOfOptimizer(ElementUpdates& updates, StateSource source, const StatePair& pair) const
    {
        const std::uint32_t argument = m_program.value(pair.argument).index;
        if (source == StateSource::Order && !updates.updates(argument, pair.result)
            && !updates.passes(argument, pair.result))
            return false;
        OperationId maker = m_program.value(m_program.main().results[pair.result]).definition;
        while (maker.valid() && onlyMoves(m_program, m_program.operation(maker)))
            maker = m_program.value(m_program.operation(maker).operands[0]).definition;
        if (!maker.valid() || m_program.operation(maker).kind != OpKind::DynamicUpdateSlice)
            return true;
        const Operation& written = m_program.operation(maker);
        return updates.dependOn(std::span(&written.operands[1], 1), std::span(&pair.argument, 1));
    }
    /// How often the types of the arrays repeat one list: 3, 2, or 1 where they do not.
    [[nodiscard]] std::size_t repeats() const
    {
        for (const std::size_t lists : { std::size_t{ 3 }, std::size_t{ 2 } }) {
            const std::size_t length = m_arrays.size() / lists;
            bool same = length > 0 && m_arrays.size() % lists == 0;
            for (std::size_t i = length; same && i < m_arrays.size(); ++i)
                same = typeOf(i) == typeOf(i - length);
            if (same && !(length == 1 && lists == 2)
                && ((!allAlike(lists) && !(m_allUsed && laterIsContracted(length))) || onlyFirstIsContracted(length)))
                return lists;
        }
        return 1;
    }
    /// Three arrays of one type need not be one with its moments, unless a counter stands between them.
    [[nodiscard]] bool allAlike(std::size_t lists) const
    {
        const std::size_t length = m_arrays.size() / lists;
        for (std::size_t i = 1; i < m_arrays.size(); ++i)
            if (typeOf(i) != typeOf(0))
                return false;
        return m_arrays[length] == m_arrays[length - 1] + 1;
    }
    /// Per argument of main.
    [[nodiscard]] std::vector<bool> contracted() const
    {
        std::vector<bool> contracted;
        for (const ContractionPart part : m_parts)
            contracted.push_back(part != ContractionPart::None);
        return contracted;
    }
    /// As weights of layers that are alike.
    [[nodiscard]] bool laterIsContracted(std::size_t length) const
    {
        return std::any_of(m_arrays.begin() + static_cast<std::ptrdiff_t>(length), m_arrays.end(),
            [this](std::size_t argument) { return m_parts[argument] != ContractionPart::None; });
    }
    /// Moments go into no contraction.
    [[nodiscard]] bool onlyFirstIsContracted(std::size_t length) const
    {
        for (std::size_t i = 0; i < m_arrays.size(); ++i)
            if ((m_parts[m_arrays[i]] != ContractionPart::None) != (i < length))
                return false;
        return true;
    }
    [[nodiscard]] const TensorType& typeOf(std::size_t i) const
    {
        return m_program.value(m_program.main().arguments[m_arrays[i]]).type;
    }

    const Program& m_program;
    std::vector<std::size_t> m_arrays; ///< numbers of arguments
    std::vector<ContractionPart> m_parts;
    bool m_allUsed = false; ///< losses depend on all of them: on layers that are alike, or on moments of earlier steps
    std::vector<std::optional<Role>> m_moments; ///< per argument; empty where there are none by their use
};

/// What a text calls the argument.
std::string nameOfArgument(const Program& program, std::size_t a)
{
    if (!program.functions.empty() && a < program.functions.front().argumentNames.size()
        && !program.functions.front().argumentNames[a].empty())
        return program.functions.front().argumentNames[a];
    return program.value(program.main().arguments[a]).path;
}

/// Of a program without a state, what its contractions say: floating-point weights are parameters.
void guessWeights(const Program& program, std::vector<std::optional<Role>>& roles)
{
    const std::vector<ContractionPart> parts = contractionParts(program);
    for (std::size_t a = 0; a < roles.size(); ++a)
        if (!roles[a] && parts[a] == ContractionPart::Weight
            && isFloat(program.value(program.main().arguments[a]).type.dtype))
            roles[a] = Role::Parameter;
}

} // namespace

std::string_view name(Role role)
{
    static constexpr std::array<std::string_view, 12> names{ "parameter", "gradient", "mu", "nu", "master", "count",
        "step", "input", "activation", "loss", "constant", "temporary" };
    return names[static_cast<std::size_t>(role)];
}

std::span<const Role> choosableRoles()
{
    return choosable;
}

ProgramRoles guessRoles(const Program& program, const StepState& state)
{
    const Region& main = program.main();
    const MainInterface names(program);
    std::vector<std::optional<Role>> arguments, results(main.results.size());
    for (std::size_t a = 0; a < main.arguments.size(); ++a) {
        arguments.push_back(roleByName(nameOfArgument(program, a)));
        if (arguments.back() == Role::Loss) // which only a result is
            arguments.back().reset();
    }
    StateRoles(program, state).guess(arguments);
    std::size_t counters = 0;
    for (const StatePair& pair : state.pairs) {
        const Value& argument = program.value(pair.argument);
        std::optional<Role>& role = arguments[argument.index];
        if (!role && argument.type.rank() == 0
            && (ops::isInteger(argument.type.dtype) || isCounted(program, pair.argument, main.results[pair.result])))
            role = counters++ == 0 ? Role::Step : Role::Count;
        results[pair.result] = Role::Activation; // counted once, as the argument
    }
    if (state.pairs.empty())
        guessWeights(program, arguments);
    for (const StatePair& gradient : returnedGradients(program, state))
        if (arguments[program.value(gradient.argument).index] == Role::Parameter)
            results[gradient.result] = Role::Gradient;
    const std::optional<std::size_t> loss = lossResult(program, state);
    for (std::size_t r = 0; r < results.size(); ++r) {
        if (r == loss)
            results[r] = Role::Loss;
        else if (!results[r])
            results[r] = roleByName(names.resultName(r));
        if (results[r] == Role::Loss && r != loss) // there is one only
            results[r] = Role::Activation;
    }
    ProgramRoles roles;
    for (const std::optional<Role>& role : arguments)
        roles.arguments.push_back(role.value_or(Role::Input));
    for (const std::optional<Role>& role : results)
        roles.results.push_back(role.value_or(Role::Activation));
    roles.gradients = gradientsOf(program, state, roles.arguments);
    return roles;
}

std::optional<std::size_t> roleChoice(
    std::span<const ChosenRole> chosen, std::string_view kind, std::size_t number, const std::string& path)
{
    const std::string own = std::string(kind) + std::to_string(number);
    for (std::size_t c = chosen.size(); c-- > 0;)
        if (globMatches(chosen[c].argument, own) || globMatches(chosen[c].argument, path))
            return c;
    return std::nullopt;
}

bool namesAny(const Program& program, const ChosenRole& chosen)
{
    const Region& main = program.main();
    const std::span<const ChosenRole> one(&chosen, 1);
    for (std::size_t a = 0; a < main.arguments.size(); ++a)
        if (roleChoice(one, "arg", a, program.value(main.arguments[a]).path))
            return true;
    for (std::size_t r = 0; r < main.results.size(); ++r)
        if (roleChoice(one, "result", r, program.value(main.results[r]).path))
            return true;
    return false;
}

ProgramRoles ownRoles(const Program& program)
{
    ProgramRoles roles;
    for (const ValueId argument : program.main().arguments)
        roles.arguments.push_back(program.value(argument).role);
    for (const ValueId result : program.main().results)
        roles.results.push_back(program.value(result).role);
    return roles;
}

ProgramRoles withChosen(
    ProgramRoles roles, const Program& program, const StepState& state, std::span<const ChosenRole> chosen)
{
    const Region& main = program.main();
    for (std::size_t a = 0; a < main.arguments.size(); ++a)
        if (const auto choice = roleChoice(chosen, "arg", a, program.value(main.arguments[a]).path))
            roles.arguments[a] = chosen[*choice].role;
    for (std::size_t r = 0; r < main.results.size(); ++r)
        if (const auto choice = roleChoice(chosen, "result", r, program.value(main.results[r]).path))
            roles.results[r] = chosen[*choice].role;
    const auto isChosenLoss = [&](std::size_t r) {
        const auto choice = roleChoice(chosen, "result", r, program.value(main.results[r]).path);
        return choice && chosen[*choice].role == Role::Loss;
    };
    bool hasChosenLoss = false;
    for (std::size_t r = 0; r < main.results.size(); ++r)
        hasChosenLoss = hasChosenLoss || isChosenLoss(r);
    for (std::size_t r = 0; r < main.results.size() && hasChosenLoss; ++r) // then no other is guessed
        if (roles.results[r] == Role::Loss && !isChosenLoss(r))
            roles.results[r] = Role::Activation;
    if (!chosen.empty()) // other arguments may be the parameters now
        roles.gradients = gradientsOf(program, state, roles.arguments);
    return roles;
}

void giveRoles(Program& program, const ProgramRoles& roles)
{
    const Region main = program.main();
    for (const ValueId gradient : roles.gradients)
        program.values[gradient.index].role = Role::Gradient;
    for (std::size_t r = 0; r < main.results.size(); ++r)
        program.values[main.results[r].index].role = roles.results[r];
    for (std::size_t a = 0; a < main.arguments.size(); ++a)
        program.values[main.arguments[a].index].role = roles.arguments[a];
}

bool isAnnotatedAsParameter(const Program& program, ValueId value)
{
    constexpr std::string_view next = "next(", optimizer = "opt/";
    if (!isOptimizerArray(program.value(value).role))
        return false;
    std::string_view path = program.value(value).path;
    if (path.starts_with(next) && path.ends_with(')'))
        path = path.substr(next.size(), path.size() - next.size() - 1);
    const std::size_t slash = path.starts_with(optimizer) ? path.find('/', optimizer.size()) : std::string_view::npos;
    if (slash == std::string_view::npos)
        return true;
    const ValueId array = program.find(path);
    const ValueId parameter = program.find("params" + std::string(path.substr(slash)));
    const auto isArgument = [&](ValueId id) {
        return id.valid() && !program.value(id).definition.valid()
            && program.value(id).index < program.argumentAnnotations.size();
    };
    const auto annotationOf = [&](ValueId id) -> const Annotation& {
        return program.argumentAnnotations[program.value(id).index];
    };
    return !isArgument(array) || !isArgument(parameter) || annotationOf(array) == annotationOf(parameter);
}

std::vector<ValueId> keptValues(const Program& program)
{
    std::vector<ValueId> kept;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (program.values[v].role == Role::Gradient)
            kept.emplace_back(v);
    return kept;
}

} // namespace shardscope
