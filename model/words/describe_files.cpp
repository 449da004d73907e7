// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in describe_subjects.h.
#include "base/codes.h"
#include "words/describe_subjects.h"
#include "words/diagnostic_reader.h"

namespace shardscope::words {

namespace {

/// By what is wrong with the text: no value at all, more than one, an end too early, or a slip in the middle.
QString syntaxRemedy(const Diagnostic& d)
{
    const std::string kind = d.text("kind");
    if (kind == "root")
        return Words::tr("An experiment is JSON text that begins with “{”.");
    if (kind == "npy")
        return Words::tr("Save the array once more with numpy.save() or numpy.savez().");
    if (kind == "init")
        return Words::tr("`shardscope run --help` lists the kinds.");
    if (kind == "rest")
        return Words::tr("Remove what follows.");
    if (kind == "end")
        return Words::tr("The text is truncated: complete it, or open another copy.");
    if (d.text("found") == "the end of the text")
        return Words::tr("The text is truncated: complete it.");
    const QString expected = fromStd(d.text("expected"));
    if (expected == QLatin1String("end of text") || expected.startsWith(QLatin1String("the end of the ")))
        return Words::tr("Remove what follows.");
    return expected.isEmpty() ? Words::tr("Mend the text there.") : Words::tr("Write %1 there.").arg(expected);
}

QString rangeRemedy(const Diagnostic& d)
{
    const Reader arg(d);
    if (arg.has("max") && !arg.has("min"))
        return Words::tr("Use a value of at most %1.").arg(arg("max"));
    if (arg.has("max"))
        return Words::tr("Use a value from %1 to %2.").arg(arg("min"), arg("max"));
    if (arg.has("below") && !arg.has("min"))
        return Words::tr("Use a value below %1.").arg(arg("below"));
    if (arg.has("below"))
        return Words::tr("Use a value from %1 to below %2.").arg(arg("min"), arg("below"));
    return arg.has("min") ? Words::tr("Use a value of at least %1.").arg(arg("min")) : Words::tr("Use another value.");
}

/// Of what a limit counts or measures: "devices", but not "nesting".
bool isPlural(std::string_view what)
{
    return what != "file" && what != "nesting" && what != "YAML text";
}

QString tooLargeRemedy(const QString& what)
{
    if (what == QLatin1String("mesh axes"))
        return Words::tr("Use fewer axes.");
    if (what.startsWith(QLatin1String("operations"))) // of a text
        return Words::tr("Write what is repeated as a loop.");
    if (what.startsWith(QLatin1String("levels")) || what == QLatin1String("regions inside each other"))
        return Words::tr("Let bodies and calls stand one after the other instead of in each other.");
    if (what == QLatin1String("the memory of one device"))
        return Words::tr("Use more devices, a batch that all of them share, rematerialisation, or smaller sizes.");
    return Words::tr("Use smaller sizes.");
}

} // namespace

ProblemText describeFile(const Diagnostic& d)
{
    const Reader arg(d);
    switch (d.code) {
    case Code::Syntax:
        if (d.arg("truncated"))
            return { Words::tr("the text is truncated: it ends here, where %1 is missing").arg(arg("expected")),
                Words::tr("Use the complete file."), {} };
        if (arg.has("problem"))
            return { Words::tr("this is no %1: %2").arg(arg("expected"), arg("problem")),
                Words::tr("Mend the text there, or, where it ends, complete it."), {} };
        return { arg.has("found") ? Words::tr("expected %1, found %2").arg(arg("expected"), arg("found"))
                                  : Words::tr("expected %1").arg(arg("expected")),
            syntaxRemedy(d), {} };
    case Code::DuplicateKey:
        if (arg.has("other"))
            return { Words::tr("%1 and %2 stand side by side, and only one of them can count")
                         .arg(arg.quote("other"), arg.quote("key")),
                Words::tr("Leave one of them out."), {} };
        return { Words::tr("the key %1 occurs twice").arg(arg.quote("key")), Words::tr("Remove one of the two."), {} };
    case Code::WrongType:
        if (d.text("key") == "file" && d.where.pointer.empty()) // the text as one value
            return { Words::tr("the text is %1", "the number 3, an empty list").arg(arg("found")),
                Words::tr("An experiment is JSON text that begins with “{”."), {} };
        return { Words::tr("%1 is %2").arg(arg.quote("key"), arg("found")), Words::tr("Write %1.").arg(arg("expected")),
            {} };
    case Code::MissingKey:
        if (arg.has("architecture"))
            return { Words::tr("the key %1 is missing, which a model of the architecture %2 has")
                         .arg(arg.quote("key"), arg("architecture")),
                Words::tr("Add it, or read the file as another architecture."), {} };
        if (arg.has("type")) // an argument of a program
            return { Words::tr("%1 is not given; it is %2").arg(arg("key"), arg("type")),
                Words::tr("Give it with --inputs or --init, or say --random SEED for all that is not given."), {} };
        return { arg("key").startsWith(QLatin1String("--")) ? Words::tr("the option %1 is missing").arg(arg("key"))
                                                            : Words::tr("the key %1 is missing").arg(arg.quote("key")),
            Words::tr("Add it."), {} };
    case Code::UnknownValue:
        if (arg.has("type"))
            return { Words::tr("%1 is %2, and %3 holds no such values")
                         .arg(arg.quote("key"), arg.quote("value"), arg("type")),
                Words::tr("Choose one of: %1.").arg(arg("known")), {} };
        if (d.text("key") == "argument")
            return { Words::tr("there is no argument %1").arg(arg.quote("value")),
                (d.text("value").find('[') == std::string::npos
                        ? QString()
                        : Words::tr("In names * stands for what is between two slashes, ** for any text, ? for one "
                                    "character; brackets stand for themselves. "))
                    + (arg.has("nearest")
                            ? Words::tr("Did you mean %1? Known: %2.").arg(arg.quote("nearest"), arg("known"))
                            : Words::tr("Known: %1.").arg(arg("known"))),
                {} };
        if (d.text("key") == "variant")
            return { d.list("known").empty()
                    ? Words::tr("the experiment has no variants, and so none that is called %1").arg(arg.quote("value"))
                    : Words::tr("there is no variant %1").arg(arg.quote("value")),
                arg.has("nearest") ? Words::tr("Did you mean %1? Known: %2.").arg(arg.quote("nearest"), arg("known"))
                    : d.list("known").empty() ? QString()
                                              : Words::tr("Known: %1.").arg(arg("known")),
                {} };
        if ((d.text("key") == "constraints" || d.text("key") == "parameter_specs") && d.list("known").empty())
            return { d.text("key") == "constraints"
                    ? Words::tr("there are no constraints, and so none at %1").arg(arg.quote("value"))
                    : Words::tr("no parameter has a spec of its own, and so there is none at %1")
                          .arg(arg.quote("value")),
                {}, {} };
        if (d.text("key") == "constraints" || d.text("key") == "parameter_specs")
            return { d.text("key") == "constraints"
                    ? Words::tr("no module whose output can be constrained fits %1").arg(arg.quote("value"))
                    : Words::tr("no parameter fits %1").arg(arg.quote("value")),
                arg.has("nearest") ? Words::tr("Did you mean %1? Known: %2.").arg(arg.quote("nearest"), arg("known"))
                                   : Words::tr("Known: %1.").arg(arg("known")),
                {} };
        if (d.text("key") == "--rules")
            return { Words::tr("there is no rule set and no file %1").arg(arg.quote("value")),
                (arg.has("nearest") ? Words::tr("Did you mean %1? ").arg(arg.quote("nearest")) : QString())
                    + Words::tr("Give a file of rules, the rules themselves, or the id of a rule set: %1.")
                          .arg(arg("known")),
                {} };
        return { Words::tr("%1 is %2, which is not known").arg(arg.quote("key"), arg.quote("value")),
            arg.has("nearest") ? Words::tr("Did you mean %1? Known: %2.").arg(arg.quote("nearest"), arg("known"))
                : d.list("known").empty() ? Words::tr("There is nothing of the kind here.")
                                          : Words::tr("Known: %1.").arg(arg("known")),
            {} };
    case Code::OutOfRange:
        if (d.text("key") == "collective")
            return { Words::tr("there is no collective %1").arg(arg("value")),
                d.number("max") == 0 ? Words::tr("No device has to send anything: there are no collectives at all.")
                                     : Words::tr("They are numbered from %1 to %2.").arg(arg("min"), arg("max")),
                {} };
        return { Words::tr("%1 is %2").arg(arg.quote("key"), arg("value")), rangeRemedy(d), {} };
    case Code::TooLarge:
        if (arg("what") == QLatin1String("file"))
            return { arg.has("bytes")
                    ? Words::tr("the file has %1, files of up to %2 are read").arg(arg.size("bytes"), arg.size("limit"))
                    : Words::tr("more than %1 come out of it, which is as much as is read").arg(arg.size("limit")),
                Words::tr("Check that it is the file that was meant."), {} };
        if (arg("what")
            == QLatin1String("training text")) // whose bytes are tokens, and one more comes after each sequence
            return { Words::tr("the text has %1, and sequences of %2 tokens take at least %3")
                         .arg(counted(d.number("limit"), Noun::Byte), count(d.number("count")),
                             counted(d.number("count") + 1, Noun::Byte)),
                Words::tr("Take a longer text, or shorter sequences."), {} };
        if (arg("what") == QLatin1String("nesting"))
            return { Words::tr("brackets stand more than %1 deep in each other").arg(arg.number("limit")),
                Words::tr("Close every bracket that is open."), {} };
        if (arg.has("bytes") && arg.size("bytes") == arg.size("limit")) // a little more
            return { Words::tr("%1 would take more than %2, which is the limit").arg(arg("what"), arg.size("limit")),
                tooLargeRemedy(arg("what")), {} };
        if (!arg.has("bytes") && !arg.has("count") && isPlural(d.text("what")))
            return { Words::tr("there are more than %1 %2, which is the limit", "a number, devices")
                         .arg(arg.number("limit"), arg("what")),
                tooLargeRemedy(arg("what")), {} };
        return { arg.has("bytes") ? Words::tr("%1 would take at least %2, the limit is %3")
                                        .arg(arg("what"), arg.size("bytes"), arg.size("limit"))
                : arg.has("count")
                ? Words::tr("there are %2 %1, the limit is %3")
                      .arg(arg("what"), arg.number("count"), arg.number("limit"))
                : Words::tr("too many or too large: %1, the limit is %2").arg(arg("what"), arg.number("limit")),
            tooLargeRemedy(arg("what")), {} };
    case Code::NewerVersion:
        return {
            Words::tr("the file has version %1, this program reads up to %2").arg(arg("version"), arg("supported")),
            Words::tr("Open it with a newer Shardscope."), {}
        };
    case Code::NotAnExperiment:
        return { arg.has("format") ? Words::tr("the format is %1").arg(arg.quote("format"))
                                   : Words::tr("this is not an experiment file"),
            Words::tr("An experiment file says \"format\": \"sharding-experiment\"."), {} };
    case Code::Unreadable:
        return { Words::tr("%1 cannot be read: %2").arg(arg("file"), arg("reason")),
            arg.has("nearest") ? Words::tr("Did you mean the example %1?").arg(arg.quote("nearest"))
                               : Words::tr("Check the name and the permissions."),
            {} };
    case Code::Unwritable:
        return { Words::tr("%1 cannot be written: %2").arg(arg("file"), arg("reason")),
            Words::tr("Choose another place, or mend the permissions; the old file is unharmed."), {} };
    case Code::Usage:
        return { arg.has("what") ? arg("what") : Words::tr("the arguments do not go together"),
            (arg.has("option") ? Words::tr("Did you mean %1? ").arg(arg("option")) : QString())
                + Words::tr("`%1 --help` tells more.").arg((QStringLiteral("shardscope ") + arg("command")).trimmed()),
            {} };
    case Code::UnknownCommand:
        return { Words::tr("there is no command %1, and no file or example of that name").arg(arg.quote("name")),
            (arg.has("nearest") ? Words::tr("Did you mean %1? ").arg(arg.quote("nearest")) : QString())
                + Words::tr("`shardscope --help` lists the commands."),
            {} };
    case Code::UnknownKey:
        if (arg.has("shared"))
            return { Words::tr("a patch cannot change %1, which all variants have from the file").arg(arg.quote("key")),
                Words::tr("Remove it from the patch."), {} };
        return { Words::tr("the key %1 is not known; it is kept as it is").arg(arg.quote("key")),
            arg.has("nearest")     ? Words::tr("Did you mean %1?").arg(arg.quote("nearest"))
                : arg.has("known") ? Words::tr("Known here: %1.").arg(arg("known"))
                                   : Words::tr("Remove it if it is not meant."),
            {} };
    case Code::CommentsLost:
        return { Words::tr("the file has comments or trailing commas, which are lost when it is saved"),
            Words::tr("Put what should stay into \"notes\"."), {} };
    case Code::NewerMinorVersion:
        return { Words::tr("the file has version %1, this program knows %2").arg(arg("version"), arg("supported")),
            Words::tr("What it does not know is kept."), {} };
    default:
        return {};
    }
}

} // namespace shardscope::words
