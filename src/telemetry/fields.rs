//! The fields of an event or a span, cut when they are recorded.

use std::error::Error;
use std::fmt::Debug;

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
    /// Replaces older values by newer ones.
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

    fn set_text(&mut self, field: &Field, text: &str) {
        let text = cut(text, MAX_VALUE).into_owned();
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
            self.set_text(field, &value.to_string());
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
        self.set_text(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let causes = std::iter::successors(Some(value), |&error| error.source());
        let chain: Vec<String> = causes.map(ToString::to_string).collect();
        self.set_text(field, &chain.join(": "));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set_text(field, &format!("{value:?}"));
    }
}
