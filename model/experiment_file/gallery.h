// SPDX-License-Identifier: GPL-3.0-or-later
// The examples that come with the program: files of resources/examples/, compiled in, in the order of the gallery.
#pragma once

#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

/// Where the examples of one group are from.
struct ExampleGroup {
    std::string_view id; ///< "t5x"
    std::string_view title; ///< "T5X partitioning"
};

struct GalleryExample {
    std::string_view id; ///< "t5x-a1p1"; the name of the file without its ending
    std::string_view group; ///< id of an ExampleGroup
    std::string_view question; ///< what it answers, in one sentence
    std::string_view text; ///< the file
    Experiment experiment; ///< what is in it; its title is that of the example
};

/// One per document, then what is from real projects.
[[nodiscard]] const std::vector<ExampleGroup>& exampleGroups();
/// All of them, group by group. The first one is what the window opens with. Read once.
[[nodiscard]] const std::vector<GalleryExample>& gallery();
/// Null if there is none of that id.
[[nodiscard]] const GalleryExample* findExample(std::string_view id);
/// The example that the experiment is, or was made of: the one that has its title. Null if there is none.
[[nodiscard]] const GalleryExample* findExample(const Experiment& experiment);

namespace resources {
struct ExampleFile {
    std::string_view id;
    std::string_view text;
};
/// The files, by name.
[[nodiscard]] const std::vector<ExampleFile>& exampleFiles();
} // namespace resources

} // namespace shardscope
