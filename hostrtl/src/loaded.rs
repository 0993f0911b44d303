//! The program and its libraries as the loader knows them.

use core::ffi::{c_int, c_void};

/// A program header.
type Header = libc::Elf64_Phdr;

/// The answer of the first loaded object to which `ask` has one; it gets the object's base address and program headers.
pub fn find<T>(mut ask: impl FnMut(usize, &[Header]) -> Option<T>) -> Option<T> {
    struct Search<'a, T> {
        ask: &'a mut dyn FnMut(usize, &[Header]) -> Option<T>,
        answer: Option<T>,
    }
    unsafe extern "C" fn look<T>(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes its record, and `find` its search.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_, T>>()) };
        // SAFETY: the program headers of a loaded object.
        let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        search.answer = (search.ask)(info.dlpi_addr as usize, headers);
        search.answer.is_some().into()
    }
    let mut search = Search { ask: &mut ask, answer: None };
    // SAFETY: a function for the loader to call with the search, during this call.
    unsafe { libc::dl_iterate_phdr(Some(look::<T>), (&raw mut search).cast()) };
    search.answer
}

/// Whether these bytes are constants of the program or a library: nobody may write there.
pub fn is_constant(begin: usize, size: usize) -> bool {
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let holds = |base: usize, header: &Header, end: usize| {
        let first = base + header.p_vaddr as usize;
        begin >= first && begin.checked_add(size).is_some_and(|last| last <= base + end)
    };
    find(|base, headers| {
        let constant = |header: &Header| {
            let end = (header.p_vaddr + header.p_memsz) as usize;
            match header.p_type {
                libc::PT_LOAD => header.p_flags & libc::PF_W == 0 && holds(base, header, end),
                // Addresses among constants, which the loader has filled in: it protects whole pages.
                libc::PT_GNU_RELRO => holds(base, header, end / page * page),
                _ => false,
            }
        };
        headers.iter().any(constant).then_some(())
    })
    .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

    #[test]
    fn only_what_nobody_may_write_is_constant() {
        static NUMBERS: [u32; 4] = [1, 2, 3, 4];
        static NAMES: [&str; 2] = ["one", "two"];
        static COUNTER: AtomicU32 = AtomicU32::new(1);
        let (local, heap) = ([1_u8; 64], vec![1_u8; 1 << 20]);
        assert!(is_constant((&raw const NUMBERS).addr(), size_of_val(&NUMBERS)));
        assert!(is_constant((&raw const NAMES).addr(), size_of_val(&NAMES)));
        assert!(!is_constant((&raw const COUNTER).addr(), size_of_val(&COUNTER)));
        assert!(!is_constant(local.as_ptr().addr(), local.len()));
        assert!(!is_constant(heap.as_ptr().addr(), heap.len()));
        // Whatever reaches beyond the constants is none.
        assert!(!is_constant((&raw const NUMBERS).addr(), usize::MAX / 2));
        assert!(!is_constant((&raw const NUMBERS).addr(), usize::MAX));
    }
}
