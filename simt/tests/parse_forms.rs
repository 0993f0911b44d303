//! The instruction forms that OpenMP programs use are known, and nothing near them is taken for them.

use simt::ReportKind;
use simt::calibrate::forms;
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

/// A function with nothing but this instruction; it stands in line 8.
fn alone(instruction: &str) -> String {
    format!(
        ".version 9.0\n.target sm_100\n.address_size 64\n\
         .func (.param .align 16 .b8 func_retval0[32]) f (.param .align 16 .b8 f_param_0[32])\n{{\n\
         .reg .pred %p<9>; .reg .b8 %rb<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<10>; .reg .b128 %rq<4>;\n\
         .param .b64 arg0; .param .b32 ret0; $PROTO: .callprototype (.param .b32 _) _ (.param .b64 _); \
         $TABLE: .branchtargets $END, $END;\n{instruction}\n$END:\nret;\n}}\n\
         .func (.param .b32 func_retval0) g (.param .b64 g_param_0) {{ ret; }}\n"
    )
}

/// Opcode and operands.
fn cut(instruction: &str) -> (&str, &str) {
    instruction.split_at(instruction.find([' ', ';']).unwrap())
}

#[test]
fn every_form_of_programs_is_decoded() {
    let module = decode(FORMS).unwrap();
    let lines = &module.functions[1].lines;
    let mut forms = 0;
    for (line, opcode, _) in instructions() {
        assert!(lines.contains(&(line as u32)), "line {line}: `{opcode}` left no instruction");
        forms += 1;
    }
    assert_eq!(forms, 564);
}

#[test]
fn every_form_beyond_them_is_decoded() {
    let mut known = std::collections::BTreeSet::new();
    for instruction in forms() {
        let module = decode(&alone(&instruction)).unwrap_or_else(|report| panic!("{report}"));
        assert!(module.functions[0].lines.contains(&8), "`{instruction}` left no instruction");
        known.insert(cut(&instruction).0.to_owned());
    }
    assert!(known.len() >= 7880, "{} forms", known.len());
}

/// A modifier that no instruction has, at every place of every form: always an error that names the form and the line.
#[test]
fn no_modifier_is_ignored() {
    let more = forms();
    let table = instructions().map(|(_, opcode, operands)| (opcode, operands));
    for (opcode, operands) in table.chain(more.iter().map(|instruction| cut(instruction))) {
        let places = opcode.match_indices('.').map(|(at, _)| at).chain([opcode.len()]);
        for place in places {
            let wrong = format!("{}.sparkling{}", &opcode[..place], &opcode[place..]);
            let report = decode(&alone(&format!("{wrong}{operands}"))).expect_err(&wrong);
            let expected = format!("line 8: unknown instruction form `{wrong}`: {wrong}{operands}");
            assert_eq!((report.kind, report.message), (ReportKind::InvalidPtx, expected));
        }
    }
}

/// The same with modifiers that exist, but not in these forms.
#[test]
fn real_modifiers_do_not_fit_everywhere() {
    let mut refused = 0;
    for (_, opcode, operands) in instructions() {
        for modifier in
            ["f16x2", "bf16", "b128", "v8", "mmio", "noftz", "relu", "xorsign", "satfinite", "L2::128B"]
        {
            let wrong = format!("{opcode}.{modifier}");
            decode(&alone(&format!("{wrong}{operands}"))).expect_err(&wrong);
            refused += 1;
        }
    }
    assert_eq!(refused, 5640);
}

/// Each form with a missing or an additional operand.
#[test]
fn the_number_of_operands_is_checked() {
    // Forms with an operand that may be left out; `min` and `max` of f32 may have a third source.
    let optional = |opcode: &str| {
        matches!(opcode, "bar.sync" | "barrier.sync")
            || opcode.ends_with("f32") && (opcode.starts_with("min") || opcode.starts_with("max"))
    };
    for (_, opcode, operands) in instructions() {
        let more = operands.replace(';', if operands == ";" { " %r1;" } else { ", %r1;" });
        if !optional(opcode) {
            decode(&alone(&format!("{opcode}{more}"))).expect_err(opcode);
        }
        if let Some((fewer, _)) = operands.rsplit_once(", ")
            && opcode != "barrier.sync"
        {
            decode(&alone(&format!("{opcode}{fewer};"))).expect_err(opcode);
        }
    }
}

/// Forms that are PTX and not for this device, and such as are no PTX; each once decoded to something else in a laxer
/// reader.
#[test]
fn forms_of_other_programs_are_refused() {
    let wrong = [
        "add.rz.f16x2 %r1, %r2, %r3;",
        "add.sat.f32x2 %rd1, %rd2, %rd3;",
        "neg.f32x2 %rd1, %rd2;",
        "atom.add.f16 %rs1, [%rd1], %rs2;",
        "barrier.cluster.arrive;",
        "fence.proxy.tensormap::generic.release.gpu;",
        "fence.mbarrier_init.release.cluster;",
        "setmaxnreg.inc.sync.aligned.u32 64;",
        "mapa.u64 %rd1, %rd2, %r1;",
        "getctarank.u32 %r1, %r2;",
        "mbarrier.init.shared.b64 [%rd9], %r1;",
        "cp.async.ca.shared.global [%rd1], [%rd2], 16;",
        "ld.shared::cluster.b32 %r1, [%rd9];",
        "tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];",
        "atom.local.add.u32 %r1, [%rd9], %r2;",
        "atom.add.s64 %rd1, [%rd9], %rd2;",
        "ld.global.v8.b64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd9];",
        "ld.shared.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd9];",
        "ld.v2.b128 {%rq1, %rq2}, [%rd9];",
        "ld.global.ca.L1::evict_last.b32 %r1, [%rd9];",
        "red.acquire.gpu.add.u32 [%rd9], %r1;",
        "redux.sync.add.f32 %r1, %r2, %r3;",
        "match.all.sync.b16 %r1, %rs1, %r3;",
        "atom.min.f32 %r1, [%rd9], %r2;",
        "atom.shared.add.v2.f32 {%r1, %r2}, [%rd9], {%r3, %r4};",
        "add.sat.u32 %r1, %r2, %r3;",
        "shfl.down.b32 %r1, %r2, %r3, 31;",
        "vote.ballot.b32 %r1, %p1;",
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
        "ld;",
        "mov.u32;",
    ];
    for text in wrong {
        let (opcode, _) = cut(text);
        let message = decode(&alone(text)).expect_err(text).message;
        let wanted =
            if matches!(opcode, "mov.u32" | "ld") { "line 8:" } else { "line 8: unknown instruction form" };
        assert!(message.starts_with(wanted), "{text}: {message}");
    }
}
