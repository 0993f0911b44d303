//! What the host runtime reads in PTX: where functions are, what they call, and how long a driver compiles the whole.

use std::collections::HashMap;

/// What a line begins.
struct Definition<'a> {
    /// `.entry`, not `.func`.
    is_kernel: bool,
    name: &'a str,
}

/// The function that begins, or is declared, in this line: `.weak .func (.param .b32 result) name(`.
fn defined(line: &str) -> Option<Definition<'_>> {
    if !line.starts_with('.') || line.starts_with(".extern") {
        return None;
    }
    let (is_kernel, rest) = [(false, ".func"), (true, ".entry")]
        .into_iter()
        .find_map(|(is_kernel, word)| Some((is_kernel, line.split_once(word)?.1)))?;
    Some(Definition { is_kernel, name: word(without_list(rest)) })
}

/// Bytes of the functions that a driver compiles if `text` is a whole program for it: ptxas then makes a copy of each for each
/// kernel that may come to call it. Here every kernel that calls anything may come to all.
pub fn bytes_of_copies(text: &str) -> usize {
    let (mut callers, mut functions) = (0, 0);
    let (mut in_kernel, mut in_function) = (false, false);
    for line in text.lines() {
        if let Some(Definition { is_kernel, .. }) = defined(line) {
            (in_kernel, in_function) = (is_kernel, !is_kernel);
        } else if matches!(line, "}" | ";") {
            (in_kernel, in_function) = (false, false);
        }
        if in_function {
            functions += line.len();
        } else if in_kernel && called(line.trim_start()).is_some() {
            callers += 1;
            in_kernel = false;
        }
    }
    callers * functions
}

/// What the functions of a module call.
pub struct Calls<'a> {
    /// Whether a call is through a pointer.
    pub any_through_pointer: bool,
    /// What each function calls by name.
    by_name: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Calls<'a> {
    /// Those of a module.
    pub fn of(text: &'a str) -> Self {
        let mut calls = Self { any_through_pointer: false, by_name: HashMap::new() };
        let mut function = "";
        let mut lines = text.lines().map(str::trim_start);
        while let Some(line) = lines.next() {
            if let Some(definition) = defined(line) {
                function = definition.name;
                calls.by_name.entry(function).or_default();
            } else if let Some(mut callee) = called(line) {
                // LLVM 19 has it in the next line.
                if callee.is_empty() {
                    callee = word(lines.next().unwrap_or_default());
                }
                if callee.starts_with('%') {
                    calls.any_through_pointer = true;
                } else {
                    calls.by_name.entry(function).or_default().push(callee);
                }
            }
        }
        calls
    }

    /// Whether a function can come to call itself by calls that name functions.
    pub fn any_recursion(mut self) -> bool {
        // Functions whose callees lead nowhere lead nowhere; what the module only declares calls nothing of it.
        loop {
            let ends: Vec<&str> = (self.by_name.iter())
                .filter(|(_, callees)| callees.iter().all(|callee| !self.by_name.contains_key(callee)))
                .map(|(name, _)| *name)
                .collect();
            if ends.is_empty() {
                return !self.by_name.is_empty();
            }
            for name in ends {
                self.by_name.remove(name);
            }
        }
    }
}

/// What stands behind `call[.uni] [(result),]`.
fn called(line: &str) -> Option<&str> {
    // A predicate may stand before it: `@%p1 call f;`.
    let line = line.strip_prefix('@').and_then(|line| line.split_once(' ')).map_or(line, |(_, rest)| rest);
    let rest = line.trim_start().strip_prefix("call")?;
    let rest = rest.strip_prefix(".uni").unwrap_or(rest);
    if !rest.starts_with([' ', '\t', '(']) {
        return None;
    }
    Some(word(without_list(rest).trim_start_matches([',', ' ', '\t'])))
}

/// `text` without a list in brackets at its start.
fn without_list(text: &str) -> &str {
    let text = text.trim_start();
    if text.starts_with('(') { text.split_once(')').map_or("", |(_, rest)| rest).trim_start() } else { text }
}

/// The name at the start.
fn word(text: &str) -> &str {
    text.split([' ', '\t', '(', ',', ';']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_come_to_call_themselves() {
        let recursive = |text| Calls::of(text).any_recursion();
        assert!(recursive(".func f()\n{\n\tcall.uni f, ();\n}\n"));
        assert!(recursive(".func f()\n{\n\tcall.uni (r), g, ();\n}\n.func g()\n{\n\tcall.uni f, ();\n}\n"));
        assert!(!recursive(
            ".func f()\n{\n\tcall.uni g, ();\n\tcall %rd1, (), prototype_1;\n}\n.entry k()\n{\n\tcall f, ();\n}\n"
        ));
    }

    #[test]
    fn functions_count_for_each_kernel_that_calls() {
        let function = ".func f()\n{\n\tret;\n}\n";
        let table = ".global .b8 table[4] = {1, 2, 3, 4};\n";
        let (calls, none) =
            (".entry a()\n{\n\tcall.uni f, ();\n\tcall f, ();\n}\n", ".entry b()\n{\n\tret;\n}\n");
        let declared = ".func f\n(\n)\n;\n";
        let once = bytes_of_copies(&[function, calls].concat());
        assert_eq!(once, ".func f(){\tret;".len());
        assert_eq!(bytes_of_copies(&[function, table, calls, none].concat()), once);
        assert_eq!(bytes_of_copies(&[function, none].concat()), 0);
        assert_eq!(bytes_of_copies(&[declared, table, function, calls].concat()), once + ".func f()".len());
        assert_eq!(bytes_of_copies(&[function, calls, calls].concat()), 2 * once);
    }
}
