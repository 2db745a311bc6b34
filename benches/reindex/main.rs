//! What reindexing is good for in a simulated week: how much comes back, and what that costs.
//!
//! `cargo bench --bench reindex`: a portal of 300 folders for seven days, with three seeds.

mod policies;
mod report;
mod week;

use week::Size;

fn main() {
    let seeds: Vec<u64> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let seeds = if seeds.is_empty() {
        vec![1, 2, 3]
    } else {
        seeds
    };
    for seed in seeds {
        let size = Size {
            seed,
            folders: 300,
            days: 7,
        };
        println!("seed {seed}");
        print!("{}", report::Report::of(size));
    }
}
