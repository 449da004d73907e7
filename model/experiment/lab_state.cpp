// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/lab_state.h"

#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

std::int64_t bytesOf(std::span<const std::int64_t> shape, DType dtype)
{
    std::int64_t bytes = byteSize(dtype);
    for (const std::int64_t size : shape)
        bytes *= size;
    return bytes;
}

/// By axes of the mesh where that can be said, so that it is drawn with their names.
Result<Layout> namedLayout(const Sharding& sharding, const MeshPtr& mesh, std::span<const std::int64_t> shape)
{
    Result<Layout> layout = layoutOf(sharding, shape, Uneven::Padded);
    if (!layout || &layout->mesh() == mesh.get())
        return layout;
    if (Result<TensorSharding> axes = toTensorSharding(sharding, *mesh, shape.size()))
        return Layout(mesh, std::move(*axes), Shape(shape));
    return layout;
}

bool isWordCharacter(char32_t c)
{
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') || c == U'_' || c > 127;
}

} // namespace

std::int64_t LabResult::shardBytes() const
{
    return bytesOf(layout.shardShape(), dtype);
}

std::int64_t LabResult::totalBytes() const
{
    return bytesOf(shape, dtype);
}

bool LabResult::isFullyReplicated() const
{
    // A device that holds nothing keeps it from being everywhere.
    return layout.distinctShards() == 1 && layout.addends() == 1 && layout.copies() == devices;
}

LabState::LabState()
    : m_forms{}
{
    m_devices.mesh = std::make_shared<const Mesh>();
}

void LabState::setDevices(LabDevices devices)
{
    // A sharding that was written with its mesh goes over to the new one by its spec.
    if (m_source == ShardingForm::Named && !m_sourceProblem && m_result)
        if (const auto* named = std::get_if<NamedSharding>(&m_result->sharding)) {
            m_source = ShardingForm::Spec;
            m_sourceText = toJax(named->spec, m_version);
        }
    m_devices = std::move(devices);
    derive();
}

void LabState::setShape(const std::string& text)
{
    m_shapeText = text;
    derive();
}

void LabState::setDType(DType dtype)
{
    m_dtype = dtype;
    derive();
}

void LabState::setMemoryKind(std::optional<MemoryKind> kind)
{
    m_memoryKind = kind;
    derive();
}

void LabState::setVersion(JaxVersion version)
{
    m_version = version;
    deriveForms();
    if ((m_source == ShardingForm::Spec || m_source == ShardingForm::Named) && !isStale() && form(m_source).text)
        m_sourceText = *form(m_source).text;
}

void LabState::edit(ShardingForm form, const std::string& text)
{
    m_source = form;
    m_sourceText = text;
    derive();
}

void LabState::setArray(const Shape& shape, DType dtype, std::vector<std::string> names, const PartitionSpec& spec)
{
    m_shapeText = shardscope::shapeText(shape);
    m_namedShape = shape;
    m_names = std::move(names);
    m_dtype = dtype;
    edit(ShardingForm::Spec, toJax(spec, m_version));
}

void LabState::revert()
{
    if (!m_result || !isStale())
        return;
    if (m_shapeProblem)
        m_shapeText = shardscope::shapeText(m_result->shape);
    if (m_memoryProblem)
        m_memoryKind.reset();
    if (m_sourceProblem) {
        // The first form that still says what the result is.
        for (const ShardingForm form : { ShardingForm::Spec, ShardingForm::Shardy, ShardingForm::HloV2 })
            if (const LabForm& kept = this->form(form); kept.listed == 0 && kept.text) {
                m_source = form;
                m_sourceText = *kept.text;
                break;
            }
        m_shapeText = shardscope::shapeText(m_result->shape);
    }
    derive();
}

FormContext LabState::context() const
{
    return { m_devices.mesh, m_result ? m_result->shape.size() : 0, m_version, m_devices.platform };
}

Result<Sharding> LabState::readSharding(const std::string& text, ShardingForm form) const
{
    SHARDSCOPE_TRY(sharding, readForm(text, form, m_devices.mesh));
    if (m_memoryKind)
        sharding = withMemoryKind(std::move(*sharding), m_memoryKind);
    SHARDSCOPE_TRY(kind, settledMemoryKind(memoryKindOf(*sharding), m_devices.platform));
    return sharding;
}

Result<LabResult> LabState::resultOf(Sharding sharding, const Shape& shape) const
{
    SHARDSCOPE_TRY(layout, namedLayout(sharding, m_devices.mesh, shape));
    LabResult result;
    result.memoryKindIsDefault = !memoryKindOf(sharding);
    result.memoryKind = *settledMemoryKind(memoryKindOf(sharding), m_devices.platform);
    result.devices = static_cast<std::int64_t>(devicesOf(sharding).size());
    if (const Result<Layout> even = layoutOf(sharding, shape, Uneven::Refused);
        !even && even.error().code == Code::Indivisible)
        result.uneven = even.error();
    result.sharding = std::move(sharding);
    result.shape = shape;
    result.dtype = m_dtype;
    if (m_names.size() == shape.size() && m_namedShape == shape)
        result.names = m_names;
    result.layout = std::move(*layout);
    return result;
}

void LabState::derive()
{
    m_shapeProblem.reset();
    m_memoryProblem.reset();
    m_sourceProblem.reset();
    const Result<Shape> shape = parseShape(m_shapeText);
    if (!shape)
        m_shapeProblem = shape.error();
    Result<Sharding> sharding = readSharding(m_sourceText, m_source);
    if (!sharding) {
        const bool chosen = m_memoryKind && sharding.error().code == Code::UnknownMemoryKind;
        (chosen ? m_memoryProblem : m_sourceProblem) = sharding.error();
    }
    if (shape && sharding) {
        if (Result<LabResult> result = resultOf(std::move(*sharding), *shape)) {
            m_result = std::move(*result);
            deriveForms();
        } else {
            m_sourceProblem = result.error();
        }
    }
    deriveOther();
}

void LabState::deriveForms()
{
    if (!m_result)
        return;
    const FormContext context = this->context();
    for (const ShardingForm form : shardingForms()) {
        LabForm& slot = m_forms[static_cast<std::size_t>(form)];
        slot.listed = listedDevices(m_result->sharding, form, context);
        if (slot.listed > maxListed) {
            slot.text = std::string();
            continue;
        }
        slot.listed = 0;
        slot.text = formText(m_result->sharding, form, context);
    }
}

void LabState::deriveOther()
{
    m_otherProblem.reset();
    m_otherResult.reset();
    m_comparison.reset();
    if (m_otherText.empty())
        return;
    const Result<Sharding> other = readSharding(m_otherText, ShardingForm::Spec);
    if (!other) {
        m_otherProblem = other.error();
        return;
    }
    if (!m_result || isStale())
        return;
    Result<LabResult> result = resultOf(*other, m_result->shape);
    if (!result) {
        m_otherProblem = result.error();
        return;
    }
    m_otherResult = std::move(*result);
    // A default, and the same kind said in words, are one memory.
    const auto settled = [](const LabResult& one) { return withMemoryKind(one.sharding, one.memoryKind); };
    if (Result<ShardingComparison> comparison = compare(settled(*m_result), settled(*m_otherResult), m_result->shape))
        m_comparison = std::move(*comparison);
    else
        m_otherProblem = comparison.error();
}

std::string LabState::text(ShardingForm form) const
{
    if (form == m_source)
        return m_sourceText;
    const LabForm& derived = this->form(form);
    return derived.text && derived.listed == 0 ? *derived.text : std::string();
}

Result<std::string> LabState::fullText(ShardingForm form) const
{
    if (!m_result)
        return fail(Code::MissingMesh);
    return formText(m_result->sharding, form, context());
}

std::vector<PositionalStep> LabState::steps() const
{
    return positionalSteps(m_sourceText, m_devices.mesh);
}

void LabState::setOther(const std::string& text)
{
    m_otherText = text;
    deriveOther();
}

std::string LabState::shortText() const
{
    for (const ShardingForm form : { ShardingForm::Spec, ShardingForm::HloV2 })
        if (const LabForm& derived = this->form(form); m_result && derived.text && derived.listed == 0)
            return *derived.text;
    return {};
}

LabStart labStart(const Mesh& mesh)
{
    LabStart start;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < mesh.rank() && axes.size() < 2; ++axis)
        if (mesh.size(axis) > 1)
            axes.push_back(axis);
    std::int64_t block = 4;
    for (const std::size_t axis : axes) {
        start.shape.push_back(mesh.size(axis) * block);
        start.spec.entries.push_back(SpecEntry::axis(mesh.axis(axis).name));
    }
    while (start.shape.size() < 2) {
        start.shape.push_back(16);
        start.spec.entries.push_back(SpecEntry::none());
    }
    return start;
}

std::string shapeText(const Shape& shape)
{
    return shape.empty() ? "()" : join(shape, ", ");
}

Excerpt excerptAround(const std::u32string& text, int line, int column, int width)
{
    // The line that is meant.
    std::size_t begin = 0;
    for (int skipped = 1; skipped < line; ++skipped) {
        const std::size_t end = text.find(U'\n', begin);
        if (end == std::u32string::npos)
            break;
        begin = end + 1;
    }
    const std::size_t end = std::min(text.find(U'\n', begin), text.size());
    std::u32string shown = text.substr(begin, end - begin);
    Excerpt excerpt;
    int at = std::clamp(column - 1, 0, static_cast<int>(shown.size()));
    int after = at;
    while (after < static_cast<int>(shown.size()) && isWordCharacter(shown[static_cast<std::size_t>(after)]))
        ++after;
    excerpt.length = std::max(1, after - at);
    // Two thirds of the room for what comes before: what is wrong mostly shows by it.
    const int room = std::max(width, 8);
    if (static_cast<int>(shown.size()) > room) {
        int first = std::clamp(at - room * 2 / 3, 0, static_cast<int>(shown.size()) - room);
        const bool splitBefore = first > 0, splitAfter = first + room < static_cast<int>(shown.size());
        shown = shown.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(room));
        if (splitBefore)
            shown.front() = U'…';
        if (splitAfter)
            shown.back() = U'…';
        at -= first;
        excerpt.length = std::min(excerpt.length, std::max(1, room - at));
    }
    excerpt.text = std::move(shown);
    excerpt.column = at;
    return excerpt;
}

} // namespace shardscope
