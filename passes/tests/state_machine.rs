//! The worker loops of kernels that stay generic: remarks, environment, names of blocks and values.

use passes::{Report, Settings, ir, run};
use std::sync::atomic::{AtomicU32, Ordering};

/// What all modules have: two regions with their wrappers, an environment, and the runtime's declarations.
const COMMON: &str = r#"
target triple = "nvptx64-nvidia-cuda"
%Configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%Environment = type { %Configuration, ptr, ptr }
@ident = private constant i32 0
@k_kernel_environment = weak_odr protected constant %Environment { %Configuration { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @ident, ptr null }
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @unknown()
declare void @quiet() #0
@done = global i32 0
define internal void @first(ptr %g, ptr %b) {
  store i32 1, ptr @done
  ret void
}
define internal void @first_wrapper(i16 %l, i32 %t) { ret void }
define internal void @second(ptr %g, ptr %b) {
  store i32 2, ptr @done
  ret void
}
define internal void @second_wrapper(i16 %l, i32 %t) { ret void }
attributes #0 = { "llvm.assume"="omp_no_parallelism" }
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
"#;

const FIRST: &str = "call void @__kmpc_parallel_60(ptr @ident, i32 0, i32 1, i32 -1, i32 -1, ptr @first, ptr @first_wrapper, ptr null, i64 0, i32 0)\n";
const SECOND: &str = "call void @__kmpc_parallel_60(ptr @ident, i32 0, i32 1, i32 -1, i32 -1, ptr @second, ptr @second_wrapper, ptr null, i64 0, i32 0)\n";

/// A kernel called `name` with this serial code.
fn kernel(name: &str, body: &str) -> String {
    format!(
        "define void @{name}(ptr %dyn) {{
entry:
  %0 = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %exec_user_code = icmp eq i32 %0, -1
  br i1 %exec_user_code, label %user_code.entry, label %worker.exit
worker.exit:
  ret void
user_code.entry:
  {body}
  call void @__kmpc_target_deinit()
  ret void
}}
"
    )
}

/// Runs the pass on a module and gives the numbers of the remarks and the module's text. Conversion is off.
fn rewritten(module: &str, whole_program: bool) -> (String, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("state-machine-{}-{number}.ll", std::process::id()));
    std::fs::write(&file, format!("{COMMON}{module}")).unwrap();
    let context = ir::Context::default();
    let read = context.read(&file);
    std::fs::remove_file(&file).unwrap();
    let module = read.unwrap();
    let settings = Settings { whole_program, disable_spmdization: true, ..Settings::from_llvm() };
    let Report { remarks, .. } = run(module, &settings).unwrap();
    module.verify("after the pass").unwrap();
    let numbers: Vec<_> = remarks.given.iter().map(|given| given.remark.id()).collect();
    let result = (numbers.join(" "), module.text());
    module.dispose();
    result
}

/// That `text` has these parts in this order.
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part} is not there, or too early, in\n{text}") };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn remarks_tell_what_became_of_the_loop() {
    let calls = |callee: &str| format!("call void @{callee}()\n");
    let task = "%r = call i32 @__kmpc_omp_task(ptr @ident, i32 0, ptr null)\n";
    let declare_task = "declare i32 @__kmpc_omp_task(ptr, i32, ptr)\n";
    let rows: &[(&str, String, &str, &str)] = &[
        ("no region", kernel("k", ""), "OMP130", "i8 0, i8 1, i8 1"),
        ("a quiet function", kernel("k", &calls("quiet")), "OMP130", "i8 0, i8 1, i8 1"),
        ("one region", kernel("k", FIRST), "OMP131", "i8 0, i8 1, i8 1"),
        ("two regions", kernel("k", &(FIRST.to_owned() + SECOND)), "OMP131", "i8 0, i8 1, i8 1"),
        ("unknown", kernel("k", &(calls("unknown") + FIRST)), "OMP132 OMP133", "i8 0, i8 1, i8 1"),
        ("a task", declare_task.to_owned() + &kernel("k", task), "OMP132 OMP133", "i8 0, i8 1, i8 1"),
    ];
    for (name, module, remarks, environment) in rows {
        let (given, text) = rewritten(module, true);
        assert_eq!(given, *remarks, "{name}");
        assert!(text.contains(environment), "{name}: {text}");
    }
}

#[test]
fn one_file_alone_keeps_the_loop_of_the_runtime() {
    let (given, text) = rewritten(&kernel("k", FIRST), false);
    assert_eq!(given, "");
    assert!(text.contains("i8 1, i8 1, i8 1") && !text.contains("worker_state_machine"), "{text}");
}

#[test]
fn a_complete_set_is_compared_by_identities_and_the_last_needs_no_comparison() {
    let (_, text) = rewritten(&kernel("k", &(FIRST.to_owned() + SECOND + FIRST)), true);
    // The first is started twice: its wrapper is used in more places than an identity can stand for.
    in_order(&text, &["@second_wrapper.ID = private constant i8 undef"]);
    assert_eq!(text.matches("icmp eq ptr %worker.work_fn, @first_wrapper").count(), 1, "{text}");
    assert_eq!(text.matches("call void @first_wrapper(").count(), 1, "{text}");
    assert!(!text.contains("@first_wrapper.ID"), "{text}");
    in_order(
        &text,
        &[
            "%worker.work_fn.addr = alloca ptr",
            "call i32 @__kmpc_target_init",
            "%thread.is_worker = icmp ne i32 %0, -1",
            "br i1 %thread.is_worker, label %is_worker_check, label %thread.user_code.check",
            "is_worker_check:",
            "%block.hw_size = call i32 @__kmpc_get_hardware_num_threads_in_block()",
            "%warp.size = call i32 @__kmpc_get_warp_size()",
            "%block.size = sub i32 %block.hw_size, %warp.size",
            "%thread.is_main_or_worker = icmp slt i32 %0, %block.size",
            "label %worker_state_machine.begin, label %worker_state_machine.finished",
            "worker_state_machine.begin:",
            "call void @__kmpc_barrier_simple_generic(ptr @ident, i32 %0)",
            "%worker.is_active = call i1 @__kmpc_kernel_parallel(ptr %worker.work_fn.addr)",
            "%worker.work_fn = load ptr, ptr %worker.work_fn.addr",
            "%worker.is_done = icmp eq ptr %worker.work_fn, null",
            "label %worker_state_machine.finished, label %worker_state_machine.is_active.check",
            "worker_state_machine.finished:",
            "ret void",
            "worker_state_machine.is_active.check:",
            "label %worker_state_machine.parallel_region.check, label %worker_state_machine.done.barrier",
            "worker_state_machine.parallel_region.check:",
            "%worker.check_parallel_region = icmp eq ptr %worker.work_fn, @first_wrapper",
            "worker_state_machine.parallel_region.execute:",
            "call void @first_wrapper(i16 0, i32 %0)",
            "br i1 true, label %worker_state_machine.parallel_region.execute",
            "call void @second_wrapper(i16 0, i32 %0)",
            "worker_state_machine.parallel_region.end:",
            "call void @__kmpc_kernel_end_parallel()",
            "worker_state_machine.done.barrier:",
            "call void @__kmpc_barrier_simple_generic(ptr @ident, i32 %0)",
            "br label %worker_state_machine.begin",
            "thread.user_code.check:",
            "ptr @second, ptr @second_wrapper.ID",
        ],
    );
}

#[test]
fn what_is_not_known_is_called_through_the_pointer() {
    let (_, text) = rewritten(&kernel("k", &("call void @unknown()\n".to_owned() + FIRST)), true);
    in_order(
        &text,
        &[
            "icmp eq ptr %worker.work_fn, @first_wrapper",
            "worker_state_machine.parallel_region.fallback.execute:",
            "call void %worker.work_fn(i16 0, i32 %0)",
            "br label %worker_state_machine.parallel_region.end",
        ],
    );
    assert!(!text.contains(".ID ="), "{text}");
}

#[test]
fn the_old_protocol_names_the_function_itself() {
    let body = "call void @__kmpc_kernel_prepare_parallel(ptr @first_wrapper)\n";
    let module = "declare void @__kmpc_kernel_prepare_parallel(ptr)\n".to_owned() + &kernel("k", body);
    let (given, text) = rewritten(&module, true);
    // Who gets the function is not known to compare it with an identity.
    assert_eq!(given, "OMP131 OMP101");
    in_order(
        &text,
        &["br i1 true", "call void @first_wrapper(i16 0, i32 %0)", "prepare_parallel(ptr @first_wrapper)"],
    );
}

#[test]
fn a_region_that_other_code_may_start_keeps_its_address() {
    let module = format!("define void @shared() {{ {FIRST} ret void }}\n");
    let (given, text) = rewritten(&(module + &kernel("k", "call void @shared()\n")), true);
    assert_eq!(given, "OMP131 OMP100 OMP102");
    assert!(!text.contains(".ID ="), "{text}");
}
