#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kb_exporter::fuzz::reason(bytes));
