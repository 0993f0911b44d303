//! `omptarget-opt`: runs the passes over a module of device code, as `opt` runs LLVM's, and tells what they did.
//!
//! Exit status: 0 the module was written (changed or not), 1 something is wrong with the input or the output, 2 with the
//! command line.

mod arguments;
mod compile;
mod explain;
mod html;
mod pipeline;
mod remarks;
mod summary;

use anyhow::{Context, Result, bail};
use arguments::Arguments;
use passes::ir;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_command_line(std::env::args().collect());
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("omptarget-opt: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    ir::exit_on_fatal_error();
    if !ir::parse_options("omptarget-opt", &arguments.llvm) {
        bail!("LLVM does not take {}", arguments.llvm.join(" "));
    }
    let context = ir::Context::default();
    let compiled = compile::if_source(&arguments.input, &arguments.clang_arguments)?;
    let module = context.read(compiled.as_ref().map_or(&*arguments.input, |file| file.path()))?;
    // The parser has checked text, but not bitcode.
    module.verify("in the input")?;
    let steps = pipeline::split(&arguments.passes);
    let done = pipeline::run(module, &steps, arguments.whole_program)?;
    module.verify("after the passes, which is their fault; please report it with the input")?;

    let shown = arguments.input.display();
    if !done.is_device_code {
        eprintln!(
            "omptarget-opt: {shown} is no OpenMP device code for NVIDIA (module flag openmp-device, target nvptx64): its kernels are left as they are"
        );
    }
    for function in &done.unknown_kernels {
        eprintln!("omptarget-opt: {shown}: {function} is left as it is: its kernel environment is not known");
    }
    write_module(module, arguments)?;
    if let Some((format, to)) = arguments.remarks() {
        write(to, &remarks::text(format, &done.remarks))?;
    }
    if arguments.explain {
        show(&explain::text(&done))?;
    }
    if let Some(page) = &arguments.html {
        write(Some(page), &html::page(module, &done, &shown.to_string()))?;
    }
    module.dispose();
    Ok(())
}

fn write_module(module: ir::Module, arguments: &Arguments) -> Result<()> {
    match arguments.output.as_deref() {
        Some(path) if path.as_os_str() != "-" && !arguments.text => Ok(module.write(path)?),
        Some(path) if path.as_os_str() != "-" => write(Some(path), &module.text()),
        None if arguments.explain || arguments.html.is_some() => Ok(()),
        _ => show(&module.text()),
    }
}

/// Writes to the standard output, to its end or until nobody reads it.
fn show(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to the standard output"),
    }
}

/// Writes to a file, or to the standard error output.
fn write(to: Option<&Path>, text: &str) -> Result<()> {
    match to {
        Some(path) => std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display())),
        None => {
            eprint!("{text}");
            Ok(())
        }
    }
}
