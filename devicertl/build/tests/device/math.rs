//! The math functions: types as clang declares them, found when needed, absent when not, and second to a libdevice.

use super::toolbox::{compile, compile_with, cuda_folder, llvm, runtime, scratch, text};
use devicertl_build::{ir, kernel::Link, ptx::Ptx, toolchain::run};
use std::{collections::BTreeMap, fs, process::Command};

/// The IR type of a C type in clang's header.
fn ir_type(c: &str) -> Option<&'static str> {
    Some(match c.trim() {
        "void" => "void",
        "unsigned short" => "i16",
        "int" | "unsigned int" => "i32",
        "long long" | "unsigned long long" => "i64",
        "float" => "float",
        "double" => "double",
        pointer if pointer.ends_with('*') => "ptr",
        _ => return None,
    })
}

/// What clang's header says: name to result and parameters.
fn declared() -> BTreeMap<String, (String, Vec<String>)> {
    let folder = run(Command::new(llvm().tool("clang")).arg("-print-resource-dir")).unwrap();
    let header =
        fs::read_to_string(format!("{}/include/__clang_cuda_libdevice_declares.h", folder.trim())).unwrap();
    let mut found = BTreeMap::new();
    for declaration in
        header.split(';').filter_map(|text| text.rsplit_once("__DEVICE__ ")).map(|(_, text)| text)
    {
        let text = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((head, params)) = text.split_once('(') else { continue };
        let (ret, name) = head.rsplit_once(' ').unwrap();
        let params: Vec<_> = params
            .trim_end_matches(')')
            .split(',')
            .filter(|param| !param.is_empty())
            .map(|param| {
                let ty = param.trim().trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
                ir_type(ty).map(str::to_owned).unwrap_or_default()
            })
            .collect();
        if let Some(ret) = ir_type(ret) {
            found.insert(name.to_owned(), (ret.to_owned(), params));
        }
    }
    found
}

/// What NVIDIA's libdevice has since and clang's header does not declare.
const NEWER: [&str; 1] = ["__nv_fast_tanhf"];

#[test]
fn types_are_those_of_clangs_header() {
    let declared = declared();
    assert!(declared.len() > 300, "{}", declared.len());
    let module = ir::parse(&text(&runtime().math)).unwrap();
    let mut functions = 0;
    for function in module.functions.iter().filter(|f| f.is_visible()) {
        let Some((ret, params)) = declared.get(&function.name) else {
            assert!(NEWER.contains(&function.name.as_str()), "clang has no {}", function.name);
            functions += 1;
            continue;
        };
        assert_eq!((&function.ret, &function.params), (ret, params), "{}", function.name);
        functions += 1;
    }
    assert_eq!(functions, declared.len() + NEWER.len(), "all that clang declares is there");
}

#[test]
fn math_needs_no_other_library() {
    for link in [Link::Builtin, Link::Lto] {
        let text = compile("math", link);
        let ptx = Ptx::new(&text);
        assert_eq!(ptx.undefined(), [""; 0], "{link:?}");
        for instruction in ["sqrt.rn.f64", "abs.f64", "fma.rn.f32", "cvt.rmi.f32.f32"] {
            assert!(text.contains(instruction), "{link:?}: the machine's {instruction} is used");
        }
        assert!(!text.contains("__nv_cos"), "{link:?}: only what is called is linked");
    }
}

/// With a real CUDA the same symbols come from NVIDIA's file: ours must not be linked beside it.
#[test]
fn a_real_libdevice_wins() {
    for link in [Link::Builtin, Link::Lto] {
        let folder = scratch(&format!("libdevice-{link:?}"));
        let library = folder.join("theirs.ll");
        // 0x4045000000000000 is 42.
        fs::write(
            &library,
            "target triple = \"nvptx64-nvidia-cuda\"\n\
             define double @__nv_sin(double %x) {\n  ret double 0x4045000000000000\n}\n",
        )
        .unwrap();
        let bitcode = folder.join("theirs.bc");
        run(Command::new(llvm().tool("llvm-as")).arg(&library).arg("-o").arg(&bitcode)).unwrap();
        cuda_folder(&folder.join("cuda"), &bitcode);
        let text = compile_with("sine", link, &[], &folder);
        assert!(
            text.contains("0d4045000000000000") || text.contains("4631107791820423168"),
            "{link:?}: {text}"
        );
    }
}

/// Device code that was compiled without any libdevice finds the functions in the archive.
#[test]
fn the_archive_has_the_math_too() {
    let folder = scratch("archive-math");
    let empty = folder.join("empty.ll");
    fs::write(&empty, "target triple = \"nvptx64-nvidia-cuda\"\n").unwrap();
    let bitcode = folder.join("empty.bc");
    run(Command::new(llvm().tool("llvm-as")).arg(&empty).arg("-o").arg(&bitcode)).unwrap();
    cuda_folder(&folder.join("cuda"), &bitcode);
    let text = compile_with("sine", Link::Lto, &[], &folder);
    assert_eq!(Ptx::new(&text).undefined(), [""; 0]);
}
