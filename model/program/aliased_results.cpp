// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/aliased_results.h"

#include <charconv>

namespace shardscope {

namespace {

/// The number at the beginning of "3 : i32".
std::optional<std::size_t> numberIn(std::string_view text)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

} // namespace

std::vector<AliasedResult> aliasedResults(const MainInterface& main)
{
    std::vector<AliasedResult> found;
    std::vector<std::optional<std::size_t>> owners(main.results());
    for (std::size_t a = 0; a < main.arguments(); ++a) {
        const NamedText* alias = main.attribute(a, "tf.aliasing_output");
        if (!alias)
            continue;
        AliasedResult& made = found.emplace_back(AliasedResult{ a, numberIn(alias->text) });
        if (!made.result || *made.result >= main.results()) {
            made.fault = AliasFault::NoResult;
        } else if (main.argumentType(a) != main.resultType(*made.result)) {
            made.fault = AliasFault::Type;
        } else if (std::optional<std::size_t>& owner = owners[*made.result]) {
            made.fault = AliasFault::Taken;
            made.other = *owner;
        } else {
            owner = a;
        }
    }
    return found;
}

} // namespace shardscope
