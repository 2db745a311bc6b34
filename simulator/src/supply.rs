//! Files as people bring them: names, paths, sizes and what is wrong with them.

use std::borrow::Cow;

use fastrand::Rng;

use super::document::{Document, Nature};
use super::format::{Format, Kind};
use super::reasons::Reason;

/// Beginnings of names.
const TOPICS: [&str; 18] = [
    "Contract",
    "Invoice",
    "Meeting notes",
    "Quarterly report",
    "Onboarding",
    "Price list",
    "Support ticket",
    "Specification",
    "Travel policy",
    "Data sheet",
    "Übersicht",
    "Отчёт о продажах",
    "議事録",
    "تقرير سنوي",
    "\"Final\" version",
    "it's 100% done",
    "back\\slash & <tags>",
    "line\nbreak\tand tab",
];

/// Names that occur again and again, each time in a subfolder of its own.
const REPEATED: [&str; 3] = ["README.md", "index.html", "notes.txt"];

/// Extensions by how often they occur.
const EXTENSIONS: [(&str, u32); 15] = [
    ("pdf", 40),
    ("docx", 15),
    ("xlsx", 8),
    ("eml", 8),
    ("txt", 5),
    ("md", 5),
    ("pptx", 4),
    ("png", 4),
    ("jpg", 4),
    ("html", 3),
    ("csv", 2),
    ("doc", 2),
    ("odt", 1),
    ("json", 1),
    ("srt", 1),
];

const RECORDINGS: [(&str, u32); 4] = [("mp3", 5), ("mp4", 3), ("m4a", 2), ("wav", 1)];

/// Share of files that are recordings, where the portal converts them.
const RECORDING_SHARE: f64 = 0.03;

/// An endless supply of files, each with another name and path.
#[derive(Debug)]
pub(super) struct Supply {
    rng: Rng,
    serial: u64,
    recordings: bool,
}

/// A file about to be brought.
#[derive(Debug)]
pub(super) struct Draft {
    pub filename: String,
    pub path: Cow<'static, str>,
    pub document: Document,
}

impl Supply {
    pub fn new(seed: u64, recordings: bool) -> Self {
        Self {
            // Not the random numbers of the world, which draws ids of files as well.
            rng: Rng::with_seed(!seed),
            serial: 0,
            recordings,
        }
    }

    /// The next file, waiting to be processed.
    pub fn draft(&mut self) -> Draft {
        self.serial += 1;
        let topic = self.topic();
        let (filename, path) = self.name(topic);
        Draft {
            document: self.document(&filename),
            filename,
            path,
        }
    }

    /// New content for a file that is there already.
    pub fn revision(&mut self, filename: &str) -> Document {
        self.document(filename)
    }

    fn topic(&mut self) -> &'static str {
        // Ordinary names are more frequent than odd ones.
        let mut draw = || self.rng.usize(..TOPICS.len());
        TOPICS[draw().min(draw())]
    }

    fn name(&mut self, topic: &str) -> (String, Cow<'static, str>) {
        let serial = self.serial;
        if self.rng.f64() < 0.02 {
            let name = REPEATED[self.rng.usize(..REPEATED.len())];
            return (name.to_owned(), format!("projects/p{serial:06}").into());
        }
        let extension = if self.recordings && self.rng.f64() < RECORDING_SHARE {
            pick(&mut self.rng, &RECORDINGS)
        } else {
            pick(&mut self.rng, &EXTENSIONS)
        };
        let path = match self.rng.u32(..10) {
            0..4 => "".into(),
            4 => "incoming".into(),
            _ => {
                let (year, month) = (self.rng.u32(2024..2027), self.rng.u32(1..13));
                format!("{year}/{month:02}").into()
            }
        };
        (format!("{topic} {serial:06}.{extension}"), path)
    }

    fn document(&mut self, filename: &str) -> Document {
        let format = Format::of_name(filename).unwrap_or(&super::format::FORMATS[0]);
        let size = self.size(format.kind);
        Document {
            nature: self.nature(),
            ..Document::new(&mut self.rng, size, format)
        }
    }

    /// Small files are far more frequent than large ones.
    fn size(&mut self, kind: Kind) -> u64 {
        let (least, doublings) = match kind {
            Kind::Text => (150, 10),
            Kind::Document => (12_000, 11),
            Kind::Image => (40_000, 7),
            Kind::Media => (900_000, 9),
        };
        let floor = least << self.rng.u32(..doublings);
        self.rng.u64(floor..2 * floor)
    }

    fn nature(&mut self) -> Nature {
        match self.rng.u32(..1000) {
            0..25 => Nature::Ill(one_of(&mut self.rng, &Reason::LASTING)),
            25..30 => Nature::Suspect(one_of(&mut self.rng, &Reason::SUSPICIONS)),
            _ => Nature::Sound,
        }
    }
}

pub(super) fn one_of<T: Copy, const N: usize>(rng: &mut Rng, all: &[T; N]) -> T {
    all[rng.usize(..N)]
}

fn pick(rng: &mut Rng, weighted: &[(&'static str, u32)]) -> &'static str {
    let total: u32 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.u32(..total);
    for (name, weight) in weighted {
        match left.checked_sub(*weight) {
            Some(rest) => left = rest,
            None => return name,
        }
    }
    weighted[0].0
}
