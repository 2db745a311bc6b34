//! The help of each command: its own flags, an example, and the environment that it reads.

use clap::{Arg, Command};

/// Flags that every command accepts, by the beginnings of their names.
const CONFIG: &str = "config.file";
const CHECK: &str = "config.check";
const LOG: &str = "log.";
const WEB: &str = "web.";
const SHARD: &str = "shard.";

/// What a start without a file reads.
const ENVIRONMENT: &str = "\
Environment, without --config.file:
  KB_BASE_URL                   The portal's address
  KB_API_KEY, KB_API_KEY_FILE   The key, or the file that holds it
  KB_PORTAL_NAME, KB_CA_FILE, KB_STATE_PATH";

/// The words of a command, the flags of every command that it uses, and examples. Commands that are not here use none of the flags, and
/// need no example.
type Help = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const HELP: [Help; 15] = [
    (
        "run",
        &[CONFIG, CHECK, LOG, WEB, SHARD],
        &["run --config.file kb.yml"],
    ),
    (
        "demo",
        &[LOG, WEB],
        &["demo", "demo --reindex enforce --portal.speed 60"],
    ),
    ("portal", &[LOG], &["portal --portal.folders 300"]),
    (
        "check",
        &[CONFIG, LOG, SHARD],
        &["check --config.file kb.yml"],
    ),
    (
        "scan",
        &[CONFIG, LOG, SHARD],
        &[
            "scan --config.file kb.yml",
            "scan --config.file kb.yml --output prometheus --output.file kb.prom",
        ],
    ),
    (
        "files",
        &[CONFIG, LOG, SHARD],
        &["files --config.file kb.yml --status failed --output csv"],
    ),
    (
        "errors",
        &[CONFIG],
        &["errors --explain 'OCR timed out after 300 s'"],
    ),
    (
        "rules",
        &["web.external-url"],
        &["rules --web.external-url https://kb.example > kb-exporter.rules.yml"],
    ),
    (
        "healthcheck",
        &["web.listen-address", "web.config.file"],
        &["healthcheck"],
    ),
    (
        "completion",
        &[],
        &["completion bash > /etc/bash_completion.d/kb-exporter"],
    ),
    ("config example", &[], &["config example > kb.yml"]),
    (
        "reindex history",
        &[CONFIG],
        &["reindex history --config.file kb.yml --since 2d"],
    ),
    (
        "reindex classes",
        &[CONFIG],
        &["reindex classes --config.file kb.yml"],
    ),
    (
        "reindex forgive",
        &[CONFIG],
        &["reindex forgive --config.file kb.yml --portal main --folder Inbox"],
    ),
    (
        "state migrate",
        &[CONFIG],
        &["state migrate --config.file kb.yml --to postgres"],
    ),
];

/// Gives each command its help. The flags that it does not use are accepted and not shown.
pub(super) fn add(mut root: Command) -> Command {
    // Only now the commands have the flags of all.
    root.build();
    let names: Vec<_> = root
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let root = root.after_help(ENVIRONMENT);
    names.into_iter().fold(root, |root, name| {
        root.mut_subcommand(&name, |command| with_help(command, &name))
    })
}

fn with_help(command: Command, path: &str) -> Command {
    let help = HELP.iter().find(|(words, ..)| *words == path);
    let used = help.map_or(&[][..], |(_, flags, _)| flags);
    let is_unused = |arg: &Arg| {
        let long = arg.get_long().unwrap_or_default();
        arg.is_global_set() && long.contains('.') && !used.iter().any(|used| long.starts_with(used))
    };
    // In place: a command that is built finds its flags by their places.
    let command = command.mut_args(|arg| {
        let hides = is_unused(&arg);
        if hides { arg.hide(true) } else { arg }
    });
    let command = match help {
        Some(help) => command.after_help(text(help)),
        None => command,
    };
    let names: Vec<_> = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |command| with_help(command, &path))
    })
}

fn text((_, flags, examples): &Help) -> String {
    let examples = examples
        .iter()
        .map(|line| format!("  kb-exporter {line}\n"));
    let text = format!("Example:\n{}", examples.collect::<String>());
    if flags.contains(&CONFIG) {
        format!("{text}\n{ENVIRONMENT}")
    } else {
        text.trim_end().to_owned()
    }
}
