//! A database of a server, as clients reach it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;

use url::Url;

use super::Server;
use super::home::{self, PASSWORD, USER};
use crate::support::process::output;

/// A row; null is an empty text.
pub(crate) type Row = Vec<String>;

/// What separates columns and rows, as no value has it.
const COLUMN: char = '\u{1f}';
const ROW: char = '\u{1e}';

/// Where a server is.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The folder of its Unix socket.
    pub socket: PathBuf,
    pub port: u16,
}

impl Access {
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The rows of a statement that must succeed, by a user who may do everything.
    pub fn sql(&self, database: &str, statement: &str) -> Vec<Row> {
        let mut command = Command::new(home::binary("psql"));
        command.args(["--no-psqlrc", "--quiet", "--username=postgres"]);
        command.arg("--host").arg(&self.socket);
        command.arg("--port").arg(self.port.to_string());
        command.args(["--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        command.arg(format!("--field-separator={COLUMN}"));
        command.arg(format!("--record-separator={ROW}"));
        command.args(["--dbname", database, "--command", statement]);
        let text = output(&mut command);
        let rows = text.trim_end_matches('\n').split_terminator(ROW);
        rows.map(|row| row.split(COLUMN).map(str::to_owned).collect())
            .collect()
    }
}

/// A database of its own, while its server is there.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    access: Access,
    name: String,
}

impl Database {
    pub(super) fn new(access: Access, name: String) -> Self {
        Self { access, name }
    }

    /// Its address for a client, over TCP without TLS.
    pub(crate) fn url(&self) -> String {
        self.url_at(self.access.address())
    }

    /// The same with another address of the server, such as that of a proxy.
    pub(crate) fn url_at(&self, server: SocketAddr) -> String {
        let mut url = self.url_with("sslmode=disable");
        url.set_ip_host(server.ip()).unwrap();
        url.set_port(Some(server.port())).unwrap();
        url.into()
    }

    /// Its address for a client over TCP, with parameters such as `sslmode=verify-full`.
    pub(crate) fn url_with(&self, parameters: &str) -> Url {
        let mut url = Url::parse(&format!("postgres://{}", self.access.address())).unwrap();
        url.set_username(USER).unwrap();
        url.set_password(Some(PASSWORD)).unwrap();
        url.set_path(&self.name);
        url.set_query(Some(parameters));
        url
    }

    /// The rows of a statement that must succeed, by a user who may do everything.
    pub(crate) fn sql(&self, statement: &str) -> Vec<Row> {
        self.access.sql(&self.name, statement)
    }

    /// The rows of a statement about the tables of the program.
    pub(crate) fn store(&self, statement: &str) -> Vec<Row> {
        self.sql(&format!("SET search_path TO kb_exporter; {statement}"))
    }

    /// Everything in it, as statements.
    pub(crate) fn dump(&self) -> String {
        let mut command = Command::new(home::binary("pg_dump"));
        command.args(["--username=postgres", "--dbname", &self.name]);
        command.arg("--host").arg(&self.access.socket);
        command.arg("--port").arg(self.access.port.to_string());
        let text = output(&mut command);
        // Lines for psql have a random key.
        let lines = text.lines().filter(|line| !line.starts_with('\\'));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// An empty database of the same name on another server.
    pub(crate) fn namesake_on(&self, server: &Server) -> Self {
        let create = format!("CREATE DATABASE {} OWNER {USER}", self.name);
        server.access.sql("postgres", &create);
        Self::new(server.access.clone(), self.name.clone())
    }

    /// The only value of the only row.
    pub(crate) fn value(&self, statement: &str) -> String {
        let rows = self.sql(statement);
        let [row] = &rows[..] else {
            panic!("{statement}: {rows:?}");
        };
        row[0].clone()
    }
}
