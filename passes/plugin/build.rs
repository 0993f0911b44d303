//! Links the plugin so that LLVM's functions are looked up when they are called, and not when it is loaded: so an LLVM of
//! another version gets as far as the plugin's own version, and says what is wrong with it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,lazy");
}
