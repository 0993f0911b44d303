//! Command lines of `omptarget cc` and `fc` that the compilers alone answer badly, and the architectures that they know.

use std::path::Path;
use std::process::{Command, Output};
use tests_gpu::{Dist, Run, build::source};

fn omptarget(arguments: &[&str]) -> Output {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let mut command = Command::new(dist.driver());
    command.args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

fn fails(arguments: &[&str], words: &[&str]) {
    let output = omptarget(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && words.iter().all(|word| said.contains(word)),
        "{arguments:?}\n{said}"
    );
}

#[test]
fn nothing_to_compile() {
    fails(&["cc"], &["no input files"]);
    fails(&["fc"], &["no input files"]);
}

#[test]
fn a_source_of_c_for_flang() {
    fails(&["fc", "-O2", "part.c", "-o", "part"], &["part.c", "omptarget cc -c"]);
}

/// Each needs a PTX version that knows it.
#[test]
fn architectures() {
    let saxpy = source("saxpy_reduce.c");
    for name in ["sm_70", "sm_80", "sm_90a", "sm_100", "sm_103", "sm_120", "sm_121"] {
        let architecture = format!("--offload-arch={name}");
        let output = omptarget(&["cc", "-O1", &architecture, &saxpy.to_string_lossy(), "-o", name]);
        assert!(output.status.success(), "{name}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// `native` is what the program would run on, and a target without an architecture gets the default.
#[test]
fn architectures_that_have_no_number() {
    let (saxpy, fortran) = (source("saxpy_reduce.c"), source("fortran/reductions.f90"));
    for (name, language, option, source) in [
        ("native", "cc", "--offload-arch=native", &saxpy),
        ("native-fortran", "fc", "--offload-arch=native", &fortran),
        ("target", "cc", "-fopenmp-targets=nvptx64-nvidia-cuda", &saxpy),
        ("short-target", "cc", "-fopenmp-targets=nvptx64", &saxpy),
    ] {
        let output = omptarget(&[language, "-O1", option, &source.to_string_lossy(), "-o", name]);
        assert!(output.status.success(), "{name}\n{}", String::from_utf8_lossy(&output.stderr));
        let outcome = Run::on_device().of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
        assert!(outcome.status.success() && !outcome.launches().is_empty(), "{name}\n{outcome}");
    }
}

/// Sources without directives have no code for a device, so what clang declares for such code is not in the way of the questions that
/// CMake and autoconf ask; others have it, wherever their directives come from.
#[test]
fn sources_with_and_without_directives() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("directives");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        (
            "question.cpp",
            "extern \"C\" char posix_memalign(void);\nint main() { return posix_memalign(); }\n",
        ),
        ("directive.h", "#define TARGET _Pragma(\"omp target map(from : a[:1])\")\n"),
        ("macro.c", "#include \"directive.h\"\nvoid f(int *a) {\n  TARGET\n  *a = 1;\n}\n"),
        ("attribute.cpp", "void f(int *a) {\n  [[omp::directive(target)]] *a = 1;\n}\n"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let compile = |source: &str, output: &str, more: &[&str]| {
        let language = if source.ends_with(".c") { "cc" } else { "c++" };
        let output = path(output);
        let done = omptarget(&[&[language, "-Wall", &path(source), "-o", &output], more].concat());
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{source} {more:?}\n{said}");
        let bytes = std::fs::read(output).unwrap();
        bytes.windows(16).any(|part| part == b".llvm.offloading")
    };
    compile("question.cpp", "question", &[]);
    assert!(!compile("question.cpp", "question.o", &["-c", "-MD", "-MF", &path("question.d")]));
    assert!(compile("question.cpp", "question.sm_80.o", &["-c", "--offload-arch=sm_80"]));
    assert!(compile("macro.c", "macro.o", &["-c"]));
    assert!(compile("attribute.cpp", "attribute.o", &["-c"]));
    let dependencies = std::fs::read_to_string(path("question.d")).unwrap();
    assert!(dependencies.starts_with(&path("question.o")), "{dependencies}");
    // The program has its device code, though the source that is compiled with it has none.
    std::fs::write(
        path("main.c"),
        "void f(int *);\nint main(void) {\n  int a = 0;\n  f(&a);\n  return !a;\n}\n",
    )
    .unwrap();
    let program = path("program");
    let done = omptarget(&["cc", &path("main.c"), &path("macro.o"), "-o", &program]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let outcome = Run::on_device().of(Path::new(&program)).unwrap();
    assert!(outcome.status.success() && !outcome.launches().is_empty(), "{outcome}");
}

/// The CPU as device, alone and beside NVIDIA's: the plugin of the passes is for NVIDIA's code.
#[test]
fn the_cpu_as_device() {
    const NVIDIA: [&str; 2] = ["-Xopenmp-target=nvptx64-nvidia-cuda", "-march=sm_90"];
    let source = source("saxpy_reduce.c");
    for (name, targets, more) in [
        ("cpu", "x86_64-pc-linux-gnu", &[][..]),
        ("cpu-nvidia", "nvptx64-nvidia-cuda,x86_64-pc-linux-gnu", &NVIDIA[..]),
    ] {
        let targets = format!("-fopenmp-targets={targets}");
        let mut arguments = vec!["cc", "-O2", &targets];
        arguments.extend(more);
        let source = source.to_string_lossy();
        arguments.extend([&*source, "-o", name]);
        let output = omptarget(&arguments);
        assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
        for device in ["x86", "simt"].into_iter().take(if more.contains(&NVIDIA[0]) { 2 } else { 1 }) {
            let run = Run::on_device().with("OMPTARGET_DEVICE", device);
            let outcome = run.of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
            assert!(
                outcome.status.success() && !outcome.launches().is_empty(),
                "{name} on {device}\n{outcome}"
            );
        }
    }
}
