//! Modules, functions and memory of the driver, as far as the benches of kernels in Rust need them.

use crate::driver::call;
use anyhow::{Context, Result};
use cuda_shim as cu;
use simt::driver::types::{CUdeviceptr, CUfunction, CUmodule};
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::null_mut;

/// Kernels that the driver has loaded, until the process ends.
pub struct Module(CUmodule);

impl Module {
    /// Loads the PTX of a file.
    ///
    /// # Errors
    /// It cannot be read, or the driver does not take it.
    pub fn load(file: &Path) -> Result<Self> {
        let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = CString::new(text).context("PTX with a zero in it")?;
        let mut module: CUmodule = null_mut();
        call!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()))?;
        Ok(Self(module))
    }

    /// The kernel of this symbol.
    ///
    /// # Errors
    /// There is none.
    pub fn function(&self, symbol: &CStr) -> Result<Function> {
        let mut function: CUfunction = null_mut();
        call!(cuModuleGetFunction(&raw mut function, self.0, symbol.as_ptr()))
            .with_context(|| format!("there is no kernel {symbol:?}"))?;
        Ok(Function(function))
    }

    /// The same.
    ///
    /// # Errors
    /// As [`Module::function`].
    pub fn function_named(&self, symbol: &str) -> Result<Function> {
        self.function(&CString::new(symbol).context("a symbol with a zero in it")?)
    }
}

/// A kernel.
pub struct Function(CUfunction);

impl Function {
    /// Launches it with so many blocks of so many threads, `shared` bytes of shared memory, and behind the environment of a launch
    /// that needs none these arguments, and waits for it.
    ///
    /// # Errors
    /// The launch or the kernel fails.
    pub fn launch(
        &self,
        blocks: u32,
        threads: u32,
        shared: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        self.launch_in(abi::kernel::KernelLaunchEnvironment::NONE, blocks, threads, shared, arguments)
    }

    /// The same with an environment in device memory.
    ///
    /// # Errors
    /// As [`Function::launch`].
    pub fn launch_in(
        &self,
        mut environment: CUdeviceptr,
        blocks: u32,
        threads: u32,
        shared: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let mut all = vec![(&raw mut environment).cast()];
        all.extend_from_slice(arguments);
        let (stream, none) = (null_mut(), null_mut());
        call!(cuLaunchKernel(self.0, blocks, 1, 1, threads, 1, 1, shared, stream, all.as_mut_ptr(), none))?;
        call!(cuCtxSynchronize())
    }
}

/// Memory of the device with values.
pub struct Memory<T> {
    /// Where it is.
    pub address: CUdeviceptr,
    count: usize,
    values: PhantomData<T>,
}

impl<T: Copy> Memory<T> {
    /// New memory with these values.
    ///
    /// # Errors
    /// There is not enough.
    pub fn of(values: &[T]) -> Result<Self> {
        let memory = Self::uninit(values.len())?;
        call!(cuMemcpyHtoD_v2(memory.address, values.as_ptr().cast(), size_of_val(values)))?;
        Ok(memory)
    }

    /// New memory for so many values.
    ///
    /// # Errors
    /// There is not enough.
    pub fn uninit(count: usize) -> Result<Self> {
        let (mut address, bytes) = (0, count * size_of::<T>());
        call!(cuMemAlloc_v2(&raw mut address, bytes)).with_context(|| format!("{bytes} bytes"))?;
        Ok(Self { address, count, values: PhantomData })
    }
}

impl<T: Copy + Default> Memory<T> {
    /// What is in it.
    ///
    /// # Errors
    /// A kernel before has failed.
    pub fn read(&self) -> Result<Vec<T>> {
        let mut values = vec![T::default(); self.count];
        call!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), self.address, size_of_val(&values[..])))?;
        Ok(values)
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // Behind a failure of the device this fails too, and the failure has been told.
        let _ = call!(cuMemFree_v2(self.address));
    }
}
