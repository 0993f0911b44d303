//! Reading `OMPKinds.def`: its types, structures and functions.

use abi::table::Type;
use std::collections::HashMap;

/// A function as `OMPKinds.def` declares it.
#[derive(Debug, PartialEq)]
pub struct Declared {
    pub name: String,
    pub ret: Type,
    pub params: Vec<Type>,
    pub varargs: bool,
}

/// What `OMPKinds.def` says, as far as the tests need it.
pub struct Kinds {
    /// The functions in order.
    pub functions: Vec<Declared>,
    /// Structure names and the names of their fields' types.
    structs: HashMap<String, Vec<String>>,
    /// Array names, element type and length.
    arrays: HashMap<String, (String, u64)>,
    /// Names of scalar types.
    scalars: HashMap<String, Type>,
}

impl Kinds {
    /// Reads the text of an `OMPKinds.def`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = without_comments(text);
        let mut kinds = Self {
            functions: vec![],
            structs: HashMap::new(),
            arrays: HashMap::new(),
            scalars: HashMap::new(),
        };
        let mut pointers = vec![];
        for (macro_name, args) in invocations(&text) {
            match (macro_name, args.as_slice()) {
                ("__OMP_TYPE", [name]) => {
                    let ty = scalar(name).ok_or(format!("unknown __OMP_TYPE({name})"))?;
                    kinds.scalars.insert((*name).into(), ty);
                }
                ("OMP_TYPE", ["SizeTy", ..]) => drop(kinds.scalars.insert("SizeTy".into(), Type::I64)),
                ("OMP_TYPE", ["FuncPtrTy", ..]) => drop(kinds.scalars.insert("FuncPtrTy".into(), Type::Ptr)),
                // A 63-bit integer, of a bit field; no function takes it.
                ("OMP_TYPE", ["Int63", ..]) => {}
                ("__OMP_PTR_TYPE", [name]) => drop(kinds.scalars.insert((*name).into(), Type::Ptr)),
                ("__OMP_ARRAY_TYPE", [name, element, length]) => {
                    let length = length.parse().map_err(|e| format!("length of {name}: {e}"))?;
                    pointers.push(format!("{name}PtrTy"));
                    kinds.arrays.insert(format!("{name}Ty"), ((*element).into(), length));
                }
                ("__OMP_STRUCT_TYPE", [name, _, "false", fields @ ..]) => {
                    pointers.push(format!("{name}Ptr"));
                    kinds.structs.insert((*name).into(), fields.iter().map(|f| (*f).into()).collect());
                }
                ("__OMP_FUNCTION_TYPE", [name, ..]) => pointers.push(format!("{name}Ptr")),
                ("__OMP_RTL", [name, varargs, ret, params @ ..]) => {
                    let ty = |name: &str| match kinds.scalars.get(name) {
                        Some(&ty) => Ok(ty),
                        None if pointers.iter().any(|p| p == name) => Ok(Type::Ptr),
                        None => Err(format!("unknown type {name}")),
                    };
                    let params = params.iter().filter(|p| !p.is_empty());
                    let declared = Declared {
                        name: (*name).into(),
                        ret: ty(ret)?,
                        params: params.map(|p| ty(p)).collect::<Result<_, _>>()?,
                        varargs: varargs.parse().map_err(|e| format!("varargs of {name}: {e}"))?,
                    };
                    kinds.functions.push(declared);
                }
                (
                    "OMP_TYPE" | "__OMP_TYPE" | "__OMP_PTR_TYPE" | "__OMP_ARRAY_TYPE" | "__OMP_STRUCT_TYPE",
                    _,
                )
                | ("__OMP_RTL", _) => return Err(format!("cannot read {macro_name}({})", args.join(", "))),
                _ => {}
            }
        }
        Ok(kinds)
    }

    /// Offsets of the fields of a structure, then its size, by the rules of C on a 64-bit machine.
    pub fn layout(&self, name: &str) -> Vec<u64> {
        let mut offset: u64 = 0;
        let mut align = 1;
        let mut offsets = vec![];
        for field in self.structs.get(name).unwrap_or_else(|| panic!("no structure {name}")) {
            let (size, field_align) = self.size_and_align(field);
            offset = offset.next_multiple_of(field_align);
            offsets.push(offset);
            offset += size;
            align = align.max(field_align);
        }
        offsets.push(offset.next_multiple_of(align));
        offsets
    }

    fn size_and_align(&self, name: &str) -> (u64, u64) {
        if let Some((element, length)) = self.arrays.get(name) {
            let (size, align) = self.size_and_align(element);
            return (size * length, align);
        }
        if self.structs.contains_key(name) {
            let fields = self.structs[name].iter();
            let align = fields.map(|f| self.size_and_align(f).1).max().unwrap_or(1);
            return (*self.layout(name).last().unwrap(), align);
        }
        let size = match self.scalars.get(name) {
            Some(Type::Void) => panic!("a field of type void"),
            Some(Type::I1 | Type::I8) => 1,
            Some(Type::I16) => 2,
            Some(Type::I32 | Type::F32) => 4,
            // What is no scalar, array or structure is a pointer to one.
            Some(Type::I64 | Type::F64 | Type::Ptr) | None => 8,
        };
        (size, size)
    }
}

fn scalar(name: &str) -> Option<Type> {
    Some(match name {
        "Void" => Type::Void,
        "Int1" => Type::I1,
        "Int8" => Type::I8,
        "Int16" => Type::I16,
        "Int32" => Type::I32,
        "Int64" => Type::I64,
        "Double" => Type::F64,
        _ => return None,
    })
}

/// The text without C comments.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    loop {
        let starts = [rest.find("/*").map(|at| (at, "*/")), rest.find("//").map(|at| (at, "\n"))];
        let Some((start, end)) = starts.into_iter().flatten().min() else {
            return out + rest;
        };
        out.push_str(&rest[..start]);
        let behind = &rest[start + 2..];
        let close = behind.find(end).unwrap_or(behind.len());
        // The line break behind a line comment stays, it ends the line.
        let skip = if end == "\n" { close } else { (close + 2).min(behind.len()) };
        rest = &behind[skip..];
    }
}

/// The macro invocations that start a line, with their arguments. Arguments may hold parentheses.
fn invocations(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = vec![];
    let mut at_line = 0;
    while at_line < text.len() {
        let line_end = text[at_line..].find('\n').map_or(text.len(), |n| at_line + n + 1);
        let line = &text[at_line..line_end];
        let name_len = line.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(line.len());
        if name_len == 0 || !line[name_len..].starts_with('(') {
            at_line = line_end;
            continue;
        }
        let body = &text[at_line + name_len + 1..];
        let mut depth = 0;
        let mut args = vec![];
        let mut arg_start = 0;
        let mut end = body.len();
        for (i, c) in body.char_indices() {
            match c {
                '(' => depth += 1,
                ',' if depth == 0 => {
                    args.push(body[arg_start..i].trim());
                    arg_start = i + 1;
                }
                ')' if depth == 0 => {
                    args.push(body[arg_start..i].trim());
                    end = i + 1;
                    break;
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        found.push((&line[..name_len], args));
        at_line += name_len + 1 + end;
    }
    found
}
