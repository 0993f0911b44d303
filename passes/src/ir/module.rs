//! Modules: reading, writing, checking, and stock passes.

use super::sys::{
    analysis::*, bit_writer::*, core::*, error::*, ir_reader::*, prelude::*, target::*,
    transforms::pass_builder::*,
};
use super::{Function, Global, Linkage, Type, Value, c_string, value};
use std::ffi::{CStr, c_char};
use std::path::Path;
use std::ptr::null_mut;

/// What LLVM or the file system refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file holds no IR of this LLVM.
    #[error("{path} is no LLVM IR that LLVM {version} reads: {reason}")]
    Parse {
        /// The file.
        path: String,
        /// The LLVM that was asked.
        version: u32,
        /// LLVM's words.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {reason}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A pipeline of stock passes that LLVM does not know.
    #[error("--passes={pipeline}: {reason}")]
    Passes {
        /// The text of the pipeline.
        pipeline: String,
        /// LLVM's words.
        reason: String,
    },
    /// The module breaks LLVM's rules.
    #[error("the module is not valid {when}: {reason}")]
    Invalid {
        /// Before or after which step.
        when: String,
        /// LLVM's words.
        reason: String,
    },
}

/// The major version of the LLVM that this was built for.
pub const LLVM_VERSION: u32 = if cfg!(feature = "llvm22") { 22 } else { 19 };

/// Everything that modules share. Modules must not outlive it.
pub struct Context(LLVMContextRef);

impl Default for Context {
    fn default() -> Self {
        Self(llvm!(LLVMContextCreate()))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        llvm!(LLVMContextDispose(self.0));
    }
}

/// A module that somebody else may own.
#[derive(Clone, Copy)]
pub struct Module(LLVMModuleRef);

impl Context {
    /// Reads a file of IR, text or bitcode.
    ///
    /// # Errors
    /// The file cannot be read, or is no IR of this LLVM.
    pub fn read(&self, path: &Path) -> Result<Module, Error> {
        let shown = path.display().to_string();
        let name = c_string(&shown);
        let (mut buffer, mut message, mut module) = (null_mut(), null_mut(), null_mut());
        if llvm!(LLVMCreateMemoryBufferWithContentsOfFile(name.as_ptr(), &mut buffer, &mut message)) != 0 {
            return Err(Error::Read { path: shown, reason: take_message(message) });
        }
        // Takes the buffer.
        #[cfg(feature = "llvm22")]
        let failed = llvm!(LLVMParseIRInContext2(self.0, buffer, &mut module, &mut message)) != 0;
        #[cfg(not(feature = "llvm22"))]
        let failed = llvm!(LLVMParseIRInContext(self.0, buffer, &mut module, &mut message)) != 0;
        #[cfg(feature = "llvm22")]
        llvm!(LLVMDisposeMemoryBuffer(buffer));
        if failed {
            return Err(Error::Parse { path: shown, version: LLVM_VERSION, reason: take_message(message) });
        }
        Ok(Module(module))
    }
}

impl Module {
    /// The module of a handle that C++ gave.
    ///
    /// # Safety
    /// `raw` is a module that lives as long as the result is used, and no other thread touches its context.
    pub unsafe fn from_raw(raw: *mut std::ffi::c_void) -> Self {
        Self(raw.cast())
    }

    /// Frees it. No handle of it may be used any more.
    pub fn dispose(self) {
        llvm!(LLVMDisposeModule(self.0));
    }

    /// The module of a handle that LLVM gave for a function.
    pub(super) fn of_function(raw: LLVMModuleRef) -> Self {
        Self(raw)
    }

    pub(super) fn raw(self) -> LLVMModuleRef {
        self.0
    }

    fn context(self) -> LLVMContextRef {
        llvm!(LLVMGetModuleContext(self.0))
    }

    /// The source file that it is of. flang gives one name to all.
    pub fn source(self) -> String {
        let mut length = 0;
        let name = llvm!(LLVMGetSourceFileName(self.0, &mut length));
        // SAFETY: so many bytes of the module's own, which are copied at once.
        let name = unsafe { std::slice::from_raw_parts(name.cast(), length) };
        String::from_utf8_lossy(name).into_owned()
    }

    /// Its functions.
    pub fn functions(self) -> Vec<Function> {
        let first = Value::new(llvm!(LLVMGetFirstFunction(self.0))).map(Function);
        std::iter::successors(first, |function| function.next()).collect()
    }

    /// Its global variables.
    pub fn globals(self) -> Vec<Global> {
        let first = Value::new(llvm!(LLVMGetFirstGlobal(self.0))).map(Global);
        std::iter::successors(first, |global| global.next()).collect()
    }

    /// The function of this name.
    pub fn function(self, name: &str) -> Option<Function> {
        let name = c_string(name);
        Value::new(llvm!(LLVMGetNamedFunction(self.0, name.as_ptr()))).map(Function)
    }

    /// The function of this name, declared if it is not there.
    pub fn function_or_declare(
        self,
        name: &str,
        returns: Type,
        parameters: &[Type],
        attributes: &[&str],
    ) -> Function {
        self.function(name).unwrap_or_else(|| {
            let ty = self.function_type(returns, parameters);
            let c_name = c_string(name);
            let function = Function(Value::made(llvm!(LLVMAddFunction(self.0, c_name.as_ptr(), ty.0))));
            attributes.iter().for_each(|attribute| function.add_attribute(attribute));
            function
        })
    }

    /// Adds a function without a body yet that only this module can name; it returns nothing.
    pub fn add_function(self, name: &str, parameters: &[Type]) -> Function {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        let ty = llvm!(LLVMFunctionType(self.void_type().0, raw.as_mut_ptr(), raw.len() as u32, 0));
        let name = c_string(name);
        let function = Function(Value::made(llvm!(LLVMAddFunction(self.0, name.as_ptr(), ty))));
        function.make_internal();
        function
    }

    /// Adds a variable that only this module can name, without a value to start with: one of the team's shared memory.
    /// Its alignment is the type's: without one LLVM counts on more than it gives.
    pub fn add_shared_variable(self, ty: Type, name: &str) -> Global {
        let global = value::add_global(self.0, ty, name, value::SHARED);
        global.set_initializer(ty.poison());
        let alignment = llvm!(LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.0), ty.0));
        self.set_alignment(global, alignment);
        llvm!(LLVMSetLinkage(global.value().raw(), Linkage::LLVMInternalLinkage));
        global
    }

    /// Adds a variable that all modules with one of this name share, in the team's shared memory, without a value to start with.
    pub fn add_weak_shared_variable(self, ty: Type, name: &str) -> Global {
        let global = self.add_shared_variable(ty, name);
        llvm!(LLVMSetLinkage(global.value().raw(), Linkage::LLVMWeakAnyLinkage));
        global
    }

    /// Adds a constant that only this module can name.
    pub fn add_constant(self, initial: Value, name: &str) -> Global {
        let global = value::add_global(self.0, initial.ty(), name, 0);
        global.set_initializer(initial);
        llvm!(LLVMSetLinkage(global.value().raw(), Linkage::LLVMPrivateLinkage));
        llvm!(LLVMSetGlobalConstant(global.value().raw(), 1));
        global
    }

    /// The variable of this name, which is made if it is not there: any file may have it.
    pub fn weak_variable(self, initial: Value, name: &str) -> Global {
        if let Some(global) = self.globals().into_iter().find(|global| global.value().name() == name) {
            return global;
        }
        let global = value::add_global(self.0, initial.ty(), name, 0);
        global.set_initializer(initial);
        llvm!(LLVMSetLinkage(global.value().raw(), Linkage::LLVMWeakAnyLinkage));
        llvm!(LLVMSetVisibility(global.value().raw(), super::sys::LLVMVisibility::LLVMHiddenVisibility));
        global
    }

    /// These bytes as a constant array.
    pub fn text_constant(self, bytes: &[u8]) -> Value {
        let context = llvm!(LLVMGetModuleContext(self.0));
        Value::made(llvm!(LLVMConstStringInContext2(context, bytes.as_ptr().cast(), bytes.len(), 1)))
    }

    /// The type of functions that take and return these.
    pub fn function_type(self, returns: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        Type(llvm!(LLVMFunctionType(returns.0, raw.as_mut_ptr(), raw.len() as u32, 0)))
    }

    /// The integer type of this width.
    pub fn int_type(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context(), bits)))
    }

    /// The floating-point type of 32 or 64 bits.
    ///
    /// # Panics
    /// It has another width.
    pub fn float_type(self, bits: u32) -> Type {
        let context = self.context();
        Type(match bits {
            32 => llvm!(LLVMFloatTypeInContext(context)),
            64 => llvm!(LLVMDoubleTypeInContext(context)),
            _ => panic!("{bits} bits"),
        })
    }

    /// The type of no value.
    pub fn void_type(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context())))
    }

    /// The type of generic pointers.
    pub fn pointer_type(self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context(), 0)))
    }

    /// Bytes that a value of this type takes in memory.
    pub fn size_of(self, ty: Type) -> u64 {
        llvm!(LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.0), ty.0))
    }

    /// The alignment in bytes that a value of this type has in memory at least.
    pub fn alignment_of(self, ty: Type) -> u64 {
        llvm!(LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.0), ty.0)).into()
    }

    /// The type of `length` bytes.
    pub fn bytes_type(self, length: u64) -> Type {
        Type(llvm!(LLVMArrayType2(self.int_type(8).0, length)))
    }

    /// A variable's address as a generic pointer.
    pub fn generic_address(self, global: Global) -> Value {
        Value::made(llvm!(LLVMConstAddrSpaceCast(global.value().raw(), self.pointer_type().0)))
    }

    /// The alignment that is written at a variable, in bytes; 0 if there is none.
    pub fn alignment(self, global: Global) -> u32 {
        llvm!(LLVMGetAlignment(global.value().raw()))
    }

    /// What LLVM takes for its alignment if none is written at it, in bytes.
    pub fn preferred_alignment(self, global: Global) -> u32 {
        llvm!(LLVMPreferredAlignmentOfGlobal(LLVMGetModuleDataLayout(self.0), global.value().raw()))
    }

    /// Gives a variable an alignment in bytes.
    pub fn set_alignment(self, global: Global, bytes: u32) {
        llvm!(LLVMSetAlignment(global.value().raw(), bytes));
    }

    /// The number behind a flag of the module.
    pub fn flag(self, name: &str) -> Option<u64> {
        let metadata = llvm!(LLVMGetModuleFlag(self.0, name.as_ptr().cast(), name.len()));
        if metadata.is_null() {
            return None;
        }
        Value::new(llvm!(LLVMMetadataAsValue(self.context(), metadata)))
            .and_then(|value| value.operands().first().copied())
            .and_then(Value::as_constant_int)
            .or(Some(0))
    }

    /// The rows of metadata of this name, and what stands in each.
    pub fn metadata_rows(self, name: &str) -> Vec<Vec<Value>> {
        let name = c_string(name);
        let count = llvm!(LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr())) as usize;
        let mut rows = vec![null_mut(); count];
        if count > 0 {
            llvm!(LLVMGetNamedMetadataOperands(self.0, name.as_ptr(), rows.as_mut_ptr()));
        }
        rows.into_iter().filter_map(Value::new).map(Value::metadata_operands).collect()
    }

    /// A constant structure of these values.
    pub fn structure(self, values: &[Value]) -> Value {
        let mut raw: Vec<_> = values.iter().map(|value| value.raw()).collect();
        let count = raw.len() as u32;
        Value::made(llvm!(LLVMConstStructInContext(self.context(), raw.as_mut_ptr(), count, 0)))
    }

    /// A constant array of these values, which have one type and are not none.
    pub fn array(self, values: &[Value]) -> Value {
        let mut raw: Vec<_> = values.iter().map(|value| value.raw()).collect();
        Value::made(llvm!(LLVMConstArray2(values[0].ty().0, raw.as_mut_ptr(), raw.len() as u64)))
    }

    /// Gives lines to all functions and calls that have none, if other functions have; whether others have.
    pub fn complete_lines(self) -> bool {
        llvm!(super::shim::omptarget_ir_complete_lines(self.0)) != 0
    }

    /// Writes initial values that are fractions of 16 bits as integers with these bits; whether there were any.
    pub fn integers_for_halves(self) -> bool {
        llvm!(super::shim::omptarget_ir_integers_for_halves(self.0)) != 0
    }

    /// Copies and fills blocks of memory in words where LLVM's back end would do it in bytes; whether there were any that may be
    /// long enough for it.
    pub fn blocks_in_words(self) -> bool {
        llvm!(super::shim::omptarget_ir_blocks_in_words(self.0)) != 0
    }

    /// Writes gotos to addresses of labels as choices by numbers; whether there were any.
    pub fn expand_gotos(self) -> bool {
        llvm!(super::shim::omptarget_ir_expand_gotos(self.0)) != 0
    }

    /// Lets functions and calls that take structures as values have them in memory (`byval`), as clang does; whether there were any. Texts of
    /// flang's, an address and a length, stay.
    pub fn take_structures_in_memory(self) -> bool {
        llvm!(super::shim::omptarget_ir_take_structures_in_memory(self.0)) != 0
    }

    /// Breaks rings of variables whose initial values name each other: what closes one is written when the module is loaded. Whether there
    /// were any.
    pub fn break_rings(self) -> bool {
        llvm!(super::shim::omptarget_ir_break_rings(self.0)) != 0
    }

    /// Gives constants without a value that of the module in a file of bitcode, if it has one that means the same here. A file that
    /// cannot be read has none. Whether there were any.
    pub fn take_constants(self, file: &Path) -> bool {
        let file = c_string(&file.to_string_lossy());
        llvm!(super::shim::omptarget_ir_take_constants(self.0, file.as_ptr())) != 0
    }

    /// Takes the wish for vectors from loops (`llvm.loop.vectorize`); whether one had it.
    pub fn drop_vector_hints(self) -> bool {
        llvm!(super::shim::omptarget_ir_drop_vector_hints(self.0)) != 0
    }

    /// Whether it is OpenMP code for a GPU of NVIDIA's.
    pub fn is_device_code(self) -> bool {
        self.flag("openmp-device").is_some() && self.triple().starts_with("nvptx")
    }

    /// Its target.
    pub fn triple(self) -> String {
        // SAFETY: LLVM gives a string that ends with a zero and lives as long as the module.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.0)) }.to_string_lossy().into_owned()
    }

    /// Runs stock passes, in the form that `opt -passes=` takes.
    ///
    /// # Errors
    /// LLVM does not know one of them.
    pub fn run_passes(self, pipeline: &str) -> Result<(), Error> {
        let text = c_string(pipeline);
        let options = llvm!(LLVMCreatePassBuilderOptions());
        let error = llvm!(LLVMRunPasses(self.0, text.as_ptr(), null_mut(), options));
        llvm!(LLVMDisposePassBuilderOptions(options));
        if error.is_null() {
            return Ok(());
        }
        let message = llvm!(LLVMGetErrorMessage(error));
        // SAFETY: LLVM gave a string that ends with a zero.
        let reason = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
        llvm!(LLVMDisposeErrorMessage(message));
        Err(Error::Passes { pipeline: pipeline.to_owned(), reason })
    }

    /// Whether it keeps LLVM's rules; `when` goes into the message.
    ///
    /// # Errors
    /// It does not.
    pub fn verify(self, when: &str) -> Result<(), Error> {
        let mut message = null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let failed = llvm!(LLVMVerifyModule(self.0, action, &mut message)) != 0;
        let reason = take_message(message);
        if failed { Err(Error::Invalid { when: when.to_owned(), reason }) } else { Ok(()) }
    }

    /// Writes it as text, if the name ends with `.ll`, else as bitcode.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, path: &Path) -> Result<(), Error> {
        let shown = path.display().to_string();
        let name = c_string(&shown);
        if path.extension().is_some_and(|extension| extension == "ll") {
            let mut message = null_mut();
            if llvm!(LLVMPrintModuleToFile(self.0, name.as_ptr(), &mut message)) != 0 {
                return Err(Error::Write { path: shown, reason: take_message(message) });
            }
        } else if llvm!(LLVMWriteBitcodeToFile(self.0, name.as_ptr())) != 0 {
            let reason = std::io::Error::last_os_error().to_string();
            return Err(Error::Write { path: shown, reason });
        }
        Ok(())
    }

    /// Its text.
    pub fn text(self) -> String {
        take_message(llvm!(LLVMPrintModuleToString(self.0)))
    }
}

/// The text of a message of LLVM, which is freed.
fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gave a string that ends with a zero.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    llvm!(LLVMDisposeMessage(message));
    text
}
