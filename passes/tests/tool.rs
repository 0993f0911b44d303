//! `omptarget-opt` as users call it: a source as input, the reports, the forms of remarks, exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TOOL: &str = env!("CARGO_BIN_EXE_omptarget-opt");

/// A call that blocks, in line 7, and a kernel without a region.
const SOURCE: &str = "int ext(int);
void blocked(int n, int *a) {
#pragma omp target map(tofrom: a[0:n])
  {
    int s = 0;
    for (int i = 0; i < n; i++)
      s += ext(a[i]);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += s;
  }
}
void converted(int n, int *a) {
#pragma omp target map(tofrom: a[0:n])
  {
    int s = 0;
    for (int i = 0; i < n; i++)
      s += a[i];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] += s;
  }
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.c"), SOURCE).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Output {
        Command::new(program).current_dir(self.0.path()).args(arguments).output().unwrap()
    }

    /// The text of a run that must end well.
    fn tool(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(TOOL, arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn the_report_names_line_and_remedy() {
    let (report, _) = Folder::new().tool(&["--explain", "a.c"]);
    let (blocked, converted) = report.split_once("\n\n").unwrap();
    assert!(blocked.starts_with("kernel blocked, line 3 ("), "{report}");
    for part in [
        "generic before and now",
        "blocked by a.c:7:12: the call of `ext`",
        "        7 |       s += ext(a[i]);\n          |            ^\n    to do: put the function's body",
        "omp_no_parallelism",
    ] {
        assert!(blocked.contains(part), "{part}: {report}");
    }
    for part in [
        "kernel converted, line 14 (",
        "generic before, SPMD now",
        "1 parallel region",
        "bytes of variables",
        "OMP111 a.c:16:9: Replaced globalized variable with 4 bytes",
    ] {
        assert!(converted.contains(part), "{part}: {report}");
    }
}

#[test]
fn the_report_counts_what_was_removed() {
    let folder = Folder::new();
    let source = "int omp_get_thread_num(void);
void f(int n, int *a) {
#pragma omp target map(tofrom: a[0:n])
  {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; i++)
        a[i] += omp_get_thread_num() + omp_get_thread_num();
    }
#pragma omp parallel
    {
    }
  }
}
";
    std::fs::write(folder.path("b.c"), source).unwrap();
    let (report, _) = folder.tool(&["--explain", "b.c"]);
    let row = "removed   1 × parallel region without effect, 1 × repeated call of the runtime, 1 × barrier\n";
    assert!(report.contains(row), "{report}");
    assert!(["OMP160", "OMP170", "OMP190"].iter().all(|id| !report.contains(id)), "{report}");
}

#[test]
fn what_stands_behind_two_dashes_is_for_clang() {
    let folder = Folder::new();
    let (module, _) = folder.tool(&["a.c", "--", "-Dext=abs"]);
    assert!(!module.contains("@ext("), "{module}");
    let refused = folder.run(TOOL, &["b.ll", "--", "-DX"]);
    assert!(!refused.status.success());
}

#[test]
fn the_page_has_all_lines_and_nothing_from_outside() {
    let folder = Folder::new();
    folder.tool(&["--html", "page.html", "a.c"]);
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert_eq!(page.matches("<section class=\"kernel\">").count(), 2);
    let row = |line: u32| {
        let start = page
            .rfind(&format!("<td class=\"number\">{line}</td>"))
            .unwrap_or_else(|| panic!("{line}: {page}"));
        page[start..].lines().next().unwrap().to_owned()
    };
    assert!(row(7).contains(">serial<") && row(7).contains("s += ext(a[i]);"), "{}", row(7));
    assert!(row(18).contains(">guarded<"), "{}", row(18));
    assert!(row(21).contains(">parallel<"), "{}", row(21));
    assert!(page.contains("Blocked by a.c:7:12"));
    for outside in ["http:", "https:", "src=", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_shows_serial_code_between_merged_regions() {
    let folder = Folder::new();
    let source = "void f(int n, int *a) {
#pragma omp target map(tofrom: a[0:n])
  {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += 1;
    a[0] = 7;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      a[i] += a[0];
  }
}
";
    std::fs::write(folder.path("b.c"), source).unwrap();
    folder.tool(&["--html", "page.html", "b.c"]);
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("OMP150"), "{page}");
    let row = page.lines().find(|row| row.contains("a[0] = 7;")).unwrap();
    assert!(row.contains(">guarded<") && !row.contains(">parallel<"), "{row}");
}

#[test]
fn a_browser_shows_the_page_without_complaint() {
    let folder = Folder::new();
    folder.tool(&["--html", "page.html", "a.c"]);
    let page = format!("file://{}", folder.path("page.html").display());
    // Root, as in containers, has no sandbox; the page is our own.
    let options = ["--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom", &page];
    let output = folder.run("chromium-headless-shell", &options);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("CONSOLE"), "{said}");
    // What the browser made of it: every line is a row of a table.
    let dom = String::from_utf8_lossy(&output.stdout);
    let rows = std::fs::read_to_string(folder.path("page.html")).unwrap().matches("<tr").count();
    assert_eq!(dom.matches("<tr").count(), rows);
    assert!(dom.contains("<td>      s += ext(a[i]);</td>"), "{dom}");
}

#[test]
fn remarks_have_three_forms() {
    let folder = Folder::new();
    let (_, text) = folder.tool(&["--remarks-format=text", "a.c", "-o", "a.bc"]);
    assert!(
        text.contains("a.c:14:1: remark: Transformed generic-mode kernel to SPMD-mode. [OMP120]\n"),
        "{text}"
    );
    // Bitcode is read as text is.
    folder.tool(&["a.bc", "--remarks-format=json", "--remarks-output", "r.json", "-o", "b.ll"]);
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path("r.json")).unwrap()).unwrap();
    assert_eq!(
        (&json[0]["id"], &json[0]["kind"], &json[0]["line"]),
        (&"OMP121".into(), &"analysis".into(), &7.into())
    );
    folder.tool(&["a.c", "--remarks-output", "r.yaml", "-o", "b.ll"]);
    let yaml = std::fs::read_to_string(folder.path("r.yaml")).unwrap();
    assert!(yaml.contains("--- !Passed\nPass:            openmp-opt\nName:            OMP120\n"), "{yaml}");
    assert!(yaml.contains("DebugLoc:        { File: 'a.c', Line: 14, Column: 1 }"), "{yaml}");
}

#[test]
fn wrong_input_ends_with_a_message() {
    let folder = Folder::new();
    let cases: [(&[&str], i32, &str); 6] = [
        (&["none.ll"], 1, "cannot read none.ll"),
        (&["a.c", "-o", "no/such/folder.ll"], 1, "cannot write no/such/folder.ll"),
        (&["a.c", "--", "-DSYNTAX", "-Dint=+"], 1, "does not compile a.c"),
        (&["a.c", "--openmp-opt-disable-all"], 2, "unknown option --openmp-opt-disable-all"),
        (&["a.c", "--remarks-format=xml"], 2, "xml"),
        (&[], 2, "INPUT"),
    ];
    for (arguments, code, message) in cases {
        let output = folder.run(TOOL, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
}

/// Where LLVM's bitcode tells its epoch, behind the name of its maker: [0, 1, 2, ...] as LLVM raises it when older readers
/// must not go on.
#[test]
fn bitcode_of_a_newer_llvm_is_refused() {
    let folder = Folder::new();
    folder.tool(&["a.c", "-o", "a.bc"]);
    let mut bitcode = std::fs::read(folder.path("a.bc")).unwrap();
    bitcode[28] ^= 1 << 3;
    std::fs::write(folder.path("newer.bc"), bitcode).unwrap();
    let output = folder.run(TOOL, &["newer.bc", "-o", "b.bc"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in
        ["newer.bc is no LLVM IR that LLVM 22 reads", "Incompatible epoch: Bitcode '1' vs current: '0'"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert!(!folder.path("b.bc").exists());
}

/// Modules of LLVM 19 are read as well.
#[test]
fn bitcode_of_clang_19_is_converted() {
    let clang = Path::new("/usr/lib/llvm-19/bin/clang");
    if !clang.exists() {
        eprintln!("left out: clang-19 is not installed");
        return;
    }
    let folder = Folder::new();
    let options = "-O2 -Xclang -disable-llvm-passes -fopenmp --offload-arch=sm_90 --offload-device-only -nogpulib -nogpuinc \
                   -emit-llvm -c a.c -o a.bc";
    let output = folder.run(clang, &options.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (module, said) = folder.tool(&["a.bc", "--remarks-format=text"]);
    assert!(said.contains("[OMP120]") && module.contains("i8 0, i8 0, i8 3"), "{said}");
}

#[test]
fn the_same_input_gives_the_same_output() {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/value_for_all_threads.ll");
    let folder = Folder::new();
    let run = || folder.tool(&["-S", input.to_str().unwrap()]).0;
    let first = run();
    // Sets have another order in each process.
    assert!((0..8).all(|_| run() == first));
}
