//! The normaliser as a whole: messages as they are met, shapes of messages by the thousand, rules for any text.

mod messages;
mod rules;
mod shapes;
mod slots;
mod time;

use super::normalise;
