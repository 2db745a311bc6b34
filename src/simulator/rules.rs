//! The simulated portal held against the interface document over HTTP, rule by rule; one module for each section.

mod auth;
mod lists;
mod refused;
mod served;
mod support;
mod uploads;
mod writes;
