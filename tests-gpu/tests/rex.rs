//! Clients in the shape of the REX compiler's output (`kernels/rex`): registration by hand from a file, old entries,
//! packets of version 3 and 2, calls without packets or mappers, bare kernels. One binary runs with an image for this
//! CPU, with PTX on the SIMT device or a GPU, and on LLVM's libomptarget; none is linked with libomp.

use std::fs;
use std::path::Path;
use tests_gpu::rex::{CLIENTS, source};
use tests_gpu::stand_in::Host;
use tests_gpu::{Dist, Run, harness};

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
    let program = folder.join(name);
    let build = || {
        let images = (client.image_for_this_cpu(&folder.join("x86"))?, client.ptx(&folder.join("ptx"))?);
        client.program(&dist, &program).map(|()| images)
    };
    let (cpu, gpu) = build().unwrap_or_else(|e| panic!("{e:#}"));

    assert_eq!(run(&Run::on_device(), &program, &cpu), client.on_this_cpu(), "an image for this CPU");
    assert_eq!(run(&Run::on_device(), &program, &gpu), client.on_a_gpu(), "PTX");
    assert_eq!(run(&Host::Llvm22.on_host_cpu(), &program, &cpu), client.on_this_cpu(), "LLVM's libomptarget");
    let checked = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_CHECK", "all");
    assert_eq!(run(&checked, &program, &gpu), client.on_a_gpu(), "under the checkers");
}

/// The host constructs of OpenMP are libomp's: a client links without them, and our library defines none of them.
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

fn main() {
    // Each client is one trial.
    let clients = CLIENTS.iter().map(|client| harness::trial(client.name, move || everywhere(client.name)));
    let others = [
        harness::trial("host_constructs_are_not_ours", host_constructs_are_not_ours),
        harness::trial("sources_keep_the_rules_of_rex", sources_keep_the_rules_of_rex),
    ];
    harness::run(clients.chain(others).collect())
}
