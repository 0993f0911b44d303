//! A cust program, whose `cu*` symbols cuda-shim hands to the driver library that it finds.

use crate::again::{SCALE, inside, run_again};
use cuda_shim::{Backend, backend};
use cust::link::Linker;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::{Module, Symbol};
use cust::stream::{Stream, StreamFlags};

#[test]
fn linked_modules_through_the_shim() {
    const NAME: &str = "with_cust::linked_modules_through_the_shim";
    if !inside(NAME) {
        run_again(NAME, &[("OMPTARGET_DEVICE", "cuda")]);
        return;
    }
    let Backend::Cuda { path } = backend() else { panic!("{:?}", backend()) };
    assert!(path.ends_with("libcuda.so.1"), "{}", path.display());
    let _context = cust::quick_init().unwrap();

    // The factor is in a module of its own.
    let (variable, kernel) = (
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .global .align 4 .f32 factor = 0f40400000;\n",
        SCALE.replace(
            ".visible .global .align 4 .f32 factor = 0f40400000;",
            ".extern .global .align 4 .f32 factor;",
        ),
    );
    let mut linker = Linker::new().unwrap();
    linker.add_ptx(variable).unwrap();
    linker.add_ptx(&kernel).unwrap();
    let image = linker.complete().unwrap();
    assert!(image.starts_with(b"\x7fELF"));
    let module = Module::from_cubin(image, &[]).unwrap();

    let symbol = std::ffi::CString::new("factor").unwrap();
    let mut factor: Symbol<f32> = module.get_global(&symbol).unwrap();
    factor.copy_from(&5.0).unwrap();
    let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let data = DeviceBuffer::from_slice(&numbers).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let scale = module.get_function("scale").unwrap();
    // SAFETY: the kernel writes 100 elements.
    unsafe { cust::launch!(scale<<<4, 32, 0, stream>>>(data.as_device_ptr(), 100_u32)) }.unwrap();
    stream.synchronize().unwrap();
    let mut result = vec![0.0; 100];
    data.copy_to(&mut result).unwrap();
    assert!(result.iter().zip(&numbers).all(|(result, number)| *result == 5.0 * number));
}
