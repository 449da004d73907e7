// SPDX-License-Identifier: GPL-3.0-or-later
// Edits: value to value. Each returns the experiment after the edit; what cannot be is an error, and nothing changes.
//
// Common errors: OutOfRange (an index that does not exist), WrongType (a name that is empty, has control characters or
// is a reserved word), UnknownValue (a name that is not one of the known ones), and those of Mesh::create. An explicit
// device order stays as it is, position by position, while the number of positions stays, and becomes row-major
// otherwise. An edit that changes the number of positions takes the hardware along: see withHardwareFollowing().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "sharding/memory_kind.h"

namespace shardscope {

/// Sets the size of an axis. With `keepProduct` another axis (the last one that can) takes the inverse change, so that
/// the number of devices stays. Errors: UnknownAxis, InvalidAxisSize (when no axis can take the inverse: with
/// devices, others (the number of other axes) and possible (list of sizes)).
[[nodiscard]] Result<Experiment> withAxisSize(const Experiment&, std::size_t axis, std::int64_t size, bool keepProduct);
/// Sizes that withAxisSize would accept for the axis with the devices at hand: the divisors of the device count.
[[nodiscard]] std::vector<std::int64_t> possibleAxisSizes(const Experiment&, std::size_t axis, bool keepProduct);
/// The last axis that can be halved to 2 or more while another one takes the inverse change.
[[nodiscard]] std::optional<std::size_t> axisToHalve(const Experiment&);
[[nodiscard]] Result<Experiment> withAxisMoved(const Experiment&, std::size_t from, std::size_t to);
/// Rules, the model's device axes and shardings of a program's values that name the axis follow it. AxisUsedTwice if
/// one of them has the new name too.
[[nodiscard]] Result<Experiment> withAxisRenamed(const Experiment&, std::size_t axis, std::string name);
/// Appends an axis as the minor one.
[[nodiscard]] Result<Experiment> withAxisAdded(const Experiment&, std::string name, std::int64_t size);
[[nodiscard]] Result<Experiment> withAxisRemoved(const Experiment&, std::size_t axis);

/// A logical name dropped on a mesh axis: replaces the target of the first rule of that name, or appends a rule.
[[nodiscard]] Result<Experiment> withNameMapped(const Experiment&, const std::string& name, SpecEntry target);

[[nodiscard]] Result<Experiment> withDialect(const Experiment&, Dialect dialect);
[[nodiscard]] Result<Experiment> withRulesVersion(const Experiment&, FlaxVersion version);
[[nodiscard]] Result<Experiment> withFallback(const Experiment&, RulesFallback fallback);
[[nodiscard]] Result<Experiment> withRulesBound(const Experiment&, bool bound);
[[nodiscard]] Result<Experiment> withConstraintMesh(const Experiment&, ConstraintMesh mesh);
[[nodiscard]] Result<Experiment> withPlatform(const Experiment&, std::string platform);
/// Other devices. An explicit order and the slices along axes go with the old ones; axes whose product is not the new
/// number of devices take it: each keeps as much of its size as divides, the last axis first, and the first one takes
/// the rest. Without axes the mesh stays.
[[nodiscard]] Result<Experiment> withDevices(const Experiment&, DeviceSet devices);
/// Who puts the devices in order; an explicit order goes.
[[nodiscard]] Result<Experiment> withOrder(const Experiment&, OrderSetting order);
/// An explicit order: one device id per position. Errors as Mesh::create.
[[nodiscard]] Result<Experiment> withDeviceOrder(const Experiment&, std::vector<std::int32_t> order);
/// The sizes of all axes. Errors: AxisNamesLength when there are more or fewer.
[[nodiscard]] Result<Experiment> withAxisSizes(const Experiment&, const std::vector<std::int64_t>& sizes);
/// Devices of the hardware so that they fit the mesh (keeps hosts where that divides; TPU chips on a grid stay on one).
[[nodiscard]] Result<Experiment> withDevicesForMesh(const Experiment&);
/// The same from the devices of `start`, unless the hardware is pinned, or cannot be had in that size: devices in a
/// list of their own, and chips whose number no usual grid has, stay as they are. What a drag began with is a start
/// that does not depend on the sizes it went through.
[[nodiscard]] Experiment withHardwareFollowing(Experiment, const HardwareSetting& start);
/// Whether the hardware stays when the mesh changes.
[[nodiscard]] Result<Experiment> withHardwarePinned(const Experiment&, bool pinned);
/// One of the model's sizes: "layers", or a dimension as the shapes of its arrays name it ("batch", "embed", "hidden",
/// "heads"); for arrays every dimension of that logical name. OutOfRange beyond what a file may have: 1 to 2^40, layers
/// to 4,096. Of a transformer the errors of checkTraining() where other settings contradict the size.
[[nodiscard]] Result<Experiment> withDimension(const Experiment&, const std::string& name, std::int64_t size);
/// The mesh axes that shard a dimension of the MLP wherever device axes are written. UnknownValue for another dimension
/// than batch, embed and hidden, InvalidAttribute for another model.
[[nodiscard]] Result<Experiment> withDeviceAxes(const Experiment&, const std::string& dimension, SpecEntry target);
/// A sharding for a value of the program; none: what its text says counts again. InvalidAttribute for another model.
[[nodiscard]] Result<Experiment> withValueSharding(
    const Experiment&, const std::string& value, std::optional<std::string> sharding);
/// y's constraint by logical names instead of device axes. InvalidAttribute for a model without that constraint.
[[nodiscard]] Result<Experiment> withLogicalYConstraint(const Experiment&);

/// How shardings spread.
[[nodiscard]] Result<Experiment> withPropagation(const Experiment&, PropagationSetting setting);
/// A sharding rule for the operation whose first result has that path in `program`, which is the one that
/// buildProgram() made of the experiment's text. Errors: those of checkedRule(); UnknownTensor; BadRule with wrong
/// "argument" for a path that no operation has; InvalidAttribute for a model that is no text.
[[nodiscard]] Result<Experiment> withShardingRule(
    const Experiment&, const Program& program, const std::string& path, const std::string& rule);
/// The operation has the rule again that it has without the experiment. UnknownTensor where there is none to go.
[[nodiscard]] Result<Experiment> withoutShardingRule(const Experiment&, const std::string& path);
/// Gives the operations of the model's program the rules that the experiment has for them. A rule that cannot be is
/// left out; the diagnostics say which, with its JSON pointer and path.
[[nodiscard]] std::vector<Diagnostic> attachRules(Program& program, const ProgramModel& model);

// Edits of where arrays lie: in the memory of their devices or on the host.

/// The memory of one array; none: the default of the platform. Errors: InvalidAttribute for a model that is not made of
/// arrays alone, UnknownTensor for a path that it lacks, UnknownMemoryKind where the platform lacks the kind.
[[nodiscard]] Result<Experiment> withMemoryKind(
    const Experiment&, const std::string& path, std::optional<MemoryKind> kind);
/// Whether parameters lie in the memory of the devices, or stay on the host (T5X's params_on_devices). InvalidAttribute
/// for a program in a text, which says itself where its arrays lie.
[[nodiscard]] Result<Experiment> withParamsOnDevices(const Experiment&, bool onDevices);

// Edits of what a run begins with.

/// Chooses what the arguments of that name (a path, "arg3", a glob) begin with, before all that was chosen earlier;
/// nothing takes back what was chosen for this very name.
[[nodiscard]] Experiment withInitial(
    Experiment experiment, const std::string& argument, const std::optional<InitialValue>& value);
/// States which results are the next step's arguments, as text (program/step_state.h); "" leaves it to the program.
[[nodiscard]] Experiment withState(Experiment experiment, std::string state);
/// Chooses the role of an argument or a result, likewise.
[[nodiscard]] Experiment withRole(Experiment experiment, const std::string& argument, std::optional<Role> role);

} // namespace shardscope
