//! The linker: several inputs become one module, and what cannot be linked says why.

use super::*;
use std::ffi::{CStr, CString};

const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";
const VARIABLE: &str = ".visible .global .align 4 .b32 answer = 42;\n";
const KERNEL: &str = "
.extern .global .align 4 .b32 answer;
.visible .entry k(.param .u64 k_param_0)
{
	.reg .b32 	%r<2>;
	.reg .b64 	%rd<3>;
	ld.param.u64 	%rd1, [k_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	ld.global.b32 	%r1, [answer];
	st.global.b32 	[%rd2], %r1;
	ret;
}
";

/// A linker with an error log, and the log.
struct Linker {
    state: CUhandle,
    options: [c_int; 2],
    values: [*mut c_void; 2],
    log: Vec<u8>,
}

impl Linker {
    fn new() -> Box<Self> {
        let mut linker =
            Box::new(Self { state: null_mut(), options: [5, 6], values: [null_mut(); 2], log: vec![1; 400] });
        linker.values = [linker.log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(400)];
        let (options, values) = (linker.options.as_mut_ptr(), linker.values.as_mut_ptr());
        ok!(cuLinkCreate_v2(2, options, values, &mut linker.state));
        linker
    }

    fn add(&self, kind: c_int, name: &CStr, data: &[u8]) -> CUresult {
        let data_pointer = data.as_ptr().cast_mut().cast();
        let (none, no_values) = (null_mut(), null_mut());
        cu!(cuLinkAddData_v2(self.state, kind, data_pointer, data.len(), name.as_ptr(), 0, none, no_values))
    }

    fn log(&self) -> &str {
        CStr::from_bytes_until_nul(&self.log).unwrap().to_str().unwrap()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
        fails!(INVALID_HANDLE, cuLinkDestroy(self.state));
    }
}

fn ptx(body: &str) -> Vec<u8> {
    CString::new(format!("{HEAD}{body}")).unwrap().into_bytes_with_nul()
}

#[test]
fn two_inputs_become_one_module() {
    let _context = TestContext::new();
    let linker = Linker::new();
    assert_eq!(linker.add(1, c"a.ptx", &ptx(KERNEL)), CUresult::SUCCESS);
    let path = std::env::temp_dir().join(format!("simt-link-{}.ptx", std::process::id()));
    std::fs::write(&path, ptx(VARIABLE)).unwrap();
    let name = CString::new(path.to_str().unwrap()).unwrap();
    let code = cu!(cuLinkAddFile_v2(linker.state, 1, name.as_ptr(), 0, null_mut(), null_mut()));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code, CUresult::SUCCESS);

    let (mut image, mut again, mut bytes) = (null_mut(), null_mut(), 0);
    ok!(cuLinkComplete(linker.state, &mut image, &mut bytes));
    ok!(cuLinkComplete(linker.state, &mut again, null_mut()));
    assert!(image == again && bytes > 64);
    assert_eq!(linker.add(1, c"late", &ptx(VARIABLE)), CUresult::INVALID_VALUE);

    let (mut module, mut kernel) = (null_mut(), null_mut());
    ok!(cuModuleLoadData(&mut module, image));
    ok!(cuModuleGetFunction(&mut kernel, module, c"k".as_ptr()));
    let (mut of, mut text) = (null_mut(), std::ptr::null());
    ok!(cuFuncGetModule(&mut of, kernel));
    ok!(cuFuncGetName(&mut text, kernel));
    assert_eq!(of, module);
    // SAFETY: the entry gave a terminated text.
    assert_eq!(unsafe { CStr::from_ptr(text) }, c"k");
    let mut result = alloc(4);
    let mut params = [(&raw mut result).cast()];
    ok!(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, DEFAULT, params.as_mut_ptr(), null_mut()));
    assert_eq!(read(result, 4), [42, 0, 0, 0]);
}

#[test]
fn what_cannot_be_linked_is_in_the_log() {
    let _context = TestContext::new();
    for (inputs, code, words) in [
        (&[(1, KERNEL)][..], CUresult::INVALID_PTX, "answer"),
        (&[(1, VARIABLE), (1, VARIABLE)], CUresult::INVALID_PTX, "Multiple definition of 'answer'"),
        (&[(1, ".visible .entry (")], CUresult::INVALID_PTX, "a closing bracket"),
        (&[(4, VARIABLE)], CUresult::NOT_SUPPORTED, "kind 4"),
    ] {
        let linker = Linker::new();
        let added = inputs.iter().map(|(kind, body)| linker.add(*kind, c"input", &ptx(body)));
        let failed = added.into_iter().find(|code| *code != CUresult::SUCCESS);
        let mut image = null_mut();
        let found = failed.unwrap_or_else(|| cu!(cuLinkComplete(linker.state, &mut image, null_mut())));
        assert_eq!(found, code, "{words}");
        assert!(linker.log().contains(words), "{}", linker.log());
    }
    let mut image = null_mut();
    for state in wrong_handles() {
        fails!(INVALID_HANDLE, cuLinkComplete(state, &mut image, null_mut()));
    }
}
