//! Why a folder is, or is not, sent to be processed again: the closed list of the label `reason`.

use std::fmt::{self, Write as _};

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $sentence:literal; $advice:literal,)+) => {
        /// The reason of a decision, in the order in which they are looked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The value of the label `reason`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// What it means, for people.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)+
                }
            }

            /// What would change it, for people.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)+
                }
            }
        }
    };
}

reasons! {
    /// The mode of the folder is off.
    Off = "off": "the mode is off";
        "set reindex.mode, or an override for the folder, to dry_run or enforce",
    /// The file that stops everything exists, or cannot be read.
    KillSwitch = "kill_switch": "the kill switch file stops it";
        "remove the kill switch file, or make it readable",
    /// The ledger cannot be read or written.
    LedgerUnavailable = "ledger_unavailable": "the ledger cannot be used";
        "repair what the log and /health say about ledger.db",
    /// The clock was set a short while ago, or is behind what the ledger says.
    Clock = "clock": "the clock was just set, or is behind the newest time in the ledger; where the clock is right, kb-exporter reindex forgive --clock goes on";
        "wait until the clock passes the newest time in the ledger; when the clock is right, run kb-exporter reindex forgive --clock",
    /// The latest read failed, or was not consistent.
    NotWhole = "not_whole": "the latest read did not count the folder consistently";
        "a read that counts the folder consistently; nothing has to be done unless it stays so",
    /// The counts are too old.
    Stale = "stale": "the counts are too old";
        "a new count of the folder; when there is none, see the state of the portal",
    /// The portal answers with errors.
    PortalErring = "portal_erring": "the portal answers with errors";
        "the portal answers without errors again",
    /// This is the folder's first count since the program was started.
    StartingUp = "starting_up": "the program has just been started";
        "the next count of the folder",
    /// Fewer files failed than `min_failed`.
    BelowMinFailed = "below_min_failed": "too few files failed";
        "more failed files, or a lower reindex.min_failed",
    /// Failed files were counted and not all read.
    RowsNotWhole = "rows_not_whole": "not every failed file could be read";
        "a read that lists every failed file",
    /// Too few failed files are of a class that counts.
    NeverClass = "never_class": "the errors are of classes that are not tried again";
        "repair what makes the files fail, or change reindex.never_classes and reindex.retry_classes",
    /// Retries have hardly ever helped files of these classes.
    Unresponsive = "unresponsive": "retries hardly ever helped such errors; one folder tries again now and then";
        "repair the cause, then run kb-exporter reindex forgive --class",
    /// Too few failed files have attempts left.
    Exhausted = "exhausted": "the failed files have used up their attempts";
        "repair the cause, then run kb-exporter reindex forgive --folder; or remove the files",
    /// Too few files have been seen failed for `min_age`.
    TooYoung = "too_young": "the files have not been failed for long enough";
        "time: reindex.min_age must pass",
    /// The share of failed files is above `max_failed_ratio`.
    MaxFailedRatio = "max_failed_ratio": "so many files failed, and an attempt did not help, that the folder is in trouble of its own";
        "repair the folder, or raise reindex.max_failed_ratio",
    /// More files wait or are processed than `max_backlog`.
    Backlog = "backlog": "too many files wait to be processed";
        "time: the portal processes waiting files; or a higher reindex.max_backlog",
    /// More files failed than the whole budget allows.
    ExceedsBudget = "exceeds_budget": "more files failed than the whole budget allows";
        "raise reindex.budget.files, or repair the cause",
    /// An attempt of this folder waits for its verdict.
    Unjudged = "unjudged": "the folder's last attempt has not been judged yet";
        "time: the attempt is judged by the next counts, at the latest after reindex.verify_after",
    /// No window is open.
    OutsideWindows = "outside_windows": "no window is open";
        "the next of reindex.windows opens",
    /// The portal does not allow reindexing in the folder.
    Refused = "refused": "the portal refuses reindexing in this folder (403); it is asked again after the pause";
        "give the key the right to reindex; it is tried again after the pause",
    /// The folder, or a portal that was just met, is in its pause.
    Cooldown = "cooldown": "the pause after the last attempt, or after the portal was first met, is not over";
        "time: the pause ends at the time below; or run kb-exporter reindex forgive --folder",
    /// A retry of such errors is still to show an effect, or had none a short while ago.
    ClassRests = "class_rests": "another folder shows first whether retries help such errors now";
        "what comes of the attempt in another folder",
    /// More than `max_ride_along` files would go along for nothing.
    RideAlong = "ride_along": "too many files that cannot be helped would go along for those that can";
        "remove the files that cannot be helped, or raise reindex.max_ride_along",
    /// The portal did not carry out the last requests.
    NotCarriedOut = "not_carried_out": "the portal did not carry out the last requests; one is sent after each pause";
        "the portal carries out a request; see its log",
    /// Attempts in the portal had no effect.
    Breaker = "breaker": "attempts in several folders of the portal had no effect";
        "repair the cause, then run kb-exporter reindex forgive --breaker; or wait until the breaker lets one folder try",
    /// The budget has no attempt left.
    BudgetActions = "budget_actions": "the budget has no attempt left";
        "time: earlier attempts leave the window of the budget; or a higher reindex.budget.actions",
    /// The budget has too few files left.
    BudgetFiles = "budget_files": "the budget has too few files left";
        "time: earlier attempts leave the window of the budget; or a higher reindex.budget.files",
    /// Nothing speaks against an attempt.
    Eligible = "eligible": "nothing speaks against it";
        "nothing is needed",
}

impl Reason {
    /// The reasons as a Markdown table, with a line break at its end: the table of reasons in docs/reindexing.md.
    #[must_use]
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
