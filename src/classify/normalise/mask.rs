//! What a part of a reason is replaced by.

/// What a masked part of a text was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mask {
    /// A host, with or without a port, or an address of the network.
    Address,
    /// A mailbox.
    Email,
    /// The name of a file.
    File,
    /// An amount with its unit, and whatever else holds a digit or is not a word: a UUID, a code, a version.
    Number,
    /// Where a file is.
    Path,
    /// What stood in quotes.
    Text,
    /// A date, a time of day, or both.
    Time,
    /// An address with its scheme.
    Url,
}

impl Mask {
    /// What stands in the place of the text: one word of ASCII.
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Address => "<address>",
            Self::Email => "<email>",
            Self::File => "<file>",
            Self::Number => "<n>",
            Self::Path => "<path>",
            Self::Text => "<text>",
            Self::Time => "<time>",
            Self::Url => "<url>",
        }
    }

    /// Reads the placeholder that a text begins with, so that what is masked stays what it is.
    pub fn read(text: &str) -> Option<Self> {
        Some(match text.as_bytes() {
            [b'<', b'a', b'd', b'd', b'r', b'e', b's', b's', b'>', ..] => Self::Address,
            [b'<', b'e', b'm', b'a', b'i', b'l', b'>', ..] => Self::Email,
            [b'<', b'f', b'i', b'l', b'e', b'>', ..] => Self::File,
            [b'<', b'n', b'>', ..] => Self::Number,
            [b'<', b'p', b'a', b't', b'h', b'>', ..] => Self::Path,
            [b'<', b't', b'e', b'x', b't', b'>', ..] => Self::Text,
            [b'<', b't', b'i', b'm', b'e', b'>', ..] => Self::Time,
            [b'<', b'u', b'r', b'l', b'>', ..] => Self::Url,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_read_as_what_it_stands_for() {
        for mask in [
            Mask::Address,
            Mask::Email,
            Mask::File,
            Mask::Number,
            Mask::Path,
            Mask::Text,
            Mask::Time,
            Mask::Url,
        ] {
            let text = format!("{} more", mask.placeholder());
            assert_eq!(Mask::read(&text), Some(mask));
            assert_eq!(Mask::read(&text[1..]), None);
        }
        assert_eq!(Mask::read("<n"), None);
    }
}
