//! Derived types: what the compiler writes down of their components, and what is done for each component: default initialization,
//! destruction and intrinsic assignment (Fortran 2018, 7.5.4.6, 9.7.3.2 and 10.2.1.3).
//!
//! The descriptions are flang 22's (`flang/module/__fortran_type_info.f90`), constants of the program. Types with length parameters,
//! FINAL procedures and defined assignments end the program with a message. Types may contain themselves, as elements of a
//! list do, so what is left to do stands on a stack of this file, not in recursive calls, of which a GPU would not know how much
//! memory they need.

use super::descriptor::{
    ALLOCATABLE, Array, Descriptor, Dimension, HAS_ADDENDUM, POINTER, TEXT, copy_bytes, dimensions,
    establish_nothing,
};
use super::{File, In, Place, at, fortran, refuse};
use crate::{
    arch::{self, Failure},
    libc, memory,
};

/// Behind the dimensions of the descriptor of something with components.
#[repr(C)]
#[derive(Clone, Copy)]
struct Addendum {
    ty: *const Type,
    length_parameters: i64,
}

/// A pointer without dimensions, to something with components.
#[repr(C)]
struct Scalar {
    head: Descriptor,
    addendum: Addendum,
}

/// A pointer to a vector, of something with components or not.
#[repr(C)]
struct Plain {
    head: Descriptor,
    dimension: Dimension,
}
#[repr(C)]
struct Vector {
    plain: Plain,
    addendum: Addendum,
}

/// A pointer to a matrix of something with components.
#[repr(C)]
struct Matrix {
    head: Descriptor,
    dimensions: [Dimension; 2],
    addendum: Addendum,
}

/// A number that is known, if `genre` is [`EXPLICIT`].
#[repr(C)]
struct Value {
    genre: u8,
    number: i64,
}
const EXPLICIT: u8 = 2;

/// A component that is no procedure.
#[repr(C)]
struct Component {
    name: Descriptor,
    genre: u8,
    category: u8,
    kind: u8,
    rank: u8,
    offset: u64,
    length: Value,
    ty: Scalar,
    length_values: Vector,
    bounds: Matrix,
    initialization: *const u8,
}
const _: () = assert!(size_of::<Component>() == 256);

/// What [`Component::genre`] says.
const DATA: u8 = 1;
const TO_OTHERS: u8 = 2;
const ALLOCATED: u8 = 3;

/// What [`Component::category`] says: kinds of the language's own types, and [`DERIVED`].
const INTEGER: u8 = 0;
const UNSIGNED: u8 = 1;
const REAL: u8 = 2;
const COMPLEX: u8 = 3;
const CHARACTER: u8 = 4;
const LOGICAL: u8 = 5;
const DERIVED: u8 = 6;

/// `CFI_type_struct`.
pub(super) const STRUCT: i8 = 42;

/// `CFI_type_*` of a category of types and a kind.
pub(super) fn type_code(category: u8, kind: i32) -> i8 {
    match (category, kind) {
        (INTEGER | UNSIGNED, 1) => 7,
        (INTEGER | UNSIGNED, 2) => 8,
        (INTEGER | UNSIGNED, 4) => 9,
        (INTEGER | UNSIGNED, 8) => 10,
        (REAL, 2) => 25,
        (REAL, 4) => 27,
        (REAL, 8) => 28,
        (COMPLEX, 4) => 34,
        (COMPLEX, 8) => 35,
        (CHARACTER, 1) => TEXT,
        (LOGICAL, 1) => 39,
        (LOGICAL, 2) => 18,
        (LOGICAL, 4) => 19,
        (LOGICAL, 8) => 20,
        (DERIVED, _) => STRUCT,
        _ => refuse(Failure::FortranKind, Place::UNKNOWN),
    }
}

/// Bytes of an element of a category of types and a kind, but for those of texts and derived types.
pub(super) fn type_bytes(category: u8, kind: i32) -> u64 {
    match category {
        INTEGER | UNSIGNED | REAL | LOGICAL => kind as u64,
        COMPLEX => 2 * kind as u64,
        _ => refuse(Failure::FortranKind, Place::UNKNOWN),
    }
}

/// A component that points to a procedure.
#[repr(C)]
struct Procedure {
    name: Descriptor,
    offset: u64,
    initial: *const u8,
}

/// A derived type.
#[repr(C)]
pub struct Type {
    bindings: Vector,
    name: Descriptor,
    bytes: u64,
    uninstantiated: Scalar,
    kind_parameters: Plain,
    length_parameters: Plain,
    components: Vector,
    procedures: Vector,
    special: Vector,
    special_set: u32,
    has_parent: bool,
    /// Elements need no initialization.
    no_initialization: bool,
    /// No component is allocatable.
    no_destruction: bool,
    no_finalization: bool,
    no_defined_assignment: bool,
}
const _: () = assert!(size_of::<Type>() == 440);

/// The type of what a descriptor describes; null if it has no components.
///
/// # Safety
/// The descriptor must be flang's.
pub(super) unsafe fn type_of(descriptor: *const Descriptor) -> *const Type {
    // SAFETY: as the caller promises: the addendum follows the dimensions.
    unsafe {
        if (*descriptor).extra & HAS_ADDENDUM == 0 {
            return core::ptr::null();
        }
        (*addendum(descriptor.cast_mut())).ty
    }
}

/// # Safety
/// The descriptor must be flang's, and have one.
unsafe fn addendum(descriptor: *mut Descriptor) -> *mut Addendum {
    // SAFETY: it follows the dimensions.
    unsafe { dimensions(descriptor).add((*descriptor).rank.into()).cast() }
}

/// Bytes of a descriptor.
///
/// # Safety
/// It must be flang's.
pub(super) unsafe fn bytes_of_descriptor(descriptor: *const Descriptor) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { descriptor_bytes((*descriptor).rank, (*descriptor).extra & HAS_ADDENDUM != 0) }
}

fn descriptor_bytes(rank: u8, has_addendum: bool) -> u64 {
    let addendum = if has_addendum { size_of::<Addendum>() } else { 0 };
    (size_of::<Descriptor>() + usize::from(rank) * size_of::<Dimension>() + addendum) as u64
}

/// Copies a descriptor with all that follows it.
///
/// # Safety
/// `from` must be flang's, and `to` have room for it.
pub(super) unsafe fn copy_descriptor(to: *mut Descriptor, from: *const Descriptor) {
    // SAFETY: as the caller promises.
    unsafe { libc::copy_up(to.cast(), from.cast(), bytes_of_descriptor(from) as usize) }
}

/// Bytes of an element of a type.
///
/// # Safety
/// `ty` must be flang's.
pub(super) unsafe fn bytes_of_type(ty: *const Type) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { (*ty).bytes }
}

/// Whether a type is another or extends it.
///
/// # Safety
/// Both must be flang's, or null.
pub(super) unsafe fn extends(mut ty: *const Type, other: *const Type) -> bool {
    // SAFETY: as the caller promises. The first component of a type that extends one is its parent.
    unsafe {
        while !ty.is_null() && ty != other {
            let components = (*ty).components.plain.head.base.cast::<Component>();
            ty = if (*ty).has_parent { (*components).derived() } else { core::ptr::null() };
        }
        !ty.is_null()
    }
}

/// Whether elements of this type hold memory of their own, so that copies of their bytes are no copies.
///
/// # Safety
/// `ty` must be null or flang's.
pub(super) unsafe fn holds_memory(ty: *const Type) -> bool {
    // SAFETY: as the caller promises.
    unsafe { !ty.is_null() && !(*ty).no_destruction }
}

/// Makes a descriptor one of something with components of this type, if that is not null.
///
/// # Safety
/// The descriptor must have room for it.
pub(super) unsafe fn set_type(descriptor: *mut Descriptor, ty: *const Type) {
    if !ty.is_null() {
        // SAFETY: as the caller promises.
        unsafe {
            (*descriptor).extra |= HAS_ADDENDUM;
            addendum(descriptor).write(Addendum { ty, length_parameters: 0 })
        }
    }
}

/// Refuses types whose FINAL procedures would have to be called.
///
/// # Safety
/// `ty` must be null or flang's.
unsafe fn check_finalization(ty: *const Type, at: Place) {
    // SAFETY: as the caller promises.
    if unsafe { !ty.is_null() && !(*ty).no_finalization } {
        refuse(Failure::FortranFinal, at)
    }
}

/// Refuses types whose procedures an assignment would have to call.
///
/// # Safety
/// `ty` must be null or flang's.
pub(super) unsafe fn check_assignment(ty: *const Type, at: Place) {
    // SAFETY: as the caller promises.
    unsafe {
        if ty.is_null() {
            return;
        }
        check_finalization(ty, at);
        if !(*ty).no_defined_assignment {
            refuse(Failure::FortranAssignment, at)
        }
    }
}

impl Component {
    fn is_derived(&self) -> bool {
        self.category == DERIVED
    }

    /// Its type; null if that is one of the language.
    fn derived(&self) -> *const Type {
        if self.is_derived() { self.ty.head.base.cast() } else { core::ptr::null() }
    }

    /// The bytes of an element; 0 of a text whose length is not known yet.
    fn element_bytes(&self) -> u64 {
        match self.category {
            // SAFETY: flang's description.
            DERIVED => unsafe { (*self.derived()).bytes },
            CHARACTER if self.length.genre == EXPLICIT => {
                u64::from(self.kind) * self.length.number.max(0) as u64
            }
            CHARACTER if self.genre != DATA => 0,
            _ => type_bytes(self.category, self.kind.into()),
        }
    }

    /// How many elements stand in the component itself.
    fn count(&self) -> u64 {
        let (mut count, mut number) = (1, 0);
        while number < self.rank {
            let bound = |upper: usize| {
                // SAFETY: there are two bounds for each dimension.
                let value =
                    unsafe { &*self.bounds.head.base.cast::<Value>().add(2 * usize::from(number) + upper) };
                if value.genre != EXPLICIT {
                    refuse(Failure::FortranLength, Place::UNKNOWN)
                }
                value.number
            };
            count *= bound(1).wrapping_sub(bound(0)).wrapping_add(1).max(0) as u64;
            number += 1;
        }
        count
    }

    /// The bytes of the component in its element.
    fn bytes(&self) -> u64 {
        match self.genre {
            DATA => self.element_bytes() * self.count(),
            _ => descriptor_bytes(self.rank, self.is_derived()),
        }
    }

    /// Makes the descriptor of an allocatable component or a pointer, of nothing yet.
    ///
    /// # Safety
    /// There must be room for one.
    unsafe fn establish(&self, to: *mut Descriptor) {
        let attribute = if self.genre == ALLOCATED { ALLOCATABLE } else { POINTER };
        let (rank, ty, bytes) = (self.rank, type_code(self.category, self.kind.into()), self.element_bytes());
        // SAFETY: as the caller promises.
        unsafe {
            establish_nothing(to, bytes, ty, attribute, rank);
            set_type(to, self.derived());
        }
    }
}

/// Elements of a type, of which some are done.
#[derive(Clone, Copy)]
struct Frame {
    ty: *const Type,
    to: Array,
    /// Where elements are copied from: as many, or one for all.
    from: Array,
    one_for_all: bool,
    count: u64,
    /// The next element, and of it the next component.
    element: u64,
    component: u64,
    /// What to free when all are done, if it is not null.
    owner: *mut Descriptor,
}

impl Frame {
    fn new(ty: *const Type, to: Array, count: u64) -> Self {
        let owner = core::ptr::null_mut();
        Self { ty, to, from: to, one_for_all: false, count, element: 0, component: 0, owner }
    }
}

/// Frames that are there without memory of the heap.
const FRAMES: usize = 4;

/// The elements that are looked at, each the part of one of the frame below.
struct Stack {
    frames: *mut Frame,
    count: usize,
    room: usize,
}

impl Stack {
    /// # Safety
    /// `memory` must have room for [`FRAMES`], as long as the stack is used.
    unsafe fn new(memory: *mut Frame, first: Frame) -> Self {
        // SAFETY: as the caller promises.
        unsafe { memory.write(first) };
        Self { frames: memory, count: 1, room: FRAMES }
    }

    fn push(&mut self, frame: Frame) {
        // SAFETY: there is room for `room` frames, of which `count` are there.
        unsafe {
            if self.count == self.room {
                let bytes = self.room * size_of::<Frame>();
                let more = memory::from_heap(2 * bytes as u64);
                libc::copy_up(more, self.frames.cast(), bytes);
                self.free();
                (self.frames, self.room) = (more.cast(), 2 * self.room);
            }
            self.frames.add(self.count).write(frame);
        }
        self.count += 1;
    }

    /// # Safety
    /// The frames are not used any more.
    unsafe fn free(&self) {
        if self.room > FRAMES {
            // SAFETY: memory of the heap.
            unsafe { arch::free(self.frames.cast()) }
        }
    }

    /// The next component, with the addresses of its elements, behind what is to be done for an element as a whole.
    ///
    /// # Safety
    /// The frames must tell of elements and types of the program.
    unsafe fn next(
        &mut self,
        mut of_element: impl FnMut(&Type, *mut u8, *mut u8),
    ) -> Option<(&'static Component, *mut u8, *mut u8)> {
        // SAFETY: as the caller promises; there is a frame while the count is not 0.
        unsafe {
            while self.count > 0 {
                let frame = &mut *self.frames.add(self.count - 1);
                if frame.element == frame.count {
                    if !frame.owner.is_null() {
                        arch::free((*frame.owner).base);
                        (*frame.owner).base = core::ptr::null_mut();
                    }
                    self.count -= 1;
                    continue;
                }
                let ty = &*frame.ty;
                let to = frame.to.element(frame.element);
                let from = frame.from.element(if frame.one_for_all { 0 } else { frame.element });
                if frame.component == 0 {
                    of_element(ty, to, from);
                }
                if frame.component == ty.components.plain.dimension.extent as u64 {
                    (frame.element, frame.component) = (frame.element + 1, 0);
                    continue;
                }
                let component =
                    &*ty.components.plain.head.base.cast::<Component>().add(frame.component as usize);
                frame.component += 1;
                let offset = component.offset as usize;
                return Some((component, to.add(offset), from.add(offset)));
            }
            None
        }
    }
}

/// Does `$of_component` for each component of elements, and of theirs.
macro_rules! for_each_component {
    ($first:expr, $of_element:expr, |$stack:ident, $component:ident, $to:ident, $from:ident| $of_component:block) => {{
        let mut memory = [const { core::mem::MaybeUninit::<Frame>::uninit() }; FRAMES];
        let mut $stack = Stack::new(memory.as_mut_ptr().cast(), $first);
        while let Some(($component, $to, $from)) = $stack.next($of_element) {
            $of_component
        }
        $stack.free();
    }};
}

/// The pointers to procedures of an element.
fn procedures(ty: &Type) -> (*const Procedure, u64) {
    (ty.procedures.plain.head.base.cast(), ty.procedures.plain.dimension.extent.max(0) as u64)
}

/// Gives elements their first values.
///
/// # Safety
/// `array` must have so many elements of this type, which is flang's or null.
pub(super) unsafe fn initialize(ty: *const Type, array: Array, count: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        if ty.is_null() || (*ty).no_initialization {
            return;
        }
        let set_procedures = |ty: &Type, to: *mut u8, _: *mut u8| {
            let (procedures, count) = procedures(ty);
            let mut number = 0;
            while number < count {
                let procedure = &*procedures.add(number as usize);
                to.add(procedure.offset as usize).cast::<*const u8>().write(procedure.initial);
                number += 1;
            }
        };
        for_each_component!(Frame::new(ty, array, count), set_procedures, |stack, component, to, _from| {
            let derived = component.derived();
            if component.genre == ALLOCATED {
                component.establish(to.cast());
            } else if !component.initialization.is_null() {
                copy_bytes(to, component.initialization, component.bytes());
            } else if component.genre == TO_OTHERS {
                component.establish(to.cast());
            } else if component.genre != DATA {
                refuse(Failure::FortranLength, Place::UNKNOWN)
            } else if !derived.is_null() && !(*derived).no_initialization {
                stack.push(Frame::new(derived, Array::packed(to, (*derived).bytes), component.count()));
            }
        });
    }
}

/// Gives elements that are copies of others' bytes memory of their own, with copies of what is in that of the others.
///
/// # Safety
/// As for [`initialize`].
pub(super) unsafe fn detach(ty: *const Type, array: Array, count: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        if !holds_memory(ty) {
            return;
        }
        for_each_component!(Frame::new(ty, array, count), |_, _, _| {}, |stack, component, to, _from| {
            let descriptor: *mut Descriptor = to.cast();
            if component.genre == ALLOCATED && !(*descriptor).base.is_null() {
                let given = Array::of(descriptor);
                let (derived, count) = (type_of(descriptor), given.count());
                let base = memory::from_heap((count * given.bytes).max(1));
                copy_bytes(base, given.base, count * given.bytes);
                (*descriptor).base = base;
                if holds_memory(derived) {
                    stack.push(Frame::new(derived, Array::of(descriptor), count));
                }
            } else if component.genre == DATA && holds_memory(component.derived()) {
                let derived = component.derived();
                stack.push(Frame::new(derived, Array::packed(to, (*derived).bytes), component.count()));
            }
        });
    }
}

/// The same for the array of a function's result, whose elements are copies of those of `given` and others of their type.
///
/// # Safety
/// The descriptors must be flang's.
pub(super) unsafe fn own(result: *mut Descriptor, given: *const Descriptor) {
    // SAFETY: as the caller promises.
    unsafe {
        let ty = type_of(given);
        if holds_memory(ty) {
            set_type(result, ty);
            let elements = Array::of(result);
            detach(ty, elements, elements.count());
        }
    }
}

/// Frees the memory that elements hold.
///
/// # Safety
/// As for [`initialize`].
pub(super) unsafe fn destroy(ty: *const Type, array: Array, count: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        if !holds_memory(ty) {
            return;
        }
        for_each_component!(Frame::new(ty, array, count), |_, _, _| {}, |stack, component, to, _from| {
            if component.genre == ALLOCATED {
                let descriptor: *mut Descriptor = to.cast();
                let derived = type_of(descriptor);
                if (*descriptor).base.is_null() {
                    continue;
                }
                let elements = Array::of(descriptor);
                let count = if holds_memory(derived) { elements.count() } else { 0 };
                stack.push(Frame { owner: descriptor, ..Frame::new(derived, elements, count) });
            } else if component.genre == DATA && holds_memory(component.derived()) {
                let derived = component.derived();
                stack.push(Frame::new(derived, Array::packed(to, (*derived).bytes), component.count()));
            }
        });
    }
}

/// Frees an allocatable variable and what its elements hold.
///
/// # Safety
/// The descriptor must be flang's, of memory of the heap.
pub(super) unsafe fn deallocate(descriptor: *mut Descriptor) {
    // SAFETY: as the caller promises.
    unsafe {
        let elements = Array::of(descriptor);
        destroy(type_of(descriptor), elements, elements.count());
        arch::free((*descriptor).base);
        (*descriptor).base = core::ptr::null_mut();
    }
}

/// Assigns elements to as many, or one to all, component by component: allocatable ones take the shape of what they get.
///
/// # Safety
/// As for [`initialize`], and that all elements of `to` have values.
pub(super) unsafe fn assign(ty: *const Type, to: Array, from: Array, count: u64, one_for_all: bool) {
    // SAFETY: as the caller promises.
    unsafe {
        let copy_procedures = |ty: &Type, to: *mut u8, from: *mut u8| {
            let (procedures, count) = procedures(ty);
            let mut number = 0;
            while number < count {
                let offset = (*procedures.add(number as usize)).offset as usize;
                copy_bytes(to.add(offset), from.add(offset), size_of::<usize>() as u64);
                number += 1;
            }
        };
        let first = Frame { from, one_for_all, ..Frame::new(ty, to, count) };
        for_each_component!(first, copy_procedures, |stack, component, to, from| {
            let derived = component.derived();
            if component.genre == DATA && holds_memory(derived) {
                let [to, from] = [to, from].map(|base| Array::packed(base, (*derived).bytes));
                stack.push(Frame { from, ..Frame::new(derived, to, component.count()) });
            } else if component.genre != ALLOCATED {
                copy_bytes(to, from, component.bytes());
            } else if to != from {
                let [to, from]: [*mut Descriptor; 2] = [to.cast(), from.cast()];
                let given = Array::of(from);
                let has_shape =
                    !(*to).base.is_null() && Array::of(to).has_shape_of(&given) && (*to).bytes == given.bytes;
                if !(*to).base.is_null() && (given.base.is_null() || !has_shape) {
                    deallocate(to);
                }
                if given.base.is_null() {
                    continue;
                }
                let (derived, count) = (type_of(from), given.count());
                if !has_shape {
                    copy_descriptor(to, from);
                    (*to).base = memory::from_heap((count * given.bytes).max(1));
                    initialize(derived, Array::of(to), count);
                }
                let made = Array::of(to);
                if holds_memory(derived) {
                    stack.push(Frame { from: given, ..Frame::new(derived, made, count) });
                } else {
                    copy_bytes(made.base, given.base, count * given.bytes);
                }
            }
        });
    }
}

fortran! {
    /// Gives all components of a variable their first values.
    fn _FortranAInitialize(variable: In, _file: File, _line: i32) {
        let elements = Array::of(variable);
        initialize(type_of(variable), elements, elements.count())
    }
    /// Gives a variable the memory that `original` holds, with first values.
    fn _FortranAInitializeClone(variable: In, original: In, _file: File, _line: i32) {
        let (elements, given, ty) = (Array::of(variable), Array::of(original), type_of(original));
        if !given.base.is_null() && holds_memory(ty) {
            initialize(ty, elements, elements.count());
            assign(ty, elements, given, elements.count(), false)
        }
    }
    /// Frees the memory that a variable's components hold, if FINAL procedures need not be called.
    fn _FortranADestroy(variable: In) {
        check_finalization(type_of(variable), Place::UNKNOWN);
        let elements = Array::of(variable);
        if !elements.base.is_null() {
            destroy(type_of(variable), elements, elements.count())
        }
    }
    /// Calls the FINAL procedures of a variable: there must be none.
    fn _FortranAFinalize(variable: In, file: File, line: i32) {
        check_finalization(type_of(variable), at(file, line))
    }
    /// The same as [`_FortranADestroy`] without FINAL procedures.
    fn _FortranADestroyWithoutFinalization(variable: In) {
        let elements = Array::of(variable);
        if !elements.base.is_null() {
            destroy(type_of(variable), elements, elements.count())
        }
    }
    /// Whether a variable is of a type or of one that extends it.
    fn _FortranAClassIs(variable: In, ty: *const Type) -> bool {
        extends(type_of(variable), ty)
    }
    /// SAME_TYPE_AS.
    fn _FortranASameTypeAs(one: In, other: In) -> bool {
        type_of(one) == type_of(other) && ((*one).ty == (*other).ty)
    }
    /// EXTENDS_TYPE_OF.
    fn _FortranAExtendsTypeOf(variable: In, mold: In) -> bool {
        type_of(mold).is_null() || extends(type_of(variable), type_of(mold))
    }
}
