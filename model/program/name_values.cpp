// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/name_values.h"

namespace shardscope {

namespace {

class Namer {
public:
    Namer(Program& program, std::string prefix)
        : m_program(program)
        , m_prefix(std::move(prefix))
    {
    }

    void nameRegion(RegionId id)
    {
        // By index: nothing here grows the lists, but a reference into a region must not outlive its recursion.
        const Region& region = m_program.regions[id.index];
        for (const ValueId argument : region.arguments)
            m_program.values[argument.index].path = m_prefix + "arg" + std::to_string(m_arguments++);
        for (const OperationId made : region.operations) {
            const Operation& operation = m_program.operations[made.index];
            if (!operation.results.empty()) {
                const std::string name = m_prefix + std::to_string(m_results++);
                for (std::size_t i = 0; i < operation.results.size(); ++i)
                    m_program.values[operation.results[i].index].path = i == 0 ? name : name + ':' + std::to_string(i);
            }
            for (const RegionId inner : operation.regions)
                nameRegion(inner);
        }
    }

private:
    Program& m_program;
    std::string m_prefix;
    std::uint64_t m_arguments = 0, m_results = 0;
};

} // namespace

void nameValues(Program& program)
{
    for (Value& value : program.values)
        value.path.clear();
    if (program.functions.empty()) {
        Namer(program, {}).nameRegion(RegionId(0));
    } else {
        for (std::size_t f = 0; f < program.functions.size(); ++f) {
            const Function& function = program.functions[f];
            Namer(program, f == 0 ? std::string() : function.name + '/').nameRegion(function.body);
        }
    }
    const Region& main = program.main();
    for (const ValueId argument : main.arguments)
        program.values[argument.index].role = Role::Input;
    for (const OperationId id : main.operations)
        for (const ValueId result : program.operation(id).results)
            program.values[result.index].role = Role::Activation;
}

} // namespace shardscope
