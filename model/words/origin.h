// SPDX-License-Identifier: GPL-3.0-or-later
// Explains in words how propagation came to shard a dimension: which annotated value the axes come from, and through
// which operations.
#pragma once

#include "analysis/explain.h"
#include "words/propagation_steps.h"
#include "words/sentence.h"

namespace shardscope::words {

class Origin {
public:
    /// `reason` is of kind Propagated; its chain may be empty.
    Origin(const Snapshot& snapshot, ValueId value, const DimensionReason& reason);

    /// The value from which the sharding came: the nearest one with a name on the path of propagation, otherwise the
    /// annotated one. Invalid if there is neither.
    [[nodiscard]] ValueId alike() const { return m_alike; }
    [[nodiscard]] QString alikeName() const;
    /// The target of a link on that name.
    [[nodiscard]] QString link() const;
    /// How the value is related to alike(): "it is computed from Layer 0 / y by a matrix product, which keeps batch".
    [[nodiscard]] QString relation() const { return m_relation; }
    /// What specified the sharding that all of `alike` have in common: "Rule 2 maps hidden to model for mu of Layer 0 /
    /// W1, which is annotated as its parameter is." Empty if it is not known.
    [[nodiscard]] static Text request(std::span<const Origin* const> alike);
    /// The same in a few words: "rule 2  hidden → model".
    [[nodiscard]] Text shortRequest() const;
    /// Whether the shardings of two dimensions have the same origin and path, so that one sentence explains both.
    [[nodiscard]] bool isLike(const Origin& other) const;

private:
    /// The annotation that the first step came from, and its dimension there.
    void findRequest();
    void findComputation();
    void findAlike();
    [[nodiscard]] QString describeWay(std::size_t from) const;
    [[nodiscard]] Sentence::Part rulePart(bool first) const; ///< "rule 2", which leads there; where rule() is one
    [[nodiscard]] const LogicalRule* rule() const; ///< null for annotations with mesh axes
    [[nodiscard]] QString askedDimension() const;
    [[nodiscard]] AxisList askedAxes() const;
    /// Whether in_shardings or out_shardings of a manual computation specify it.
    [[nodiscard]] bool isOfComputation() const;
    /// Whether a constraint specifies it, which is the only use of an argument without an annotation: the argument then
    /// has the constraint's sharding from the start.
    [[nodiscard]] bool isOfItsConstraint() const;
    [[nodiscard]] Sentence::Part asking() const; ///< that operation, by name

    const Snapshot& m_snapshot;
    ValueId m_value;
    const DimensionReason& m_reason;
    ValueId m_alike;
    QString m_relation;
    ValueId m_asked; ///< the value that the annotation is about
    const ResolvedAnnotation* m_annotation = nullptr;
    std::size_t m_dimension = 0; ///< of that value
    SeedKind m_kind = SeedKind::Argument;
    Specifier m_specifiedBy = Specifier::Input;
    OperationId m_asking; ///< the operation that asks; invalid for annotations
    QString m_askedName;
    bool m_forGradient = false; ///< the annotation is that of the value whose gradient was asked for
};

} // namespace shardscope::words
