// SPDX-License-Identifier: GPL-3.0-or-later
// Finds names by parts of them, among hundred thousands of them as fast as somebody types.
//
//     NameIndex index;
//     index.add("decoder/layers.3/mlp/wi/kernel", "tensor");
//     index.add("Save As", "command");
//     index.find("wi ker", 50)     // { 0 }
//     index.find("command", 50)    // { 1 }: what stands beside the name counts less than the name
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

class NameIndex {
public:
    /// Items count from 0 in the order in which they come. Upper and lower case of ASCII letters are the same; of other
    /// letters, pass both the names and the query in one case.
    void add(std::string_view name, std::string_view beside = {});
    [[nodiscard]] std::size_t size() const { return m_items.size(); }

    /// At most `maximum` items that have every word of the query (divided by spaces) in their name or beside it, the
    /// best first: names that are one of the words, that begin with one, that have it at the beginning of one of their
    /// own words, beside them, and within. Among equals the shorter name, then the one that came first. Where no item
    /// has all words, those whose name has all letters of the query in that order ("lmk": "layers/mlp/kernel"). An
    /// empty query: the first ones.
    [[nodiscard]] std::vector<std::uint32_t> find(std::string_view query, std::size_t maximum) const;

private:
    struct Item {
        std::size_t begin = 0; ///< in m_text; the end is the next item's begin
        std::uint32_t nameSize = 0;
    };
    [[nodiscard]] std::string_view name(std::size_t item) const;
    [[nodiscard]] std::string_view beside(std::size_t item) const;
    std::string m_text; ///< names and what is beside them, one after the other, in lower case
    std::vector<Item> m_items;
};

} // namespace shardscope
