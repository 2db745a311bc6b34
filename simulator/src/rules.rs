//! The simulated portal held against the interface document over HTTP, rule by rule; one module for each section.

mod auth;
mod lists;
mod refused;
mod served;
mod sorting;
mod support;
mod synthetic;
mod uploads;
mod writes;
