//! Reasons that files fail for.

/// A number in letters, which no mask takes for one.
pub(crate) fn in_letters(number: u32) -> String {
    let digits = number.to_string();
    let letter = |digit: u8| char::from(digit - b'0' + b'a');
    digits.bytes().map(letter).collect()
}
