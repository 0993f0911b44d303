//! Broken modules never crash the tool: it refuses them, leaves them alone, or writes a module that LLVM's verifier takes.
//!
//! The modules are the `.ll` files beside this one with lines removed, repeated, exchanged, and with operands of other
//! lines. `OMPTARGET_MUTATIONS` says how many are tried (40), `OMPTARGET_MUTATION_SEED` which ones.

use std::path::Path;
use std::process::{Command, Output};

const TOOL: &str = env!("CARGO_BIN_EXE_omptarget-opt");

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: a number")))
}

/// 0 and 1 are answers; a signal, a panic and the tool's own blame of itself are not.
fn check(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    let fine = matches!(output.status.code(), Some(0 | 1)) && !said.contains("which is their fault");
    assert!(fine, "{what}: {}:\n{said}", output.status);
}

#[test]
fn mutated_modules_do_not_crash_the_tool() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .collect();
    files.sort();
    let modules: Vec<Vec<String>> = files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect())
        .collect();
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("mutated.ll");
    let (count, first) = (number("OMPTARGET_MUTATIONS", 40), number("OMPTARGET_MUTATION_SEED", 0));
    let mut accepted = 0;
    for seed in first..first + count {
        let mut random = fastrand::Rng::with_seed(seed);
        let module = &modules[random.usize(..modules.len())];
        std::fs::write(&input, mutated(module, &mut random)).unwrap();
        let mut command = Command::new(TOOL);
        command.arg(&input).arg("-o").arg(scratch.path().join("out.bc"));
        if random.bool() {
            command.arg("--whole-program");
        }
        let output = command.output().unwrap();
        check(
            &output,
            &format!("OMPTARGET_MUTATION_SEED={seed}\n{}", std::fs::read_to_string(&input).unwrap()),
        );
        accepted += u64::from(output.status.success());
    }
    // Else only the parser was tested.
    assert!(count < 20 || accepted * 10 > count, "{accepted} of {count} modules were valid");
}

/// One or two changes to lines of code.
fn mutated(module: &[String], random: &mut fastrand::Rng) -> String {
    let mut lines = module.to_vec();
    for _ in 0..random.u32(1..=2) {
        let code: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("  ")).collect();
        if code.is_empty() {
            break;
        }
        let at = code[random.usize(..code.len())];
        let other = code[random.usize(..code.len())];
        match random.u32(..6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => {
                // Another constant.
                let numbers = ["0", "1", "-1", "3", "2147483648"];
                let to = format!("i32 {}", numbers[random.usize(..numbers.len())]);
                lines[at] = lines[at].replacen("i32 1", &to, 1);
            }
            4 => {
                lines[at] =
                    lines[at].replacen("%a", ["null", "poison", "@where", "%dyn"][random.usize(..4)], 1)
            }
            _ => {
                // Another way.
                let labels: Vec<String> = lines
                    .iter()
                    .filter_map(|line| line.strip_suffix(':'))
                    .filter(|label| !label.contains([' ', ';']))
                    .map(str::to_owned)
                    .collect();
                if let Some(start) = lines[at].rfind("label %").filter(|_| !labels.is_empty()) {
                    let to = &labels[random.usize(..labels.len())];
                    lines[at] = format!("{}label %{to}", &lines[at][..start]);
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn functions_of_llvm_stress_do_not_crash_the_tool() {
    let stress = Path::new("/usr/lib/llvm-22/bin/llvm-stress");
    assert!(stress.exists(), "llvm-stress is not there: `cargo xtask setup` installs LLVM 22");
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promised_no_parallelism.ll");
    let kernel = std::fs::read_to_string(kernel).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("stress.ll");
    let count = number("OMPTARGET_MUTATIONS", 40) / 10;
    for seed in 0..count {
        let output = Command::new(stress).args(["-size=200", &format!("-seed={seed}")]).output().unwrap();
        assert!(output.status.success());
        // The kernel calls what llvm-stress made: `autogen_SD<seed>(ptr, ptr, ptr, i32, i64, i8)`.
        let function = String::from_utf8_lossy(&output.stdout).into_owned();
        let function: String = function
            .lines()
            .filter(|line| line.contains("define") || !line.contains("source_filename"))
            .map(|line| format!("{line}\n"))
            .collect();
        let call = format!("call void @autogen_SD{seed}(ptr %a, ptr %a, ptr %a, i32 1, i64 2, i8 3)");
        let module = kernel.replace("call void @ext(ptr %a)", &call);
        assert_ne!(module, kernel);
        std::fs::write(&input, module + &function).unwrap();
        let output =
            Command::new(TOOL).arg(&input).arg("-o").arg(scratch.path().join("out.bc")).output().unwrap();
        check(&output, &format!("llvm-stress -seed={seed}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
