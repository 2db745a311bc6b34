//! `kb-exporter rules`: the alert rules, rendered for an installation.

mod render;
mod settings;
mod shipped;
mod threshold;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::cli::web::SiteArgs;
use crate::cli::{address, output};

use settings::Settings;
use shipped::SHIPPED;

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
    #[command(flatten)]
    site: SiteArgs,
    /// Link each alert to its section of the runbook at this URL. [default: the document of the project]
    #[arg(long, value_name = "URL", value_parser = render::runbook_url)]
    runbook_url: Option<String>,
    /// Link each alert to a dashboard of the Grafana server at this URL. Without it, alerts have no `dashboard_url`; without
    /// `--web.external-url`, they have no `page_url`, the exporter's own page of the folder.
    #[arg(long, value_name = "URL", value_parser = address::site)]
    dashboard_url: Option<String>,
    /// Use this job name of the scrape configuration. [default: kb-exporter]
    #[arg(long, value_name = "NAME", value_parser = render::quoted)]
    job: Option<String>,
    /// Tell installations apart by these labels besides the job, such as `cluster,namespace`. All series of the exporter must have them.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', value_parser = render::label)]
    by: Vec<String>,
    /// Fit the rules to this scrape interval, up to 5m. Above 2m, the rules bridge longer gaps between two samples.
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = render::scrape_interval)]
    scrape_interval: Duration,
    /// Print in this format: prometheus or kubernetes.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "prometheus",
        hide_possible_values = true
    )]
    output: Form,
    #[command(flatten)]
    settings: Settings,
}

/// Prints the rules, or the names of the thresholds.
pub(super) fn run(args: &RulesArgs) -> Result<ExitCode> {
    let text = match args.output {
        _ if args.settings.help => threshold::table(),
        Form::Prometheus => args.render(SHIPPED),
        Form::Kubernetes => render::kubernetes(&args.render(SHIPPED)),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
