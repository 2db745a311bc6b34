//! Where the rows of a folder end, when they end before its total: pure.

/// Rows that may always be missing.
const FEW: u64 = 10;

/// One row in this number may be missing.
const SHARE: u64 = 100;

/// Whether rows that end before the total can be believed to end there: the last page with rows is short, or few are missing.
/// Otherwise an answer is missing, and the read is incomplete.
pub fn is_end_of_rows(rows: u64, total: u64, page_size: u64) -> bool {
    let missing = total.saturating_sub(rows);
    let last_page_is_short = !rows.is_multiple_of(page_size.max(1));
    last_page_is_short || missing <= FEW.max(total / SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_on_a_short_page_or_close_to_the_total() {
        for (rows, total, ends) in [
            (100, 101, true),
            (100, 150, false),
            (130, 1_000, true),
            (9_900, 9_937, true),
            (9_000, 10_000, false),
            (0, 1, true),
            (0, 50, false),
        ] {
            assert_eq!(is_end_of_rows(rows, total, 100), ends, "{rows} {total}");
        }
    }
}
