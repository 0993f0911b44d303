//! Properties of interop objects (OpenMP 5.2, 18.12; for CUDA: OpenMP Additional Definitions 2.1, 2.1).

use super::{ForeignRuntime, Interop, living};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::{null, null_mut, without_provenance_mut};

/// Return codes (`omp_interop_rc_t`).
#[allow(missing_docs)] // OpenMP's names
pub mod code {
    use core::ffi::c_int;
    pub const NO_VALUE: c_int = 1;
    pub const SUCCESS: c_int = 0;
    pub const EMPTY: c_int = -1;
    pub const OUT_OF_RANGE: c_int = -2;
    pub const TYPE_INT: c_int = -3;
    pub const TYPE_POINTER: c_int = -4;
    pub const TYPE_STRING: c_int = -5;
    pub const OTHER: c_int = -6;
}

/// A property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Int(isize),
    Text(&'static CStr),
    Pointer(usize),
    /// A number of CUDA that programs may ask for as an integer or, as in LLVM, as a pointer.
    Handle(isize),
    /// CUDA has no such thing.
    Nothing,
}

/// One property.
struct Property {
    name: &'static CStr,
    /// Type of its value in C.
    type_name: &'static CStr,
    value: fn(&Interop) -> Result<Value, c_int>,
}

const fn property(
    name: &'static CStr,
    type_name: &'static CStr,
    value: fn(&Interop) -> Result<Value, c_int>,
) -> Property {
    Property { name, type_name, value }
}

/// LLVM gives the device's vendor.
const VENDOR_NVIDIA: isize = 11;

/// `omp_ipr_fr_id` (-1) to `omp_ipr_targetsync` (-9).
const PROPERTIES: [Property; 9] = [
    property(c"fr_id", c"int", |object| Ok(Value::Int(object.foreign_runtime as isize))),
    property(c"fr_name", c"const char *", |object| {
        Ok(Value::Text(match object.foreign_runtime {
            ForeignRuntime::Cuda => c"cuda",
            ForeignRuntime::CudaDriver => c"cuda_driver",
        }))
    }),
    property(c"vendor", c"int", |_| Ok(Value::Int(VENDOR_NVIDIA))),
    property(c"vendor_name", c"const char *", |_| Ok(Value::Text(c"nvidia"))),
    property(c"device_num", c"int", |object| Ok(Value::Int(object.device.id as isize))),
    property(c"platform", c"none", |_| Ok(Value::Nothing)),
    property(c"device", c"CUdevice", |object| Ok(Value::Handle(object.handles.device as isize))),
    property(c"device_context", c"CUcontext", |object| Ok(Value::Pointer(object.handles.context))),
    property(c"targetsync", c"CUstream", |object| match object.stream() {
        Ok(queue) => Ok(Value::Pointer(queue.0)),
        Err(error) => {
            crate::info::error(error);
            Err(code::OTHER)
        }
    }),
];

/// The property of a number.
fn by_number(number: c_int) -> Option<&'static Property> {
    usize::try_from(-1 - i64::from(number)).ok().and_then(|index| PROPERTIES.get(index))
}

/// The value, or the code of what is wrong.
fn value(object: *const c_void, number: c_int) -> Result<Value, c_int> {
    if object.is_null() {
        return Err(code::EMPTY);
    }
    let property = by_number(number).ok_or(code::OUT_OF_RANGE)?;
    let object = living(object).ok_or(code::OTHER)?;
    match (property.value)(&object)? {
        Value::Nothing => Err(code::NO_VALUE),
        value => Ok(value),
    }
}

/// Value and code, of a value that `convert` accepts.
fn answer<T>(
    found: Result<Value, c_int>,
    nothing: T,
    convert: impl FnOnce(Value) -> Option<T>,
) -> (T, c_int) {
    let value = match found {
        Ok(value) => value,
        Err(code) => return (nothing, code),
    };
    match convert(value) {
        Some(result) => (result, code::SUCCESS),
        None => {
            let code = match value {
                Value::Int(_) => code::TYPE_INT,
                Value::Text(_) => code::TYPE_STRING,
                Value::Pointer(_) | Value::Handle(_) => code::TYPE_POINTER,
                Value::Nothing => code::NO_VALUE,
            };
            (nothing, code)
        }
    }
}

/// `omp_get_interop_int`: value and code.
pub fn int(object: *const c_void, property: c_int) -> (isize, c_int) {
    answer(value(object, property), 0, |value| match value {
        Value::Int(value) | Value::Handle(value) => Some(value),
        _ => None,
    })
}

/// `omp_get_interop_ptr`: value and code.
pub fn pointer(object: *const c_void, property: c_int) -> (*mut c_void, c_int) {
    answer(value(object, property), null_mut(), |value| match value {
        Value::Pointer(value) => Some(value as *mut c_void),
        Value::Handle(value) => Some(without_provenance_mut(value as usize)),
        _ => None,
    })
}

/// `omp_get_interop_str`: value and code.
pub fn string(object: *const c_void, property: c_int) -> (*const c_char, c_int) {
    answer(value(object, property), null(), |value| match value {
        Value::Text(text) => Some(text.as_ptr()),
        _ => None,
    })
}

/// `omp_get_interop_name`: null for a number that is no property's. The names are the same for all objects.
pub fn name(property: c_int) -> *const c_char {
    by_number(property).map_or(null(), |property| property.name.as_ptr())
}

/// `omp_get_interop_type_desc`: null for a number that is no property's.
pub fn type_description(property: c_int) -> *const c_char {
    by_number(property).map_or(null(), |property| property.type_name.as_ptr())
}

/// `omp_get_interop_rc_desc`.
pub fn code_description(code: c_int) -> *const c_char {
    let text = match code {
        code::NO_VALUE => c"the property has no value here",
        code::SUCCESS => c"success",
        code::EMPTY => c"the interop object is omp_interop_none",
        code::OUT_OF_RANGE => c"there is no property of this number",
        code::TYPE_INT => c"the property is an integer: use omp_get_interop_int",
        code::TYPE_POINTER => c"the property is a pointer: use omp_get_interop_ptr",
        code::TYPE_STRING => c"the property is a string: use omp_get_interop_str",
        code::OTHER => c"the interop object is not initialized, or its device failed",
        _ => return null(),
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_properties() {
        let name_of = |number| match name(number) {
            text if text.is_null() => None,
            // SAFETY: a static C string.
            text => unsafe { CStr::from_ptr(text) }.to_str().ok(),
        };
        let names = [
            "fr_id",
            "fr_name",
            "vendor",
            "vendor_name",
            "device_num",
            "platform",
            "device",
            "device_context",
            "targetsync",
        ];
        for (index, name) in names.iter().enumerate() {
            assert_eq!(name_of(-1 - index as c_int), Some(*name));
        }
        for outside in [0, 1, -10, c_int::MIN, c_int::MAX] {
            assert!(name(outside).is_null() && type_description(outside).is_null());
            assert_eq!(int(0x10 as *const c_void, outside), (0, code::OUT_OF_RANGE));
        }
    }

    #[test]
    fn no_object() {
        assert_eq!(int(null(), -1), (0, code::EMPTY));
        assert_eq!(pointer(0x10 as *const c_void, -9), (null_mut(), code::OTHER));
        assert!(code_description(2).is_null() && !code_description(code::OTHER).is_null());
    }

    #[test]
    fn a_question_of_the_wrong_type_tells_the_right_one() {
        let ask = |value| answer(Ok(value), (), |_| None).1;
        assert_eq!(ask(Value::Int(1)), code::TYPE_INT);
        assert_eq!(ask(Value::Text(c"")), code::TYPE_STRING);
        assert_eq!(ask(Value::Pointer(8)), code::TYPE_POINTER);
    }
}
