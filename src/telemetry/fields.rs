//! The fields of an event or a span, bounded when they are taken.

use std::error::Error;
use std::fmt::{self, Debug, Write};

use serde_json::Value;
use tracing::field::{Field, Visit};

use crate::text::cut;

/// The longest value, in characters; a longer one is cut.
const MAX_VALUE: usize = 2_000;

/// How tracing names the text of an event.
const MESSAGE: &str = "message";

/// Named values in the order of their recording. Values are texts, numbers and truth values only.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) message: String,
    pub(super) named: Vec<(&'static str, Value)>,
}

impl Fields {
    /// Takes newer values in the place of older ones.
    pub(super) fn update(&mut self, newer: Self) {
        for (name, value) in newer.named {
            self.set(name, value);
        }
    }

    fn set(&mut self, name: &'static str, value: Value) {
        match self.named.iter_mut().find(|field| field.0 == name) {
            Some(field) => field.1 = value,
            None => self.named.push((name, value)),
        }
    }

    fn set_text(&mut self, field: &Field, text: fmt::Arguments<'_>) {
        let text = bounded(text);
        if field.name() == MESSAGE {
            self.message = text;
        } else {
            self.set(field.name(), text.into());
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.set(field.name(), value.into());
        } else {
            self.set_text(field, format_args!("{value}"));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set_text(field, format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let causes = std::iter::successors(Some(value), |&error| error.source());
        let chain: Vec<String> = causes
            .map(|error| bounded(format_args!("{error}")))
            .collect();
        self.set_text(field, format_args!("{}", chain.join(": ")));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set_text(field, format_args!("{value:?}"));
    }
}

/// The text, cut; no more of it is made than is kept.
fn bounded(text: fmt::Arguments<'_>) -> String {
    let mut bounded = Bounded {
        text: String::new(),
        // One more than is kept, so that it can be told whether something was cut.
        room: MAX_VALUE + 1,
    };
    // The only error is our own, at the bound.
    let _ = bounded.write_fmt(text);
    cut(&bounded.text, MAX_VALUE).into_owned()
}

struct Bounded {
    text: String,
    room: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(character);
        }
        Ok(())
    }
}
