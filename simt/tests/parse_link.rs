//! Symbols: layout of variables, addresses, repeated definitions, what is undefined.

use simt::ReportKind;
use simt::code::*;
use simt::ptx::{decode, parse};

const BASE: u64 = 0x1_0000;

/// A module after the header, which is one line long.
fn module(text: &str) -> Module {
    let text = format!(".version 7.8 .target sm_90 .address_size 64\n{text}");
    decode(&text).unwrap_or_else(|report| panic!("{report}"))
}

fn refused(text: &str) -> String {
    let text = format!(".version 7.8 .target sm_90 .address_size 64\n{text}");
    let report = decode(&text).expect_err("accepted");
    assert_eq!(report.kind, ReportKind::InvalidPtx);
    report.message
}

fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    &module.functions[module.function_names[name].0 as usize]
}

/// What the `mov`s of 64 bits at the start of a function copy, all from the constant pool.
fn values(function: &Function) -> Vec<u64> {
    let pool: Vec<u8> = function.constants.chunks.iter().flat_map(|chunk| chunk.0).collect();
    let movs = function.code.iter().map_while(|inst| match inst.op {
        Op::Mov { width: Width::W64, src, .. } if src.0 < 0 => Some(!src.0 as usize),
        _ => None,
    });
    movs.map(|at| u64::from_le_bytes(pool[at + 248..at + 256].try_into().unwrap())).collect()
}

fn word(image: &[u8], at: u64) -> u64 {
    u64::from_le_bytes(image[at as usize..][..8].try_into().unwrap())
}

fn global(module: &Module, name: &str) -> (u64, u64) {
    let variable = &module.variables[module.variable_names[name]];
    (variable.offset, variable.size)
}

#[test]
fn header() {
    let m = module(".func f() { ret; }");
    assert_eq!((m.version, m.target, m.target_suffix), ((7, 8), 90, None));
    let m = decode(".version 8.10\n.target sm_120a, debug\n.address_size 64\n").unwrap();
    assert_eq!((m.version, m.target, m.target_suffix), ((8, 10), 120, Some('a')));
    let fail = |text: &str| decode(text).unwrap_err().message;
    assert_eq!(fail("\nhello"), "line 2: expected `.version`: this is no PTX, found `hello`");
    assert_eq!(fail(""), "line 1: expected `.version`: this is no PTX, found the end of the text");
    assert_eq!(fail(".version 7.8\n.target compute_90\n"), "line 2: unknown target `compute_90`");
    assert_eq!(fail(".version 7.8\n.target sm_90\n.address_size 32"), "line 3: addresses of 32 bits");
    assert_eq!(refused(".surfref x;"), "line 2: unknown directive `.surfref`");
    assert_eq!(
        refused(".entry k() .blocksareclusters { ret; }"),
        "line 2: unknown directive `.blocksareclusters` of a function"
    );
}

/// The contents of the block at [`BASE`].
fn block(m: &mut Module) -> Vec<u8> {
    let mut all = vec![0; m.global_bytes as usize];
    for (offset, bytes) in m.place(BASE) {
        all[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
    all
}

#[test]
fn globals_have_places_and_contents() {
    let mut m = module(
        ".global .u8 a = 7;\n.visible .const .align 16 .b32 b[2] = {1, -1};\n.weak .global .align 8 .b8 c[12];\n",
    );
    assert_eq!((global(&m, "a"), global(&m, "b"), global(&m, "c")), ((0, 1), (16, 8), (24, 12)));
    // The last vector is whole.
    assert_eq!((m.global_bytes, m.const_bytes, m.global_align), (48, 8, 16));
    let visible: Vec<_> = m.variables.iter().map(|v| (v.visible, v.constant)).collect();
    assert_eq!(visible, [(false, false), (true, true), (true, false)]);
    let image = block(&mut m);
    assert_eq!(image.len(), 48);
    assert_eq!((image[0], word(&image, 16)), (7, 0xffff_ffff_0000_0001));
    assert!(image[24..].iter().all(|&byte| byte == 0));
}

#[test]
fn addresses_in_code_follow_the_placement() {
    let mut m = module(
        ".global .u32 a; .global .align 8 .u64 b; .shared .u32 s0; .shared .align 8 .b8 s1[8]; .func g() { ret; }\n\
         .func f() { .reg .b64 %r<8>;\nmov.b64 %r0, b; mov.b64 %r1, b+16; mov.b64 %r2, s1; mov.b64 %r3, g; mov.b64 %r4, a; }",
    );
    let pointer = function_pointer(m.function_names["g"]);
    m.place(BASE);
    assert_eq!(values(function(&m, "f")), [BASE + 8, BASE + 24, SHARED_START + 8, pointer, BASE]);
    m.place(2 * BASE);
    assert_eq!(values(function(&m, "f"))[0], 2 * BASE + 8, "placed again");
}

#[test]
fn initialisers_with_addresses() {
    let mut m = module(
        ".global .u32 a; .shared .align 8 .b8 s[8]; .func g() { ret; }\n\
         .global .align 8 .u64 t[5] = {generic(a), a+4, g, generic(s)+2, s};\n\
         .global .align 1 .b8 bytes[9] = {5, 0xFF(t), 0xFF00(t), 0xFF0000(t), 0xFF000000(t), 0xFF00000000(t), 0xFF0000000000(t), \
         0xFF000000000000(t), 0xFF00000000000000(t)};",
    );
    let image = block(&mut m);
    let (t, _) = global(&m, "t");
    let words: Vec<_> = (0..5).map(|n| word(&image, t + 8 * n)).collect();
    let pointer = function_pointer(m.function_names["g"]);
    assert_eq!(words, [BASE, BASE + 4, pointer, SHARED_WINDOW + SHARED_START + 2, SHARED_START]);
    let (bytes, _) = global(&m, "bytes");
    assert_eq!((image[bytes as usize], word(&image, bytes + 1)), (5, BASE + t));
    assert_eq!(refused(".global .u64 a = nowhere;"), "line 2: `nowhere` is not declared");
}

/// Dynamic shared memory starts at the end of all static variables, also of those declared later.
#[test]
fn dynamic_shared_memory_lies_at_the_end() {
    let m = module(
        ".extern .shared .align 32 .b8 dynamic[];\n.shared .b8 first[10];\n\
         .func f() { .reg .b64 %r<8>; .shared .align 8 .b8 inner[8]; mov.b64 %r0, dynamic; mov.b64 %r1, inner; }\n\
         .shared .u32 last;\n",
    );
    assert_eq!(values(function(&m, "f")), [SHARED_START + 32, SHARED_START + 16]);
    let layout: Vec<_> = m.shared.iter().map(|v| (v.name.as_str(), v.offset, v.size)).collect();
    assert_eq!(layout, [("first", 0, 10), ("inner", 16, 8), ("last", 24, 4)]);
    assert_eq!(m.shared_bytes, 32, "aligned as `dynamic` asks");
    let m = module(".shared .b8 a[10];");
    assert_eq!(m.shared_bytes, 10);
}

#[test]
fn repeated_weak_shared_variables_are_one() {
    let m = module(
        ".weak .shared .align 4 .b8 a[8]; .shared .u32 b;\n.func f() { .reg .b64 %r<8>; mov.b64 %r0, a; }\n\
         .weak .shared .align 4 .b8 a[8];\n.func g() { .reg .b64 %r<8>; mov.b64 %r0, a; }",
    );
    assert_eq!(values(function(&m, "f")), values(function(&m, "g")));
    assert_eq!(m.shared_bytes, 12);
    let message = refused(".weak .shared .b8 a[8];\n.weak .shared .b8 a[4];");
    assert_eq!(message, "line 3: `a` has 4 bytes, but 8 in line 2");
}

#[test]
fn repeated_definitions() {
    let m = module(".weak .func f() { trap; }\n.weak .func f() { .shared .u32 x; ret; }");
    assert_eq!(function(&m, "f").code[0].op, Op::Trap, "the first one counts");
    assert_eq!(m.shared_bytes, 0, "and its variables alone");
    assert_eq!(refused(".func f() { ret; }\n.func f() { ret; }"), "line 3: `f` is defined twice");
    assert_eq!(
        refused(".weak .func f() { ret; }\n.weak .func f() { f.x; }"),
        "line 3: unknown instruction form `f.x`: f.x;"
    );
    assert_eq!(refused(".global .u32 a;\n.global .u32 a;"), "line 3: `a` is defined twice");
    assert_eq!(refused(".global .u32 a;\n.shared .u32 a;"), "line 3: `a` is in another space in line 2");
    assert_eq!(
        refused(".global .u32 f;\n.func f() { ret; }"),
        "line 3: `f` is declared as a variable before"
    );
    assert_eq!(
        refused(".func f(.param .b32 a);\n.func f() { ret; }"),
        "line 3: `f` is declared differently in line 2"
    );
    let m = module(
        ".extern .global .u32 a;\n.common .global .u32 c;\n.global .u32 a = 3;\n.common .global .align 8 .b8 c[16];",
    );
    assert_eq!((global(&m, "a").1, global(&m, "c")), (4, (8, 16)));
}

#[test]
fn aliases_are_the_function() {
    let m = module(
        ".func f();\n.func real() { ret; }\n.alias f, real;\n.func g() { .reg .b64 %r<2>; mov.b64 %r0, f; call f; }",
    );
    let real = m.function_names["real"];
    assert_eq!(m.function_names["f"], real);
    assert_eq!(function(&m, "g").calls[0].target, CallTarget::Direct(real));
    assert_eq!(values(function(&m, "g")), [function_pointer(real)]);
    assert_eq!(
        refused(".func f() { ret; }\n.func g();\n.alias f, g;"),
        "line 4: `.alias`: `f` has a body of its own"
    );
    let circle = refused(".func f();\n.func g();\n.alias f, g;\n.alias g, f;");
    assert_eq!(circle, "line 2: `.alias` of `f` leads to itself");
}

#[test]
fn calls_copy_whole_registers() {
    let m = module(
        ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[12]) { ret; }\n\
         .func g() { .reg .b64 %p<2>; .reg .b32 %r<2>;\n{ .param .b32 x; .param .align 8 .b8 y[12]; .param .b32 z;\n\
         st.param.b32 [x], 1; call.uni (z), f, (x, y); ld.param.b32 %r0, [z]; }\n\
         { .param .b64 x; .param .b64 y;\nP: .callprototype (.param .b64 _) _ (.param .b64 _);\ncall (y), %p1, (x), P; } }",
    );
    let f = function(&m, "f");
    assert_eq!((f.param_words, f.return_words, f.param_bytes), (3, 1, 24));
    let g = function(&m, "g");
    let [direct, indirect] = &g.calls[..] else { panic!() };
    let words = |site: &CallSite| site.args.iter().map(|slot| slot.words).collect::<Vec<_>>();
    assert_eq!((words(direct), direct.ret.unwrap().words, direct.uniform), (vec![1, 2], 1, true));
    assert_eq!((words(indirect), indirect.ret.unwrap().words, indirect.uniform), (vec![1], 1, false));
    assert!(matches!(indirect.target, CallTarget::Indirect(pointer) if pointer == Src(256)));
    assert!(g.code.iter().any(|inst| inst.op == Op::Call { site: 1 }));
}

#[test]
fn calls_must_fit() {
    let call = |text: &str| {
        refused(&format!(
            ".entry k() {{ ret; }}\n.func f(.param .b64 a) {{ ret; }}\n.global .u32 v;\n\
             .func g() {{ .reg .b64 %r<2>; .param .b64 x; .param .align 8 .b8 y[16];\n{text}\n}}"
        ))
    };
    assert_eq!(
        call("call f, (y);"),
        "line 6: 1 arguments that do not fit the 1 declared parameters: call f, (y);"
    );
    assert_eq!(call("call f;"), "line 6: 0 arguments that do not fit the 1 declared parameters: call f;");
    assert_eq!(
        call("call (x), f, (x);"),
        "line 6: the result does not fit the declared return value: call (x), f, (x);"
    );
    assert_eq!(call("call k;"), "line 6: `k` is an entry: call k;");
    assert_eq!(call("call v;"), "line 6: `v` is no function: call v;");
    assert_eq!(call("call nowhere;"), "line 6: `nowhere` is not declared: call nowhere;");
    assert_eq!(call("call %r0, (x);"), "line 6: an indirect call needs a prototype: call %r0, (x);");
    assert_eq!(call("call %r0, (x), P;"), "line 6: `P` is no `.callprototype`: call %r0, (x), P;");
}

#[test]
fn variables_are_used_in_their_space() {
    let access = |text: &str| {
        refused(&format!(
            ".shared .u32 s; .global .u32 g;\n.func f() {{ .reg .b32 %r<2>; .local .u32 l;\n{text}\n}}"
        ))
    };
    assert_eq!(
        access("ld.global.u32 %r0, [s];"),
        "line 4: `s` is not in this space: ld.global.u32 %r0, [s];"
    );
    assert_eq!(access("ld.u32 %r0, [s];"), "line 4: `s` is not in this space: ld.u32 %r0, [s];");
    assert_eq!(
        access("ld.shared.u32 %r0, [g];"),
        "line 4: `g` is not in this space: ld.shared.u32 %r0, [g];"
    );
    assert_eq!(
        access("ld.shared.u32 %r0, [l];"),
        "line 4: `l` is not in this space: ld.shared.u32 %r0, [l];"
    );
    assert_eq!(access("ld.u32 %r0, [f];"), "line 4: `f` is a function: ld.u32 %r0, [f];");
}

#[test]
fn launch_limits() {
    let m = module(
        ".weak .entry k(.param .u32 a, .param .u64 b) .maxntid 128, 1, 1 .minnctapersm 1 .maxclusterrank 8 { ret; }\n\
         .entry q() .reqntid 8, 4 { ret; }",
    );
    let k = function(&m, "k");
    assert_eq!((k.kind, k.max_threads, k.required_threads), (FunctionKind::Entry, Some([128, 1, 1]), None));
    assert_eq!((k.params[1].offset, k.param_bytes, k.param_words), (8, 16, 2));
    let q = function(&m, "q");
    assert_eq!((q.max_threads, q.required_threads), (Some([8, 4, 1]), Some([8, 4, 1])));
}

/// Functions that the device supplies are found by name, with their own parameters only.
#[test]
fn device_functions() {
    let m = module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.extern .func free(.param .b64 a);\n\
         .func (.param .b64 r) malloc(.param .b64 a) { ret; }",
    );
    assert_eq!(function(&m, "vprintf").kind, FunctionKind::Extern(Extern::Vprintf));
    assert_eq!(function(&m, "free").kind, FunctionKind::Extern(Extern::Free));
    assert_eq!(function(&m, "malloc").kind, FunctionKind::Device, "the program's own");
    let message = refused(".extern .func free(.param .b32 a);");
    assert_eq!(message, "line 2: `free` is declared with other parameters than the device's");
}

const UNDEFINED: &str = ".version 7.8 .target sm_90 .address_size 64
.extern .func missing();
.extern .func never_used();
.extern .global .u32 nowhere;
.func taken() { call missing; }
.global .u64 table = taken;
.entry direct() { call missing; }
.entry indirect() { .reg .b64 %r<2>; mov.b64 %r0, table; }
.entry variable() { .reg .b64 %r<2>;
 mov.b64 %r0, nowhere; }
";

/// Undefined symbols are told of at load, with their lines, and concern the entries that reach them.
#[test]
fn undefined_symbols() {
    let text = format!(
        "{UNDEFINED}.entry fine() {{ .reg .b64 %r<2>; mov.b64 %r0, never_used; ret; }} .entry good() {{ ret; }}"
    );
    let m = parse(&text).unwrap();
    let needs = |name: &str| -> Vec<_> {
        let undefined = function(&m, name).undefined.iter().map(|&index| &m.undefined[index as usize]);
        undefined.map(|u| (u.name.as_str(), u.line)).collect()
    };
    assert_eq!(needs("direct"), [("missing", 7)]);
    assert_eq!(needs("indirect")[0].0, "missing", "through the table");
    assert_eq!(needs("variable"), [("nowhere", 10)]);
    assert_eq!(needs("fine"), [("never_used", 11)]);
    assert_eq!(needs("good"), []);
    let report = m.undefined_report([0], "`direct`");
    assert_eq!(report.kind, ReportKind::UndefinedSymbol);
    assert_eq!(report.message, "`direct` needs what is not defined: `missing` (line 7)");
}

#[test]
fn a_module_without_a_usable_entry_is_refused() {
    let report = parse(UNDEFINED).unwrap_err();
    assert_eq!(report.kind, ReportKind::UndefinedSymbol);
    let message = "the module needs what is not defined: `missing` (line 7), `nowhere` (line 10)";
    assert_eq!(report.message, message);
    assert!(
        parse(".version 7.8 .target sm_90 .address_size 64 .extern .func f();").is_ok(),
        "no entry at all"
    );
}

/// An entry's static shared memory is what it can reach; the CTA gets all of it.
#[test]
fn shared_memory_of_an_entry() {
    let m = module(
        ".shared .align 8 .b8 a[24]; .shared .align 8 .b8 b[100];\n\
         .func f() { .reg .b64 %r<2>; mov.b64 %r0, a; }\n.entry k() { call f; }\n.entry q() { ret; }",
    );
    assert_eq!(
        (function(&m, "k").shared_bytes, function(&m, "q").shared_bytes, m.shared_bytes),
        (24, 0, 128)
    );
}

#[test]
fn broken_text_is_an_error_with_a_line() {
    assert_eq!(refused(".func f() {\nret"), "line 3: expected an operand, found the end of the text: ret");
    assert_eq!(refused(".func f() {\nret;\n"), "line 4: expected a statement, found the end of the text");
    assert_eq!(refused(".section .debug_info {\n.b8 1\n"), "line 2: block without end");
    assert_eq!(refused(".func f() { .reg .b256 %x; }"), "line 2: unknown register type `.b256`");
    assert_eq!(refused(".func f() { .reg .b64 %x<4000000000>; }"), "line 2: `f` has too many registers");
    assert_eq!(refused(".func f() { .param .b32 a; .param .b32 a; }"), "line 2: `a` is declared twice");
    assert_eq!(refused(".global .b8 a[];"), "line 2: `a` has no size");
    assert_eq!(refused(".func f() { @%p0 ret; }"), "line 2: guard `%p0` is no predicate");
    assert_eq!(refused("é"), "line 2: expected a name, found `é`");
}

/// Every beginning of a text is either a module or an error: no panic, no endless loop.
#[test]
fn cut_text() {
    let text = include_str!("parse_forms.ptx");
    let mut errors = 0;
    for end in (0..3000).chain(text.len() - 300..text.len()) {
        errors += usize::from(text.is_char_boundary(end) && decode(&text[..end]).is_err());
    }
    assert!(errors > 3200, "{errors}");
}

/// Texts of many names, deep blocks and long chains of names take a time that grows with their length.
#[test]
fn many_names_are_found_fast() {
    const MANY: usize = 20_000;
    let each = |text: &dyn Fn(usize) -> String| (0..MANY).map(text).collect::<String>();
    let function = |body: String| format!(".func f() {{ .reg .b32 r; {body} ret; }}");
    let texts = [
        function(each(&|n| format!(".reg .b32 x{n}_; mov.b32 x{n}_, r;\n"))),
        function(each(&|n| format!(".shared .b32 x{n}; st.shared.b32 [x{n}], r;\n"))),
        function("{".repeat(MANY) + "mov.b32 r, r; bra X;" + &"}".repeat(MANY) + "X:"),
        function(each(&|n| format!("bra X{n}; {{ ")) + &"}".repeat(MANY) + &each(&|n| format!("X{n}: "))),
        each(&|n| format!(".func f{n}();\n"))
            + ".func f20000() { ret; }\n"
            + &each(&|n| format!(".alias f{n}, f{};\n", n + 1)),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        module(&text);
        let time = start.elapsed();
        assert!(time.as_secs_f64() < 1.0, "{time:?}: {}", &text[..60]);
    }
}
