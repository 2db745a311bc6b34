//! Which shard this process is.

use std::num::NonZeroU16;
use std::str::FromStr;

use clap::Args;

use crate::config::ConfigError;
use crate::config::error::Fault;
use crate::model::Shard;

/// The share of this process in the folders of each portal.
#[derive(Debug, Args)]
pub(super) struct ShardArgs {
    /// Watch the shard with this index, from 0. `auto` takes the number at the end of the host name.
    #[arg(long = "shard.index", value_name = "N|auto", default_value = "0")]
    index: Index,
    /// Divide the folders of each portal among this number of shards.
    #[arg(long = "shard.count", value_name = "N", default_value = "1")]
    count: NonZeroU16,
    /// Share the shard with this number of processes. Each process sends at most `collect.max_requests_per_second` / (count × replicas).
    #[arg(long = "shard.replicas", value_name = "N", default_value = "1")]
    replicas: NonZeroU16,
}

/// The number of a shard, or where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    Number(u16),
    Auto,
}

impl FromStr for Index {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            number => number
                .parse()
                .map(Self::Number)
                .map_err(|_| format!("expected a number from 0 to {}, or auto", u16::MAX - 1)),
        }
    }
}

impl ShardArgs {
    /// The shard that the flags name.
    pub fn shard(&self) -> Result<Shard, ConfigError> {
        self.on_host(&host_name())
    }

    fn on_host(&self, host: &str) -> Result<Shard, ConfigError> {
        let count = self.count;
        let index = match self.index {
            Index::Number(index) => index,
            Index::Auto => number_of(host).ok_or_else(|| {
                wrong(&format!("auto: the host name {host:?} does not end with the number of a shard, as kb-exporter-3 does; set the number instead"))
            })?,
        };
        let shard = Shard::new(index, count).ok_or_else(|| {
            wrong(&format!(
                "{index} must be less than --shard.count {count}: the shards are numbered from 0"
            ))
        })?;
        Ok(shard.with_replicas(self.replicas))
    }
}

fn wrong(index: &str) -> ConfigError {
    ConfigError::in_environment(Fault::about("", format!("--shard.index {index}")))
}

/// The number at the end of a host name, without the domain that may follow it.
fn number_of(host: &str) -> Option<u16> {
    let name = host.split('.').next()?;
    let digits = name.trim_end_matches(|character: char| character.is_ascii_digit());
    name[digits.len()..].parse().ok()
}

fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(index: &str, count: u16, host: &str) -> Result<String, String> {
        let args = ShardArgs {
            index: index.parse()?,
            count: NonZeroU16::new(count).unwrap(),
            replicas: NonZeroU16::MIN,
        };
        let shard = args.on_host(host);
        shard
            .map(|shard| shard.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_index_is_a_number_or_the_one_at_the_end_of_the_host_name() {
        for (index, host, expected) in [
            ("0", "a-7", "shard 0 of 8"),
            ("7", "", "shard 7 of 8"),
            ("auto", "kb-exporter-3", "shard 3 of 8"),
            (
                "auto",
                "kb-exporter-0.kb-exporter.monitoring.svc",
                "shard 0 of 8",
            ),
            ("auto", "kb07", "shard 7 of 8"),
        ] {
            assert_eq!(shard(index, 8, host).unwrap(), expected, "{index} {host}");
        }
    }

    #[test]
    fn a_shard_that_does_not_exist_is_refused_with_what_to_do() {
        let too_large =
            "--shard.index 8 must be less than --shard.count 8: the shards are numbered from 0";
        let no_number = "--shard.index auto: the host name \"db.example3\" does not end with the number of a shard, as kb-exporter-3 does; set the number instead";
        let no_index = "expected a number from 0 to 65534, or auto";
        for (index, host, expected) in [
            ("8", "", too_large),
            ("auto", "kb-exporter-8", too_large),
            ("auto", "db.example3", no_number),
            ("-1", "", no_index),
            ("65536", "", no_index),
            ("any", "", no_index),
        ] {
            let refused = shard(index, 8, host).unwrap_err();
            assert_eq!(refused, expected, "{index} {host}");
        }
        assert!(shard("auto", 8, "kb-exporter-99999").is_err());
    }
}
