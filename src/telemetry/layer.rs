//! Collects the fields of an event, and writes its line.

use std::io::Write;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Format;
use super::fields::Fields;
use super::lines::Line;
use crate::clock::Moment;

/// Writes each event as a line.
pub(super) struct Lines<W> {
    pub(super) format: Format,
    pub(super) writer: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        // Before the span is locked: a value that panics while it is shown is logged from within this span.
        let mut newer = Fields::default();
        values.record(&mut newer);
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            fields.update(newer);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut line = Line::new(Moment::now().wall.into(), event.metadata(), fields);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(fields) = span.extensions().get::<Fields>() {
                line.add(&fields.named);
            }
        }
        let mut out = Vec::with_capacity(256);
        if line.write(self.format, &mut out).is_ok() {
            // In one piece, so that lines do not mix. An error of the log itself cannot be reported.
            let _ = self
                .writer
                .make_writer_for(event.metadata())
                .write_all(&out);
        }
    }
}
