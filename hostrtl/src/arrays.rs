//! The four to six parallel arrays in which compiled programs pass their maps.

use crate::error::{Error, Result};
use crate::location::{Location, MapName};
use abi::kernel::KernelArguments;
use abi::map::MapType;
use core::ffi::c_void;

/// One map of a construct.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// Base address of the variable; the value itself for literals.
    pub base: usize,
    /// First mapped address.
    pub begin: usize,
    /// Mapped bytes; for non-contiguous sections the number of dimensions.
    pub size: usize,
    /// Map-type bits.
    pub kind: MapType,
    /// Mapped expression.
    pub name: MapName<'a>,
    /// User-defined mapper.
    pub mapper: Option<MapperFunction>,
}

/// A mapper function of the program: (handle, base, begin, size, type, name). It reports its parts by
/// `__tgt_push_mapper_component`.
pub type MapperFunction =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, i64, i64, *const c_void);

/// View of a program's arrays.
#[derive(Debug)]
pub struct Arrays<'a> {
    bases: &'a mut [usize],
    begins: &'a [usize],
    sizes: &'a [i64],
    kinds: &'a [MapType],
    names: Option<&'a [*const c_void]>,
    mappers: Option<&'a [Option<MapperFunction>]>,
}

/// The raw pointers behind [`Arrays`], in the order of the entry points' parameters.
#[derive(Clone, Copy, Debug)]
pub struct RawArrays {
    /// Elements of each array.
    pub count: i32,
    /// Base addresses; written for `use_device_ptr`.
    pub bases: *mut *mut c_void,
    /// First mapped addresses.
    pub begins: *mut *mut c_void,
    /// Sizes in bytes.
    pub sizes: *const i64,
    /// Map types.
    pub kinds: *const i64,
    /// Names; may be null.
    pub names: *const *const c_void,
    /// Mappers; may be null.
    pub mappers: *const *mut c_void,
}

impl RawArrays {
    /// The arrays of a launch packet.
    pub fn of_packet(packet: &KernelArguments) -> Self {
        Self {
            count: packet.num_args.try_into().unwrap_or(i32::MAX),
            bases: packet.arg_base_ptrs.cast_mut(),
            begins: packet.arg_ptrs.cast_mut(),
            sizes: packet.arg_sizes,
            kinds: packet.arg_types,
            names: packet.arg_names,
            mappers: packet.arg_mappers,
        }
    }

    /// A view of the arrays.
    ///
    /// # Safety
    /// Each array, unless it is null, has `count` elements and nobody else uses it during `'a`; `names` and
    /// `mappers` hold null, C strings and mapper functions. Each map that is no literal names memory of the program
    /// that stays valid for reads, and where it copies back for writes, until the construct ends.
    pub unsafe fn view<'a>(self) -> Arrays<'a> {
        let count = usize::try_from(self.count).unwrap_or(0);
        // SAFETY: the contract; the pointer types all have the size and alignment of their stand-ins, and a null
        // function pointer is `None`.
        unsafe {
            Arrays {
                bases: slice_mut(self.bases.cast(), count),
                begins: slice(self.begins.cast(), count).unwrap_or_default(),
                sizes: slice(self.sizes, count).unwrap_or_default(),
                kinds: slice(self.kinds.cast(), count).unwrap_or_default(),
                names: slice(self.names, count),
                mappers: slice(self.mappers.cast(), count),
            }
        }
    }
}

/// # Safety
/// `data` is null or valid for `count` elements.
unsafe fn slice<'a, T>(data: *const T, count: usize) -> Option<&'a [T]> {
    // SAFETY: not null, so valid by the contract.
    (!data.is_null()).then(|| unsafe { core::slice::from_raw_parts(data, count) })
}

/// # Safety
/// `data` is null or valid for `count` elements that nobody else uses.
unsafe fn slice_mut<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if data.is_null() {
        return &mut [];
    }
    // SAFETY: not null, so valid by the contract.
    unsafe { core::slice::from_raw_parts_mut(data, count) }
}

impl<'a> Arrays<'a> {
    /// Number of maps: the shortest array counts.
    pub fn len(&self) -> usize {
        self.bases.len().min(self.begins.len()).min(self.sizes.len()).min(self.kinds.len())
    }

    /// Whether there are no maps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Map number `index`, which must be below [`Arrays::len`].
    pub fn get(&self, index: usize) -> Argument<'a> {
        let name = self.names.map_or(core::ptr::null(), |names| names[index]);
        // SAFETY: names are null or C strings by the contract of `RawArrays::view`.
        let name = unsafe { MapName::from_ptr(name) };
        let begin = self.begins[index];
        // Fortran's optional argument that is absent: flang gives the size that it would have.
        let is_absent = begin == 0 && name.is_of_flang();
        let size = if is_absent { 0 } else { usize::try_from(self.sizes[index]).unwrap_or(0) };
        Argument {
            base: self.bases[index],
            begin,
            size,
            kind: self.kinds[index],
            name,
            mapper: self.mappers.and_then(|mappers| mappers[index]),
        }
    }

    /// All maps.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Argument<'a>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Writes the device address that `use_device_ptr` and `use_device_addr` ask for.
    pub fn set_base(&mut self, index: usize, base: u64) {
        self.bases[index] = base as usize;
    }

    /// Refuses maps that no program can mean: null with a size, and sizes below zero.
    pub fn check(&self, location: Location<'_>) -> Result<()> {
        for index in 0..self.len() {
            let argument = self.get(index);
            let name = || argument.name.name().to_owned();
            if self.sizes[index] < 0 {
                let size = self.sizes[index];
                return Err(Error::NegativeSize {
                    index,
                    name: name(),
                    size,
                    location: location.to_string(),
                });
            }
            let reads_memory = !argument.kind.is_literal()
                && !argument.kind.is_attach()
                && (!argument.kind.is_private() || argument.kind.is_to());
            if argument.begin == 0 && argument.size > 0 && reads_memory && argument.mapper.is_none() {
                let size = argument.size;
                return Err(Error::NullPointer { index, name: name(), size, location: location.to_string() });
            }
        }
        Ok(())
    }
}

/// Maps that own their arrays: those of a mapper's components, and of tests.
#[derive(Debug, Default)]
pub struct OwnedArrays {
    bases: Vec<usize>,
    begins: Vec<usize>,
    sizes: Vec<i64>,
    kinds: Vec<MapType>,
    names: Vec<*const c_void>,
}

impl OwnedArrays {
    /// Appends one map.
    pub fn push(&mut self, base: usize, begin: usize, size: i64, kind: MapType, name: *const c_void) {
        self.bases.push(base);
        self.begins.push(begin);
        self.sizes.push(size);
        self.kinds.push(kind);
        self.names.push(name);
    }

    /// Gives all maps the type `delete`.
    pub fn make_delete(&mut self) {
        self.kinds.iter_mut().for_each(|kind| kind.0 |= MapType::DELETE.0);
    }

    /// Number of maps.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there are no maps.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// A view of the maps; they have no mappers.
    ///
    /// # Safety
    /// As for [`RawArrays::view`]: the maps name valid memory, the names are null or C strings.
    pub unsafe fn view(&mut self) -> Arrays<'_> {
        Arrays {
            bases: &mut self.bases,
            begins: &self.begins,
            sizes: &self.sizes,
            kinds: &self.kinds,
            names: Some(&self.names),
            mappers: None,
        }
    }

    /// The pointers behind the maps, which the next change of them may move.
    pub fn raw(&mut self) -> RawArrays {
        RawArrays {
            count: self.len() as i32,
            bases: self.bases.as_mut_ptr().cast(),
            begins: self.begins.as_mut_ptr().cast(),
            sizes: self.sizes.as_ptr(),
            kinds: self.kinds.as_ptr().cast(),
            names: self.names.as_ptr(),
            mappers: core::ptr::null(),
        }
    }

    /// What the maps' bases are now.
    pub fn bases(&self) -> &[usize] {
        &self.bases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(begin: usize, size: i64, kind: u64) -> Result<()> {
        let mut maps = OwnedArrays::default();
        maps.push(begin, begin, size, MapType(kind), c";p[0:n];a.c;3;5;;".as_ptr().cast());
        // SAFETY: nothing reads the mapped memory here; the name is a C string.
        unsafe { maps.view() }.check(Location::from_text(c";a.c;main;3;1;;"))
    }

    #[test]
    fn null_with_a_size_names_argument_size_and_place() {
        assert_eq!(
            check(0, 80, 0x23).unwrap_err().to_string(),
            "cannot map a null pointer: argument 0, 'p[0:n]', has size 80 bytes but a null address, at a.c:3:1"
        );
    }

    #[test]
    fn null_is_allowed_where_nothing_is_read() {
        assert_eq!(check(0, 0, 0x23), Ok(()), "zero-length section");
        assert_eq!(check(0, 4, 0x120), Ok(()), "the literal 0");
        assert_eq!(check(0, 8, 0x4000), Ok(()), "attach to a null pointer");
        assert_eq!(check(0, 8, 0xa0), Ok(()), "private without a copy");
        assert!(check(0, 8, 0xa1).is_err(), "firstprivate reads");
    }

    #[test]
    fn negative_size() {
        assert_eq!(
            check(0x1000, -8, 0x23).unwrap_err().to_string(),
            "cannot map a negative size: argument 0, 'p[0:n]', has size -8 bytes, at a.c:3:1"
        );
    }

    #[test]
    fn null_arrays_are_empty() {
        let raw = RawArrays {
            count: 3,
            bases: core::ptr::null_mut(),
            begins: core::ptr::null_mut(),
            sizes: core::ptr::null(),
            kinds: core::ptr::null(),
            names: core::ptr::null(),
            mappers: core::ptr::null(),
        };
        // SAFETY: null arrays are allowed.
        assert!(unsafe { raw.view() }.is_empty());
    }

    #[test]
    fn raw_arrays_read_and_write() {
        let mut bases = [0x10 as *mut c_void, 0x20 as *mut c_void];
        let mut begins = [0x18 as *mut c_void, 0x20 as *mut c_void];
        let (sizes, kinds) = ([8_i64, 16], [0x21_i64, 0x1_0000_0000_0013]);
        let raw = RawArrays {
            count: 2,
            bases: bases.as_mut_ptr(),
            begins: begins.as_mut_ptr(),
            sizes: sizes.as_ptr(),
            kinds: kinds.as_ptr(),
            names: core::ptr::null(),
            mappers: core::ptr::null(),
        };
        // SAFETY: complete arrays; nothing reads the mapped memory.
        let mut view = unsafe { raw.view() };
        let first = view.get(0);
        assert_eq!((first.base, first.begin, first.size, first.name.name()), (0x10, 0x18, 8, "unknown"));
        assert_eq!(view.get(1).kind.parent(), Some(0));
        view.set_base(1, 0xd0);
        assert_eq!(bases[1] as usize, 0xd0);
    }
}
