use super::*;
use crate::device::recorder::{Recorder, Symbol};
use crate::image::Capability;
use recorded::RecordedLaunch;

const QUEUE: QueueHandle = QueueHandle(1);

fn device(folder: &Path, bytes: usize) -> (RecordingDevice, Recorder) {
    let mut environment = vec![0; 28];
    environment[2] = 1;
    let inner = Recorder::new()
        .with_symbol("k", Symbol::Kernel(512))
        .with_symbol("k_kernel_environment", Symbol::Global(environment))
        .with_symbol("v", Symbol::Global(vec![7; 3]));
    let recording = Recording { bytes, save_output: true };
    (RecordingDevice::new(Box::new(inner.clone()), 0, recording, folder), inner)
}

#[test]
fn a_launch_is_written_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let (device, inner) = device(folder.path(), 4096);
    let image =
        device.load(b"image", &ImageKind::Ptx { arch: Capability::from_sm(90), exact: false }).unwrap();
    device.global(image, c"v").unwrap();
    let (function, _) = device.function(image, c"k").unwrap().unwrap();
    let first = device.alloc(4, AllocKind::Device).unwrap();
    let second = device.alloc(4, AllocKind::Device).unwrap();
    assert_eq!(second, first.offset(256));
    assert_eq!(Device::memory(&device), Ok(Some((4096 - 512, 4096))));
    device.fill(QUEUE, first, 1, 512).unwrap();
    inner.on_launch(|inner, arguments| inner.write(DevicePtr(arguments[1]), &[9; 4]));
    let launch = Launch { function, grid: [3, 2, 1], block: [96, 1, 1], shared_memory: 64 };
    device.launch(QUEUE, &launch, &[u64::MAX, second.0, 5]).unwrap();

    let file = |suffix: &str| std::fs::read(folder.path().join(format!("k{suffix}"))).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&file(".json")).unwrap();
    assert_eq!(json["ArgPtrs"], serde_json::json!([second.0, 5]), "without the hidden parameter");
    assert_eq!(json["NumTeamsClause"], 3);
    assert_eq!(json["ThreadLimitClause"], 64, "without the warp that generic mode adds");
    assert_eq!(json["BumpAllocVAStart"], first.0);
    let exact = RecordedLaunch { grid: [3, 2, 1], block: [96, 1, 1], shared_memory: 64 };
    assert_eq!(RecordedLaunch::read(&file(".json")), Some(exact));
    assert_eq!(file(".image"), b"image");
    assert_eq!(file(".globals"), b"v\0\x03\0\0\0\x07\x07\x07");
    assert_eq!(file(".memory"), [1; 512]);
    assert_eq!(file(".original.output")[252..264], [1, 1, 1, 1, 9, 9, 9, 9, 1, 1, 1, 1]);
}

#[test]
fn a_full_block_names_the_variable() {
    let folder = tempfile::tempdir().unwrap();
    let (device, _) = device(folder.path(), 512);
    device.alloc(300, AllocKind::Device).unwrap();
    for bytes in [1, usize::MAX] {
        let error = device.alloc(bytes, AllocKind::Device).unwrap_err();
        assert!(error.to_string().contains("LIBOMPTARGET_RR_DEVMEM_SIZE"), "{error}");
    }
}

#[test]
fn files_that_cannot_be_written_are_an_error_of_the_launch() {
    let (device, inner) = device(Path::new("/no/such/folder"), 512);
    let image = device.load(b"", &ImageKind::Ptx { arch: Capability::from_sm(90), exact: false }).unwrap();
    let (function, _) = device.function(image, c"k").unwrap().unwrap();
    let launch = Launch { function, grid: [1; 3], block: [1; 3], shared_memory: 0 };
    let error = device.launch(QUEUE, &launch, &[]).unwrap_err();
    assert!(error.to_string().contains("k.json"), "{error}");
    assert_eq!(inner.count("launch"), 0);
}
