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
pub(crate) use reasons;

reasons! {
    Off = "off": "the mode is off";
        "set reindex.mode, or an override for the folder, to dry_run or enforce",
    KillSwitch = "kill_switch": "the kill switch is on";
        "remove the kill switch file, or give the exporter access to it",
    LedgerUnavailable = "ledger_unavailable": "the ledger cannot be used";
        "repair the error of the ledger that the log and /health show",
    Clock = "clock": "the clock was just set, or is behind the newest time in the ledger; if it is right, run kb-exporter reindex forgive --clock";
        "wait until the clock passes the newest time in the ledger; if the clock is right, run kb-exporter reindex forgive --clock",
    NotWhole = "not_whole": "the last read did not count the folder, or the count is inconsistent";
        "wait for a consistent count; check the folder only if there is none",
    Stale = "stale": "the counts are too old";
        "wait for the next count of the folder; if there is none, check the state of the portal",
    PortalErring = "portal_erring": "the portal answers with errors";
        "wait until the portal answers without errors",
    StartingUp = "starting_up": "the exporter has just started";
        "wait for the next count of the folder",
    BelowMinFailed = "below_min_failed": "too few files failed";
        "nothing, or lower reindex.min_failed",
    RowsNotWhole = "rows_not_whole": "not every failed file could be read";
        "wait for a read that lists every failed file",
    NeverClass = "never_class": "the configuration excludes these error classes";
        "repair the cause, or change reindex.never_classes or reindex.retry_classes",
    Unresponsive = "unresponsive": "retries rarely helped files of these classes; the exporter still tries them in one folder from time to time";
        "repair the cause, then run kb-exporter reindex forgive --class",
    Exhausted = "exhausted": "the failed files have used up their attempts";
        "repair the cause, then run kb-exporter reindex forgive --folder; or remove the files",
    TooYoung = "too_young": "the files have not been failed for long enough";
        "wait: the files must have been failed for reindex.min_age",
    MaxFailedRatio = "max_failed_ratio": "too large a share of the files failed, and an attempt did not help";
        "repair the folder, or raise reindex.max_failed_ratio",
    Backlog = "backlog": "too many files wait to be processed";
        "wait until the portal has processed them, or raise reindex.max_backlog",
    ExceedsBudget = "exceeds_budget": "more files failed than the whole budget allows";
        "raise reindex.budget.files, or repair the cause",
    Unjudged = "unjudged": "the folder's last attempt has not been judged yet";
        "wait: the next counts show its outcome, at the latest after reindex.verify_after",
    OutsideWindows = "outside_windows": "no window is open";
        "wait for the next of reindex.windows",
    Refused = "refused": "the portal refuses to reindex this folder (403)";
        "give the key the right to reindex; the exporter tries again after the cooldown",
    Cooldown = "cooldown": "the cooldown after the last attempt, or of a new portal, has not ended";
        "wait until the cooldown ends, or run kb-exporter reindex forgive --folder",
    ClassRests = "class_rests": "another folder tries first whether retries help these classes";
        "wait for the outcome of the attempt in the other folder",
    RideAlong = "ride_along": "an attempt would also requeue too many files that are not eligible";
        "remove files that are not eligible, or raise reindex.max_ride_along",
    NotCarriedOut = "not_carried_out": "the portal did not carry out the last requests";
        "check the portal's log; the exporter tries again after each cooldown",
    Breaker = "breaker": "attempts in several folders of the portal had no effect";
        "repair the cause, then run kb-exporter reindex forgive --breaker; or wait until the breaker allows one attempt",
    BudgetActions = "budget_actions": "the budget has no attempts left";
        "wait until earlier attempts are older than reindex.budget.per, or raise reindex.budget.actions",
    BudgetFiles = "budget_files": "the budget has too few files left";
        "wait until earlier attempts are older than reindex.budget.per, or raise reindex.budget.files",
    Eligible = "eligible": "no condition prevents an attempt";
        "nothing",
}
