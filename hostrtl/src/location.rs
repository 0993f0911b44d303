//! Source locations and variable names, as compilers encode them: fields between semicolons.
//!
//! Both are read only when a message needs them: every launch passes them.

use abi::ident::Ident;
use core::ffi::{CStr, c_char, c_void};
use core::fmt;
use core::marker::PhantomData;

/// What compilers write for what they do not know, and what is said of it here.
const UNKNOWN: &str = "unknown";

/// Extensions of files that flang takes for Fortran, in small letters.
const OF_FORTRAN: [&str; 11] = ["f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08", "f18", "cuf"];

/// An encoded text: null or a C string that lives for `'a`.
#[derive(Clone, Copy, Debug)]
struct Text<'a> {
    start: *const c_char,
    lifetime: PhantomData<&'a CStr>,
}

impl<'a> Text<'a> {
    const UNKNOWN: Self = Self { start: core::ptr::null(), lifetime: PhantomData };

    /// # Safety
    /// `start` is null or a C string that lives for `'a`.
    const unsafe fn new(start: *const c_char) -> Self {
        Self { start, lifetime: PhantomData }
    }

    fn get(self) -> Option<&'a CStr> {
        // SAFETY: not null, so a C string that lives for `'a`: the contract of `new`.
        (!self.start.is_null()).then(|| unsafe { CStr::from_ptr(self.start) })
    }

    /// Field `index` of `;first;second;...`; empty fields count as absent.
    fn field(self, index: usize) -> Option<&'a str> {
        let text = self.get()?.to_str().ok()?;
        text.split(';').nth(index + 1).filter(|part| !part.is_empty())
    }

    fn number(self, index: usize) -> u32 {
        self.field(index).and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

/// Where a construct stands in the source: `;file;function;line;column;;` of an `ident_t`.
///
/// Shows as `file:line:column`, without directories, or as `unknown location`.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a>(Text<'a>);

impl Default for Location<'_> {
    fn default() -> Self {
        Self(Text::UNKNOWN)
    }
}

impl<'a> Location<'a> {
    /// The location of `ident`; unknown when it or its text is null.
    ///
    /// # Safety
    /// `ident` is null or points to an `ident_t` whose text, if any, is a C string that lives for `'a`.
    pub unsafe fn from_ident(ident: *const Ident) -> Self {
        if ident.is_null() {
            return Self::default();
        }
        // SAFETY: not null, so by the contract it is a valid ident with a valid text.
        Self(unsafe { Text::new((*ident).psource) })
    }

    /// The location that `text` encodes.
    pub fn from_text(text: &'a CStr) -> Self {
        // SAFETY: a C string of this lifetime.
        Self(unsafe { Text::new(text.as_ptr()) })
    }

    /// File name without directories; `unknown` when there is none.
    pub fn file(&self) -> &'a str {
        let path = self.0.field(0).unwrap_or(UNKNOWN);
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Line, 0 when unknown.
    pub fn line(&self) -> u32 {
        self.0.number(2)
    }

    /// Column, 0 when unknown.
    pub fn column(&self) -> u32 {
        self.0.number(3)
    }

    /// Whether the compiler wrote a line or a column; it does so with `-g` or `-gline-tables-only`.
    pub fn is_available(&self) -> bool {
        self.line() != 0 || self.column() != 0
    }
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_available() {
            write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
        } else {
            f.write_str("unknown location")
        }
    }
}

/// A mapped variable's name: `;expression;file;line;column;;`, present only when compiled with `-g`. flang always gives one, and
/// writes `;file;expression;line;column;;`.
#[derive(Clone, Copy, Debug)]
pub struct MapName<'a>(Text<'a>);

impl Default for MapName<'_> {
    fn default() -> Self {
        Self(Text::UNKNOWN)
    }
}

impl<'a> MapName<'a> {
    /// The name at `name`; unknown when it is null.
    ///
    /// # Safety
    /// `name` is null or a C string that lives for `'a`.
    pub const unsafe fn from_ptr(name: *const c_void) -> Self {
        // SAFETY: the contract of this function.
        Self(unsafe { Text::new(name.cast()) })
    }

    /// The name that `text` encodes.
    pub fn from_text(text: &'a CStr) -> Self {
        // SAFETY: a C string of this lifetime.
        Self(unsafe { Text::new(text.as_ptr()) })
    }

    /// Whether flang wrote it: the first field is a file of Fortran, the second no file.
    pub fn is_of_flang(&self) -> bool {
        let extension = |path: &'a str| Some(path.rsplit_once('.')?.1);
        let first = self.0.field(0).and_then(extension).map(str::to_ascii_lowercase);
        let is_file = |field: Option<&'a str>| field.is_some_and(|text| extension(text).is_some());
        first.is_some_and(|extension| OF_FORTRAN.contains(&&*extension)) && !is_file(self.0.field(1))
    }

    /// The fields of the expression and of the file.
    fn order(&self) -> [usize; 2] {
        if self.is_of_flang() { [1, 0] } else { [0, 1] }
    }

    /// The expression in the map clause, or `unknown`.
    pub fn name(&self) -> &'a str {
        self.0.field(self.order()[0]).unwrap_or(UNKNOWN)
    }

    /// `name at file:line:column`, without directories: the declaration column of LLVM's table dump.
    pub fn declaration(&self) -> String {
        let path = self.0.field(self.order()[1]).unwrap_or(UNKNOWN);
        let file = path.rsplit('/').next().unwrap_or(path);
        format!("{} at {file}:{}:{}", self.name(), self.0.number(2), self.0.number(3))
    }

    /// The encoded text, if any.
    pub fn text(&self) -> Option<&'a CStr> {
        self.0.get()
    }

    /// The encoded text as the program passed it.
    pub fn as_ptr(&self) -> *const c_void {
        self.0.start.cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ident_text() {
        let location = Location::from_text(c";src/a.c;main;12;3;;");
        assert_eq!((location.file(), location.line(), location.column()), ("a.c", 12, 3));
        assert_eq!(location.to_string(), "a.c:12:3");
        assert!(location.is_available());
    }

    #[test]
    fn unknown_ident() {
        let location = Location::from_text(c";unknown;unknown;0;0;;");
        assert!(!location.is_available());
        assert_eq!(location.to_string(), "unknown location");
        // SAFETY: null is allowed.
        assert!(!unsafe { Location::from_ident(core::ptr::null()) }.is_available());
    }

    #[test]
    fn ident_structure() {
        let ident = Ident {
            reserved_1: 0,
            flags: 2,
            reserved_2: 0,
            reserved_3: 22,
            psource: c";f.c;g;7;9;;".as_ptr(),
        };
        // SAFETY: a complete ident with a static text.
        assert_eq!(unsafe { Location::from_ident(&ident) }.to_string(), "f.c:7:9");
    }

    #[test]
    fn map_name() {
        let name = MapName::from_text(c";a[0:n];src/a.c;4;8;;");
        assert_eq!(name.name(), "a[0:n]");
        assert_eq!(name.declaration(), "a[0:n] at a.c:4:8");
        assert_eq!(MapName::default().name(), "unknown");
        assert!(!name.is_of_flang());
    }

    #[test]
    fn map_name_of_flang() {
        let name = MapName::from_text(c";src/a.F90;v%x;4;8;;");
        assert!(name.is_of_flang());
        assert_eq!((name.name(), &*name.declaration()), ("v%x", "v%x at a.F90:4:8"));
        let member = MapName::from_text(c";s.f;a.c;4;8;;");
        assert!(!member.is_of_flang());
        assert_eq!(member.declaration(), "s.f at a.c:4:8");
        assert!(!MapName::from_text(c";unknown;unknown;0;0;;").is_of_flang());
    }

    #[test]
    fn truncated_text_is_no_panic() {
        for text in [c"", c";", c";;;", c"x", c";a;b", c"\xff;1"] {
            let location = Location::from_text(text);
            let _ = (location.file(), location.line(), location.column());
            let _ = MapName::from_text(text).declaration();
        }
    }
}
