//! Why an attempt is, or is not, made: the closed list of the label `reason`.

use crate::model::label_values;

/// Defines the reasons: the label value; what it means, and what to do, for people.
macro_rules! reasons {
    ($($name:ident = $word:literal: $sentence:literal; $advice:literal,)+) => {
        label_values! {
            /// The reason of a decision, in the order in which they are checked.
            pub enum Reason { $(#[doc = $sentence] $name = $word,)+ }
        }

        impl Reason {
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)+
                }
            }

            /// What to do about it, for people.
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)+
                }
            }
        }

        impl std::fmt::Display for Reason {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

reasons! {
    Off = "off": "the mode is off";
        "set reindex.mode, or an override for the folder, to dry_run or enforce",
    KillSwitch = "kill_switch": "the kill switch is on";
        "remove the kill switch file, or give the exporter access to its folder",
    Ledger = "ledger": "the ledger cannot be used, or limits may have ended early: its database lost writes, or its clock was set";
        "repair the error that the log and /health show; after lost writes or a clock that was set, wait for the end of the hold",
    Clock = "clock": "the clock was just set, or is behind the newest time in the ledger";
        "wait until the clock passes that time; if the clock is right, run kb-exporter reindex forgive --clock",
    Counts = "counts": "the counts are too old or inconsistent, or not every failed file was read";
        "wait for the next count; if there is none, check the folder's state in /health",
    Portal = "portal": "the portal cannot be read, refuses the request, or did not carry it out";
        "check the portal and its log; give the key the right to reindex if it answers 403",
    NothingEligible = "nothing_eligible": "too few failed files are old enough, have attempts left and a class that may be sent";
        "wait for reindex.min_age; if the attempts are used up, repair the cause, then run kb-exporter reindex forgive --folder",
    OutsideWindows = "outside_windows": "no window is open";
        "wait for the next of reindex.windows",
    Cooldown = "cooldown": "the folder's last attempt is still open, or its cooldown has not ended";
        "wait, or run kb-exporter reindex forgive --folder",
    Backlog = "backlog": "too many files of the folder wait to be processed";
        "wait until the portal has processed them, or raise reindex.max_backlog",
    Class = "class": "retries of these classes of error have not helped lately, and another folder tries them next";
        "repair the cause, then run kb-exporter reindex forgive --class; or wait for the next try",
    Budget = "budget": "the budget has too few files left";
        "wait until earlier attempts are older than reindex.budget.per, or raise reindex.budget.files",
    Eligible = "eligible": "nothing prevents an attempt";
        "nothing",
}
