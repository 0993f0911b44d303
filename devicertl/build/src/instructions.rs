//! Functions that are one instruction: the table `devicertl/prelude/math.txt` as LLVM IR. Its head says how a line
//! reads.

use anyhow::{Result, bail};
use std::{collections::BTreeSet, fmt::Write as _};

/// Roundings: in a name, in an intrinsic.
const ROUNDINGS: [(&str, &str); 4] = [("rn", "rn"), ("rz", "rz"), ("rd", "rm"), ("ru", "rp")];
/// What stands for each of them.
const ROUNDING: &str = "{r}";
/// The text that `__nvvm_reflect` gets; [`crate::check`] knows it.
pub const FLUSH_NAME: &str = "__devrtl_flush_name";

/// The definitions of all lines of `table`.
///
/// # Errors
/// On a line that is not understood.
pub fn module(table: &str) -> Result<String> {
    let (mut text, mut declared, mut flushes) = (String::new(), BTreeSet::new(), false);
    for line in table.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let words: Vec<_> = line.split_whitespace().collect();
        let (name, result, params, intrinsic, flush) = match words[..] {
            [name, result, params, intrinsic] => (name, result, params, intrinsic, None),
            [name, result, params, intrinsic, flush] => (name, result, params, intrinsic, Some(flush)),
            _ => bail!("not understood: {line}"),
        };
        flushes |= flush.is_some();
        let all = if name.contains(ROUNDING) { &ROUNDINGS[..] } else { &ROUNDINGS[..1] };
        for (here, there) in all {
            let callees: Vec<_> = [Some(intrinsic), flush]
                .into_iter()
                .flatten()
                .map(|name| name.replace(ROUNDING, there))
                .collect();
            text += &function(&name.replace(ROUNDING, here), result, params, &callees);
            let types = params.replace('-', "");
            declared.extend(callees.iter().map(|callee| format!("declare {result} @{callee}({types})\n")));
        }
    }
    text.extend(declared);
    if flushes {
        let _ = writeln!(
            text,
            "@{FLUSH_NAME} = linkonce_odr hidden unnamed_addr addrspace(4) constant [11 x i8] c\"__CUDA_FTZ\\00\"\n\
             declare i32 @__nvvm_reflect(ptr)"
        );
    }
    text += "attributes #0 = { alwaysinline nounwind }\n";
    Ok(text)
}

/// One definition. Of two callees the second is for when subnormal numbers are flushed.
fn function(name: &str, result: &str, params: &str, callees: &[String]) -> String {
    let linkage = if name.starts_with("__nv_") { "hidden" } else { "linkonce_odr hidden" };
    let params: Vec<_> = params.split(',').collect();
    let (mut heads, mut arguments, mut body) = (Vec::new(), Vec::new(), String::new());
    for (at, param) in params.iter().enumerate() {
        let ty = param.trim_start_matches('-');
        heads.push(format!("{ty} %x{at}"));
        if ty == *param {
            arguments.push(format!("{ty} %x{at}"));
        } else {
            let _ = writeln!(body, "  %n{at} = fneg {ty} %x{at}");
            arguments.push(format!("{ty} %n{at}"));
        }
    }
    let (heads, arguments) = (heads.join(", "), arguments.join(", "));
    for (at, callee) in callees.iter().enumerate() {
        let _ = writeln!(body, "  %r{at} = call {result} @{callee}({arguments})");
    }
    if callees.len() == 1 {
        let _ = writeln!(body, "  ret {result} %r0");
    } else {
        let _ = writeln!(
            body,
            "  %flush = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) @{FLUSH_NAME} to ptr))\n\
             \x20 %keep = icmp eq i32 %flush, 0\n\
             \x20 %r = select i1 %keep, {result} %r0, {result} %r1\n  ret {result} %r"
        );
    }
    format!("define {linkage} {result} @{name}({heads}) #0 {{\n{body}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roundings_signs_and_flushing() {
        let text = module(
            "# comment\n\n__nv_fsub_{r} float float,-float llvm.nvvm.add.{r}.f llvm.nvvm.add.{r}.ftz.f\n\
             __devrtl_sqrt double double llvm.sqrt.f64\n",
        )
        .unwrap();
        assert!(text.contains(
            "define hidden float @__nv_fsub_rd(float %x0, float %x1) #0 {\n  %n1 = fneg float %x1\n"
        ));
        assert!(text.contains("%r0 = call float @llvm.nvvm.add.rm.f(float %x0, float %n1)"));
        assert!(text.contains("%r1 = call float @llvm.nvvm.add.rm.ftz.f(float %x0, float %n1)"));
        assert!(text.contains("declare float @llvm.nvvm.add.rp.ftz.f(float,float)\n"));
        assert!(text.contains("define linkonce_odr hidden double @__devrtl_sqrt(double %x0) #0 {\n"));
        assert_eq!(crate::ir::parse(&text).unwrap().functions.iter().filter(|f| f.defined).count(), 5);
    }

    #[test]
    fn a_short_line_is_an_error() {
        assert!(module("__nv_sqrt double double\n").unwrap_err().to_string().contains("__nv_sqrt"));
    }
}
