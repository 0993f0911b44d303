//! `declare target` variables that only their scope can name: `save`d ones of programs and procedures in Fortran.
//!
//! flang 22 gives them no entry among those that a host program registers, and makes them internal in the code of devices. So the device has
//! a variable of its own that nothing copies to: `target update` maps another one (docs/upstream.md). Here the host
//! registers them, and devices let themselves be asked for them, like a module's variables. Their names are those of their scopes.

use crate::ir::{Global, Linkage, Module};
use abi::entry::OffloadEntry;

/// What LLVM writes down about the variables of a module: rows of a kind, a name, flags and an order.
const INFO: &str = "omp_offload.info";
/// The kind of variables.
const VARIABLE: u64 = 1;
/// The flags of `to` and of `enter`. Others are of `link`, which goes another way.
const WHOLE: [u64; 2] = [0, 2];
/// The section of entries, and what their names begin with.
const SECTION: &str = "llvm_offload_entries";
const ENTRY: &str = ".offloading.entry.";

/// Repairs a module of flang, of the host or of a device; whether it had any such variables.
pub fn run(module: Module) -> bool {
    let is_of_device = module.flag("openmp-device").is_some();
    let names = module.metadata_rows(INFO).into_iter().filter_map(|row| {
        let [kind, name, flags, _] = row[..] else { return None };
        let is_whole = flags.as_constant_int().is_some_and(|flags| WHOLE.contains(&flags));
        (kind.as_constant_int() == Some(VARIABLE) && is_whole).then(|| name.as_metadata_text()).flatten()
    });
    let names: Vec<String> = names.collect();
    let globals = module.globals();
    let find = |name: &str| globals.iter().copied().find(|global| global.value().name() == name);
    let mut changed = false;
    for (name, global) in names.iter().filter_map(|name| Some((name, find(name)?))) {
        if !global.is_local() {
            continue;
        }
        if is_of_device {
            global.set_linkage(Linkage::LLVMExternalLinkage);
        } else if find(&format!("{ENTRY}{name}")).is_none() {
            register(module, name, global);
        }
        changed = true;
    }
    changed
}

/// Gives a variable of the host its entry ([`OffloadEntry`]).
fn register(module: Module, name: &str, global: Global) {
    let text = module.text_constant(&[name.as_bytes(), b"\0"].concat());
    let text = module.add_constant(text, ".offloading.entry_name");
    let [half, word, long] = [16, 32, 64].map(|bits| module.int_type(bits));
    let entry = module.structure(&[
        long.constant(0),
        half.constant(OffloadEntry::VERSION.into()),
        half.constant(OffloadEntry::KIND_OPENMP.into()),
        word.constant(0),
        global.value(),
        text.value(),
        long.constant(module.size_of(global.content_type())),
        long.constant(0),
        module.pointer_type().null(),
    ]);
    let entry = module.add_constant(entry, &format!("{ENTRY}{name}"));
    entry.set_linkage(Linkage::LLVMWeakAnyLinkage);
    entry.set_section(SECTION);
    module.set_alignment(entry, 8);
}
