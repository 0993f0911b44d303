//! Writes what a file of zstd holds to standard output: `unpack FILE`. A bundle brings it along for a machine without zstd.

use anyhow::{Context, Result, bail};
use ruzstd::decoding::StreamingDecoder;
use std::fs::File;
use std::io::{self, BufReader};

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [file] = &arguments[..] else { bail!("unpack FILE: one file is wanted, not {}", arguments.len()) };
    let unpack = || -> Result<()> {
        let mut contents = StreamingDecoder::new(BufReader::new(File::open(file)?))?;
        io::copy(&mut contents, &mut io::stdout())?;
        Ok(())
    };
    unpack().with_context(|| format!("cannot unpack {}", file.display()))
}
