//! A process that is started by a test and never outlives it.

use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::wait::{until, wait_for};

/// Free ports are looked for here: the system gives none of these to others by itself, so a stopped server gets its own port again.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// A running process with what it wrote so far, standard output and standard error together.
pub(crate) struct Process {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
    readers: [JoinHandle<()>; 2],
}

impl Process {
    /// Starts a command.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = spawn(command.stdin(Stdio::null()));
        let lines = Arc::default();
        let readers = [
            keep_lines(child.stdout.take().unwrap(), &lines),
            keep_lines(child.stderr.take().unwrap(), &lines),
        ];
        Self {
            child,
            lines,
            readers,
        }
    }

    /// Waits for a line from which something can be read. Fails when the process ends before.
    pub(crate) async fn line<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> T {
        wait_for(what, async || {
            let ended = self.child.try_wait().unwrap();
            let lines = self.output();
            let found = lines.iter().find_map(|line| read(line));
            let lost = ended.is_some() && found.is_none();
            assert!(
                !lost,
                "{what}: the process ended with {ended:?}: {lines:#?}"
            );
            found
        })
        .await
    }

    /// Waits for a line that contains a text. Fails when the process ends before.
    pub(crate) async fn says(&mut self, text: &str) {
        let says = |line: &str| line.contains(text).then_some(());
        self.line(text, says).await;
    }

    /// What it wrote so far.
    pub(crate) fn output(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clone()
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success(), "{kill}");
    }

    /// Waits until it has ended, and all that it wrote was read.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let status = wait_for("the process ends", async || self.child.try_wait().unwrap()).await;
        let are_done = async || self.readers.iter().all(JoinHandle::is_finished);
        until("all that it wrote was read", are_done).await;
        status
    }
}

impl Drop for Process {
    #[expect(
        clippy::print_stdout,
        reason = "a test that failed shows what was said"
    )]
    fn drop(&mut self) {
        // Both fail only where it ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            for line in self.output() {
                println!("{line}");
            }
        }
    }
}

fn keep_lines(
    stream: impl Read + Send + 'static,
    lines: &Arc<Mutex<Vec<String>>>,
) -> JoinHandle<()> {
    let lines = Arc::clone(lines);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        }
    })
}

/// A port of loopback that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let mut ports = std::iter::repeat_with(|| fastrand::u16(PORTS));
    ports.find(is_free).unwrap()
}

/// Runs a command to its end, with a text as its standard input.
pub(crate) fn run(command: &mut Command, input: &str) -> Output {
    let mut child = spawn(command.stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // A command that needs no input may end before it has read any.
    let _ = writer.join().unwrap();
    output
}

fn spawn(command: &mut Command) -> Child {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let name = command.get_program().display();
    child.unwrap_or_else(|error| panic!("{name} cannot be started ({error}): use tests/run"))
}

/// What a command that must succeed writes to standard output.
#[track_caller]
pub(crate) fn output(command: &mut Command) -> String {
    output_with(command, "")
}

/// The same with a text as its standard input.
#[track_caller]
pub(crate) fn output_with(command: &mut Command, input: &str) -> String {
    let output = run(command, input);
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Both streams of a command that ended.
pub(crate) fn said(output: &Output) -> String {
    let both = [&*output.stdout, &*output.stderr].concat();
    String::from_utf8(both).unwrap()
}
