//! Math functions under the names of NVIDIA's libdevice, which clang's headers make of the C library's.
//!
//! They are for machines without CUDA and go into a file of their own: with a real libdevice none of it is linked.
//! What is one instruction comes from the table `prelude/math.txt`. Functions of single precision compute in single
//! precision, because most GPUs have little of the double kind. The rest of the double ones comes from the crate
//! `libm`, which follows musl and CORE-MATH. The errors are measured by `examples/ulp.rs`.

macro_rules! modules {
    ($($name:ident)*) => { $(
        // Coefficients are as the fit gave them: longer than needed, or near a constant by chance.
        #[allow(clippy::excessive_precision, clippy::approx_constant)]
        pub mod $name;
    )* };
}

mod machine;
modules! { bessel_f32 bessel_f64 bessel_i bessel_j class erf exponential fast gamma integer norm parts real reduce roots tangent trig video }
