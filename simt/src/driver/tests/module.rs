//! Images of all kinds, and names in modules.

use super::*;
use std::ffi::CStr;

const PTX: &CStr = c"
.version 7.8
.target sm_80
.address_size 64

.visible .global .align 4 .b32 answer = 42;
.visible .const .align 8 .b8 table[24] = {1, 2, 3};

.visible .entry nothing()
{
	ret;
}

.visible .entry two(
	.param .u64 two_param_0,
	.param .u32 two_param_1
)
.maxntid 96, 1, 1
{
	.reg .b32 	%r<2>;
	.shared .align 4 .b8 scratch[128];
	mov.b32 	%r1, 0;
	st.shared.b32 	[scratch], %r1;
	ret;
}
";

fn load(image: &[u8]) -> (CUresult, CUmodule) {
    let mut module = null_mut();
    let code = cu!(cuModuleLoadData(&mut module, image.as_ptr().cast()));
    (code, module)
}

fn loaded(ptx: &CStr) -> CUmodule {
    let (code, module) = load(ptx.to_bytes_with_nul());
    assert_eq!(code, CUresult::SUCCESS);
    module
}

fn function(module: CUmodule, name: &CStr) -> CUfunction {
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

/// The first bytes of an ELF file for a machine.
fn elf(machine: u16) -> Vec<u8> {
    let mut image = vec![0; 64];
    image[..7].copy_from_slice(b"\x7fELF\x02\x01\x01"); // 64 bits, little endian
    image[18..20].copy_from_slice(&machine.to_le_bytes());
    image
}

#[test]
fn an_image_that_cannot_run_says_why_by_its_code() {
    let _context = TestContext::new();
    assert_eq!(load(&elf(190)).0, CUresult::NO_BINARY_FOR_GPU);
    assert_eq!(load(&elf(62)).0, CUresult::INVALID_IMAGE);
    let empty_container = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(load(&empty_container).0, CUresult::NO_BINARY_FOR_GPU);
    assert_eq!(load(b"\xff\xfe\0").0, CUresult::INVALID_IMAGE);
    assert_eq!(load(b"\x7fEL\0").0, CUresult::INVALID_PTX, "text that begins like an ELF file");
    assert_eq!(load(b"\0").0, CUresult::INVALID_PTX);
    assert_eq!(load(b".version 7.8 nonsense\0").0, CUresult::INVALID_PTX);
    let mut module = null_mut();
    fails!(INVALID_VALUE, cuModuleLoadData(&mut module, std::ptr::null()));
    fails!(INVALID_VALUE, cuModuleLoadData(null_mut(), PTX.as_ptr().cast()));
    assert!(module.is_null());
}

#[test]
fn the_error_log_gets_the_reason() {
    let _context = TestContext::new();
    let mut module = null_mut();
    let bad = c".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tfrobnicate.b32;\n\tret;\n}\n";
    for room in [0, 1, 8, 4000] {
        let (mut info, mut log, mut time) = ([b'x'; 8], vec![b'x'; 4001], 0_usize);
        let mut options = [5, 6, 3, 4, 2, 9];
        let mut values: [*mut c_void; 6] = [
            log.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(room),
            info.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(8),
            std::ptr::from_mut(&mut time).cast(),
            null_mut(),
        ];
        let (image, to_options, to_values) = (bad.as_ptr().cast(), options.as_mut_ptr(), values.as_mut_ptr());
        fails!(INVALID_PTX, cuModuleLoadDataEx(&mut module, image, 6, to_options, to_values));
        assert_eq!(log[room], b'x', "nothing behind the room");
        if room > 0 {
            let text = CStr::from_bytes_until_nul(&log).unwrap();
            assert_eq!(values[1].addr(), text.count_bytes());
            assert!(text.count_bytes() < room);
            let text = text.to_str().unwrap();
            assert!(room < 100 || text.contains("frobnicate") && text.contains('6'), "{text}");
        }
        assert_eq!((info[0], values[3].addr()), (0, 0), "there is no info log");
        assert!(f32::from_bits(values[4].addr() as u32) >= 0.0);
    }
    ok!(cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 0, null_mut(), null_mut()));
    fails!(INVALID_VALUE, cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 1, null_mut(), null_mut()));
}

#[test]
fn a_module_can_be_in_a_file() {
    let _context = TestContext::new();
    let path = std::env::temp_dir().join(format!("simt-module-{}.ptx", std::process::id()));
    std::fs::write(&path, PTX.to_bytes()).unwrap();
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let mut module = null_mut();
    let code = cu!(cuModuleLoad(&mut module, name.as_ptr()));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code, CUresult::SUCCESS);
    function(module, c"nothing");
    fails!(FILE_NOT_FOUND, cuModuleLoad(&mut module, name.as_ptr()));
    fails!(INVALID_VALUE, cuModuleLoad(&mut module, std::ptr::null()));
}

#[test]
fn names_lead_to_kernels_and_variables() {
    let _context = TestContext::new();
    let module = loaded(PTX);
    assert_eq!(function(module, c"two"), function(module, c"two"));
    assert_ne!(function(module, c"two"), function(module, c"nothing"));
    let mut found = null_mut();
    fails!(NOT_FOUND, cuModuleGetFunction(&mut found, module, c"missing".as_ptr()));
    fails!(NOT_FOUND, cuModuleGetFunction(&mut found, module, c"answer".as_ptr()));
    fails!(INVALID_VALUE, cuModuleGetFunction(&mut found, module, std::ptr::null()));

    let (mut address, mut bytes) = (0, 0);
    ok!(cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"answer".as_ptr()));
    assert_eq!((read(address, 4), bytes), (vec![42, 0, 0, 0], 4));
    write(address, &[7, 0, 0, 0]);
    assert_eq!(read(address, 4), [7, 0, 0, 0]);
    ok!(cuModuleGetGlobal_v2(null_mut(), &mut bytes, module, c"table".as_ptr()));
    assert_eq!(bytes, 24);
    ok!(cuModuleGetGlobal_v2(&mut address, null_mut(), module, c"table".as_ptr()));
    assert_eq!(read(address, 4), [1, 2, 3, 0]);
    fails!(NOT_FOUND, cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"missing".as_ptr()));
    fails!(INVALID_VALUE, cuMemFree_v2(address));

    let again = loaded(PTX);
    ok!(cuModuleGetGlobal_v2(&mut address, null_mut(), again, c"answer".as_ptr()));
    assert_eq!(read(address, 4), [42, 0, 0, 0], "every module has its own variables");
}

#[test]
fn unloading_ends_the_kernels_and_frees_the_variables() {
    let _context = TestContext::new();
    let module = loaded(PTX);
    let kernel = function(module, c"nothing");
    let mut address = 0;
    ok!(cuModuleGetGlobal_v2(&mut address, null_mut(), module, c"answer".as_ptr()));
    ok!(cuModuleUnload(module));
    fails!(INVALID_HANDLE, cuModuleUnload(module));
    fails!(INVALID_HANDLE, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, DEFAULT, null_mut(), null_mut()));
    fails!(INVALID_VALUE, cuMemcpyDtoD_v2(address, address, 4));
}

#[test]
fn a_kernel_tells_its_attributes_and_parameters() {
    let _context = TestContext::new();
    let kernel = function(loaded(PTX), c"two");
    let attribute = |number| {
        let mut value = -1;
        ok!(cuFuncGetAttribute(&mut value, number, kernel));
        value
    };
    assert_eq!((attribute(0), attribute(1), attribute(6)), (96, 128, 90));
    assert_eq!(attribute(8), (48 << 10) - 128);
    ok!(cuFuncSetAttribute(kernel, 8, (227 << 10) - 128));
    assert_eq!(attribute(8), (227 << 10) - 128);
    fails!(INVALID_VALUE, cuFuncSetAttribute(kernel, 8, (227 << 10) - 127));
    fails!(INVALID_VALUE, cuFuncSetAttribute(kernel, 8, -1));
    ok!(cuFuncSetAttribute(kernel, 9, 50));
    assert_eq!(attribute(9), 50);
    fails!(INVALID_VALUE, cuFuncSetAttribute(kernel, 9, 101));
    fails!(INVALID_VALUE, cuFuncSetAttribute(kernel, 0, 5));
    fails!(INVALID_VALUE, cuFuncGetAttribute(&mut 0, 99, kernel));
    ok!(cuFuncSetCacheConfig(kernel, 1));
    ok!(cuFuncSetSharedMemConfig(kernel, 2));
    fails!(INVALID_VALUE, cuFuncSetCacheConfig(kernel, 9));

    let parameter = |index| {
        let (mut offset, mut size) = (99, 99);
        let code = cu!(cuFuncGetParamInfo(kernel, index, &mut offset, &mut size));
        (code == CUresult::SUCCESS).then_some((offset, size))
    };
    assert_eq!([parameter(0), parameter(1), parameter(2)], [Some((0, 8)), Some((8, 4)), None]);
    ok!(cuFuncGetParamInfo(kernel, 0, &mut 0, null_mut()));
    fails!(INVALID_VALUE, cuFuncGetParamInfo(kernel, 0, null_mut(), null_mut()));

    let (mut grid, mut block, mut blocks, mut bytes) = (0, 0, 0, 0);
    ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, kernel, 96, 0));
    ok!(cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, kernel, None, 0, 0));
    ok!(cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, kernel, 2, 96));
    assert_eq!((blocks, grid, block, bytes), (21, 128, 64, (113 << 10) - 128));
    fails!(INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, kernel, 0, 0));
}
