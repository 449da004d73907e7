// SPDX-License-Identifier: GPL-3.0-or-later
// A train step around a forward pass: the state as arguments, gradients, the optimizer, the new state as results.
//
//     NetworkArrays arrays{ { { "W", { DType::F32, { 4, 2 } }, { "embed", "hidden" }, annotation } },
//                           { { "x", { DType::F32, { 8, 4 } }, { "batch", "embed" }, {} } } };
//     Builder b("train_step");
//     addTrainStep(b, arrays, {}, [](Builder& builder, const ForwardInputs& in) -> Result<ForwardPass> {
//         const ValueId y = builder.dot(in.inputs[0], in.parameters[0]);
//         return ForwardPass{ builder.reduce(ReduceKind::Sum, y, { 0, 1 }), { y } };
//     });
//
// Arguments of main, in order: step, parameters, count, the optimizer's arrays, inputs. Results: the new values of all
// but the inputs, in the same order, then the loss, the outputs, and the gradients of inputs that are asked for. Paths:
//     step  params/W  opt/count  opt/mu/W  opt/nu/W  x        (arrays and count: networks/optimizer.h)
//     loss  grad(params/W)  next(params/W)
// Every new value is pinned to the annotation of what it replaces. Step and count are replicated int32 numbers.
//
// With n > 1 microbatches the inputs are [n, batch / n, ...], with a first dimension "microbatch" that is not sharded.
// One after the other, microbatch i goes through forward and backward pass in scopes and under paths that begin with
// "microbatches.i/", and its gradients are added to the sum of those before it, in updateType(). Loss and gradients are
// the sums times 1 / n, which are those of the batch where its loss is a mean over examples. Outputs have the first
// dimension n.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "networks/optimizer.h"
#include "program/differentiate.h"

namespace shardscope {

struct DeclaredParameter {
    std::string name; ///< "layers.0/W1"
    TensorType type;
    std::vector<std::string> dims; ///< names of its dimensions
    Annotation annotation;
};
struct DeclaredInput {
    std::string path; ///< "x"
    TensorType type; ///< of the batch, which is dimension 0
    std::vector<std::string> dims;
    Annotation annotation;
    bool hasBatch = true; ///< false: every microbatch reads all of it
    bool gradient = false; ///< "grad(x)" is a result
};
struct NetworkArrays {
    std::vector<DeclaredParameter> parameters;
    std::vector<DeclaredInput> inputs;
};

/// What a forward pass reads, in the order in which it was declared.
struct ForwardInputs {
    std::span<const ValueId> parameters, inputs;
    std::int64_t microbatch = 0;
    ValueId step; ///< the number of steps done; invalid without a train step
};
struct ForwardPass {
    ValueId loss; ///< a scalar, which becomes "loss"; invalid: none, which only addForward() takes
    std::vector<ValueId> outputs;
    DifferentiateOptions derivative = {}; ///< what the backward pass keeps
};
using BuildForward = std::function<Result<ForwardPass>(Builder&, const ForwardInputs&)>;

struct TrainStepSettings {
    OptimizerSettings optimizer = {};
    std::int64_t microbatches = 1;
    /// Of an optimizer's array of the parameter's shape; factored ones have the entries of the dimensions that they
    /// keep. Empty: the parameter's. ZeRO shards the state along the data axis and the parameters not.
    std::function<Annotation(const DeclaredParameter&)> stateAnnotation = {};
    /// Gradients of each microbatch are constrained as the state is: a reduce-scatter instead of an all-reduce.
    bool constrainGradients = false;
};

/// Errors: those of `forward` and of differentiate(); OutOfRange for microbatches < 1; InvalidAttribute for a batch
/// that they do not divide, and for parameters or state that are no floating-point numbers.
[[nodiscard]] Result<void> addTrainStep(
    Builder& builder, const NetworkArrays& arrays, const TrainStepSettings& settings, const BuildForward& forward);

/// The forward pass alone. Arguments: parameters, inputs. Results: the loss if there is one, outputs. Errors: those of
/// `forward`.
[[nodiscard]] Result<void> addForward(Builder& builder, const NetworkArrays& arrays, const BuildForward& forward);

} // namespace shardscope
