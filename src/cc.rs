//! `omptarget cc`: clang with the options that put our device runtime and host runtime into a program.

use crate::{architecture, directives, layout, libdevice};
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Ours: our passes over the device code of each file, and at the link over all of it, or not. The last one counts. Without one
/// they run if they can.
const PASSES: [&str; 2] = ["-fomptarget-opt", "-fno-omptarget-opt"];

/// clang's options that hand a word to the linkers of all devices, and to that of NVIDIA's code alone.
pub const FOR_LINKER: &str = "-Xoffload-linker";
/// As above.
pub const FOR_NVIDIA_LINKER: &str = "-Xoffload-linker-nvptx64-nvidia-cuda";

/// clang's option for the targets of device code, where architectures alone do not say them.
const TARGETS: &str = "-fopenmp-targets=";

/// clang's option that lets the passes see the names of variables. They drop them.
const KEEP_NAMES: &str = "-fno-discard-value-names";

/// Names another clang.
const CLANG: &str = "OMPTARGET_CLANG";

/// Where Debian's packages put LLVM 22.
pub const LLVM_FOLDER: &str = "/usr/lib/llvm-22/bin";

/// Runs `driver` (`clang` or `clang++`) with the user's arguments and ours, and gives its exit code.
///
/// # Errors
/// There is no installation around this program, or clang cannot be started.
pub fn run(driver: &str, user: &[OsString]) -> Result<ExitCode> {
    let prefix = layout::prefix()?;
    let clang = find_clang(driver);
    let user = &architecture::without_native(user)?;
    let cuda = user.iter().rev().find_map(|argument| argument.to_str()?.strip_prefix("--cuda-path="));
    let wish = std::env::var_os(libdevice::VARIABLE);
    // Lives until clang has ended.
    let cuda = libdevice::folder(wish.as_deref(), &prefix, cuda.map(Path::new))?;
    let mut arguments = arguments(&prefix, user, directives::may_be_in_sources(&clang, user))?;
    check_plugin(&prefix, user)?;
    // The last one counts.
    let cuda = cuda.iter().map(|cuda| joined("--cuda-path=", cuda.path().as_os_str()));
    arguments.extend(unused_without_a_word(cuda.collect()));
    execute(&clang, &arguments, &[llvm_folder(&clang)])
        .with_context(|| format!("clang-22: `cargo xtask setup` installs it, {CLANG} names another"))
}

/// Runs a compiler with `first` in front of the PATH, and gives its exit code. With `-v` it shows the command.
///
/// # Errors
/// It cannot be started.
pub fn execute(compiler: &Path, arguments: &[OsString], first: &[&Path]) -> Result<ExitCode> {
    if arguments.iter().any(|argument| argument == "-v" || argument == "-###") {
        let folders: String = first.iter().map(|folder| format!("{}:", folder.display())).collect();
        eprintln!("PATH={folders}$PATH {}", shell_line(compiler, arguments));
    }
    let mut command = Command::new(compiler);
    command.args(arguments).env("PATH", path_with(first));
    let status = command.status().with_context(|| format!("cannot start {}", compiler.display()))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// With these clang does not link.
const WITHOUT_LINK: [&str; 3] = ["-c", "-S", "-fsyntax-only"];

/// What clang gets: a configuration file, whose unused options stay silent, then the user's own arguments. Sources without
/// `directives` have no device code, but objects and libraries beside them may.
fn arguments(prefix: &Path, user: &[OsString], directives: bool) -> Result<Vec<OsString>> {
    let has = |option: &str| user.iter().any(|argument| argument.to_string_lossy().starts_with(option));
    let architectures = architecture::named(user);
    let own_target = has(TARGETS);
    let nvidia = nvidia_target(user);
    let links = !WITHOUT_LINK.iter().any(|option| user.iter().any(|argument| argument == *option));
    let for_nvidia = !own_target || nvidia.is_some();

    let mut all = vec![joined("--config=", prefix.join(layout::CONFIG).as_os_str())];
    match (architectures.is_empty(), nvidia) {
        (true, Some(target)) => all.extend([
            format!("-Xopenmp-target={target}").into(),
            format!("-march={}", architecture::DEFAULT).into(),
        ]),
        (true, None) if !own_target && (directives || links) => {
            all.push(format!("--offload-arch={}", architecture::DEFAULT).into())
        }
        _ => {}
    }
    let mut silent = Vec::new();
    if !has("--cuda-path") && for_nvidia {
        silent.push(joined("--cuda-path=", architecture::stand_in(prefix, &architectures)?.as_os_str()));
    }
    if !directives {
        // clang's declarations for device code.
        silent.push("-nogpuinc".into());
    }
    if for_nvidia && runs_passes(prefix, user, CLANG) {
        let options = [on_files(prefix), KEEP_NAMES.into()];
        silent.extend(options.into_iter().flat_map(|option| ["-Xarch_device".into(), option]));
        silent.extend(at_link(prefix, user));
    }
    all.extend(unused_without_a_word(silent));
    all.extend(user.iter().filter(|argument| !is_about_passes(argument)).cloned());
    Ok(all)
}

/// Options for device code and for the link, of which a command may do neither.
fn unused_without_a_word(options: Vec<OsString>) -> Vec<OsString> {
    if options.is_empty() {
        return options;
    }
    let [start, end] = ["--start-no-unused-arguments", "--end-no-unused-arguments"].map(OsString::from);
    std::iter::once(start).chain(options).chain([end]).collect()
}

/// Refuses to go on without passes if the user wants them.
///
/// # Errors
/// They are not installed.
pub fn check_plugin(prefix: &Path, user: &[OsString]) -> Result<()> {
    let plugin = prefix.join(layout::PASS_PLUGIN);
    if wants_passes(user) == Some(true) && !plugin.is_file() {
        bail!("{}: {} is not there; `cargo xtask dist` makes it", PASSES[0], plugin.display());
    }
    Ok(())
}

/// Whether an argument is ours, and not for the compiler.
pub fn is_about_passes(argument: &OsStr) -> bool {
    PASSES.iter().any(|option| argument == *option)
}

/// Whether the last word about our passes is for them; none if there is no word.
pub fn wants_passes(user: &[OsString]) -> Option<bool> {
    let last = user.iter().rfind(|argument| is_about_passes(argument));
    last.map(|option| option == PASSES[0])
}

/// The first of the targets that the user names that is NVIDIA's, as it is written.
fn nvidia_target(user: &[OsString]) -> Option<&str> {
    let targets = user.iter().filter_map(|argument| argument.to_str()?.strip_prefix(TARGETS));
    targets.flat_map(|list| list.split(',')).find(|target| target.starts_with("nvptx64"))
}

/// Whether our passes run: if the user wants them, or says nothing and they are there for this compiler. `compiler` is the variable
/// that names another one: the plugin is linked with the LLVM library of Debian's.
pub fn runs_passes(prefix: &Path, user: &[OsString], compiler: &str) -> bool {
    let can = || std::env::var_os(compiler).is_none() && prefix.join(layout::PASS_PLUGIN).is_file();
    wants_passes(user).unwrap_or_else(can)
}

/// The option that runs the passes on the code of each file. Code of the host they leave alone.
pub fn on_files(prefix: &Path) -> OsString {
    joined("-fpass-plugin=", prefix.join(layout::PASS_PLUGIN).as_os_str())
}

/// The options that run them at the link, where callees in other files and behind pointers are known. The device linker
/// forgets `-Rpass`: it gets LLVM's own options for remarks.
pub fn at_link(prefix: &Path, user: &[OsString]) -> Vec<OsString> {
    let linker = if nvidia_target(user).is_some() { FOR_NVIDIA_LINKER } else { FOR_LINKER };
    let remarks = user.iter().filter_map(|argument| argument.to_str()?.strip_prefix("-Rpass"));
    let remarks = remarks.filter(|wish| wish.contains('=')).map(|wish| format!("-pass-remarks{wish}").into());
    std::iter::once(joined("-load-pass-plugin=", prefix.join(layout::PASS_PLUGIN).as_os_str()))
        .chain(remarks)
        // The only linker, unless the user names other targets too.
        .flat_map(|option| [linker.into(), "-mllvm".into(), linker.into(), option])
        .collect()
}

/// An option and its value as one argument.
pub fn joined(option: &str, value: &OsStr) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(value);
    argument
}

/// `OMPTARGET_CLANG` (with `++` appended for C++), else Debian's folder, else the PATH.
fn find_clang(driver: &str) -> PathBuf {
    if let Some(clang) = std::env::var_os(CLANG) {
        let plus = driver.strip_prefix("clang").unwrap_or("");
        let mut name = clang;
        name.push(plus);
        return name.into();
    }
    let packaged = Path::new(LLVM_FOLDER).join(driver);
    if packaged.exists() { packaged } else { format!("{driver}-22").into() }
}

/// The folder that must come first on the PATH: clang-linker-wrapper looks there for a program called `clang`.
pub fn llvm_folder(clang: &Path) -> &Path {
    clang.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(LLVM_FOLDER))
}

fn path_with(first: &[&Path]) -> OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().map(|folder| folder.to_path_buf()).chain(std::env::split_paths(&rest));
    std::env::join_paths(folders).unwrap_or(rest.clone())
}

/// A word as a shell reads it back.
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=/.,:+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command as one line that a shell reads back.
fn shell_line(program: &Path, arguments: &[OsString]) -> String {
    let words = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "--config=/p/etc/omptarget.cfg";
    const START: &str = "--start-no-unused-arguments";
    const END: &str = "--end-no-unused-arguments";

    fn words(user: &[&str], directives: bool) -> Vec<String> {
        let user: Vec<OsString> = user.iter().map(OsString::from).collect();
        let all = arguments(Path::new("/p"), &user, directives).unwrap();
        all.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    fn with(user: &[&str]) -> Vec<String> {
        words(user, true)
    }

    #[test]
    fn a_plain_command_gets_the_ptx_route_for_sm_90() {
        assert_eq!(
            with(&["-O2", "a.c"]),
            [CONFIG, "--offload-arch=sm_90", START, "--cuda-path=/p/cuda", END, "-O2", "a.c"]
        );
    }

    #[test]
    fn a_newer_architecture_gets_a_newer_ptx_version() {
        let words = with(&["--offload-arch=sm_90,sm_120", "a.c"]);
        assert_eq!(words[..3], [CONFIG, START, "--cuda-path=/p/cuda-12.8"]);
    }

    #[test]
    fn a_cuda_folder_of_the_user_gives_cubins() {
        let words = with(&["--cuda-path=/cuda", "a.c"]);
        assert_eq!(words, [CONFIG, "--offload-arch=sm_90", "--cuda-path=/cuda", "a.c"]);
    }

    #[test]
    fn the_passes_run_on_files_and_at_the_link() {
        let plugin = "/p/lib/omptarget-passes.so";
        let words = with(&["-Rpass-missed=openmp", "-fomptarget-opt", "a.c"])[4..].join(" ");
        let expected = format!(
            "-Xarch_device -fpass-plugin={plugin} -Xarch_device {KEEP_NAMES} \
             -Xoffload-linker -mllvm -Xoffload-linker -load-pass-plugin={plugin} \
             -Xoffload-linker -mllvm -Xoffload-linker -pass-remarks-missed=openmp \
             {END} -Rpass-missed=openmp a.c"
        );
        assert_eq!(words, expected);
        assert_eq!(with(&["-fomptarget-opt", "a.c", "-fno-omptarget-opt"])[4..], [END, "a.c"]);
    }

    #[test]
    fn with_the_cpu_as_device_the_plugin_is_for_nvidias_code_alone() {
        let alone = with(&["-fomptarget-opt", "-fopenmp-targets=x86_64-pc-linux-gnu", "a.c"]);
        assert_eq!(alone, [CONFIG, "-fopenmp-targets=x86_64-pc-linux-gnu", "a.c"]);
        let both = with(&[
            "-fomptarget-opt",
            "-fopenmp-targets=nvptx64-nvidia-cuda,x86_64-pc-linux-gnu",
            "-Xopenmp-target=nvptx64-nvidia-cuda",
            "-march=sm_120",
            "a.c",
        ]);
        assert_eq!(both[..3], [CONFIG, START, "--cuda-path=/p/cuda-12.8"]);
        let plugin = format!("{FOR_NVIDIA_LINKER} -mllvm {FOR_NVIDIA_LINKER} -load-pass-plugin=");
        assert!(both.join(" ").contains(&plugin), "{both:?}");
    }

    #[test]
    fn sources_without_directives_are_compiled_for_the_host() {
        let silent = [START, "--cuda-path=/p/cuda", "-nogpuinc", END];
        let with = |user: &[&str]| words(user, false)[1..].to_vec();
        assert_eq!(with(&["-c", "a.c"]), [&silent[..], &["-c", "a.c"]].concat());
        let linked = ["a.c", "b.o"];
        assert_eq!(with(&linked), [&["--offload-arch=sm_90"], &silent[..], &linked].concat());
        let named = ["-c", "a.c", "--offload-arch=sm_80"];
        assert_eq!(with(&named), [&silent[..], &named].concat());
    }

    #[test]
    fn a_target_without_an_architecture_gets_the_default() {
        let words = with(&["-fopenmp-targets=nvptx64", "a.c"]);
        assert_eq!(words[1..4], ["-Xopenmp-target=nvptx64", "-march=sm_90", START]);
    }

    #[test]
    fn the_passes_run_where_they_are_installed_unless_the_user_refuses() {
        let prefix = tempfile::tempdir().unwrap();
        let plugin = prefix.path().join(layout::PASS_PLUGIN);
        std::fs::create_dir_all(plugin.parent().unwrap()).unwrap();
        std::fs::write(&plugin, "").unwrap();
        let loads = |user: &[&str]| {
            let user: Vec<OsString> = user.iter().map(OsString::from).collect();
            let all = arguments(prefix.path(), &user, true).unwrap();
            all.iter().filter(|word| word.to_string_lossy().contains("omptarget-passes.so")).count()
        };
        assert_eq!(loads(&["a.c"]), 2);
        assert_eq!(loads(&["-fomptarget-opt", "a.c"]), 2);
        assert_eq!(loads(&["-fno-omptarget-opt", "a.c"]), 0);
        assert_eq!(loads(&["-fopenmp-targets=x86_64-pc-linux-gnu", "a.c"]), 0);
    }

    #[test]
    fn an_amd_architecture_is_refused() {
        let error =
            arguments(Path::new("/p"), &["--offload-arch=gfx90a".into()], true).unwrap_err().to_string();
        assert!(error.contains("gfx90a"), "{error}");
    }

    #[test]
    fn the_folder_of_clang_comes_first_on_the_path() {
        assert_eq!(llvm_folder(Path::new("/opt/llvm/bin/clang")), Path::new("/opt/llvm/bin"));
        assert_eq!(llvm_folder(Path::new("clang-22")), Path::new(LLVM_FOLDER));
        let path = path_with(&[Path::new("/first"), Path::new("/second")]);
        assert!(path.to_string_lossy().starts_with("/first:/second:"));
    }

    #[test]
    fn the_printed_command_can_be_pasted() {
        let line = shell_line(Path::new("clang"), &["-DX=\"a b\"".into(), "it's".into(), "-O2".into()]);
        assert_eq!(line, r#"clang '-DX="a b"' 'it'\''s' -O2"#);
    }
}
