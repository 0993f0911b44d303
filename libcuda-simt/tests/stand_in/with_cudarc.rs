//! A cudarc program, which opens the driver by itself.

use crate::again::{SCALE, inside, run_again};
use cudarc::driver::sys::{CUfunction_attribute_enum, CUresult};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

#[test]
fn a_kernel_over_two_streams() {
    if !inside("with_cudarc::a_kernel_over_two_streams") {
        run_again("with_cudarc::a_kernel_over_two_streams", &[]);
        return;
    }
    let context = CudaContext::new(0).unwrap();
    assert_eq!(context.name().unwrap(), "SIMT device (CPU)");
    assert_eq!(context.compute_capability().unwrap(), (9, 0));
    let module = context.load_module(Ptx::from_src(SCALE)).unwrap();
    let scale = module.load_function("scale").unwrap();
    let threads = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    assert_eq!(scale.get_attribute(threads).unwrap(), 1024);

    let (first, second) = (context.default_stream(), context.new_stream().unwrap());
    let numbers: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut data = first.clone_htod(&numbers).unwrap();
    let start = first.record_event(None).unwrap();
    for stream in [&first, &second] {
        let count = 900_u32;
        let mut launch = stream.launch_builder(&scale);
        launch.arg(&mut data).arg(&count);
        // SAFETY: the kernel writes the first 900 of 1000 elements.
        unsafe { launch.launch(LaunchConfig::for_num_elems(count)) }.unwrap();
    }
    second.synchronize().unwrap();
    let end = first.record_event(None).unwrap();
    let expected: Vec<f32> = numbers.iter().map(|&x| if x < 900.0 { 9.0 * x } else { x }).collect();
    assert_eq!(first.clone_dtoh(&data).unwrap(), expected);
    assert!(start.elapsed_ms(&end).unwrap_or(0.0) >= 0.0);
}

#[test]
fn errors_have_their_codes() {
    if !inside("with_cudarc::errors_have_their_codes") {
        let text = run_again("with_cudarc::errors_have_their_codes", &[]);
        assert!(text.contains("frobnicate"), "the reason is written: {text}");
        return;
    }
    let context = CudaContext::new(0).unwrap();
    let bad = SCALE.replace("mul.rn.f32", "frobnicate.f32");
    let error = context.load_module(Ptx::from_src(bad)).unwrap_err();
    assert_eq!(error.0, CUresult::CUDA_ERROR_INVALID_PTX);
    let module = context.load_module(Ptx::from_src(SCALE)).unwrap();
    assert_eq!(module.load_function("missing").unwrap_err().0, CUresult::CUDA_ERROR_NOT_FOUND);
}
