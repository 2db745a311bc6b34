//! A real PostgreSQL server.
//!
//! [`Server::shared`] is one for all tests of this process, each of which has a database of its own. A test that stops its server has one by
//! [`Server::own`]. [`proxy`] and [`bouncer`] stand between a server and a client.

pub(crate) mod bouncer;
pub(crate) mod database;
mod home;
pub(crate) mod proxy;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use tokio::sync::OnceCell;
use uuid::Uuid;

use super::process::{Process, free_port};
use super::wait::until;
use database::{Access, Database};
use home::{Home, USER};

/// A server that was told to end at once has ended by then.
const ENDED: Duration = Duration::from_secs(10);

/// A PostgreSQL server, which ends with the test, or at the latest with the process of the test.
pub(crate) struct Server {
    access: Access,
    folder: PathBuf,
    /// Each as `name=value`.
    settings: &'static [&'static str],
    process: Mutex<Option<Process>>,
}

impl Server {
    /// The server that all tests of this process share, which nobody stops.
    pub(crate) async fn shared() -> &'static Self {
        static SHARED: OnceCell<Server> = OnceCell::const_new();
        SHARED.get_or_init(Self::own).await
    }

    /// A server of its own, that leaves it to the system when data comes to the disk.
    pub(crate) async fn own() -> Self {
        let server = Self::prepared(&["fsync=off"]);
        server.start().await;
        server
    }

    /// A server of its own that also speaks TLS, with the server's certificate that [`Certificates`] wrote into a folder.
    ///
    /// [`Certificates`]: super::certificates::Certificates
    pub(crate) async fn with_tls(certificates: &Path) -> Self {
        let server = Self::prepared(&["fsync=off", "ssl=on"]);
        for name in ["server.crt", "server.key"] {
            let content = fs::read_to_string(certificates.join(name)).unwrap();
            home::write(&server.folder.join("data").join(name), &content);
        }
        server.start().await;
        server
    }

    fn prepared(settings: &'static [&'static str]) -> Self {
        let folder = Home::of_this_process().new_data();
        let access = Access {
            socket: folder.clone(),
            port: free_port(),
        };
        Self {
            access,
            folder,
            settings,
            process: Mutex::default(),
        }
    }

    /// Where it listens, beside its Unix socket.
    pub(crate) fn address(&self) -> SocketAddr {
        self.access.address()
    }

    /// A new database, which is empty and belongs to a user without other rights.
    pub(crate) fn database(&self) -> Database {
        let name = format!("test_{}", Uuid::from_u128(fastrand::u128(..)).simple());
        let create = format!("CREATE DATABASE {name} OWNER {USER}");
        self.access.sql("postgres", &create);
        Database::new(self.access.clone(), name)
    }

    /// Starts it again after [`Self::stop`] or [`Self::kill`], on the same port.
    pub(crate) async fn start(&self) {
        let mut command = home::unprivileged(home::binary("postgres"));
        command.arg("-D").arg(self.folder.join("data"));
        let own = [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={}", self.access.port),
            format!("unix_socket_directories={}", self.folder.display()),
            "max_connections=200".to_owned(),
            // Leaves nothing in /dev/shm when it is killed.
            "dynamic_shared_memory_type=mmap".to_owned(),
        ];
        let own = own.iter().map(String::as_str);
        for setting in own.chain(self.settings.iter().copied()) {
            command.arg("-c").arg(setting);
        }
        let mut process = Process::start(&mut command);
        home::note(&self.folder, process.id());
        process.says("system is ready to accept connections").await;
        *self.lock() = Some(process);
    }

    /// Stops it in order. Clients lose their connections.
    pub(crate) async fn stop(&self) {
        let mut process = self.lock().take().unwrap();
        process.signal("INT");
        process.ended().await;
        home::forget(&self.folder);
    }

    /// Ends all of its processes at once, as a machine does that goes out.
    pub(crate) async fn kill(&self) {
        let mut process = self.lock().take().unwrap();
        // First it is kept from starting others meanwhile.
        signal("STOP", &[process.id()]);
        let all = all_processes(process.id());
        signal("KILL", &all);
        process.ended().await;
        // Its memory is in use until the last of them is gone.
        let is_gone = |id: &u32| stat(*id).is_none_or(|(state, _)| state == "Z");
        let are_gone = async || all.iter().all(is_gone);
        until("all processes of the server are gone", are_gone).await;
        home::forget(&self.folder);
    }

    /// Keeps a copy of all of its data, as a standby that receives nothing more has it. Clients lose their connections.
    pub(crate) async fn copy(&self) {
        self.stop().await;
        home::copy(&self.folder.join("data"), &self.folder.join("standby"));
        self.start().await;
    }

    /// Goes out, and the standby takes its place: whatever was written since [`Self::copy`] is lost.
    pub(crate) async fn fail_over(&self) {
        self.kill().await;
        let data = self.folder.join("data");
        home::remove(&data);
        home::copy(&self.folder.join("standby"), &data);
        home::remove(&self.folder.join("standby"));
        self.start().await;
    }

    /// Lets it stand still: it answers nothing, and its connections stay open.
    pub(crate) fn pause(&self) {
        let server = self.id();
        // First the one that could start others meanwhile.
        signal("STOP", &[server]);
        signal("STOP", &all_processes(server));
    }

    /// Lets it go on after [`Self::pause`].
    pub(crate) fn resume(&self) {
        signal("CONT", &all_processes(self.id()));
    }

    fn id(&self) -> u32 {
        self.lock().as_ref().unwrap().id()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = self.lock().take() {
            signal("QUIT", &[process.id()]);
            signal("CONT", &all_processes(process.id()));
            // It removes this file when it ends. Where it does not, it is killed.
            let lock = self.folder.join("data/postmaster.pid");
            let asked = Instant::now();
            while lock.exists() && asked.elapsed() < ENDED {
                thread::sleep(Duration::from_millis(10));
            }
        }
        home::forget(&self.folder);
        // What cannot be removed now is removed with the process.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Sends a signal to processes that may have ended meanwhile.
fn signal(name: &str, processes: &[u32]) {
    let mut kill = Command::new("sh");
    kill.args([
        "-c",
        "for id; do kill -\"$0\" \"$id\"; done 2>/dev/null; :",
        name,
    ]);
    kill.args(processes.iter().map(u32::to_string));
    assert!(kill.status().unwrap().success());
}

/// A server's first process and those that it started.
fn all_processes(first: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let started = ids.filter(|id| stat(*id).is_some_and(|(_, parent)| parent == first));
    [first].into_iter().chain(started).collect()
}

/// The state of a process, such as `T` for one that is stopped, and its parent.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
