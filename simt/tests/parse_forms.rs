//! The instruction forms that OpenMP programs use are known, and nothing near them is taken for them.

use simt::ReportKind;
use simt::ptx::decode;

/// A function with one instruction of each form (see its first line).
const FORMS: &str = include_str!("parse_forms.ptx");

/// Line number, opcode and operands of the instructions between the declarations and the final label.
fn instructions() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    let lines = FORMS.lines().enumerate().skip_while(|(_, line)| !line.contains("$TABLE:")).skip(1);
    lines.take_while(|(_, line)| !line.starts_with("$END")).map(|(index, line)| {
        let (opcode, operands) = line.trim().split_at(line.trim().find([' ', ';']).unwrap());
        (index + 1, opcode, operands)
    })
}

/// The text with another opcode in one line.
fn with_opcode(line: usize, opcode: &str, operands: &str) -> String {
    let replaced = FORMS.lines().enumerate().map(|(index, text)| {
        if index + 1 == line { format!("\t{opcode}{operands}\n") } else { format!("{text}\n") }
    });
    replaced.collect()
}

#[test]
fn every_form_of_openmp_programs_is_decoded() {
    let module = decode(FORMS).unwrap();
    let lines = &module.functions[1].lines;
    let mut forms = 0;
    for (line, opcode, _) in instructions() {
        assert!(lines.contains(&(line as u32)), "line {line}: `{opcode}` left no instruction");
        forms += 1;
    }
    assert_eq!(forms, 528);
}

/// A modifier that no instruction has, at every place of every form: always an error that names the form and the line.
#[test]
fn no_modifier_is_ignored() {
    for (line, opcode, operands) in instructions() {
        let places = opcode.match_indices('.').map(|(at, _)| at).chain([opcode.len()]);
        for place in places {
            let wrong = format!("{}.sparkling{}", &opcode[..place], &opcode[place..]);
            let report = decode(&with_opcode(line, &wrong, operands)).expect_err(&wrong);
            let expected = format!("line {line}: unknown instruction form `{wrong}`: {wrong}{operands}");
            assert_eq!((report.kind, report.message), (ReportKind::InvalidPtx, expected));
        }
    }
}

/// The same with modifiers that exist, but not in these forms.
#[test]
fn real_modifiers_do_not_fit_everywhere() {
    let mut refused = 0;
    for (line, opcode, operands) in instructions() {
        for modifier in
            ["f16x2", "bf16", "b128", "v8", "mmio", "noftz", "relu", "xorsign", "satfinite", "L2::128B"]
        {
            let wrong = format!("{opcode}.{modifier}");
            decode(&with_opcode(line, &wrong, operands)).expect_err(&wrong);
            refused += 1;
        }
    }
    assert_eq!(refused, 5280);
}

/// Each form with a missing or an additional operand.
#[test]
fn the_number_of_operands_is_checked() {
    for (line, opcode, operands) in instructions() {
        let more = operands.replace(';', if operands == ";" { " %r1;" } else { ", %r1;" });
        if opcode != "barrier.sync" && opcode != "bar.sync" {
            decode(&with_opcode(line, opcode, &more)).expect_err(opcode);
        }
        if let Some((fewer, _)) = operands.rsplit_once(", ")
            && opcode != "barrier.sync"
        {
            decode(&with_opcode(line, opcode, &format!("{fewer};"))).expect_err(opcode);
        }
    }
}

/// Forms that are PTX and not for this device; each once decoded to something else in a laxer reader.
#[test]
fn forms_of_other_programs_are_refused() {
    let wrong = [
        "add.bf16x2 %r1, %r2, %r3;",
        "add.rz.f16x2 %r1, %r2, %r3;",
        "add.ftz.f16x2 %r1, %r2, %r3;",
        "add.sat.f32x2 %rd1, %rd2, %rd3;",
        "neg.f32x2 %rd1, %rd2;",
        "setp.lt.f16x2 %p1, %r2, %r3;",
        "fma.rn.bf16 %rs1, %rs2, %rs3, %rs4;",
        "atom.add.f16 %rs1, [%rd1], %rs2;",
        "atom.exch.b128 %rd1, [%rd9], %rd2;",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "bar.arrive 0, 64;",
        "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r1, %r2, %r3, %r4}, [%rd9];",
        "barrier.cluster.arrive;",
        "ld.global.cv.u32 %r1, [%rd9];",
        "add.sat.u32 %r1, %r2, %r3;",
        "shfl.down.b32 %r1, %r2, %r3, 31;",
        "vote.ballot.b32 %r1, %p1;",
        "prmt.b32.f4e %r1, %r2, %r3, %r4;",
        "mad.f32 %r1, %r2, %r3, %r4;",
        "div.f32 %r1, %r2, %r3;",
        "cvt.f32.f64 %r1, %rd1;",
        "cvt.rn.f64.f32 %rd1, %r1;",
        "cvt.u32.f32 %r1, %r2;",
        "cvt.f32.u32 %r1, %r2;",
        "cvt.rn.u32.u16 %r1, %rs2;",
        "cvt.rn.ftz.f64.s32 %rd1, %r1;",
        "setp.lo.s32 %p1, %r1, %r2;",
        "setp.lt.b32 %p1, %r1, %r2;",
        "setp.equ.u32 %p1, %r1, %r2;",
        "setp.lt.ftz.f64 %p1, %rd1, %rd2;",
        "add.ftz.f64 %rd1, %rd2, %rd3;",
        "add.rz.f16 %rs1, %rs2, %rs3;",
        "neg.u32 %r1, %r2;",
        "and.u32 %r1, %r2, %r3;",
        "shl.u32 %r1, %r2, %r3;",
        "fence;",
        "st.acquire.sys.u32 [%rd9], %r1;",
        "ld.release.sys.u32 %r1, [%rd9];",
        "ld.relaxed.u32 %r1, [%rd9];",
        "st.const.u32 [%rd9], %r1;",
        "red.global.exch.b32 [%rd9], %r1;",
        "brkpt;",
        "ld;",
        "mov.u32;",
    ];
    for text in wrong {
        let operands = &text[text.find([' ', ';']).unwrap()..];
        let opcode = &text[..text.len() - operands.len()];
        let (line, ..) = instructions().next().unwrap();
        let message = decode(&with_opcode(line, opcode, operands)).expect_err(text).message;
        let wanted =
            if matches!(opcode, "mov.u32" | "ld") { "line 22:" } else { "line 22: unknown instruction form" };
        assert!(message.starts_with(wanted), "{text}: {message}");
    }
}
