//! Functions of the C and C++ libraries that `libompdevice.a` has in members of their own, beside the runtime's: `libc.bc` and
//! `libstdc++.bc`. Weak: a program may bring its own.
//!
//! A C function is as ISO C, POSIX or glibc have it; a C++ function has the name that clang gives it, and is of libstdc++.

/// The C functions. Sorted.
pub const C: &[&str] = &[
    "_Exit",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__errno_location",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "_exit",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bcmp",
    "bsearch",
    "bzero",
    "calloc",
    "div",
    "exit",
    "fflush",
    "fprintf",
    "fputc",
    "fputs",
    "isalnum",
    "isalpha",
    "isascii",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "ldiv",
    "lldiv",
    "memccpy",
    "memmem",
    "mempcpy",
    "memrchr",
    "putc",
    "putchar",
    "qsort",
    "rand",
    "rand_r",
    "snprintf",
    "sprintf",
    "srand",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strchrnul",
    "strcoll",
    "strcspn",
    "strdup",
    "strncasecmp",
    "strndup",
    "strnlen",
    "strpbrk",
    "strspn",
    "strstr",
    "strtod",
    "strtof",
    "strtok_r",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "toascii",
    "tolower",
    "toupper",
    "vfprintf",
    "vsnprintf",
    "vsprintf",
    "wcslen",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemmove",
    "wmemset",
];

/// The C++ functions, and one for them. Sorted.
pub const CXX: &[&str] = &[
    "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZNSaIcEC1ERKS_",
    "_ZNSaIcEC1Ev",
    "_ZNSaIcEC2ERKS_",
    "_ZNSaIcEC2Ev",
    "_ZNSaIcED1Ev",
    "_ZNSaIcED2Ev",
    "_ZNSaIwEC1ERKS_",
    "_ZNSaIwEC1Ev",
    "_ZNSaIwEC2ERKS_",
    "_ZNSaIwEC2Ev",
    "_ZNSaIwED1Ev",
    "_ZNSaIwED2Ev",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZSt16__throw_bad_castv",
    "_ZSt17__throw_bad_allocv",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt18__throw_bad_typeidv",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt19__throw_range_errorPKc",
    "_ZSt20__throw_domain_errorPKc",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt20__throw_system_errori",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "_ZSt21__throw_bad_exceptionv",
    "_ZSt21__throw_runtime_errorPKc",
    "_ZSt22__throw_overflow_errorPKc",
    "_ZSt23__throw_underflow_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt26__throw_bad_variant_accessPKc",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "omptarget_cxx_buckets",
];

/// Those that call functions of the program.
const CALLS_BACK: [&str; 2] = ["bsearch", "qsort"];

/// Whether it is one of these functions, and one that calls nothing of the program's.
pub fn is_leaf(name: &str) -> bool {
    let known = [C, CXX].iter().any(|names| names.binary_search(&name).is_ok());
    known && !CALLS_BACK.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_leaves_are_found() {
        assert!(C.is_sorted() && CXX.is_sorted());
        assert!(["strtol", "_ZSt17__throw_bad_allocv"].iter().all(|name| is_leaf(name)));
        assert!(["qsort", "bsearch", "omp_get_level", ""].iter().all(|name| !is_leaf(name)));
    }
}
