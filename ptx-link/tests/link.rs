//! Linking of small modules, through the files that the tools exchange.

use ptx_link::{Module, carrier, link};

const HEAD: &str = ".version 7.8\n.target sm_90\n.address_size 64\n";

fn module(name: &str, body: &str) -> Module {
    Module::parse(name, format!("{HEAD}{body}")).unwrap()
}

/// What linking the texts gives, after a trip through the files.
fn linked(bodies: &[&str]) -> Result<String, String> {
    let through_a_file = |(number, body): (usize, &&str)| {
        let name = format!("{}.cubin", ["a", "b", "c"][number]);
        let file = carrier::write(&module(&name, body), carrier::Use::Link).unwrap();
        Module::parse(&name, carrier::read(&file).unwrap()).unwrap()
    };
    let modules: Vec<_> = bodies.iter().enumerate().map(through_a_file).collect();
    link(&modules).map_err(|error| error.to_string())
}

/// `text` without white space that means nothing.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const CALLER: &str = "
.extern .func (.param .b32 r) f (.param .b32 f_param_0);
.func helper() ;
.global .align 4 .u32 count = 1;
.visible .entry k() .maxntid 128 { call helper; call f; st.global.u32 [count], %r1; ret; }
.func helper() { ret; }
";
const CALLEE: &str = "
.global .align 4 .u32 count = 2;
.func helper() { ret; }
.visible .func (.param .b32 r) f(.param .b32 f_param_0) { call helper; ld.global.u32 %r1, [count]; ret; }
";

#[test]
fn functions_of_two_files_call_each_other_and_internal_names_stay_apart() {
    let expected = format!(
        "{HEAD} .func helper(); .visible .func (.param .b32 r) f(.param .b32 f_param_0); .func helper_$1();
         .global .align 4 .u32 count = 1; .global .align 4 .u32 count_$1 = 2;
         .visible .entry k() .maxntid 128 {{ call helper; call f; st.global.u32 [count], %r1; ret; }}
         .func helper() {{ ret; }}
         .func helper_$1() {{ ret; }}
         .visible .func (.param .b32 r) f(.param .b32 f_param_0) {{
             call helper_$1; ld.global.u32 %r1, [count_$1]; ret; }}"
    );
    let text = squeezed(&linked(&[CALLER, CALLEE]).unwrap());
    // Functions come in the order of their modules and then of their text.
    for line in squeezed(&expected).split_inclusive([';', '}']) {
        assert!(text.contains(line.trim()), "`{line}` is not in {text}");
    }
    assert_eq!(text.len(), squeezed(&expected).len(), "{text}");
}

/// A function may be called like an instruction.
#[test]
fn instructions_keep_their_names() {
    let body = ".func ret() { ret; }
        .global .align 8 .u64 table[1] = {ret};
        .visible .entry NAME() { .reg .pred %p<2>; .reg .b64 %a; .reg .b32 %b<2>;
          bra ret; ret: mov.b64 %a, {%b0, %b1}; mov.u64 %a, ret; { ret; } @!%p1 ret; @%p0 { call ret; }
          .loc 1 2 3 ret; X: ret; mov.u64 %a, table; }";
    let (first, second) = (body.replace("NAME", "k"), body.replace("NAME", "l"));
    let text = squeezed(&linked(&[&first, &second]).unwrap());
    for part in [
        ".func ret_$1() { ret; }",
        "table_$1[1] = {ret_$1};",
        "bra ret_$1; ret_$1: mov.b64 %a, {%b0, %b1}; mov.u64 %a, ret_$1; { ret; } @!%p1 ret; @%p0 { call ret_$1; }",
        "1 2 3 ret; X: ret; mov.u64 %a, table_$1; }",
    ] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
}

#[test]
fn the_symbol_table_says_what_a_file_has_and_needs() {
    use object::{Object, ObjectSymbol};
    let symbols = |body: &str| {
        let file = carrier::write(&module("a", body), carrier::Use::Link).unwrap();
        let object = object::File::parse(&file[..]).unwrap();
        let describe =
            |s: object::Symbol<'_, '_>| format!("{} {} {}", s.name().unwrap(), s.is_undefined(), s.is_weak());
        object.symbols().map(describe).collect::<Vec<_>>()
    };
    assert_eq!(symbols(CALLER), ["f true false", "k false false"]);
    assert_eq!(symbols(CALLEE), ["f false false"]);
    assert_eq!(
        symbols(
            ".extern .func unused(); .weak .global .u32 w; .extern .shared .b8 d[]; .visible .entry e() { mov d; }"
        ),
        ["e false false", "w false true"]
    );
}

#[test]
fn one_file_stays_as_it_is() {
    let text = format!(
        "{HEAD}.visible .entry k() {{ .loc 1 2 3\n ret; }}\n.file 1 \"a.c\"\n.section .debug_str {{ .b8 0 }}\n"
    );
    assert_eq!(link(&[Module::parse("a", text.clone()).unwrap()]).unwrap(), text);
}

#[test]
fn what_no_kernel_needs_is_left_out_with_its_undefined_symbols() {
    let text = linked(&[
        ".extern .func nowhere(); .visible .func f() { call nowhere; ret; } .visible .entry k() { ret; }",
    ]);
    let text = text.unwrap();
    assert!(!text.contains("nowhere") && !text.contains(" f") && text.contains(".entry k"), "{text}");
}

#[test]
fn undefined_symbols_are_named_with_their_file() {
    let error =
        linked(&[CALLER, ".extern .global .u32 g; .visible .entry l() { mov.u64 %r, g; }"]).unwrap_err();
    assert_eq!(error, "Undefined reference to 'f' in 'a.cubin'\nUndefined reference to 'g' in 'b.cubin'");
}

#[test]
fn the_driver_defines_some_functions() {
    let body = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v); .visible .entry NAME() { call vprintf; }";
    let text = linked(&[&body.replace("NAME", "k"), &body.replace("NAME", "l")]).unwrap();
    assert_eq!(text.matches(".extern .func").count(), 1, "{text}");
}

#[test]
fn several_definitions() {
    let strong = ".visible .global .u32 x = 1; .visible .entry k() { mov x; }";
    assert_eq!(
        linked(&[strong, ".visible .global .u32 x;"]).unwrap_err(),
        "Multiple definition of 'x' in 'b.cubin', first defined in 'a.cubin'"
    );
    assert_eq!(
        linked(&[strong, ".weak .global .v2 .u16 x[2];"]).unwrap_err(),
        "Size doesn't match for 'x' in 'b.cubin', first specified in 'a.cubin'"
    );
    let text = linked(&[
        ".weak .global .b8 x[4] = {7}; .weak .func f() { ret; } .visible .entry l() { call f; }",
        strong,
    ]);
    let text = text.unwrap();
    assert!(text.contains(".visible .global .u32 x = 1;") && !text.contains("{7}"), "{text}");
    let weak = ".weak .func f() { exit; } .weak .entry k() { call f; }";
    assert_eq!(linked(&[weak, weak]).unwrap().matches('{').count(), 2);
}

#[test]
fn values_stand_behind_what_they_mention() {
    let text = linked(&[
        ".extern .global .u64 b; .visible .global .u64 a = generic(b);",
        ".func f(); .visible .global .u64 b[2] = {generic(c), f}; .global .u32 c; .func f() { ret; }",
    ]);
    let text = text.unwrap();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no `{part}` in {text}"));
    assert!(
        at(".global .u32 c;") < at(".global .u64 b[2]") && at(".global .u64 b[2]") < at(".global .u64 a")
    );
    let circle = [
        ".extern .global .u64 b; .visible .global .u64 a = b;",
        ".extern .global .u64 a; .visible .global .u64 b = a;",
    ];
    assert!(linked(&circle).unwrap_err().contains("need each other"));
}

#[test]
fn lines_keep_their_files() {
    let body = |file: &str, name: &str| {
        format!(
            ".visible .entry {name}() {{ .loc 1 5 3\n .loc 2 6 4, function_name $L_s+20, inlined_at 1 5 3\n ret; }} .file 1 \"{file}\" .file 2 \"h.h\""
        )
    };
    let text = squeezed(&linked(&[&body("a.c", "k"), &body("b.c", "l")]).unwrap());
    assert!(text.contains("k() { .loc 1 5 3 .loc 2 6 4 ret; }"), "{text}");
    assert!(text.contains("l() { .loc 3 5 3 .loc 2 6 4 ret; }"), "{text}");
    assert!(text.ends_with(".file 1 \"a.c\" .file 2 \"h.h\" .file 3 \"b.c\""), "{text}");
}

#[test]
fn aliases_and_dynamic_shared_memory() {
    let text = linked(&[
        ".extern .func other(); .extern .shared .align 16 .b8 d[]; .visible .entry k() { call other; mov d; }",
        ".visible .func real() { ret; } .visible .func other(); .extern .shared .align 16 .b8 d[];
         .visible .entry l() { mov d; } .alias other, real;",
    ]);
    let text = squeezed(&text.unwrap());
    assert_eq!(text.matches(".extern .shared").count(), 1, "{text}");
    assert!(text.contains(".visible .func other();") && text.contains(".alias other, real;"), "{text}");
}

#[test]
fn a_function_of_another_file_may_not_read_that_file_s_state() {
    let caller = ".extern .func f(); .visible .entry k() { call f; }";
    let callee =
        ".shared .u32 __devrtl_shared_PAR; .func g() { ld.shared.u32 %r1, [__devrtl_shared_PAR]; ret; }
                  .visible .func f() { call g; ret; } .visible .entry own() { call f; }";
    let error = linked(&[caller, callee]).unwrap_err();
    assert!(
        error.starts_with("'g' in 'b.cubin' needs the OpenMP runtime's state") && error.contains("'k'"),
        "{error}"
    );
    linked(&[callee]).unwrap();
    // Where another file has the function that sets up the state, the state is that file's.
    let runtime = format!("{callee} .visible .func __kmpc_target_init() {{ ret; }}");
    let kernel = ".extern .func __kmpc_target_init(); .extern .func f();
                  .visible .entry k() { call __kmpc_target_init; call f; }";
    linked(&[kernel, &runtime]).unwrap();
    // Code that was not optimised asks when it runs.
    linked(&[caller, &format!(".shared .u64 __devrtl_shared_STAMP; {callee}")]).unwrap();
}

#[test]
fn architectures() {
    let of = |target: &str| {
        Module::parse(target, format!(".version 8.0\n.target {target}, debug\n.address_size 64\n")).unwrap()
    };
    let head = |targets: &[&str]| link(&targets.iter().map(|t| of(t)).collect::<Vec<_>>());
    assert!(head(&["sm_70", "sm_90"]).unwrap().starts_with(".version 8.0\n.target sm_90\n"));
    assert!(head(&["sm_90a", "sm_90a"]).unwrap().contains("sm_90a"));
    let error = head(&["sm_90a", "sm_100"]).unwrap_err().to_string();
    assert_eq!(error, "'sm_90a' is for sm_90a and 'sm_100' for sm_100");
}

#[test]
fn texts_that_are_no_ptx() {
    let error = |text: &str| Module::parse("a.s", text.to_owned()).unwrap_err().to_string();
    assert_eq!(error("hello"), "a.s, line 1: expected `.version`, found `hello`");
    assert_eq!(error(".version 7.8\n.target gfx90a"), "a.s, line 2: expected sm_<number>, found `gfx90a`");
    assert_eq!(
        error(&format!("{HEAD}.func f() {{ ret;\n")),
        "a.s, line 5: expected a closing bracket, found `the end`"
    );
    assert_eq!(error(&format!("{HEAD}.bogus")), "a.s, line 4: expected a directive, found `.bogus`");
    assert_eq!(error(&format!("{HEAD}.global .u32 a, b;")), "a.s, line 4: expected `;`, found `,`");
    assert_eq!(carrier::read(b"BC\xc0\xde"), None);
}

#[test]
fn an_image_has_the_values_of_its_variables() {
    use object::{Object, ObjectSection, ObjectSymbol, SymbolSection};
    let body = "
.visible .global .align 8 .u64 k_kernel_environment[3] = {513, generic(k_dynamic), 7};
.weak .global .align 4 .u32 k_dynamic;
.weak .global .align 4 .u32 count;
.global .align 4 .u32 hidden = 3;
.visible .shared .align 4 .u32 scratch;
.visible .entry k() { ret; }
";
    let file = carrier::write(&module("a", body), carrier::Use::Load).unwrap();
    assert_eq!(carrier::read(&file).unwrap(), format!("{HEAD}{body}"));
    assert_eq!((file[7], file[8]), (0x33, 7), "the form of CUDA 12");
    assert_eq!(file[48..52], [90, 5, 90, 0], "the architecture in the low byte of the flags");
    let elf = object::File::parse(&file[..]).unwrap();
    let symbol = |name: &str| elf.symbols().find(|symbol| symbol.name() == Ok(name));
    let bytes = |name: &str| {
        let symbol = symbol(name).unwrap();
        let SymbolSection::Section(section) = symbol.section() else { panic!("{name}") };
        let section = elf.section_by_index(section).unwrap();
        let all = section.data().unwrap();
        let at = symbol.address() as usize;
        (section.name().unwrap().to_owned(), all.get(at..at + symbol.size() as usize).map(<[u8]>::to_vec))
    };
    let (section, environment) = bytes("k_kernel_environment");
    assert_eq!(section, ".nv.global.init");
    let words: Vec<_> =
        environment.unwrap().chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(words, [513, 0, 7]);
    assert_eq!(bytes("k_dynamic"), (".nv.global".to_owned(), None));
    assert_ne!(symbol("k_dynamic").unwrap().address(), symbol("count").unwrap().address());
    assert!(symbol("k").unwrap().is_definition() && symbol("hidden").is_none());
}

/// What a program with `realloc` has of the library, which calls the driver's function by another name.
const WRAPPER: &str = "
.extern .func (.param .b64 r) __omptarget_real_malloc (.param .b64 p);
.visible .func (.param .b64 r) __omptarget_wrap_malloc(.param .b64 p) { call __omptarget_real_malloc; ret; }
.visible .func (.param .b64 r) realloc(.param .b64 p) { call __omptarget_wrap_malloc; ret; }
";
const ALLOCATES: &str = "
.extern .func (.param .b64 r) malloc (.param .b64 p);
.visible .entry k() { call malloc; ret; }
";

#[test]
fn the_drivers_functions_have_others_in_their_place_where_the_library_has_some() {
    let text = squeezed(&linked(&[ALLOCATES, WRAPPER]).unwrap());
    for part in [
        ".extern .func (.param .b64 r) malloc (.param .b64 p);",
        ".visible .entry k() { call __omptarget_wrap_malloc; ret; }",
        ".visible .func (.param .b64 r) __omptarget_wrap_malloc(.param .b64 p) { call malloc; ret; }",
    ] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
    assert!(!text.contains("__omptarget_real_malloc") && !text.contains("realloc"), "{text}");
    // One file with all of it, as device LTO makes it.
    let of_one = squeezed(&linked(&[&format!("{ALLOCATES}{WRAPPER}")]).unwrap());
    assert_eq!(of_one.matches("call malloc").count(), 1, "{of_one}");
    assert!(!of_one.contains("__omptarget_real_malloc"), "{of_one}");
    // Without it nothing changes.
    assert!(linked(&[ALLOCATES]).unwrap().contains("call malloc"));
}

#[test]
fn a_program_with_its_own_malloc_cannot_have_the_librarys() {
    for own in [
        ".visible .func malloc() { ret; }",
        ".func malloc() { ret; } .visible .entry k() { call malloc; ret; }",
    ] {
        let error = linked(&[own, WRAPPER]).unwrap_err();
        assert!(error.starts_with("'malloc' is defined in 'a.cubin', and realloc"), "{error}");
    }
    // What the library calls the driver's function is such a name beside the wrapper alone.
    let without = WRAPPER.replace("_wrap_", "_other_");
    let error = linked(&[&format!("{without}.visible .entry k() {{ call realloc; ret; }}")]).unwrap_err();
    assert!(error.contains("Undefined reference to '__omptarget_real_malloc'"), "{error}");
}
