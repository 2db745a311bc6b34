//! Which part of a reason its class is of.

mod breaks;
mod frames;
mod python;
#[cfg(test)]
mod tests;
mod wrapped;

use std::borrow::Cow;

/// How much of a reason is looked at, in bytes.
const READ_BYTES: usize = 4 << 10;

/// The part of a reason that says what went wrong: of what it wraps, the exception of a Python traceback, any other text without
/// the frames of its stack.
///
/// Beyond the first 4 KiB, only the end of a stack is looked for.
pub(super) fn telling(reason: &str) -> Cow<'_, str> {
    let reason = reason.trim_start();
    match wrapped::content(reason) {
        Some(content) => Cow::Owned(telling_lines(content.trim_start()).into_owned()),
        None => telling_lines(reason),
    }
}

fn telling_lines(text: &str) -> Cow<'_, str> {
    let read = start_of(text);
    if !breaks::may_be_in(read) {
        return Cow::Borrowed(read);
    }
    match breaks::unified(text) {
        Cow::Borrowed(text) => without_stack(text),
        Cow::Owned(text) => Cow::Owned(without_stack(text.trim_start()).into_owned()),
    }
}

fn without_stack(text: &str) -> Cow<'_, str> {
    let read = start_of(text);
    if python::may_be_traceback(read)
        && let Some(exception) = python::exception(text)
    {
        return Cow::Borrowed(start_of(exception));
    }
    frames::left_out(text, read)
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES)]
}
