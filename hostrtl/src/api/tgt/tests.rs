//! Whole target regions on the recorder: arguments, launches, counts of driver calls, failures.

use super::*;
use crate::device::recorder::{Recorder, Symbol};
use crate::env::Settings;
use crate::info::captured;
use crate::runtime::Runtime;
use crate::testing::{Map, addr, addr_mut, location, owned};
use abi::entry::{DeviceImage, OffloadEntry};
use abi::kernel::FallbackLaunchEnvironment;
use core::ptr::{null, null_mut};

const PTX: &[u8] = b".version 7.8\n.target sm_90\n";
static REGION: u8 = 0;
static GLOBAL: [u64; 2] = [3, 4];

const SPMD: u8 = 2;

fn environment(mode: u8, reduction_size: i32) -> Vec<u8> {
    let mut bytes = vec![0; 48];
    bytes[2] = mode;
    bytes[4..8].copy_from_slice(&1_i32.to_le_bytes());
    bytes[8..12].copy_from_slice(&128_i32.to_le_bytes());
    bytes[20..24].copy_from_slice(&reduction_size.to_le_bytes());
    bytes[24..28].copy_from_slice(&if reduction_size > 0 { 1024_i32 } else { 0 }.to_le_bytes());
    bytes
}

fn device(mode: u8, reduction_size: i32) -> Recorder {
    Recorder::new()
        .with_symbol("kernel", Symbol::Kernel(1024))
        .with_symbol("kernel_kernel_environment", Symbol::Global(environment(mode, reduction_size)))
        .with_symbol("global", Symbol::Global(vec![0; 16]))
        .with_symbol("__omp_rtl_device_environment", Symbol::Global(vec![0; 48]))
}

/// A runtime with one device and one registered program.
struct Program {
    recorder: Recorder,
    runtime: Runtime,
    descriptor: &'static BinaryDescriptor,
}

impl Program {
    fn new(recorder: Recorder, image: &'static [u8], settings: Settings) -> Self {
        let entry = |address: usize, name: &'static core::ffi::CStr, size| OffloadEntry {
            reserved: 0,
            version: 1,
            kind: 1,
            flags: 0,
            address: address as *mut c_void,
            symbol_name: name.as_ptr(),
            size,
            data: 0,
            aux_address: null_mut(),
        };
        let entries = [
            entry(addr(&REGION), c"kernel", 0),
            entry(addr(&GLOBAL), c"global", 16),
            entry(addr(&GLOBAL) + 64, c"unused_global", 8),
        ];
        let entries: &'static [OffloadEntry] = Box::leak(Box::new(entries));
        let images: &'static DeviceImage = Box::leak(Box::new(DeviceImage {
            image_start: image.as_ptr().cast(),
            image_end: image.as_ptr_range().end.cast(),
            entries_begin: null(),
            entries_end: null(),
        }));
        let descriptor: &'static BinaryDescriptor = Box::leak(Box::new(BinaryDescriptor {
            num_device_images: 1,
            device_images: images,
            host_entries_begin: entries.as_ptr().cast(),
            host_entries_end: entries.as_ptr_range().end.cast(),
        }));
        let runtime = Runtime::with_devices(settings, vec![Box::new(recorder.clone())]);
        // SAFETY: everything lives for ever.
        unsafe { runtime.register(descriptor) };
        Self { recorder, runtime, descriptor }
    }

    fn launch(&self, maps: &[Map], request: Request) -> Result<()> {
        self.launch_version(maps, request, true)
    }

    fn launch_version(&self, maps: &[Map], request: Request, hidden_parameter: bool) -> Result<()> {
        let mut arrays = owned(maps);
        let fallback = DynGroupprivateFallback::default();
        let arrays = arrays.raw();
        self.launch_packet(&Packet {
            arrays,
            request,
            shared_memory: 0,
            fallback,
            hidden_parameter,
            nowait: false,
        })
    }

    fn launch_packet(&self, packet: &Packet) -> Result<()> {
        let device = self.runtime.select(0, location()).expect("a device");
        // SAFETY: the tests map memory that lives through the construct.
        unsafe { start_kernel(&self.runtime, device, location(), addr(&REGION), packet) }?.finish()
    }
}

fn program(mode: u8, reduction_size: i32) -> Program {
    Program::new(device(mode, reduction_size), PTX, Settings::default())
}

/// Notes the arguments of each launch in device memory terms.
fn note_arguments(recorder: &Recorder) -> std::sync::Arc<std::sync::Mutex<Vec<u64>>> {
    let noted = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let inner = noted.clone();
    recorder.on_launch(move |_, arguments| *inner.lock().unwrap() = arguments.to_vec());
    noted
}

#[test]
fn first_use_loads_the_image_and_tells_it_about_the_device() {
    let program = program(SPMD, 0);
    program.launch(&[], Request { trip_count: 1000, ..Request::default() }).unwrap();
    assert_eq!(
        program.recorder.take_calls(),
        [
            "bind",
            "create_queue",
            "load 27 bytes, PTX for sm_90",
            "global __omp_rtl_device_environment",
            "submit 48",
            "synchronize",
            "global global",
            "global unused_global",
            "function kernel",
            "global kernel_kernel_environment",
            "retrieve 28",
            "synchronize",
            "launch [32, 1, 1] [32, 1, 1] 0",
            "synchronize",
        ]
    );
    let address = program.recorder.global_address("__omp_rtl_device_environment");
    let shown = program.recorder.read(address, 4);
    assert_eq!(shown, (!abi::device::CANCELLATION).to_le_bytes(), "all that a program was compiled to show");
    let numbers = program.recorder.read(address.offset(4), 8);
    assert_eq!(numbers, [1, 0, 0, 0, 0, 0, 0, 0], "device 0 of 1");
}

/// The cost of a warm launch: make the device current, launch, wait. A kernel with firstprivate variables, or with a
/// reduction over teams, adds one transfer for all of them together.
#[test]
fn driver_calls_of_a_warm_launch() {
    let data = [0_u64; 4];
    let value = 5_u32;
    let mapped = (addr(&data), addr(&data), 32, 0x23);
    let literal = (7, 7, 4, 0x120);
    let firstprivate = (addr(&value), addr(&value), 4, 0xa1);

    let plain = program(SPMD, 0);
    let device = plain.runtime.select(0, location()).unwrap();
    let mut arrays = owned(&[mapped]);
    // SAFETY: the memory lives to the end of the test.
    run_data(DataConstruct::Begin, device, location(), &mut unsafe { arrays.view() }).unwrap();
    plain.launch(&[mapped, literal], Request::default()).unwrap();
    plain.recorder.take_calls();
    plain.launch(&[mapped, literal], Request::default()).unwrap();
    assert_eq!(plain.recorder.take_calls(), ["bind", "launch [3200, 1, 1] [128, 1, 1] 0", "synchronize"]);

    let reduction = program(SPMD, 8);
    reduction.launch(&[literal, firstprivate, firstprivate], Request::default()).unwrap();
    reduction.recorder.take_calls();
    reduction.launch(&[literal, firstprivate, firstprivate], Request::default()).unwrap();
    assert_eq!(
        reduction.recorder.take_calls(),
        ["bind", "submit 56", "launch [3200, 1, 1] [128, 1, 1] 0", "synchronize"]
    );
}

/// A warm launch allocates nothing, and takes the lock of the mapping table, once, if it maps anything.
#[test]
fn allocations_and_locks_of_a_warm_launch() {
    let (mapped, also, value) = ([0_u64; 4], [0_u64; 4], 5_u32);
    let map = |data: &[u64; 4], kind| (addr(data), addr(data), 32, kind);
    let firstprivate = (addr(&value), addr(&value), 4, 0xa1);
    let literal = (7, 7, 4, 0x120);
    for (what, reduction, maps, expected) in [
        ("no maps", 0, vec![], (0, 1)),
        ("mapped data", 0, vec![map(&mapped, 0x23), map(&also, 0x21), literal], (0, 1)),
        ("private variables", 0, vec![firstprivate, firstprivate, literal], (0, 1)),
        ("a reduction over teams", 8, vec![map(&mapped, 0x23), firstprivate], (0, 1)),
        ("implicit pointers", 0, vec![(addr(&also), addr(&also), 0, 0x220)], (0, 1)),
    ] {
        let program = program(SPMD, reduction);
        let device = program.runtime.select(0, location()).unwrap();
        let mut arrays = owned(&[map(&mapped, 0x1), map(&also, 0x1)]);
        // SAFETY: the memory lives to the end of the test.
        run_data(DataConstruct::Begin, device, location(), &mut unsafe { arrays.view() }).unwrap();
        program.launch(&maps, Request::default()).unwrap();
        program.recorder.be_quiet(true);
        let mut arrays = owned(&maps);
        let raw = arrays.raw();
        let packet = Packet {
            arrays: raw,
            request: Request::default(),
            shared_memory: 0,
            fallback: DynGroupprivateFallback::default(),
            hidden_parameter: true,
            nowait: false,
        };
        let counts = crate::testing::count::of(|| {
            let device = program.runtime.select(0, location()).unwrap();
            // SAFETY: as above.
            let unfinished =
                unsafe { start_kernel(&program.runtime, device, location(), addr(&REGION), &packet) };
            unfinished.unwrap().finish().unwrap();
        });
        assert_eq!(counts, expected, "{what}");
    }
}

#[test]
fn arguments_of_a_kernel() {
    let program = program(SPMD, 0);
    let noted = note_arguments(&program.recorder);
    let mut data = [1_u64, 2, 3];
    let base = addr_mut(&mut data);
    let maps = [
        (base, base + 8, 16, 0x23),
        (7, 7, 4, 0x120),
        (base, base, 24, 0x1), // no kernel argument
        (0x1234, 0x1234, 0, 0x220),
    ];
    // The third map would extend the first one: map it before.
    let maps = [maps[2], maps[0], maps[1], maps[3]];
    program.recorder.on_launch({
        let noted = noted.clone();
        move |device, arguments| {
            *noted.lock().unwrap() = arguments.to_vec();
            let element = crate::device::DevicePtr(arguments[1] + 16);
            assert_eq!(device.read_u64(element), 3);
            device.write(element, &30_u64.to_le_bytes());
        }
    });
    program.launch(&maps, Request::default()).unwrap();
    let arguments = noted.lock().unwrap().clone();
    assert_eq!(arguments.len(), 4);
    assert_eq!(arguments[0], u64::MAX, "no launch environment needed");
    assert_eq!(arguments[2], 7);
    assert_eq!(arguments[3], 0x1234, "not mapped: the host address");
    assert_eq!(data, [1, 2, 3], "the enclosing map has no from");

    let tofrom = [(base, base, 24, 0x23)];
    program.launch(&tofrom, Request::default()).unwrap();
    assert_eq!(data, [1, 2, 30]);
}

#[test]
fn old_packets_have_no_hidden_argument() {
    let program = program(0, 0);
    let noted = note_arguments(&program.recorder);
    program.launch_version(&[(7, 7, 4, 0x120)], Request::default(), false).unwrap();
    assert_eq!(*noted.lock().unwrap(), [7]);
}

#[test]
fn launch_environment_of_a_reduction() {
    let program = program(SPMD, 8);
    program.recorder.on_launch(|device, arguments| {
        let environment = crate::device::DevicePtr(arguments[0]);
        assert_eq!(device.read_u64(environment), 0, "both counters");
        let buffer = crate::device::DevicePtr(device.read_u64(environment.offset(8)));
        device.write(buffer, &[1; 8 * 1024]);
        device.write(environment, &[9; 8]);
    });
    for _ in 0..2 {
        program.launch(&[], Request::default()).unwrap();
    }
    assert_eq!(program.recorder.count("launch"), 2);
}

fn shared_memory_of_launches(program: &Program) -> Vec<String> {
    let calls = program.recorder.take_calls();
    let launches = calls.iter().filter(|call| call.starts_with("launch"));
    launches.filter_map(|call| call.rsplit(' ').next().map(str::to_owned)).collect()
}

/// A launch that asks for more memory of its teams than the recorder's 227 KiB.
#[test]
fn memory_of_teams_that_is_no_shared_memory() {
    for (reduction, fallback) in [
        (0, DynGroupprivateFallback::DefaultMem),
        (8, DynGroupprivateFallback::DefaultMem),
        (8, DynGroupprivateFallback::Null),
        (0, DynGroupprivateFallback::Abort),
    ] {
        let program = program(SPMD, reduction);
        program.recorder.on_launch(move |device, arguments| {
            let environment = crate::device::DevicePtr(arguments[0]);
            if reduction > 0 {
                device
                    .write(crate::device::DevicePtr(device.read_u64(environment.offset(8))), &[1; 8 * 1024]);
            }
            if fallback == DynGroupprivateFallback::DefaultMem {
                let [mark, memory, size, stride] =
                    [16, 24, 32, 40].map(|offset| device.read_u64(environment.offset(offset)));
                assert_eq!((mark, size), (FallbackLaunchEnvironment::MARK, 300_001));
                assert!(stride >= size && stride.is_multiple_of(128));
                device.write(crate::device::DevicePtr(memory + 4 * stride), &[1; 300_001]);
            }
        });
        let request = Request { num_teams: [5, 0, 0], ..Request::default() };
        let mut arrays = owned(&[]);
        let mut packet = Packet {
            arrays: arrays.raw(),
            request,
            shared_memory: 300_001,
            fallback,
            hidden_parameter: true,
            nowait: false,
        };
        let outcome = program.launch_packet(&packet);
        if fallback == DynGroupprivateFallback::Abort {
            let words = outcome.unwrap_err().to_string();
            assert!(words.contains("300001 bytes") && words.contains("232448"), "{words}");
            assert_eq!(program.recorder.count("launch"), 0);
        } else {
            outcome.unwrap();
            assert_eq!(shared_memory_of_launches(&program), ["0"]);
        }
        packet.shared_memory = 227 << 10;
        program.recorder.on_launch(|_, _| {});
        program.launch_packet(&packet).unwrap();
        assert_eq!(shared_memory_of_launches(&program), ["232448"]);
    }
}

#[test]
fn private_variables() {
    let program = program(SPMD, 0);
    let small = [1_u32, 2, 3];
    let odd = [9_u8; 3];
    let large = vec![4_u64; 200];
    let large_address = large.as_ptr().expose_provenance();
    let scratch = 0_u64;
    let maps = [
        (addr(&odd), addr(&odd), 3, 0xa1),
        (addr(&small), addr(&small) + 4, 8, 0xa1),
        (large_address, large_address, 1600, 0xa1),
        (addr(&scratch), addr(&scratch), 8, 0xa0),
    ];
    let expected = small.map(u64::from);
    program.recorder.on_launch(move |device, arguments| {
        let at = |index: usize, offset| crate::device::DevicePtr(arguments[index]).offset(offset);
        assert_eq!(device.read(at(1, 0), 3), [9, 9, 9]);
        assert_eq!(arguments[2] % 4, 0, "aligned like the host");
        assert_eq!(device.read(at(2, 4), 4), (expected[1] as u32).to_le_bytes());
        assert_eq!(device.read(at(2, 8), 4), (expected[2] as u32).to_le_bytes());
        assert_eq!(device.read_u64(at(3, 1592)), 4);
        device.write(at(4, 0), &[1; 8]);
    });
    program.recorder.take_calls();
    program.launch(&maps, Request::default()).unwrap();
    let calls = program.recorder.take_calls();
    let submits: Vec<_> = calls.iter().filter(|call| call.starts_with("submit")).collect();
    assert_eq!(submits.len(), 3, "device environment, the large one, the small ones together: {submits:?}");
    assert_eq!(scratch, 0, "private");
    // The block of the large one is free again, in the memory manager.
    program.launch(&maps, Request::default()).unwrap();
    assert_eq!(program.recorder.count("alloc"), 0);
}

/// A lambda's captures: the device copy of the closure gets the device address of the captured variable.
#[test]
fn lambda_capture() {
    let program = program(SPMD, 0);
    let mut captured = 7_u64;
    let closure = [addr_mut(&mut captured) as u64];
    let (closure_at, captured_at) = (addr(&closure), addr(&captured));
    let maps = [
        (closure_at, closure_at, 8, 0xa1),
        (closure_at, captured_at, 8, 0x10 | 0x100 | 0x200 | 1 << 48),
        (captured_at, captured_at, 8, 0x23),
    ];
    program.recorder.on_launch(|device, arguments| {
        let pointer = device.read_u64(crate::device::DevicePtr(arguments[1]));
        assert_eq!(pointer, arguments[2]);
        device.write(crate::device::DevicePtr(pointer), &8_u64.to_le_bytes());
    });
    program.launch(&maps, Request::default()).unwrap();
    assert_eq!(captured, 8);
}

#[test]
fn globals_are_mapped_at_load() {
    let program = program(SPMD, 0);
    let device = program.runtime.select(0, location()).unwrap();
    let address = program.recorder.global_address("global");
    assert_eq!(device.mapped_address(addr(&GLOBAL) + 8), Some(address.offset(8)));
    assert_eq!(device.mapped_address(addr(&GLOBAL) + 64), None, "gone from the image");
    let mut arrays = owned(&[(addr(&GLOBAL), addr(&GLOBAL), 16, 0x1)]);
    // SAFETY: the global lives for ever.
    run_data(DataConstruct::Update, device, location(), &mut unsafe { arrays.view() }).unwrap();
    assert_eq!(program.recorder.read_u64(address.offset(8)), 4);
}

#[test]
fn a_failing_kernel_is_named() {
    for call in ["launch", "synchronize"] {
        let program = program(SPMD, 0);
        program.launch(&[], Request::default()).unwrap();
        program.recorder.fail(call);
        assert_eq!(
            program.launch(&[], Request::default()).unwrap_err().to_string(),
            format!("kernel 'kernel' at t.c:7:3 failed: error in {call}: made to fail")
        );
    }
}

#[test]
fn unknown_regions_and_missing_kernels() {
    let program = Program::new(Recorder::new(), PTX, Settings::default());
    assert_eq!(program.launch(&[], Request::default()), Err(Error::NoKernel("kernel".into())));
    let device = program.runtime.select(0, location()).unwrap();
    let unknown = device.kernel(program.runtime.registry(), 0x10, location());
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "host address 0x0000000000000010 names no target region of a registered program or library"
    );
}

#[test]
fn an_image_that_fails_to_load_says_so() {
    let recorder = device(SPMD, 0);
    recorder.fail("load");
    let program = Program::new(recorder, PTX, Settings::default());
    let device = &program.runtime.devices()[0];
    assert_eq!(
        program.runtime.prepare(device).unwrap_err().to_string(),
        "failed to load images on device '0': error in load: made to fail"
    );
}

#[test]
fn an_image_for_another_arch_means_no_usable_device() {
    captured::take();
    let program = Program::new(device(SPMD, 0), b".version 8.7\n.target sm_120\n", Settings::default());
    for _ in 0..2 {
        assert_eq!(program.runtime.usable_devices(), 0);
        assert!(program.runtime.select(0, location()).is_none(), "the host does the work");
    }
    assert_eq!(
        captured::take(),
        [
            "omptarget error: no device image of the program runs on device 0, recorder (sm_90, CUDA driver 13.0): \
             found PTX for sm_120; recompile with --offload-arch=sm_90"
        ],
        "told once"
    );
}

#[test]
fn disabled_means_host() {
    let settings = Settings { offload: crate::env::OffloadKind::Disabled, ..Settings::default() };
    let program = Program::new(device(SPMD, 0), PTX, settings);
    assert_eq!(program.runtime.usable_devices(), 0);
    assert!(program.runtime.select(0, location()).is_none());
    assert_eq!(program.recorder.take_calls(), Vec::<String>::new());
}

#[test]
fn the_initial_device_is_the_host() {
    let program = program(SPMD, 0);
    assert_eq!(program.runtime.usable_devices(), 1);
    assert!(program.runtime.select(1, location()).is_none());
    assert!(program.runtime.select(-1, location()).is_some(), "the default device");
}

#[test]
fn unregistering_unloads() {
    let program = program(SPMD, 0);
    program.launch(&[], Request::default()).unwrap();
    program.recorder.take_calls();
    program.recorder.fail("unload"); // as after the end of the driver
    program.runtime.unregister(program.descriptor);
    assert_eq!(program.recorder.take_calls(), ["bind", "unload"]);
    let device = &program.runtime.devices()[0];
    assert_eq!(device.mapped_address(addr(&GLOBAL)), None);
    let kernel = |region| device.kernel(program.runtime.registry(), region, location());
    assert!(matches!(kernel(addr(&REGION)), Err(Error::Unloaded)));
    assert!(matches!(kernel(1), Err(Error::UnknownRegion(1))));
    assert!(program.runtime.has_ended());
}

#[test]
fn launch_messages() {
    let settings = Settings { info: crate::info::InfoFlags(InfoFlags::KERNEL_LAUNCH), ..Settings::default() };
    let program = Program::new(device(SPMD, 0), PTX, settings);
    captured::take();
    for _ in 0..2 {
        program.launch(&[], Request { trip_count: 1000, ..Request::default() }).unwrap();
    }
    let launch = "\"PluginInterface\" device 0 info: Launching kernel kernel with [32,1,1] blocks and [32,1,1] threads \
                  in SPMD mode";
    assert_eq!(
        captured::take(),
        ["omptarget device 0 info: recorder (sm_90, CUDA driver 13.0)", launch, launch],
        "the device once, each launch"
    );
}

fn packet(version: u32) -> KernelArguments {
    KernelArguments {
        version,
        num_args: 0,
        arg_base_ptrs: null(),
        arg_ptrs: null(),
        arg_sizes: null(),
        arg_types: null(),
        arg_names: null(),
        arg_mappers: null(),
        trip_count: 100,
        flags: 0,
        num_teams: [3, 0, 0],
        thread_limit: [64, 0, 0],
        dyn_cgroup_mem: 16,
    }
}

fn read_packet(version: u32, teams: i32, thread_limit: i32) -> Result<Packet> {
    // SAFETY: a complete packet.
    unsafe { Packet::read(&packet(version), teams, thread_limit) }
}

#[test]
fn packets_of_all_versions() {
    let new = read_packet(3, 0, 0).unwrap();
    assert!(new.hidden_parameter);
    assert_eq!((new.request.num_teams, new.request.thread_limit), ([3, 0, 0], [64, 0, 0]));
    assert_eq!((new.request.trip_count, new.shared_memory), (100, 16));
    assert_eq!(read_packet(3, -1, 0).unwrap().request.num_teams, [1, 0, 0], "no teams region");
    for version in [1, 2] {
        let old = read_packet(version, 5, 32).unwrap();
        assert!(!old.hidden_parameter);
        assert_eq!((old.request.num_teams, old.request.thread_limit), ([5, 1, 1], [32, 1, 1]));
        assert_eq!((old.request.trip_count, old.shared_memory), (100, 0));
        let legacy = read_packet(version, -1, -1).unwrap();
        assert_eq!((legacy.request.num_teams, legacy.request.thread_limit), ([1, 1, 1], [0, 1, 1]));
    }
    assert_eq!(read_packet(4, 0, 0).unwrap_err(), Error::PacketVersion(4));
}
