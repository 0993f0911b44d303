//! What templates of libstdc++ leave to its library: how they report errors, which no exception can tell on a GPU.
//!
//! `std::vector::push_back`, `std::array::at` and many others are whole in their headers but for these functions. They end the kernel with
//! what the exception would say, as a failed assertion. They are a member of the archive of their own, and weak.
//!
//! Beside them stand `operator new` and `delete` of classes with more alignment than others, and the clocks of `std::chrono`.

use std::fmt::Write;

/// A function: its name, its parameters, and the exception. It says the message that it is given, or else the exception.
const THROWS: [(&str, &str, &str); 19] = [
    ("_ZSt16__throw_bad_castv", "", "std::bad_cast"),
    ("_ZSt17__throw_bad_allocv", "", "std::bad_alloc"),
    ("_ZSt18__throw_bad_typeidv", "", "std::bad_typeid"),
    ("_ZSt19__throw_logic_errorPKc", "ptr %0", "std::logic_error"),
    ("_ZSt19__throw_range_errorPKc", "ptr %0", "std::range_error"),
    ("_ZSt20__throw_domain_errorPKc", "ptr %0", "std::domain_error"),
    ("_ZSt20__throw_length_errorPKc", "ptr %0", "std::length_error"),
    ("_ZSt20__throw_out_of_rangePKc", "ptr %0", "std::out_of_range"),
    ("_ZSt20__throw_system_errori", "i32 %0", "std::system_error"),
    ("_ZSt21__throw_bad_exceptionv", "", "std::bad_exception"),
    ("_ZSt21__throw_runtime_errorPKc", "ptr %0", "std::runtime_error"),
    ("_ZSt22__throw_overflow_errorPKc", "ptr %0", "std::overflow_error"),
    ("_ZSt23__throw_underflow_errorPKc", "ptr %0", "std::underflow_error"),
    ("_ZSt24__throw_invalid_argumentPKc", "ptr %0", "std::invalid_argument"),
    // The numbers that its message asks for are left out.
    ("_ZSt24__throw_out_of_range_fmtPKcz", "ptr %0, ...", "std::out_of_range"),
    ("_ZSt25__throw_bad_function_callv", "", "std::bad_function_call"),
    ("_ZSt26__throw_bad_variant_accessPKc", "ptr %0", "std::bad_variant_access"),
    ("_ZSt28__throw_bad_array_new_lengthv", "", "std::bad_array_new_length"),
    // No exception, but the end that one has which nothing catches.
    ("_ZSt9terminatev", "", "std::terminate was called"),
];

/// `std::allocator` of these types, which libstdc++ has compiled, for the host.
const ALLOCATORS: [&str; 2] = ["Ic", "Iw"];

/// Its constructors and destructors, which do nothing.
const ALLOCATOR_FUNCTIONS: [(&str, &str); 6] = [
    ("C1Ev", "ptr %0"),
    ("C2Ev", "ptr %0"),
    ("C1ERKS_", "ptr %0, ptr %1"),
    ("C2ERKS_", "ptr %0, ptr %1"),
    ("D1Ev", "ptr %0"),
    ("D2Ev", "ptr %0"),
];

/// Objects that are told by their types alone. clang leaves constants to the host, which without optimisation the address is taken of.
const EMPTY: [&str; 6] = [
    "_ZSt7nothrow",
    "_ZSt7nullopt",
    "_ZSt8in_place",
    "_ZSt13allocator_arg",
    "_ZSt19piecewise_construct",
    "_ZSt6ignore",
];

/// `operator new` and `delete` with an alignment: what they return, their name, their parameters, and what they call with the first ones
/// of these. The other forms call the first one, as C++ has it: a program that has its own of that has all. Where there is no memory
/// they give null, as clang's `operator new` without an alignment does on a GPU.
const ALIGNED: [(&str, &str, &str, &str, &str); 10] = [
    ("ptr", "_ZnwmSt11align_val_t", "i64 %0, i64 %1", "omptarget_cxx_aligned_new", "i64 %0, i64 %1"),
    ("ptr", "_ZnamSt11align_val_t", "i64 %0, i64 %1", "_ZnwmSt11align_val_t", "i64 %0, i64 %1"),
    (
        "ptr",
        "_ZnwmSt11align_val_tRKSt9nothrow_t",
        "i64 %0, i64 %1, ptr %2",
        "_ZnwmSt11align_val_t",
        "i64 %0, i64 %1",
    ),
    (
        "ptr",
        "_ZnamSt11align_val_tRKSt9nothrow_t",
        "i64 %0, i64 %1, ptr %2",
        "_ZnamSt11align_val_t",
        "i64 %0, i64 %1",
    ),
    ("void", "_ZdlPvSt11align_val_t", "ptr %0, i64 %1", "omptarget_cxx_aligned_delete", "ptr %0"),
    ("void", "_ZdaPvSt11align_val_t", "ptr %0, i64 %1", "_ZdlPvSt11align_val_t", "ptr %0, i64 %1"),
    ("void", "_ZdlPvmSt11align_val_t", "ptr %0, i64 %1, i64 %2", "_ZdlPvSt11align_val_t", "ptr %0, i64 %2"),
    ("void", "_ZdaPvmSt11align_val_t", "ptr %0, i64 %1, i64 %2", "_ZdaPvSt11align_val_t", "ptr %0, i64 %2"),
    (
        "void",
        "_ZdlPvSt11align_val_tRKSt9nothrow_t",
        "ptr %0, i64 %1, ptr %2",
        "_ZdlPvSt11align_val_t",
        "ptr %0, i64 %1",
    ),
    (
        "void",
        "_ZdaPvSt11align_val_tRKSt9nothrow_t",
        "ptr %0, i64 %1, ptr %2",
        "_ZdaPvSt11align_val_t",
        "ptr %0, i64 %1",
    ),
];

/// `now` of these clocks of `std::chrono`, which is the time of the GPU's.
const CLOCKS: [&str; 2] = ["steady", "system"];

/// What they return, as clang has it.
const TYPES: &str = r#"%"struct.std::chrono::time_point" = type { %"struct.std::chrono::duration" }
%"struct.std::chrono::duration" = type { i64 }
"#;

/// The functions and variables as IR, without a target.
pub fn module() -> String {
    let mut text = TYPES.to_owned();
    let mut strings = 0;
    let mut string = |text: &mut String, value: &str| {
        strings += 1;
        let bytes = value.len() + 1;
        let _ = writeln!(
            text,
            "@omptarget_cxx_{strings} = private unnamed_addr constant [{bytes} x i8] c\"{value}\\00\""
        );
        format!("@omptarget_cxx_{strings}")
    };
    let library = string(&mut text, "libstdc++");
    for (name, parameters, exception) in THROWS {
        let exception = string(&mut text, exception);
        let message = if parameters.starts_with("ptr") { "%0" } else { &exception };
        let _ = writeln!(
            text,
            "define weak_odr hidden void @{name}({parameters}) cold noreturn nounwind {{
  call void @__assertfail(ptr {message}, ptr {library}, i32 0, ptr {exception}, i64 1)
  unreachable
}}"
        );
    }
    for (returns, name, parameters, other, arguments) in ALIGNED {
        let (result, value) = if returns == "void" { ("", "") } else { ("%r = ", " %r") };
        let _ = writeln!(
            text,
            "define weak_odr hidden {returns} @{name}({parameters}) nounwind {{
  {result}call {returns} @{other}({arguments})
  ret {returns}{value}
}}"
        );
    }
    for clock in CLOCKS {
        let _ = writeln!(
            text,
            "define weak_odr hidden %\"struct.std::chrono::time_point\" @_ZNSt6chrono3_V212{clock}_clock3nowEv() nounwind {{
  %nanoseconds = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  %since = insertvalue %\"struct.std::chrono::duration\" poison, i64 %nanoseconds, 0
  %now = insertvalue %\"struct.std::chrono::time_point\" poison, %\"struct.std::chrono::duration\" %since, 0
  ret %\"struct.std::chrono::time_point\" %now
}}"
        );
    }
    for allocator in ALLOCATORS {
        for (function, parameters) in ALLOCATOR_FUNCTIONS {
            let name = format!("_ZNSa{allocator}E{function}");
            let _ = writeln!(
                text,
                "define weak_odr hidden void @{name}({parameters}) nounwind {{\n  ret void\n}}"
            );
        }
    }
    for name in EMPTY {
        let _ = writeln!(text, "@{name} = weak_odr hidden addrspace(1) constant [1 x i8] zeroinitializer");
    }
    text + "; _GLIBCXX_ASSERTIONS: file, line, function, condition.
define weak_odr hidden void @_ZSt21__glibcxx_assert_failPKciS0_S0_(ptr %file, i32 %line, ptr %function, ptr %condition) cold noreturn nounwind {
  call void @__assertfail(ptr %condition, ptr %file, i32 %line, ptr %function, i64 1)
  unreachable
}
; That there is more than one thread, which std::shared_ptr asks before it counts.
@__libc_single_threaded = weak_odr hidden addrspace(1) global i8 0
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind
declare ptr @omptarget_cxx_aligned_new(i64, i64)
declare void @omptarget_cxx_aligned_delete(ptr)
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
"
}
