//! The headers that stand before clang's, all but [`OMP`] for device code alone.
//!
//! clang's `math.h` for NVIDIA's GPUs declares CUDA's functions beside C's: `max`, `norm`, `rsqrt` and others that belong to the program. A
//! macro of such a name in front of it is an error, a function in C++ as well, and in C the program calls CUDA's where it has one of its
//! own (docs/upstream.md). So these have other names where OpenMP is compiled.
//!
//! libstdc++ has the functions of `std::string` compiled, for the host, and says so in its headers; device code gets its own. Its random
//! numbers are computed as `long double`, which a GPU does not have.
//!
//! clang's `complex_cmath.h` has functions of `std::complex` of its own, which are less exact than those of C's library and wrong for large
//! numbers: device code calls those of the library.

use std::fmt::Write;

/// What clang's headers include where they declare functions for C, and for C++.
const MATH: [&str; 2] = ["__clang_cuda_math.h", "__clang_cuda_cmath.h"];

/// With this macro all names are as clang has them.
const KEEP: &str = "OMPTARGET_CUDA_MATH";

/// Functions of CUDA's, for `double`, whose names neither C17 nor the GNU C library has. There is one with an `f` behind it for `float`.
const FLOATING: [&str; 17] = [
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "erfcinv",
    "erfcx",
    "erfinv",
    "fdivide",
    "norm",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "powi",
    "rcbrt",
    "rhypot",
    "rnorm",
    "rnorm3d",
    "rnorm4d",
];

/// The same that C23 has.
const IN_C23: [&str; 4] = ["cospi", "rsqrt", "sincospi", "sinpi"];

/// Functions for integers, in C with arguments of type `int`.
const INTEGER: [&str; 8] = ["llmax", "llmin", "max", "min", "ullmax", "ullmin", "umax", "umin"];

/// What libstdc++'s headers include first.
const CXX_CONFIG: &str = "bits/c++config.h";

/// The value is libstdc++'s own, for a library with the templates of `std::string` in its headers alone.
const CXX_CONFIG_TEXT: &str = "\
/* Before libstdc++'s bits/c++config.h: device code has its own instances of the templates of std::string. */
#include_next <bits/c++config.h>
#if defined(__NVPTX__) && defined(_OPENMP)
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
";

/// libstdc++'s file with `std::generate_canonical`, by which distributions draw.
const CXX_RANDOM: &str = "bits/random.tcc";

/// What `long double` is for in libstdc++'s function, integers do here: the numbers are the same.
const CXX_RANDOM_TEXT: &str = "\
/* Before libstdc++'s bits/random.tcc: device code has a std::generate_canonical without long double. */
#if defined(__NVPTX__) && defined(_OPENMP)
#pragma push_macro(\"generate_canonical\")
#undef generate_canonical
#define generate_canonical __omptarget_host_generate_canonical
#endif
#include_next <bits/random.tcc>
#if defined(__NVPTX__) && defined(_OPENMP)
#pragma pop_macro(\"generate_canonical\")
#ifndef OMPTARGET_RANDOM_TCC
#define OMPTARGET_RANDOM_TCC
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <typename _RealType, size_t __bits, typename _UniformRandomNumberGenerator>
_RealType generate_canonical(_UniformRandomNumberGenerator &__urng) {
  static_assert(std::is_floating_point<_RealType>::value, \"template argument must be a floating point type\");
  const size_t __wanted = std::min(static_cast<size_t>(std::numeric_limits<_RealType>::digits), __bits);
  /* One less than how many numbers there are, and how many bits they have. */
  const unsigned long long __most =
      static_cast<unsigned long long>(__urng.max()) - static_cast<unsigned long long>(__urng.min());
  const size_t __each = __most == ~0ULL ? 64 : 63 - __builtin_clzll(__most + 1);
  _RealType __sum = _RealType(0), __scale = _RealType(1);
  for (size_t __k = std::max<size_t>(1, (__wanted + __each - 1) / __each); __k != 0; --__k) {
    __sum += _RealType(__urng() - __urng.min()) * __scale;
    __scale = static_cast<_RealType>(__scale * (static_cast<double>(__most) + 1.0));
  }
  const _RealType __result = __sum / __scale;
  return __result < _RealType(1) ? __result : std::nextafter(_RealType(1), _RealType(0));
}
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
";

/// clang's functions of `std::complex`.
const CXX_COMPLEX: &str = "complex_cmath.h";

/// Without them there are libstdc++'s, which call C's.
const CXX_COMPLEX_TEXT: &str = "\
/* Instead of clang's complex_cmath.h: libstdc++'s functions call those of complex.h, which device code has. */
#ifndef __NVPTX__
#include_next <complex_cmath.h>
#endif
";

/// OpenMP's header, also for the host: LLVM 22's with what OpenMP 6.1 adds and libraries here have, as later headers of LLVM declare it.
pub const OMP: (&str, &str) = (
    "omp.h",
    "\
/* Before clang's omp.h: the routines of dyn_groupprivate (OpenMP 6.1), which LLVM has from 23 on. */
#include_next <omp.h>
#if defined(__clang__) && __clang_major__ < 23 && !defined(OMPTARGET_OMP_H)
#define OMPTARGET_OMP_H
#include <stddef.h>
typedef enum { omp_access_cgroup = 0, omp_access_pteam = 1 } omp_access_t;
#define omp_cgroup_mem_space ((omp_memspace_handle_t)5)
#ifdef __cplusplus
#define OMPTARGET_OR(value) = value
extern \"C\" {
#else
#define OMPTARGET_OR(value)
#endif
extern void *omp_get_dyn_gprivate_ptr(size_t offset OMPTARGET_OR(0),
                                      omp_access_t access_group OMPTARGET_OR(omp_access_cgroup));
extern void *omp_get_dyn_gprivate_nofb_ptr(size_t offset OMPTARGET_OR(0),
                                           omp_access_t access_group OMPTARGET_OR(omp_access_cgroup));
extern size_t omp_get_dyn_gprivate_size(omp_access_t access_group OMPTARGET_OR(omp_access_cgroup));
extern omp_memspace_handle_t omp_get_dyn_gprivate_memspace(omp_access_t access_group OMPTARGET_OR(omp_access_cgroup));
extern size_t omp_get_gprivate_limit(int device_num, omp_access_t access_group OMPTARGET_OR(omp_access_cgroup));
#ifdef __cplusplus
}
#endif
#undef OMPTARGET_OR
#endif
",
);

/// The files for device code, by what programs include, and their texts.
pub fn all() -> impl Iterator<Item = (&'static str, String)> {
    let math = MATH.into_iter().map(|file| (file, text(file)));
    let cxx = [(CXX_CONFIG, CXX_CONFIG_TEXT), (CXX_RANDOM, CXX_RANDOM_TEXT), (CXX_COMPLEX, CXX_COMPLEX_TEXT)];
    math.chain(cxx.map(|(file, text)| (file, text.to_owned())))
}

/// The text of one of [`MATH`].
fn text(file: &str) -> String {
    let guard = file.trim_matches('_').replace('.', "_").to_uppercase();
    let mut text = format!(
        "/* Before clang's {file}: CUDA's functions leave their names to the program. With {KEEP} they do not. */\n"
    );
    let both = |name: &&'static str| [(*name).to_owned(), format!("{name}f")];
    let always: Vec<String> = FLOATING.iter().flat_map(both).chain(INTEGER.map(str::to_owned)).collect();
    let before_c23: Vec<String> = IN_C23.iter().flat_map(both).collect();
    let _ = writeln!(
        text,
        "#if defined(__OPENMP_NVPTX__) && !defined({KEEP})\n#define OMPTARGET_{guard}\n\
         #if !(__STDC_VERSION__ > 201710L) && __GLIBC__ * 100 + __GLIBC_MINOR__ < 241\n\
         #define OMPTARGET_{guard}_C23\n#endif\n#endif"
    );
    let sets = [(format!("OMPTARGET_{guard}"), always), (format!("OMPTARGET_{guard}_C23"), before_c23)];
    for (set, names) in &sets {
        let _ = writeln!(text, "#ifdef {set}");
        for name in names {
            let _ = writeln!(
                text,
                "#pragma push_macro(\"{name}\")\n#undef {name}\n#define {name} __omptarget_cuda_{name}"
            );
        }
        let _ = writeln!(text, "#endif");
    }
    let _ = writeln!(text, "#include_next <{file}>");
    for (set, names) in &sets {
        let _ = writeln!(text, "#ifdef {set}");
        for name in names {
            let _ = writeln!(text, "#undef {name}\n#pragma pop_macro(\"{name}\")");
        }
        let _ = writeln!(text, "#undef {set}\n#endif");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_hidden_and_shown_again() {
        for file in MATH {
            let text = text(file);
            for name in ["max", "norm3df", "rsqrt"] {
                let lines = [
                    format!(
                        "#pragma push_macro(\"{name}\")\n#undef {name}\n#define {name} __omptarget_cuda_{name}\n"
                    ),
                    format!("#include_next <{file}>\n"),
                    format!("#undef {name}\n#pragma pop_macro(\"{name}\")\n"),
                ];
                let places: Vec<_> = lines.iter().map(|line| text.find(line.as_str())).collect();
                assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{name}: {places:?}");
            }
            let count = |what: &str| text.matches(what).count();
            assert_eq!(count("push_macro"), count("pop_macro"));
            assert_eq!(count("#if"), count("#endif"));
        }
    }
}
