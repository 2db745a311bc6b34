//! The arguments that change thresholds: each `--set`, for all folders or for those that the `--for-folder` after it name.

use std::collections::BTreeMap;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use super::threshold::Setting;
use crate::cli::rules::shipped::Threshold;
use crate::model::FolderId;

/// What a threshold is changed to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Change {
    /// For all folders that are not named; `None`: as it is shipped.
    pub all: Option<f64>,
    /// For folders, by their ids.
    pub folders: BTreeMap<String, f64>,
}

/// The thresholds that are changed, by their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Settings {
    pub changes: BTreeMap<&'static str, Change>,
    /// Whether the names of the thresholds are asked for.
    pub help: bool,
}

/// An argument, by its place in the command line.
enum Argument {
    Set(Setting),
    ForFolder(String),
}

impl Settings {
    fn of(arguments: impl IntoIterator<Item = Argument>) -> Result<Self, String> {
        let mut settings = Self::default();
        let mut last = None;
        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            match argument {
                Argument::Set(Setting::Help) => settings.help = true,
                Argument::Set(Setting::Threshold(name, value)) => {
                    last = Some((name, value));
                    if !matches!(arguments.peek(), Some(Argument::ForFolder(_))) {
                        settings.change(name).all = Some(value);
                    }
                }
                Argument::ForFolder(folder) => {
                    let (name, value) =
                        last.ok_or("--for-folder follows the --set that it limits to a folder")?;
                    if !Threshold::named(name).is_some_and(Threshold::is_of_a_folder) {
                        return Err(format!("{name} cannot be set for one folder"));
                    }
                    settings.change(name).folders.insert(folder, value);
                }
            }
        }
        Ok(settings)
    }

    fn change(&mut self, name: &'static str) -> &mut Change {
        self.changes.entry(name).or_default()
    }
}

fn folder_id(text: &str) -> Result<String, String> {
    let id = FolderId::parse(text).map(|id| id.to_string());
    id.ok_or_else(|| {
        "expected the id of a folder, as in its address and in the label folder_id".to_owned()
    })
}

/// The arguments of a flag with their places in the command line.
fn placed<T>(
    matches: &ArgMatches,
    flag: &str,
    values: Vec<T>,
    argument: fn(T) -> Argument,
) -> impl Iterator<Item = (usize, Argument)> {
    let places = matches.indices_of(flag).into_iter().flatten();
    places.zip(values.into_iter().map(argument))
}

/// The flags, without the order in which they are written.
#[derive(Args)]
struct Flags {
    /// Change a threshold. Repeatable. `--set help` lists the names.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Apply the `--set` before it only to the folder with this id. Repeatable.
    #[arg(long, value_name = "ID", value_parser = folder_id)]
    for_folder: Vec<String>,
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        Flags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args_for_update(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let flags = Flags::from_arg_matches(matches)?;
        let set = placed(matches, "set", flags.set, Argument::Set);
        let folders = placed(matches, "for_folder", flags.for_folder, Argument::ForFolder);
        let mut arguments: Vec<_> = set.chain(folders).collect();
        arguments.sort_by_key(|(place, _)| *place);
        Self::of(arguments.into_iter().map(|(_, argument)| argument))
            .map_err(|error| Error::raw(ErrorKind::ValueValidation, format!("{error}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";
    const B: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f7";

    fn parsed(line: &str) -> Result<Settings, String> {
        let command = Settings::augment_args(Command::new("rules"));
        let matches = command.try_get_matches_from(line.split(' '));
        let matches = matches.map_err(|error| error.to_string())?;
        Settings::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn a_folder_belongs_to_the_setting_before_it() {
        let settings = parsed(&format!(
            "rules --set most_failed_files=9 --set most_failed_files=30 --for-folder {A} --for-folder {B} --set spike_factor=6",
        ));
        let settings = settings.unwrap();
        let most = Change {
            all: Some(9.0),
            folders: BTreeMap::from([(A.to_owned(), 30.0), (B.to_owned(), 30.0)]),
        };
        assert_eq!(settings.changes["most_failed_files"], most);
        assert_eq!(settings.changes["spike_factor"].all, Some(6.0));
        assert_eq!(settings.changes.len(), 2);
    }

    #[test]
    fn a_folder_without_a_setting_or_of_a_whole_portal_is_refused() {
        for (line, reason) in [
            (format!("rules --for-folder {A}"), "follows the --set"),
            (
                "rules --set spike_factor=8 --for-folder Inbox".to_owned(),
                "expected the id of a folder",
            ),
            (
                format!("rules --set portal_failing_files=5 --for-folder {A}"),
                "portal_failing_files cannot be set for one folder",
            ),
        ] {
            assert!(parsed(&line).unwrap_err().contains(reason), "{line}");
        }
    }
}
