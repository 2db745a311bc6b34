//! `PgBouncer` in front of a server: each transaction may go over another connection of the server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use super::Server;
use super::home::{self, Home, PASSWORD, USER};
use crate::support::process::{Process, free_port};

/// Where Debian has it, beside the `PATH` of most users.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A running pooler.
pub(crate) struct Bouncer {
    address: SocketAddr,
    folder: PathBuf,
    _process: Process,
}

impl Bouncer {
    /// Starts one that has one connection to the server for all clients of a database, and gives one away for a transaction at a time.
    pub(crate) async fn before(server: &Server) -> Self {
        let folder = Home::of_this_process().new_folder();
        let port = free_port();
        let (socket, server) = (server.access.socket.display(), server.access.port);
        let users = folder.join("users.txt");
        home::write(&users, &format!("\"{USER}\" \"{PASSWORD}\"\n"));
        let settings = folder.join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host={socket} port={server}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = scram-sha-256\nauth_file = {}\n\
             pool_mode = transaction\ndefault_pool_size = 1\n\
             ignore_startup_parameters = extra_float_digits\n",
            users.display()
        );
        home::write(&settings, &text);
        let mut command = home::unprivileged(PROGRAM);
        let mut process = Process::start(command.arg(settings));
        home::note(&folder, process.id());
        process.says("process up").await;
        Self {
            address: (Ipv4Addr::LOCALHOST, port).into(),
            folder,
            _process: process,
        }
    }

    /// Where clients find it.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        home::forget(&self.folder);
    }
}
