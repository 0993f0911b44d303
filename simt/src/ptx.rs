//! From PTX text to a decoded, linked [`Module`].
//!
//! One pass over the text: `lex` cuts it into tokens, `module` reads directives, `body` the statements of functions, the
//! modules of `decode` turn each instruction into operations of [`crate::code`]; `link` then lays out variables, writes
//! addresses and finds out what each entry can reach.
//!
//! Instructions are decoded by their exact form. Every modifier is either represented in the decoded operation or the
//! whole text is refused with the PTX line: nothing is skipped.

mod body;
mod constant;
mod decode;
mod frame;
mod lex;
mod link;
mod module;
mod operand;
mod signature;
mod special;
mod types;
mod variable;

pub(crate) use link::Placement;

use crate::code::{FunctionKind, Module};
use crate::report::{Report, ReportKind};

/// Reads, decodes and links a PTX text that the device is to run.
///
/// Undefined symbols do not make a module unusable as long as some entry does without them; an entry that reaches one
/// says so in [`crate::code::Function::undefined`].
///
/// # Errors
/// Those of [`decode()`], and [`ReportKind::UndefinedSymbol`] if every entry reaches undefined symbols; the message names
/// them with their lines.
pub fn parse(text: &str) -> Result<Module, Report> {
    let module = decode(text)?;
    let mut entries = module.functions.iter().filter(|f| f.kind == FunctionKind::Entry).peekable();
    if entries.peek().is_some() && entries.all(|entry| !entry.undefined.is_empty()) {
        return Err(module.undefined_report(0..module.undefined.len() as u32, "the module"));
    }
    Ok(module)
}

/// Reads, decodes and links a PTX text, whatever is undefined in it.
///
/// # Errors
/// [`ReportKind::InvalidPtx`]: text that is no PTX, or holds a directive or an instruction form that the device does not
/// know; the message starts with `line N:`.
pub fn decode(text: &str) -> Result<Module, Report> {
    let mut builder = module::Builder::new(text)?;
    builder.read()?;
    builder.link()
}

/// An error at a PTX line.
fn error(line: u32, message: impl std::fmt::Display) -> Report {
    Report::new(ReportKind::InvalidPtx, format!("line {line}: {message}"))
}
