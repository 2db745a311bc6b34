//! Why a folder is, or is not, sent to be processed again: the closed list of the label `reason`.

use std::fmt::{self, Write as _};

use crate::model::label_values;

/// Defines the reasons: the label value; what it means, and what would change it, for people.
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

            /// What would change it, for people.
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)+
                }
            }
        }
    };
}

reasons! {
    Off = "off": "the mode is off";
        "set reindex.mode, or an override for the folder, to dry_run or enforce",
    KillSwitch = "kill_switch": "the kill switch file stops it";
        "remove the kill switch file, or make it readable",
    LedgerUnavailable = "ledger_unavailable": "the ledger cannot be used";
        "repair what the log and /health say about ledger.db",
    Clock = "clock": "the clock was just set, or is behind the newest time in the ledger; where the clock is right, kb-exporter reindex forgive --clock goes on";
        "wait until the clock passes the newest time in the ledger; when the clock is right, run kb-exporter reindex forgive --clock",
    NotWhole = "not_whole": "the latest read did not count the folder consistently";
        "a read that counts the folder consistently; nothing has to be done unless it stays so",
    Stale = "stale": "the counts are too old";
        "a new count of the folder; when there is none, see the state of the portal",
    PortalErring = "portal_erring": "the portal answers with errors";
        "the portal answers without errors again",
    StartingUp = "starting_up": "the program has just been started";
        "the next count of the folder",
    BelowMinFailed = "below_min_failed": "too few files failed";
        "more failed files, or a lower reindex.min_failed",
    RowsNotWhole = "rows_not_whole": "not every failed file could be read";
        "a read that lists every failed file",
    NeverClass = "never_class": "the errors are of classes that are not tried again";
        "repair what makes the files fail, or change reindex.never_classes and reindex.retry_classes",
    Unresponsive = "unresponsive": "retries hardly ever helped such errors; one folder tries again now and then";
        "repair the cause, then run kb-exporter reindex forgive --class",
    Exhausted = "exhausted": "the failed files have used up their attempts";
        "repair the cause, then run kb-exporter reindex forgive --folder; or remove the files",
    TooYoung = "too_young": "the files have not been failed for long enough";
        "time: reindex.min_age must pass",
    MaxFailedRatio = "max_failed_ratio": "so many files failed, and an attempt did not help, that the folder is in trouble of its own";
        "repair the folder, or raise reindex.max_failed_ratio",
    Backlog = "backlog": "too many files wait to be processed";
        "time: the portal processes waiting files; or a higher reindex.max_backlog",
    ExceedsBudget = "exceeds_budget": "more files failed than the whole budget allows";
        "raise reindex.budget.files, or repair the cause",
    Unjudged = "unjudged": "the folder's last attempt has not been judged yet";
        "time: the attempt is judged by the next counts, at the latest after reindex.verify_after",
    OutsideWindows = "outside_windows": "no window is open";
        "the next of reindex.windows opens",
    Refused = "refused": "the portal refuses reindexing in this folder (403); it is asked again after the pause";
        "give the key the right to reindex; it is tried again after the pause",
    Cooldown = "cooldown": "the pause after the last attempt, or after the portal was first met, is not over";
        "time: the pause ends at the time below; or run kb-exporter reindex forgive --folder",
    ClassRests = "class_rests": "another folder shows first whether retries help such errors now";
        "what comes of the attempt in another folder",
    RideAlong = "ride_along": "too many files that cannot be helped would go along for those that can";
        "remove the files that cannot be helped, or raise reindex.max_ride_along",
    NotCarriedOut = "not_carried_out": "the portal did not carry out the last requests; one is sent after each pause";
        "the portal carries out a request; see its log",
    Breaker = "breaker": "attempts in several folders of the portal had no effect";
        "repair the cause, then run kb-exporter reindex forgive --breaker; or wait until the breaker lets one folder try",
    BudgetActions = "budget_actions": "the budget has no attempt left";
        "time: earlier attempts leave the window of the budget; or a higher reindex.budget.actions",
    BudgetFiles = "budget_files": "the budget has too few files left";
        "time: earlier attempts leave the window of the budget; or a higher reindex.budget.files",
    Eligible = "eligible": "nothing speaks against it";
        "nothing is needed",
}

impl Reason {
    /// The reasons as a Markdown table, with a line break at its end: the table of reasons in docs/reindexing.md.
    pub fn table_markdown() -> String {
        let mut table = "| Reason | Meaning | What changes it |\n|---|---|---|\n".to_owned();
        for reason in Self::ALL {
            // Writing to a string cannot fail.
            let _ = writeln!(
                table,
                "| `{reason}` | {} | {} |",
                reason.sentence(),
                reason.advice()
            );
        }
        table
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
