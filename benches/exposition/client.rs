//! A client that costs little itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, Result, ensure};
use flate2::bufread::GzDecoder;

/// The form in which the exposition is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Compressed.
    Gzip,
    /// As text.
    Plain,
}

/// A client with one connection, which stays open.
pub struct Client {
    stream: BufReader<TcpStream>,
    form: Form,
    body: Vec<u8>,
}

impl Form {
    /// Its name in requests and in the table.
    pub const fn coding(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Plain => "identity",
        }
    }
}

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr, form: Form) -> Result<Self> {
        let stream = TcpStream::connect(address).context("cannot connect")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            form,
            body: Vec::new(),
        })
    }

    /// Asks once and reads the whole body, which stays until the next time.
    pub fn scrape(&mut self) -> Result<&[u8]> {
        let coding = self.form.coding();
        let request =
            format!("GET /metrics HTTP/1.1\r\nhost: bench\r\naccept-encoding: {coding}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let length = self.head()?;
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        Ok(&self.body)
    }

    /// Scrapes once and checks the answer.
    pub fn check(&mut self, folders: usize) -> Result<()> {
        let form = self.form;
        let body = self.scrape()?;
        let mut text = String::new();
        match form {
            Form::Gzip => GzDecoder::new(body).read_to_string(&mut text)?,
            Form::Plain => (&mut &*body).read_to_string(&mut text)?,
        };
        let shown = text
            .lines()
            .filter(|line| line.starts_with("kb_folder_up{"));
        let shown = shown.count();
        ensure!(shown == folders, "{shown} folders are shown");
        Ok(())
    }

    /// Reads the head of an answer, and returns the length of the body.
    fn head(&mut self) -> Result<usize> {
        let mut length = None;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                return length.context("an answer has no content-length");
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = Some(value.trim().parse()?);
            }
        }
    }
}
