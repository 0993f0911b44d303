//! Builds the device runtime into a folder: `cargo run -p devicertl-build --example devicertl -- <folder>`.

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| anyhow::anyhow!("usage: devicertl <folder>"))?;
    let outputs = devicertl_build::build(folder.as_ref())?;
    println!("{}\n{}\n{}", outputs.runtime.display(), outputs.archive.display(), outputs.math.display());
    Ok(())
}
