//! The device by itself, with images that the C compiler makes.

use super::memory::{FREED, FRESH};
use super::*;
use core::sync::atomic::{AtomicU32, Ordering};
use std::process::Command;
use std::sync::LazyLock;

/// What clang would generate, by hand: kernels whose first parameter is an address of the test.
const SOURCE: &str = r"
int counter = 5;
static int here[3] = {1, 2, 3};
int *pointer = here;
/* What libomp answers for the host. */
int omp_get_device_num(void) { return -7; }
int omp_is_initial_device(void) { return 1; }

void count(int *result) { *result = ++counter; }
void ask(int *result) { result[0] = omp_get_device_num(); result[1] = omp_is_initial_device(); }
void add(int *result, long a, long b, long c, long d, long e, long f, long g) { *result += a+b+c+d+e+f+g; }
void wait_for(volatile unsigned *flag, unsigned value) { while (__atomic_load_n(flag, 5) != value) ; }
void put(unsigned *flag, unsigned value) { __atomic_store_n(flag, value, 5); }
void crash(int *p) { *p = 1; }
void trap(void) { __builtin_trap(); }
int deep(volatile char *p) { volatile char more[4096]; more[0] = *p; return deep(more) + more[0]; }
void overflow(void) { char c = 1; deep(&c); }
";

static IMAGE: LazyLock<Vec<u8>> = LazyLock::new(|| compiled(SOURCE, &[]));

/// A shared object of a source.
fn compiled(source: &str, options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (file, object) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new("cc");
    command.args(["-O1", "-fPIC", "-shared"]).args(options).arg(&file).arg("-o").arg(&object);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(object).unwrap()
}

/// A device with the image and a queue.
struct Fixture {
    device: HostDevice,
    image: ImageHandle,
    queue: QueueHandle,
}

impl Fixture {
    fn new(number: i32) -> Self {
        let device = HostDevice::new(number, &Settings::default());
        let kind = ImageKind::of(&IMAGE);
        assert_eq!(kind, ImageKind::HostElf);
        let image = device.load(&IMAGE, &kind).unwrap();
        let queue = device.create_queue().unwrap();
        Self { device, image, queue }
    }

    fn launch_on(&self, queue: QueueHandle, kernel: &CStr, arguments: &[u64]) {
        let (function, _) = self.device.function(self.image, kernel).unwrap().unwrap();
        let launch = Launch { function, grid: [1; 3], block: [1; 3], shared_memory: 0 };
        self.device.launch(queue, &launch, arguments).unwrap();
    }

    /// Launches and waits.
    fn run(&self, kernel: &CStr, arguments: &[u64]) -> DeviceResult<()> {
        self.launch_on(self.queue, kernel, arguments);
        self.device.synchronize(self.queue)
    }

    /// Runs a kernel that writes integers.
    fn results<const N: usize>(&self, kernel: &CStr, more: &[u64]) -> [i32; N] {
        let mut results = [0_i32; N];
        let mut arguments = vec![address(&raw mut results)];
        arguments.extend(more);
        self.run(kernel, &arguments).unwrap();
        results
    }

    fn read<const N: usize>(&self, from: DevicePtr) -> [u8; N] {
        let mut bytes = [0; N];
        // SAFETY: the bytes are borrowed until the synchronization.
        unsafe { self.device.retrieve(self.queue, bytes.as_mut_ptr(), from, N).unwrap() };
        self.device.synchronize(self.queue).unwrap();
        bytes
    }
}

fn address<T>(place: *const T) -> u64 {
    place.expose_provenance() as u64
}

#[test]
fn each_device_has_globals_of_its_own() {
    let (first, second) = (Fixture::new(0), Fixture::new(1));
    assert_eq!((first.results(c"count", &[]), first.results(c"count", &[])), ([6], [7]));
    assert_eq!(second.results(c"count", &[]), [6]);
    let (counter, size) = first.device.global(first.image, c"counter").unwrap().unwrap();
    assert_eq!((first.read(counter), size), (7_i32.to_le_bytes(), 4));
}

#[test]
fn symbols_of_other_libraries_are_not_the_images() {
    let fixture = Fixture::new(0);
    for name in [c"malloc", c"no_such_symbol"] {
        assert_eq!(fixture.device.global(fixture.image, name).unwrap(), None);
        assert_eq!(fixture.device.function(fixture.image, name).unwrap(), None);
    }
}

#[test]
fn device_code_knows_where_it_runs() {
    assert_eq!(Fixture::new(0).results(c"ask", &[]), [0, 0]);
    assert_eq!(Fixture::new(3).results(c"ask", &[]), [3, 0]);
}

#[test]
fn a_device_number_without_an_answer_is_refused() {
    let device = HostDevice::new(32, &Settings::default());
    let error = device.load(&IMAGE, &ImageKind::HostElf).unwrap_err();
    assert_eq!(error.text, "device number 32 is too large");
    // The loader must not take the next image for the refused one.
    let device = HostDevice::new(0, &Settings::default());
    let image = compiled("int next;", &[]);
    let handle = device.load(&image, &ImageKind::HostElf).unwrap();
    assert!(device.global(handle, c"next").unwrap().is_some());
}

#[test]
fn arguments_on_the_stack() {
    assert_eq!(Fixture::new(0).results(c"add", &[1, 2, 3, 4, 5, 6, 7]), [28]);
}

#[test]
fn memory_shows_what_was_never_written() {
    let fixture = Fixture::new(0);
    let block = fixture.device.alloc(100, AllocKind::Device).unwrap();
    assert!(block.0.is_multiple_of(256));
    assert_eq!(fixture.read(block), [FRESH; 100]);
    fixture.device.fill(fixture.queue, block, 7, 50).unwrap();
    fixture.device.exchange(fixture.queue, block.offset(50), block, 50).unwrap();
    assert_eq!(fixture.read(block), [7; 100]);
    fixture.device.free(block, AllocKind::Device).unwrap();
    assert_eq!(fixture.read(block), [FREED; 100], "a stale address");
    let error = fixture.device.free(block, AllocKind::Device).unwrap_err();
    assert_eq!(error.to_string(), format!("error in x86 device: free: no block begins at {:#018x}", block.0));
}

#[test]
fn more_memory_than_there_is() {
    let fixture = Fixture::new(0);
    let too_much = physical_memory() + 1;
    let error = fixture.device.alloc(too_much, AllocKind::Device).unwrap_err();
    assert_eq!(error.text, format!("out of memory ({too_much} bytes)"));
    fixture.device.alloc(1, AllocKind::Device).unwrap();
}

/// The program goes on while a kernel runs, and two queues run side by side: in any other order this would not end.
#[test]
fn queues_are_asynchronous() {
    let fixture = Fixture::new(0);
    let other = fixture.device.create_queue().unwrap();
    let flag = AtomicU32::new(0);
    let at = address(flag.as_ptr());
    fixture.launch_on(fixture.queue, c"wait_for", &[at, 2]);
    assert_eq!(fixture.device.query(fixture.queue), Ok(false));
    fixture.launch_on(other, c"wait_for", &[at, 1]);
    fixture.launch_on(other, c"put", &[at, 2]);
    flag.store(1, Ordering::SeqCst);
    fixture.device.synchronize(fixture.queue).unwrap();
    fixture.device.synchronize(other).unwrap();
    assert_eq!(fixture.device.query(other), Ok(true));
}

#[test]
fn an_event_holds_back_what_waits_for_it() {
    let fixture = Fixture::new(0);
    let other = fixture.device.create_queue().unwrap();
    let event = fixture.device.create_event().unwrap();
    fixture.device.wait(other, event).unwrap(); // never recorded: nothing to wait for
    fixture.device.synchronize(other).unwrap();

    let (flag, second) = (AtomicU32::new(0), AtomicU32::new(0));
    let (at, at_second) = (address(flag.as_ptr()), address(second.as_ptr()));
    fixture.launch_on(fixture.queue, c"wait_for", &[at, 1]);
    fixture.launch_on(fixture.queue, c"put", &[at_second, 1]);
    fixture.device.record(fixture.queue, event).unwrap();
    fixture.device.wait(other, event).unwrap();
    fixture.launch_on(other, c"wait_for", &[at_second, 1]);
    fixture.launch_on(other, c"put", &[at_second, 2]);
    flag.store(1, Ordering::SeqCst);
    fixture.device.synchronize(other).unwrap();
    assert_eq!(second.load(Ordering::SeqCst), 2);
}

#[test]
fn unloading_waits_for_kernels() {
    let fixture = Fixture::new(0);
    let flag = AtomicU32::new(0);
    fixture.launch_on(fixture.queue, c"wait_for", &[address(flag.as_ptr()), 1]);
    std::thread::scope(|scope| {
        scope.spawn(|| fixture.device.unload(fixture.image).unwrap());
        flag.store(1, Ordering::SeqCst);
    });
    assert!(fixture.device.global(fixture.image, c"counter").is_err());
    assert!(fixture.device.unload(fixture.image).is_err());
}

#[test]
fn what_is_no_shared_object_is_refused_with_the_loaders_words() {
    let error = HostDevice::new(0, &Settings::default()).load(b"\x7fELF", &ImageKind::HostElf).unwrap_err();
    assert!(error.call.ends_with("dlopen") && !error.text.is_empty(), "{error}");
}

/// A fault cannot be undone, so each kind has a process: this test started again for itself alone.
#[test]
fn a_fault_is_an_error_that_names_the_kernel() {
    const KERNEL: &str = "HOSTRTL_TEST_FAULT";
    if let Some(kernel) = std::env::var_os(KERNEL) {
        let kernel = std::ffi::CString::new(kernel.into_encoded_bytes()).unwrap();
        let (fixture, other) = (Fixture::new(20), Fixture::new(21));
        let error = fixture.run(&kernel, &[16]).unwrap_err();
        println!("[{error}]");
        assert_eq!(fixture.device.synchronize(fixture.queue).unwrap_err(), error, "it stays");
        assert!(fixture.device.fill(fixture.queue, DevicePtr(16), 0, 1).is_err());
        assert_eq!(other.results(c"count", &[]), [6], "another device goes on");
        return;
    }
    for (kernel, expected) in [
        ("crash", "[error in crash: segmentation fault at address 0x0000000000000010]"),
        ("trap", "[error in trap: illegal instruction]"),
        ("overflow", "[error in overflow: segmentation fault at address 0x"),
    ] {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args([
            "--exact",
            "--nocapture",
            "device::host::tests::a_fault_is_an_error_that_names_the_kernel",
        ]);
        let output = again.env(KERNEL, kernel).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(expected), "{kernel}: {output:?}");
    }
}

/// The loader keeps such an object for good, and must not give it in the place of the next one.
#[test]
fn an_object_that_cannot_go_is_not_taken_for_another() {
    let device = HostDevice::new(0, &Settings::default());
    for name in ["first", "second"] {
        let image = compiled(&format!("int {name};"), &["-Wl,-z,nodelete"]);
        let handle = device.load(&image, &ImageKind::HostElf).unwrap();
        let name = std::ffi::CString::new(name).unwrap();
        assert!(device.global(handle, &name).unwrap().is_some(), "{name:?}");
        device.unload(handle).unwrap();
    }
}
