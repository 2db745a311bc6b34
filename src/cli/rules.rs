//! `kb-exporter rules`: the alert rules, rendered for an installation.

mod render;
mod settings;
mod threshold;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::cli::output;

use render::Changes;
use settings::Settings;

/// The shipped rules.
const SHIPPED: &str = include_str!("../../alerts/kb-exporter.yml");

/// A form of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A rule file for Prometheus.
    Prometheus,
    /// A `PrometheusRule` object for the Prometheus Operator.
    Kubernetes,
}

/// How the rules differ from the shipped ones.
#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// URL of the runbook. Each alert links to the section with its name. [default: `alerts/runbook.md` of this repository]
    #[arg(long, value_name = "URL", value_parser = render::runbook_url)]
    runbook_url: Option<String>,
    /// URL of the Grafana server that has the dashboards.
    #[arg(long, value_name = "URL", value_parser = render::dashboard_url)]
    dashboard_url: Option<String>,
    /// Job name in the scrape configuration. [default: kb-exporter]
    #[arg(long, value_name = "NAME", value_parser = render::quoted)]
    job: Option<String>,
    /// Labels that tell installations apart besides the job, such as `cluster,namespace`. All series of the exporter must have them.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', value_parser = render::label)]
    by: Vec<String>,
    /// Scrape interval, up to 4m. Above 2m, the rules bridge longer gaps between two samples.
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = render::scrape_interval)]
    scrape_interval: Duration,
    /// Output format.
    #[arg(long, value_name = "FORM", default_value = "prometheus")]
    output: Form,
    #[command(flatten)]
    settings: Settings,
}

/// Prints the rules, or the names of the thresholds.
pub(super) fn run(args: &RulesArgs) -> Result<ExitCode> {
    let rules = || args.changes().render(SHIPPED);
    let text = match args.output {
        _ if args.settings.help => threshold::table(),
        Form::Prometheus => rules(),
        Form::Kubernetes => render::kubernetes(&rules()),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl RulesArgs {
    fn changes(&self) -> Changes<'_> {
        Changes {
            runbook_url: self.runbook_url.as_deref(),
            dashboard_url: self.dashboard_url.as_deref(),
            job: self.job.as_deref(),
            scrape_interval: self.scrape_interval,
            by: self.by.join(", "),
            thresholds: &self.settings.changes,
        }
    }
}
