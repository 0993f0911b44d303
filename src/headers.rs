//! The headers that stand before clang's, all but [`OMP`] for device code alone.
//!
//! clang's `math.h` for NVIDIA's GPUs declares CUDA's functions beside C's: `max`, `norm`, `rsqrt` and others that belong to the program. A
//! macro of such a name in front of it is an error, a function in C++ as well, and in C the program calls CUDA's where it has one of its
//! own (docs/upstream.md). So these have other names where OpenMP is compiled.
//!
//! libstdc++ has the functions of `std::string` compiled, for the host, and says so in its headers; device code gets its own.

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
    math.chain([(CXX_CONFIG, CXX_CONFIG_TEXT.to_owned())])
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
