//! The faults, and what is expected of each.

use std::time::Duration;

use kb_simulator::faults::{
    BodyFault, Fault, LineFault, ListFault, PageFault, RetryAfter, RowFault,
};

/// One row of the matrix. The promises are the columns, and hold for all of them; what differs is said here.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) at: At,
    pub(crate) fault: Kind,
    pub(crate) expected: Expected,
}

/// Where it strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// Every request to the portal.
    Portal,
    /// The list of folders.
    List,
    /// The files of one folder of three.
    Folder,
    /// The second of its three pages.
    SecondPage,
}

/// What strikes: a fault as it is, or a redirect to a host that nobody should visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Of(Fault),
    Redirect(u16),
}

/// What is seen while the fault is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The portal cannot be read, for this reason; its folders keep their last counts.
    Portal(&'static str),
    /// The struck folder cannot be counted, for this reason, and keeps its last counts.
    Folder(&'static str),
    /// The struck folder left, for this reason, and its counts went with it.
    Left(&'static str),
    /// The struck folder is counted, with the mark.
    Marked,
    /// All folders are counted as if nothing were wrong.
    Nothing,
    /// The same, and a person is notified.
    Noted(&'static str),
}

/// Folders that a list has all at once: far beyond `collect.max_folders`.
const GROWN: u32 = 500;

use At::{Folder, List, Portal, SecondPage};
use Expected::{Left, Marked, Noted, Nothing};

const UNREACHABLE: Expected = Expected::Portal("unreachable");
const INVALID: Expected = Expected::Portal("invalid_response");
const ERROR: Expected = Expected::Folder("error");
const FORBIDDEN: Expected = Expected::Folder("forbidden");

impl Row {
    pub(crate) fn name(&self) -> String {
        format!("{:?} at {:?}", self.fault, self.at)
    }
}

/// Rows in which somebody waits: the exporter for an answer, or the portal for the next request.
pub(crate) fn waiting() -> Vec<Row> {
    let silent = [LineFault::Silent, LineFault::Drip];
    [silent.into_iter().flat_map(line).collect(), waits()].concat()
}

/// Rows in which a request fails at once.
pub(crate) fn failures() -> Vec<Row> {
    [lines(), statuses(), redirects()].concat()
}

/// Rows in which an answer is wrong.
pub(crate) fn contents() -> Vec<Row> {
    [bodies(), lists(), pages(), odd_rows()].concat()
}

fn row(at: At, fault: Fault, expected: Expected) -> Row {
    let fault = Kind::Of(fault);
    Row {
        at,
        fault,
        expected,
    }
}

fn line(fault: LineFault) -> [Row; 2] {
    [(Portal, UNREACHABLE), (Folder, ERROR)]
        .map(|(at, expected)| row(at, Fault::Line(fault), expected))
}

/// The network.
fn lines() -> Vec<Row> {
    let faults = [
        LineFault::Reset,
        LineFault::Closed,
        LineFault::NoHttp,
        LineFault::HalfHead,
        LineFault::CutBody,
        LineFault::CutChunks,
    ];
    let refused = row(Portal, Fault::Line(LineFault::Refused), UNREACHABLE);
    faults.into_iter().flat_map(line).chain([refused]).collect()
}

/// Something else than an answer.
fn bodies() -> Vec<Row> {
    let faults = [
        BodyFault::Garbage,
        BodyFault::OtherTypes,
        BodyFault::Html,
        BodyFault::Empty,
        BodyFault::BrokenGzip,
        BodyFault::Oversized,
        BodyFault::DeepNesting,
    ];
    // A list has a limit that cannot be set: `stories::size` has its bomb.
    let bomb = row(SecondPage, Fault::Body(BodyFault::GzipBomb), ERROR);
    let harmless = row(Portal, Fault::Body(BodyFault::DeepNestingBeside), Nothing);
    let others = faults.map(Fault::Body).into_iter().flat_map(|fault| {
        [
            row(Portal, fault.clone(), INVALID),
            row(SecondPage, fault, ERROR),
        ]
    });
    // It ends as one does whose connection broke.
    let cut = [(Portal, UNREACHABLE), (SecondPage, ERROR)];
    let cut = cut.map(|(at, expected)| row(at, Fault::Body(BodyFault::Truncated), expected));
    others.chain([bomb, harmless]).chain(cut).collect()
}

/// Statuses: of the portal, and of one folder.
fn statuses() -> Vec<Row> {
    let expected = [
        (204, "invalid_response", ERROR),
        (301, "invalid_response", ERROR),
        (400, "invalid_response", ERROR),
        (401, "unauthorized", FORBIDDEN),
        (403, "address_refused", FORBIDDEN),
        (404, "invalid_response", Left("gone")),
        (408, "unreachable", ERROR),
        (409, "invalid_response", ERROR),
        (418, "invalid_response", ERROR),
        (429, "rate_limited", ERROR),
        (500, "server_error", ERROR),
        (502, "server_error", ERROR),
        (503, "server_error", ERROR),
        (504, "server_error", ERROR),
    ];
    let both = |(status, portal, folder)| {
        let fault = Fault::Status(status, RetryAfter::Absent);
        // A folder that answers 404 left, also while the list is about to do so.
        let whole = if status == 404 { List } else { Portal };
        [
            row(whole, fault.clone(), Expected::Portal(portal)),
            row(Folder, fault, folder),
        ]
    };
    expected.into_iter().flat_map(both).collect()
}

/// The portal asks to wait.
fn waits() -> Vec<Row> {
    let waits = [
        RetryAfter::Seconds(1),
        RetryAfter::Date(Duration::from_secs(2)),
        RetryAfter::Nonsense,
    ];
    let limited = Expected::Portal("rate_limited");
    let rows = waits.into_iter().flat_map(|wait| {
        [
            row(List, Fault::Status(429, wait), limited),
            row(SecondPage, Fault::Status(503, wait), ERROR),
        ]
    });
    rows.collect()
}

/// Redirects to another host.
fn redirects() -> Vec<Row> {
    let to_both = |status| {
        [(Portal, INVALID), (Folder, ERROR)].map(|(at, expected)| Row {
            at,
            fault: Kind::Redirect(status),
            expected,
        })
    };
    [301, 302, 303, 307, 308]
        .into_iter()
        .flat_map(to_both)
        .collect()
}

/// The list of folders.
fn lists() -> Vec<Row> {
    let expected = [
        (ListFault::TotalTooLarge, Noted("differs from its total")),
        (ListFault::TotalTooSmall, Noted("differs from its total")),
        (ListFault::Emptied, Noted("differs from its total")),
        (ListFault::NoMeta, Nothing),
        (ListFault::NamedTwice, Nothing),
        (
            ListFault::NoUuids,
            Noted("rows of the list without a valid folder id"),
        ),
        (ListFault::Grown(GROWN), Noted("beyond collect.max_folders")),
    ];
    let rows = expected.map(|(fault, expected)| row(List, Fault::List(fault), expected));
    rows.into()
}

/// Pages of one folder that do not fit together.
fn pages() -> Vec<Row> {
    let expected = [
        (PageFault::MovingTotals, Marked),
        (PageFault::Repeated, Marked),
        (PageFault::MissingRows, Marked),
        (PageFault::RowsTwice, Marked),
        (PageFault::EmptyEarly, ERROR),
        (PageFault::OtherPage, ERROR),
        (PageFault::Shrinking, Marked),
        (PageFault::Endless, ERROR),
        (PageFault::NonsenseTotalPages, Nothing),
        (PageFault::NegativeTotal, ERROR),
        (PageFault::HugeTotal, ERROR),
        (PageFault::TotalAsText, Nothing),
        (PageFault::NoPagination, ERROR),
    ];
    let rows = expected.map(|(fault, expected)| row(Folder, Fault::Page(fault), expected));
    rows.into()
}

/// Rows of one folder, and of the list.
fn odd_rows() -> Vec<Row> {
    let expected = [
        (RowFault::Nulls, Marked),
        (RowFault::Absent, Marked),
        (RowFault::OtherTypes, Marked),
        (RowFault::HugeNumbers, Nothing),
        (RowFault::NegativeNumbers, Nothing),
        (RowFault::LoneSurrogates, Nothing),
        (RowFault::LongText, Nothing),
        (RowFault::HostileText, Nothing),
    ];
    let both = |(fault, files)| {
        let fault = Fault::Row(fault);
        [row(Folder, fault.clone(), files), row(List, fault, Nothing)]
    };
    expected.into_iter().flat_map(both).collect()
}
