// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/non_finite.h"

#include <algorithm>
#include <cmath>

#include "program/calls.h"
#include "program/collective_groups.h"
#include "program/other_attributes.h"
#include "simulate/check/compare.h"
#include "simulate/kernels/element_types.h"

namespace shardscope {

namespace {

bool isPartOfCollective(const DeviceProgram& device, OperationId operation)
{
    const auto found = std::lower_bound(device.origins.begin(), device.origins.end(), operation,
        [](const auto& origin, OperationId wanted) { return origin.first < wanted; });
    return found != device.origins.end() && found->first == operation;
}

/// Loops, branches and calls: their operations have been seen one by one.
bool runsRegions(const Operation& operation)
{
    return operation.kind == OpKind::While || operation.kind == OpKind::If || operation.kind == OpKind::Case
        || operation.kind == OpKind::NamedComputation || calleeOf(operation) != nullptr;
}

constexpr std::array kinds{ NonFiniteKind::NotANumber, NonFiniteKind::Infinity };

} // namespace

std::int64_t firstNonFinite(const kernels::Array& array, NonFiniteKind kind, std::int64_t begin)
{
    if (isComplex(array.type.dtype)) {
        const std::int64_t part = firstNonFinite(kernels::partsOf(array), kind, 2 * begin);
        return part < 0 ? part : part / 2;
    }
    if (!isFloat(array.type.dtype) || !array.bytes)
        return -1;
    constexpr std::int64_t chunk = 1024;
    std::array<double, static_cast<std::size_t>(chunk)> numbers;
    for (; begin < array.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, array.count() - begin);
        kernels::toDoubles(array.type.dtype, array.data() + begin * array.elementBytes(), numbers.data(), count);
        for (std::int64_t i = 0; i < count; ++i) {
            const double number = numbers[static_cast<std::size_t>(i)];
            if (kind == NonFiniteKind::NotANumber ? std::isnan(number) : std::isinf(number))
                return begin + i;
        }
    }
    return -1;
}

void NonFiniteWatch::setArguments(const kernels::Arrays& arguments, std::int64_t device)
{
    for (const NonFiniteKind kind : kinds)
        for (std::size_t i = 0; i < arguments.size() && !seen(kind).held; ++i)
            if (const std::int64_t element = firstNonFinite(arguments[i], kind); element >= 0)
                seen(kind).held = NonFinite{ kind, {}, i, device, element, false, elementOf(arguments[i], element) };
}

/// Of what a device holds of the value, padding aside.
std::int64_t NonFiniteWatch::firstOf(
    const kernels::Array& array, NonFiniteKind kind, ValueId value, std::int64_t device) const
{
    std::int64_t found = firstNonFinite(array, kind);
    if (found < 0)
        return found;
    const auto padded = m_device.padding.find(value);
    if (padded == m_device.padding.end() || padded->second.full.size() != array.type.rank())
        return found;
    const Shape extents = extentsAt(padded->second, m_device.mesh, static_cast<std::int32_t>(device));
    for (; found >= 0; found = firstNonFinite(array, kind, found + 1)) {
        bool inside = true;
        std::int64_t left = found;
        for (std::size_t d = extents.size(); d-- > 0;) {
            inside = inside && left % array.type.shape[d] < extents[d];
            left /= array.type.shape[d];
        }
        if (inside)
            break;
    }
    return found;
}

bool NonFiniteWatch::inOneGroup(std::int64_t a, std::int64_t b, const Operation& operation)
{
    if (m_exchange.groups.empty())
        m_exchange.groups =
            groupsOf(operation, { m_device.replicas, m_device.mesh->deviceCount() / m_device.replicas });
    const auto has = [](const std::vector<std::int32_t>& group, std::int64_t device) {
        return std::find(group.begin(), group.end(), device) != group.end();
    };
    return std::any_of(m_exchange.groups.begin(), m_exchange.groups.end(),
        [&](const auto& group) { return has(group, a) && has(group, b); });
}

/// One device after the other takes an exchange: whether any of its group has it in an operand is known after the last.
void NonFiniteWatch::exchanged(NonFiniteKind kind, const NonFinite* result, bool hasOperand, const Operation& operation)
{
    std::vector<NonFinite>& candidates = seen(kind).candidates;
    std::vector<std::int64_t>& sources = m_exchange.sources[static_cast<std::size_t>(kind)];
    if (hasOperand) {
        sources.push_back(m_exchange.device);
        std::erase_if(candidates,
            [&](const NonFinite& candidate) { return inOneGroup(candidate.device, m_exchange.device, operation); });
    } else if (result && std::none_of(sources.begin(), sources.end(), [&](std::int64_t source) {
                   return inOneGroup(source, result->device, operation);
               })) {
        candidates.push_back(*result);
    }
}

void NonFiniteWatch::computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
    std::span<kernels::Array> results)
{
    const Operation& computed = m_program.operation(operation);
    const bool constant = computed.kind == OpKind::Constant || computed.kind == OpKind::SdyConstant;
    const bool isExchanged =
        isExchange(computed.kind) && attributesAs<CollectiveAttributes>(computed.attributes) != nullptr;
    if (m_exchange.operation != operation || device <= m_exchange.device) { // the one before is over
        for (Seen& own : m_seen) {
            if (!own.produced && !own.candidates.empty())
                own.produced = std::move(own.candidates.front());
            own.candidates.clear();
        }
        m_exchange = {};
    }
    if (isExchanged) {
        m_exchange.operation = operation;
        m_exchange.device = device;
    }
    if (runsRegions(computed))
        return;
    for (const NonFiniteKind kind : kinds) {
        Seen& own = seen(kind);
        if (own.produced || (constant && own.held))
            continue;
        std::optional<NonFinite> found;
        for (std::size_t i = 0; i < results.size() && !found; ++i) {
            const ValueId result = i < computed.results.size() ? computed.results[i] : ValueId();
            if (const std::int64_t element = firstOf(results[i], kind, result, device); element >= 0)
                found = NonFinite{ kind, operation, i, device, element, !constant, elementOf(results[i], element) };
        }
        if (!found && !isExchanged)
            continue;
        // Of what collectives are made of it is not known what is padding: they hand on whatever they are given.
        const bool onlyForwards = isExchanged || isPartOfCollective(m_device, operation);
        bool handedOn = false;
        for (std::size_t o = 0; o < operands.size() && !handedOn; ++o)
            handedOn = (onlyForwards || o >= computed.operands.size()
                               ? firstNonFinite(operands[o], kind)
                               : firstOf(operands[o], kind, computed.operands[o], device))
                >= 0;
        if (isExchanged)
            exchanged(kind, found ? &*found : nullptr, handedOn, computed);
        else if (constant)
            own.held = std::move(found);
        else if (!handedOn)
            own.produced = std::move(found);
    }
}

std::optional<NonFinite> NonFiniteWatch::first(NonFiniteKind kind) const
{
    const Seen& own = m_seen[static_cast<std::size_t>(kind)];
    return own.produced ? own.produced : own.candidates.empty() ? own.held : own.candidates.front();
}

} // namespace shardscope
