// SPDX-License-Identifier: GPL-3.0-or-later
// What the sharding laboratory works on, without a window: an array, a sharding that was written in one of its forms,
// and everything that follows from the two on a mesh.
//
// One text is the source: the form that was edited last. All other forms, the layout and the figures are derived from
// it. While the source, or the shape, cannot be used, the last result that could stays, and isStale() says so. The
// laboratory survives a change of the mesh: the source is read again on the new one.
//
//     lab.setMesh({ mesh, "cpu", 8 });
//     lab.setShape("8, 16");
//     lab.edit(ShardingForm::HloV2, "{devices=[2,4]<=[8]}");
//     lab.text(ShardingForm::Spec) == "PartitionSpec('x', 'y')"
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "mesh/device_places.h"
#include "program/types.h"
#include "sharding/comparison.h"
#include "sharding/sharding_forms.h"

namespace shardscope {

/// Devices that the laboratory works on.
struct LabDevices {
    MeshPtr mesh;
    std::string platform = "cpu";
    std::int32_t devicesPerHost = 1;
    DevicePlacesPtr places = {}; ///< of the machine, where it is known
};

/// All that follows from an array and its sharding.
struct LabResult {
    Sharding sharding;
    MemoryKind memoryKind = MemoryKind::Device; ///< what the sharding says, or the platform's default
    bool memoryKindIsDefault = true;
    Shape shape;
    DType dtype = DType::F32;
    std::vector<std::string> names; ///< of the dimensions; may be empty
    Layout layout;
    std::int64_t devices = 1; ///< those of the sharding, also where some hold nothing
    std::optional<Error> uneven; ///< why JAX does not lay it out: Indivisible

    [[nodiscard]] std::int64_t shardBytes() const;
    [[nodiscard]] std::int64_t totalBytes() const;
    /// JAX's is_fully_replicated.
    [[nodiscard]] bool isFullyReplicated() const;
};

/// A form of the result: its text, why it has none, or how many devices it would list.
struct LabForm {
    Result<std::string> text;
    std::int64_t listed = 0; ///< > 0: the text was not made, since it would name so many devices
};

class LabState {
public:
    LabState();

    /// Longer lists are made only on demand, by fullText().
    static constexpr std::int64_t maxListed = 256;

    // Input. Each derives everything anew.
    void setDevices(LabDevices devices);
    void setShape(const std::string& text);
    void setDType(DType dtype);
    /// nullopt: what the text says, or the default of the platform.
    void setMemoryKind(std::optional<MemoryKind> kind);
    void setVersion(JaxVersion version);
    /// The text of a form, as it is typed.
    void edit(ShardingForm form, const std::string& text);
    /// An array and its spec from elsewhere; names may be empty.
    void setArray(const Shape& shape, DType dtype, std::vector<std::string> names, const PartitionSpec& spec);
    /// Gives up what was typed and cannot be used: back to the last result.
    void revert();

    [[nodiscard]] const LabDevices& devices() const { return m_devices; }
    [[nodiscard]] const std::string& shapeText() const { return m_shapeText; }
    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] std::optional<MemoryKind> memoryKind() const { return m_memoryKind; }
    [[nodiscard]] JaxVersion version() const { return m_version; }
    [[nodiscard]] ShardingForm source() const { return m_source; }
    [[nodiscard]] const std::string& sourceText() const { return m_sourceText; }

    // What follows.
    [[nodiscard]] const std::optional<Error>& shapeProblem() const { return m_shapeProblem; }
    [[nodiscard]] const std::optional<Error>& memoryProblem() const { return m_memoryProblem; }
    /// What is wrong with the source.
    [[nodiscard]] const std::optional<Error>& sourceProblem() const { return m_sourceProblem; }
    /// The newest that could be derived; absent before the first one.
    [[nodiscard]] const std::optional<LabResult>& result() const { return m_result; }
    /// The result is not that of what is written now.
    [[nodiscard]] bool isStale() const { return m_shapeProblem || m_memoryProblem || m_sourceProblem; }
    [[nodiscard]] const LabForm& form(ShardingForm form) const { return m_forms[static_cast<std::size_t>(form)]; }
    /// What stands in the place of a form: as typed for the source, derived for the others; "" where there is none.
    [[nodiscard]] std::string text(ShardingForm form) const;
    /// The whole text of a form, however many devices it lists.
    [[nodiscard]] Result<std::string> fullText(ShardingForm form) const;
    /// Of the source, where it is a chain of operations on a PositionalSharding.
    [[nodiscard]] std::vector<PositionalStep> steps() const;

    // The second sharding, on the same array and devices.
    void setOther(const std::string& text);
    [[nodiscard]] const std::string& otherText() const { return m_otherText; }
    [[nodiscard]] const std::optional<Error>& otherProblem() const { return m_otherProblem; }
    /// Nothing where no other is written, or one of the two cannot be used.
    [[nodiscard]] const std::optional<ShardingComparison>& comparison() const { return m_comparison; }
    /// The same array under the other sharding; there whenever comparison() is.
    [[nodiscard]] const std::optional<LabResult>& otherResult() const { return m_otherResult; }
    /// The result in short: its spec, where it has one, else HLO text.
    [[nodiscard]] std::string shortText() const;

private:
    void derive();
    void deriveForms();
    void deriveOther();
    /// The text read, with the chosen memory kind. Errors: those of readForm(), UnknownMemoryKind.
    [[nodiscard]] Result<Sharding> readSharding(const std::string& text, ShardingForm form) const;
    [[nodiscard]] Result<LabResult> resultOf(Sharding sharding, const Shape& shape) const;
    [[nodiscard]] FormContext context() const;

    LabDevices m_devices;
    std::string m_shapeText;
    std::vector<std::string> m_names;
    Shape m_namedShape; ///< the shape that the names belong to
    DType m_dtype = DType::F32;
    std::optional<MemoryKind> m_memoryKind;
    JaxVersion m_version = JaxVersion::Year2024;
    ShardingForm m_source = ShardingForm::Spec;
    std::string m_sourceText;
    std::string m_otherText;

    std::optional<Error> m_shapeProblem, m_memoryProblem, m_sourceProblem, m_otherProblem;
    std::optional<LabResult> m_result, m_otherResult;
    std::array<LabForm, 8> m_forms;
    std::optional<ShardingComparison> m_comparison;
};

/// A shape and a spec that suit a mesh: its first two axes shard two dimensions.
struct LabStart {
    Shape shape;
    PartitionSpec spec;
};
[[nodiscard]] LabStart labStart(const Mesh& mesh);

/// "8, 16" for "[8, 16]".
[[nodiscard]] std::string shapeText(const Shape& shape);

/// The part of a text around the place where it cannot be read, and where that is in it.
///
///     "{devices=[2,1,4]<=[8] last_tile_dim_replicated}", column 23, 20 wide  ->  "…8] last_tile_dim_r…", 5
struct Excerpt {
    std::u32string text;
    int column = 0; ///< from 0; the length of the text where something is missing at its end
    int length = 1; ///< characters of the word that stands there
};
[[nodiscard]] Excerpt excerptAround(const std::u32string& text, int line, int column, int width);

} // namespace shardscope
