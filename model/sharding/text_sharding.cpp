// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings as JAX's __repr__ prints them.
// Declared in sharding_text.h.

#include "base/text.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

std::string upper(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::string memoryText(std::optional<MemoryKind> kind)
{
    return kind ? ", memory_kind=" + std::string(toString(*kind)) : std::string();
}

/// The grid of device sets in the way of numpy.array2string: rows are broken where they would pass the line width,
/// further rows are indented to stand under the first one, and of more than 1000 cells only the ends of axes are shown.
class GridText {
public:
    GridText(const PositionalSharding& sharding, std::size_t indent, std::size_t lineWidth)
        : m_sharding(sharding)
        , m_platform(upper(sharding.platform()))
        , m_indent(indent)
        , m_lineWidth(lineWidth)
        , m_summarised(sharding.cellCount() > 1000)
    {
    }
    [[nodiscard]] std::string text() const { return nested(0, 0, m_indent + 1, m_lineWidth); }

private:
    static constexpr std::int64_t edge = 3;

    [[nodiscard]] std::string cellText(std::int64_t cell) const
    {
        return "{" + m_platform + " " + join(m_sharding.devicesOf(cell), ", ") + "}";
    }
    /// Positions along an axis that are shown; -1 stands for those left out.
    [[nodiscard]] std::vector<std::int64_t> shown(std::int64_t size) const
    {
        std::vector<std::int64_t> list;
        for (std::int64_t i = 0; i < size; ++i) {
            if (!m_summarised || 2 * edge >= size || i < edge || i >= size - edge)
                list.push_back(i);
            else if (list.back() >= 0)
                list.push_back(-1);
        }
        return list;
    }
    /// What lies after the first `axis` coordinates; `first` is its first cell. Without the indent of its first line.
    [[nodiscard]] std::string nested(std::size_t axis, std::int64_t first, std::size_t indent, std::size_t width) const
    {
        const Shape& shape = m_sharding.shape();
        if (axis == shape.size())
            return cellText(first);
        std::int64_t step = 1;
        for (std::size_t minor = axis + 1; minor < shape.size(); ++minor)
            step *= shape[minor];
        const std::vector<std::int64_t> positions = shown(shape[axis]);
        const auto item = [&](std::int64_t position) {
            return position < 0 ? std::string("...") : nested(axis + 1, first + position * step, indent + 1, width - 1);
        };
        const std::string margin(indent, ' ');
        std::string text;
        if (axis + 1 == shape.size()) {
            std::string line = margin;
            for (std::size_t i = 0; i < positions.size(); ++i) {
                const std::string word = item(positions[i]);
                if (line.size() + word.size() > width - 1 && line.size() > indent) {
                    line.erase(line.find_last_not_of(' ') + 1);
                    text += line + "\n";
                    line = margin;
                }
                line += word;
                if (i + 1 < positions.size())
                    line += ' ';
            }
            text += line;
        } else {
            const std::string separator(shape.size() - axis - 1, '\n');
            for (std::size_t i = 0; i < positions.size(); ++i)
                text += margin + item(positions[i]) + (i + 1 < positions.size() ? separator : "");
        }
        return "[" + text.substr(indent) + "]";
    }

    const PositionalSharding& m_sharding;
    std::string m_platform;
    std::size_t m_indent;
    std::size_t m_lineWidth;
    bool m_summarised;
};

std::string repr(const PositionalSharding& sharding)
{
    constexpr std::string_view name = "PositionalSharding(";
    constexpr std::size_t lineWidth = 100 - 1; // the closing parenthesis has to fit as well
    return std::string(name) + GridText(sharding, name.size(), lineWidth).text() + memoryText(sharding.memoryKind())
        + ", shape=" + pythonTuple(sharding.shape()) + ")";
}

} // namespace

std::string toJax(const PartitionSpec& spec, JaxVersion version)
{
    const PartitionSpec kept = version == JaxVersion::Current ? canonical(spec) : spec;
    const std::string longForm = toJax(kept, false);
    return version == JaxVersion::Current ? "P" + longForm.substr(longForm.find('(')) : longForm;
}

std::string toJax(const Mesh& mesh, JaxVersion version)
{
    std::string text = toJax(mesh);
    if (version == JaxVersion::Year2024)
        return text;
    text.pop_back();
    std::string types;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        types += axis == 0 ? "Auto" : ", Auto";
    return text + (mesh.rank() > 0 ? ", " : "") + "axis_types=(" + types + (mesh.rank() == 1 ? ",))" : "))");
}

std::string toJax(const Device& device)
{
    const std::string id = "id=" + std::to_string(device.id);
    if (device.platform == "cpu")
        return "CpuDevice(" + id + ")";
    if (device.platform == "gpu")
        return "CudaDevice(" + id + ")";
    const std::string coordinates = join(device.coordinates, ",");
    return "TpuDevice(" + id + ", process_index=" + std::to_string(device.process) + ", coords=(" + coordinates
        + "), core_on_chip=" + std::to_string(device.core) + ")";
}

std::string toJax(const Sharding& sharding, JaxVersion version)
{
    if (const auto* named = std::get_if<NamedSharding>(&sharding))
        return "NamedSharding(mesh=" + toJax(*named->mesh, version) + ", spec=" + toJax(named->spec, version)
            + memoryText(named->memoryKind) + ")";
    if (const auto* positional = std::get_if<PositionalSharding>(&sharding))
        return repr(*positional);
    if (const auto* single = std::get_if<SingleDeviceSharding>(&sharding))
        return "SingleDeviceSharding(device=" + toJax(single->device) + memoryText(single->memoryKind) + ")";
    if (const auto* gspmd = std::get_if<GspmdSharding>(&sharding))
        return "GSPMDSharding(" + toHlo(gspmd->hlo) + memoryText(gspmd->memoryKind) + ")";
    const auto& shardy = std::get<ShardySharding>(sharding);
    return "GSPMDSharding(" + toHlo(toHloSharding(shardy.sharding, *shardy.mesh)) + memoryText(shardy.memoryKind) + ")";
}

} // namespace shardscope
