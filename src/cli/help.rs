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

/// The help of one command.
struct Help {
    /// The words of the command.
    command: &'static str,
    /// The flags of every command that it uses.
    flags: &'static [&'static str],
    examples: &'static [&'static str],
}

/// Commands that are not here use none of the flags, and need no example.
const HELP: [Help; 15] = [
    Help {
        command: "run",
        flags: &[CONFIG, CHECK, LOG, WEB, SHARD],
        examples: &["run --config.file kb.yml"],
    },
    Help {
        command: "demo",
        flags: &[LOG, WEB],
        examples: &["demo", "demo --reindex enforce --portal.speed 60"],
    },
    Help {
        command: "portal",
        flags: &[LOG],
        examples: &["portal --portal.folders 300"],
    },
    Help {
        command: "check",
        flags: &[CONFIG, LOG, SHARD],
        examples: &["check --config.file kb.yml"],
    },
    Help {
        command: "scan",
        flags: &[CONFIG, LOG, SHARD],
        examples: &[
            "scan --config.file kb.yml",
            "scan --config.file kb.yml --output prometheus --output.file kb.prom",
        ],
    },
    Help {
        command: "files",
        flags: &[CONFIG, LOG, SHARD],
        examples: &["files --config.file kb.yml --status failed --output csv"],
    },
    Help {
        command: "errors",
        flags: &[CONFIG],
        examples: &["errors --explain 'OCR timed out after 300 s'"],
    },
    Help {
        command: "rules",
        flags: &["web.external-url"],
        examples: &["rules --web.external-url https://kb.example > kb-exporter.rules.yml"],
    },
    Help {
        command: "healthcheck",
        flags: &["web.listen-address", "web.config.file"],
        examples: &["healthcheck"],
    },
    Help {
        command: "completion",
        flags: &[],
        examples: &["completion bash > /etc/bash_completion.d/kb-exporter"],
    },
    Help {
        command: "config example",
        flags: &[],
        examples: &["config example > kb.yml"],
    },
    Help {
        command: "reindex history",
        flags: &[CONFIG],
        examples: &["reindex history --config.file kb.yml --since 2d"],
    },
    Help {
        command: "reindex classes",
        flags: &[CONFIG],
        examples: &["reindex classes --config.file kb.yml"],
    },
    Help {
        command: "reindex forgive",
        flags: &[CONFIG],
        examples: &["reindex forgive --config.file kb.yml --portal main --folder Inbox"],
    },
    Help {
        command: "state migrate",
        flags: &[CONFIG],
        examples: &["state migrate --config.file kb.yml --to postgres"],
    },
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
    let help = HELP.iter().find(|help| help.command == path);
    let used = help.map_or(&[][..], |help| help.flags);
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

fn text(help: &Help) -> String {
    let example = |line: &&str| format!("  kb-exporter {line}\n");
    let examples: Vec<_> = help.examples.iter().map(example).collect();
    let environment = if help.flags.contains(&CONFIG) {
        format!("\n{ENVIRONMENT}")
    } else {
        String::new()
    };
    let text = format!("Example:\n{}{environment}", examples.concat());
    text.trim_end().to_owned()
}
