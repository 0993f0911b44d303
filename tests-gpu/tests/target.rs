//! Launches from Rust: the three shapes, every map clause, buffers, and each error as a value. They run on the GPU when
//! there is one, else on the SIMT device.

use hostrtl::target::{Buffer, Image, Kernel, Target, TargetError};

const PTX: &[u8] = include_bytes!("../../hostrtl/tests/kernel.ptx");

fn image() -> Image {
    Image::register(PTX, &["fill", "scale", "absent"]).unwrap()
}

/// `fill` writes its literal plus the number of blocks, once for each thread.
fn fill(target: Target<'_>) -> [u64; 12] {
    let mut numbers = [0; 12];
    // SAFETY: the shapes below have at most 12 threads.
    unsafe { target.from(&mut numbers).literal(100_u64).launch() }.unwrap();
    numbers
}

fn new<'i>(image: &'i Image, name: &str) -> Target<'i> {
    Target::new(image.kernel(name).unwrap())
}

fn shapes() {
    let image = image();
    let filled = |count: usize, value: u64, numbers: [u64; 12]| numbers[..count].iter().all(|n| *n == value);
    assert!(filled(1, 101, fill(new(&image, "fill"))));
    assert!(filled(4, 104, fill(new(&image, "fill").teams(4))));
    assert!(filled(6, 101, fill(new(&image, "fill").threads(6))));
    assert!(filled(12, 103, fill(new(&image, "fill").teams(3).threads(4))));
}

fn maps_copy_as_they_say() {
    let image = image();
    let scale = || new(&image, "scale").with_environment().threads(2);
    let mut seen = [0_u64];
    let (mut both, fixed, mut nothing) = ([1.5, 2.5], [1.5, 2.5], [1.5, 2.5]);
    // SAFETY: `scale` takes the environment, numbers, their count and a place for the environment.
    unsafe {
        scale().tofrom(&mut both).literal(2_u64).from(&mut seen).launch().unwrap();
        scale().to(&fixed).literal(2_u64).from(&mut seen).launch().unwrap();
        scale().alloc(&mut nothing).literal(2_u64).from(&mut seen).launch().unwrap();
    }
    assert_eq!((both, fixed, nothing), ([3.0, 5.0], [1.5, 2.5], [1.5, 2.5]));
    assert_eq!(seen, [u64::MAX], "a kernel without reductions needs no environment");
}

fn literals_fill_the_low_bytes_of_their_slot() {
    let image = image();
    let mut numbers = [0_u64];
    // SAFETY: one thread, one number.
    unsafe { new(&image, "fill").from(&mut numbers).literal(-2_i32).launch() }.unwrap();
    assert_eq!(numbers, [0xffff_fffe + 1]);
    // SAFETY: as above.
    unsafe { new(&image, "fill").from(&mut numbers).literal(0.5_f32).launch() }.unwrap();
    assert_eq!(numbers, [u64::from(0.5_f32.to_bits()) + 1]);
}

fn buffers_keep_data_between_launches() {
    let image = image();
    let mut data = Buffer::from_slice(&[1.0, 2.0, 3.0]).unwrap();
    let mut seen = Buffer::from_slice(&[0_u64]).unwrap();
    for _ in 0..3 {
        let scale = new(&image, "scale").with_environment().threads(3);
        // SAFETY: as in `maps_copy_as_they_say`.
        unsafe { scale.buffer(&mut data).literal(3_u64).buffer(&mut seen).launch() }.unwrap();
    }
    assert_eq!(data.to_vec().unwrap(), [8.0, 16.0, 24.0]);
    data.write(&[0.0; 3]).unwrap();
    assert_eq!(data.to_vec().unwrap(), [0.0; 3]);
    let error = data.write(&[0.0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "the source has 2 elements, the buffer 3");
    assert!(data.read(&mut [0.0; 4]).is_err() && !data.is_empty() && data.len() == 3);
    assert!(Buffer::<u8>::from_slice(&[]).unwrap().to_vec().unwrap().is_empty());
}

fn errors_are_values() {
    let image = image();
    let text = |result: Result<(), TargetError>| result.unwrap_err().to_string();
    assert_eq!(
        text(image.kernel("other").map(|_: Kernel<'_>| ())),
        "no kernel 'other' was named when the image was registered"
    );
    // SAFETY: nothing is launched.
    let launched = |target: Target<'_>| text(unsafe { target.launch() });
    assert_eq!(launched(new(&image, "absent")), "the device image has no kernel 'absent'");
    let out_of_range = launched(new(&image, "fill").device(1000));
    assert!(out_of_range.starts_with("device number 1000 is out of range: there are "), "{out_of_range}");
    assert!(Buffer::on_device(1000, &[1]).is_err());
    let bad = text(Image::register(b"hello", &[]).map(drop));
    assert!(bad.starts_with("the image is of unknown format: it has to be PTX"), "{bad}");
    assert!(Image::register(PTX, &["nul\0"]).is_err());
}

tests_gpu::trials! {
    shapes,
    maps_copy_as_they_say,
    literals_fill_the_low_bytes_of_their_slot,
    buffers_keep_data_between_launches,
    errors_are_values,
}
