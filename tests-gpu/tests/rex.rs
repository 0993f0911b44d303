//! Clients in the shape of the REX compiler's output (`kernels/rex`): registration by hand from a file, old entries,
//! packets of version 3 and 2, calls without packets or mappers, bare kernels. One binary runs with an image for this
//! CPU, with PTX on the SIMT device or a GPU, and on LLVM's libomptarget; none is linked with libomp.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests_gpu::stand_in::Host;
use tests_gpu::{Dist, Run, build};

/// A client with what it prints.
struct Client {
    name: &'static str,
    /// `{...}` is printed by kernels: grid and block as they were passed on a GPU, one of each on this CPU.
    expected: &'static str,
}

const CLIENTS: [Client; 5] = [
    Client {
        name: "shapes",
        expected: "{1 1}target: 0, 1 to 8\n{4 1}teams: 0, 0 10 60 70\n{1 6}parallel: 0, 1 51 70\n\
                   {1 4}loop: 0, 0 55 110 165\n",
    },
    Client {
        name: "data",
        expected: "first: 0, 1 on the host\nupdate: 1 46.25 50.75\nsecond: 0\nend: 1.25 1 -1 50.75\n",
    },
    Client { name: "threads", expected: "failures: 0\n" },
    Client { name: "axpy", expected: "axpy: 0, wrong: 0\nsums: 0, 500 500500 250250\n" },
    Client {
        name: "legacy",
        expected: "version 2: 0, 101 104\ntarget: 0, 201 204\nnowait: 0, 301 304\nmapper: 0, 401 404\n\
                   teams: 0, 501 504\nteams, mapper: 0, 601 604\nagain: 0, 701 704\n",
    },
];

impl Client {
    /// What it prints when kernels see these grids and blocks.
    fn output(&self, shape: impl Fn(&str) -> String) -> String {
        let mut parts = self.expected.split('{');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (passed, rest) = part.split_once('}').unwrap();
            text += &format!("grid {} environment 1\n{rest}", shape(passed));
        }
        text
    }

    fn on_this_cpu(&self) -> String {
        self.output(|_| "1 block 1".to_owned())
    }

    fn on_a_gpu(&self) -> String {
        self.output(|passed| passed.replacen(' ', " block ", 1))
    }
}

fn source(name: &str) -> PathBuf {
    build::source(&format!("rex/{name}"))
}

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let mut command = Command::new("clang-22");
    command.args(arguments).arg(source).arg("-o").arg(output);
    let result = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success() && said.is_empty(), "{command:?}\n{said}");
}

/// Runs a binary in a folder that holds the image.
fn run(run: &Run, program: &Path, image: &Path) -> String {
    let outcome =
        run.clone().in_folder(image.parent().unwrap()).of(program).unwrap_or_else(|e| panic!("{e:#}"));
    outcome.successful().unwrap_or_else(|e| panic!("{e:#}")).stdout
}

/// Builds a client and its images and runs it everywhere.
fn everywhere(name: &str) {
    let client = CLIENTS.iter().find(|client| client.name == name).unwrap();
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rex").join(name);
    let (cpu, gpu) = (folder.join("x86/rex_lib_nvidia.cubin"), folder.join("ptx/rex_lib_nvidia.cubin"));
    for image in [&cpu, &gpu] {
        fs::create_dir_all(image.parent().unwrap()).unwrap();
    }
    let program = folder.join(name);
    let library = dist.folder().join("lib").display().to_string();
    let (search, path) = (format!("-L{library}"), format!("-Wl,-rpath,{library}"));
    clang(&["-O1", "-Wall", &search, &path, "-lomptarget"], &source(&format!("{name}.c")), &program);
    let device = source(&format!("{name}_device.cpp"));
    clang(&["-O1", "-Wall", "-fPIC", "-shared"], &device, &cpu);
    let ptx =
        ["--target=nvptx64-nvidia-cuda", "-march=sm_75", "-Xclang", "-target-feature", "-Xclang", "+ptx63"];
    clang(&[&ptx[..], &["-O1", "-Wall", "-S"]].concat(), &device, &gpu);

    assert_eq!(run(&Run::on_device(), &program, &cpu), client.on_this_cpu(), "an image for this CPU");
    assert_eq!(run(&Run::on_device(), &program, &gpu), client.on_a_gpu(), "PTX");
    assert_eq!(run(&Host::Llvm22.on_host_cpu(), &program, &cpu), client.on_this_cpu(), "LLVM's libomptarget");
    let checked = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_CHECK", "all");
    assert_eq!(run(&checked, &program, &gpu), client.on_a_gpu(), "under the checkers");
}

macro_rules! clients {
    ($($name:ident)+) => {$(
        #[test]
        fn $name() {
            everywhere(stringify!($name));
        }
    )+};
}
clients!(shapes data threads axpy legacy);

/// The host constructs of OpenMP are libomp's: a client links without them, and our library defines none of them.
#[test]
fn host_constructs_are_not_ours() {
    let dist = Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let library = fs::read(dist.folder().join("lib/libomptarget.so")).unwrap();
    let file = object::File::parse(&*library).unwrap();
    use object::{Object, ObjectSymbol};
    let defined: Vec<_> = file.dynamic_symbols().filter(|symbol| symbol.is_definition()).collect();
    for symbol in defined {
        let name = symbol.name().unwrap();
        assert!(!name.starts_with("__kmpc_") || name.starts_with("__kmpc_push_target_tripcount"), "{name}");
    }
}

/// What is wrong with sources as artefacts of REX: its rules for a host file and its device file.
fn broken_rules(host: &str, device: &str) -> Vec<String> {
    let count = |text: &str, word: &str| text.matches(word).count();
    let kernels: Vec<&str> = device.lines().filter(|line| line.starts_with("REX_GLOBAL void ")).collect();
    let hidden = "(void *__launch_environment, ";
    let (entries, calls) = (count(host, "REX_ENTRY struct"), count(host, "__tgt_target_kernel(__device_id,"));
    let mut broken = Vec::new();
    let mut rule = |holds: bool, text: String| {
        if !holds {
            broken.push(text);
        }
    };
    rule(count(host, "#include \"rex_kmp.h\"") == 1, "one include of rex_kmp.h".into());
    rule(count(host, "rex_offload_init();") == 1, "one rex_offload_init()".into());
    rule(count(host, "rex_offload_fini") == 0, "no fini".into());
    rule(count(device, "extern \"C\"") == 1, "one extern \"C\"".into());
    rule(entries == kernels.len(), format!("{entries} entries for {} kernels", kernels.len()));
    rule(calls == kernels.len(), format!("{calls} calls for {} kernels", kernels.len()));
    for kernel in kernels {
        rule(kernel.matches(hidden).count() == 1, format!("one hidden parameter first: {kernel}"));
        let name = kernel["REX_GLOBAL void ".len()..].split('(').next().unwrap();
        rule(host.contains(&format!("\"{name}\"")), format!("an entry for {name}"));
        rule(device.contains(&format!("char {name}_exec_mode = 0;")), format!("a mode for {name}"));
    }
    broken
}

#[test]
fn sources_keep_the_rules_of_rex() {
    let read = |name: String| fs::read_to_string(source(&name)).unwrap();
    let rules = |name: &str| broken_rules(&read(format!("{name}.c")), &read(format!("{name}_device.cpp")));
    for name in ["shapes", "data", "threads", "axpy"] {
        assert_eq!(rules(name), Vec::<String>::new(), "{name}");
    }
    // This one breaks them on purpose: it unregisters, has no packet of version 3 and no hidden parameter.
    let broken = rules("legacy");
    for rule in ["no fini", "0 calls for 1 kernels", "one hidden parameter first: ", "a mode for "] {
        assert!(broken.iter().any(|text| text.starts_with(rule)), "{rule}: {broken:?}");
    }
}
