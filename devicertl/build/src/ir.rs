//! LLVM IR as text, read as far as the rules and checks need it: which functions and variables there are, with which
//! attributes, and who calls whom.
//!
//! The reader knows the shape that LLVM's printer gives a module. What it does not know is an error, not skipped.

use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Functions, defined or declared.
    pub functions: Vec<Function>,
    /// Global variables.
    pub globals: Vec<Global>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol.
    pub name: String,
    /// Whether it has a body.
    pub defined: bool,
    /// What stands before the return type: linkage, visibility, calling convention.
    pub head: Vec<String>,
    /// Type of the result.
    pub ret: String,
    /// Types of the parameters, `...` last if there may be more.
    pub params: Vec<String>,
    /// Function attributes.
    pub attributes: BTreeSet<String>,
    /// Calls in its body.
    pub calls: Vec<Call>,
    /// Whether an `atomicrmw` in its body asks for more than the order `monotonic`.
    pub has_ordered_update: bool,
}

impl Function {
    /// Whether other modules can see it.
    pub fn is_visible(&self) -> bool {
        self.defined && !self.head.iter().any(|word| word == "internal" || word == "private")
    }

    /// Whether the function has attribute `name`.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.contains(name)
    }
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function by name.
    Function(String),
    /// Whatever a pointer points to.
    Pointer,
    /// Inline assembly.
    Assembly,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// Attributes of this call.
    pub attributes: BTreeSet<String>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Symbol.
    pub name: String,
    /// What stands behind the `=`.
    pub text: String,
}

impl Global {
    /// Whether the module only names it.
    pub fn is_declared(&self) -> bool {
        self.text.starts_with("external ") || self.text.starts_with("extern_weak ")
    }

    /// Whether other modules can see it.
    pub fn is_visible(&self) -> bool {
        !self.is_declared() && !self.text.starts_with("internal ") && !self.text.starts_with("private ")
    }
}

/// Reads a module.
///
/// # Errors
/// On a line that it does not know.
pub fn parse(text: &str) -> Result<Module> {
    let groups = attribute_groups(text)?;
    let mut module = Module::default();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        parse_line(line, &groups, &mut module, &mut inside)
            .map_err(|error| error.context(format!("line {}: {line}", number + 1)))?;
    }
    Ok(module)
}

fn parse_line(
    line: &str,
    groups: &BTreeMap<String, BTreeSet<String>>,
    module: &mut Module,
    inside: &mut bool,
) -> Result<()> {
    if *inside {
        if line == "}" {
            *inside = false;
        } else if line.contains(" = atomicrmw ") {
            let function = module.functions.last_mut().expect("inside of one");
            function.has_ordered_update |= !line.contains(" monotonic");
        } else if let Some(call) = parse_call(line, groups)? {
            module.functions.last_mut().expect("inside of one").calls.push(call);
        }
        return Ok(());
    }
    if line.starts_with("define ") || line.starts_with("declare ") {
        *inside = line.starts_with("define ");
        module.functions.push(parse_function(line, groups)?);
    } else if let Some(rest) = line.strip_prefix('@') {
        let end = name_end(rest);
        let Some(text) = rest[end..].strip_prefix(" = ") else { bail!("not a global variable") };
        module.globals.push(Global { name: rest[..end].trim_matches('"').to_owned(), text: text.to_owned() });
    } else {
        let known = ["", ";", "source_filename = ", "target ", "attributes #", "!", "%", "$"];
        if !known.iter().any(|start| !start.is_empty() && line.starts_with(start)) && !line.is_empty() {
            bail!("unknown kind of line");
        }
    }
    Ok(())
}

/// The groups `attributes #0 = { ... }`.
fn attribute_groups(text: &str) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut groups = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("attributes ") {
            let Some((name, list)) = rest.split_once(" = {") else { bail!("not an attribute group: {line}") };
            groups.insert(name.to_owned(), split_words(list.trim_end_matches('}')).into_iter().collect());
        }
    }
    Ok(groups)
}

/// Words at the outermost level: blanks inside quotes and brackets do not separate.
pub fn split_words(text: &str) -> Vec<String> {
    split(text, |c| c == ' ')
}

fn split(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let (mut words, mut word, mut depth, mut quoted) = (Vec::new(), String::new(), 0i32, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' | '<' if !quoted => depth += 1,
            ')' | ']' | '}' | '>' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted && separates(c) {
            if !word.trim().is_empty() {
                words.push(word.trim().to_owned());
            }
            word.clear();
        } else {
            word.push(c);
        }
    }
    if !word.trim().is_empty() {
        words.push(word.trim().to_owned());
    }
    words
}

/// Length of the name (without its sigil) at the start of `text`.
fn name_end(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix('"') {
        return rest.find('"').map_or(text.len(), |end| end + 2);
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c))).unwrap_or(text.len())
}

/// The text between the bracket at the start of `text` and its partner, and what follows.
fn bracketed(text: &str) -> Result<(&str, &str)> {
    let (mut depth, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Ok((&text[1..at], &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    bail!("a bracket is not closed")
}

/// The attributes that follow a parameter or argument list.
fn trailing(text: &str, groups: &BTreeMap<String, BTreeSet<String>>) -> Result<BTreeSet<String>> {
    let mut attributes = BTreeSet::new();
    // Metadata and operand bundles come behind the attributes.
    let text = text.split(", !").next().unwrap_or("").split(" [ ").next().unwrap_or("");
    for word in split_words(text.trim_end_matches('{')) {
        if word.starts_with('#') {
            match groups.get(&word) {
                Some(group) => attributes.extend(group.iter().cloned()),
                None => bail!("attribute group {word} does not exist"),
            }
        } else {
            attributes.insert(word);
        }
    }
    Ok(attributes)
}

fn parse_function(line: &str, groups: &BTreeMap<String, BTreeSet<String>>) -> Result<Function> {
    let defined = line.starts_with("define ");
    let Some(at) = line.find('@') else { bail!("a function without a name") };
    let mut head = split_words(&line[..at]);
    let Some(ret) = head.pop() else { bail!("a function without a result") };
    let rest = &line[at + 1..];
    let end = name_end(rest);
    let (params, rest_of_line) = bracketed(&rest[end..])?;
    let params = split(params, |c| c == ',').iter().map(|param| split_words(param)[0].clone()).collect();
    Ok(Function {
        name: rest[..end].trim_matches('"').to_owned(),
        defined,
        head,
        ret,
        params,
        attributes: trailing(rest_of_line, groups)?,
        calls: Vec::new(),
        has_ordered_update: false,
    })
}

/// The call on this line, if it is one.
fn parse_call(line: &str, groups: &BTreeMap<String, BTreeSet<String>>) -> Result<Option<Call>> {
    let text = line.trim_start();
    let text = match text.split_once(" = ") {
        Some((name, rest)) if name.starts_with('%') && !name.contains(' ') => rest,
        _ => text,
    };
    for other in ["invoke ", "callbr "] {
        if text.starts_with(other) {
            bail!("`{}` has no place in device code", other.trim());
        }
    }
    let call =
        ["tail ", "musttail ", "notail "].iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text);
    let Some(call) = call.strip_prefix("call ") else { return Ok(None) };
    let mut at = 0;
    // Before the callee stand result attributes and types, with brackets of their own. `last` is the word before a
    // bracket.
    let mut last = at;
    while at < call.len() {
        let rest = &call[at..];
        // No instruction, but a value of which the compiler does not know what it is, or an effect.
        if rest.starts_with("asm \"\"") || rest.starts_with("asm sideeffect \"\"") {
            return Ok(None);
        }
        if rest.starts_with("asm ") {
            let close = call.rfind(')').unwrap_or(call.len() - 1);
            let attributes = trailing(&call[close + 1..], groups)?;
            return Ok(Some(Call { callee: Callee::Assembly, attributes }));
        }
        match rest.as_bytes()[0] {
            b' ' => {
                at += 1;
                last = at;
            }
            b'"' => at += 1 + rest[1..].find('"').map_or(rest.len() - 1, |end| end + 1),
            b'(' => {
                let (_, behind) = bracketed(rest)?;
                let word = &call[last..at];
                let callee = match word.as_bytes().first() {
                    Some(b'@') => Callee::Function(word[1..].trim_matches('"').to_owned()),
                    // The second is a constant expression.
                    Some(b'%' | b'(') => Callee::Pointer,
                    _ => {
                        at = call.len() - behind.len();
                        continue;
                    }
                };
                return Ok(Some(Call { callee, attributes: trailing(behind, groups)? }));
            }
            _ => at += 1,
        }
    }
    bail!("a call without a callee")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(line: &str) -> Call {
        let text =
            format!("define void @f() {{\n  {line}\n}}\nattributes #3 = {{ convergent \"a\"=\"b c\" }}\n");
        parse(&text).unwrap().functions[0].calls[0].clone()
    }

    #[test]
    fn callees() {
        let direct = Callee::Function("g".into());
        assert_eq!(calls("%1 = tail call noundef range(i32 0, 3) i32 @g(ptr %p) #3, !dbg !4").callee, direct);
        assert_eq!(calls("call void @g()").callee, direct);
        assert_eq!(calls("%x = call i32 (ptr, ...) @g(ptr @f, i32 1)").callee, direct);
        assert_eq!(calls("call %\"a(b\" @g()").callee, direct);
        assert_eq!(calls("call void %f(i16 zeroext %a) #3").callee, Callee::Pointer);
        let constant = "call void inttoptr (i64 xor (i64 ptrtoint (ptr @g to i64), i64 -1) to ptr)(ptr %p)";
        assert_eq!(calls(constant).callee, Callee::Pointer);
        assert_eq!(
            calls("call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"()").callee,
            Callee::Assembly
        );
    }

    #[test]
    fn assembly_without_an_instruction_is_no_call() {
        for call in
            ["%r = call i32 asm \"\", \"=r,0\"(i32 %x)", "call void asm sideeffect \"\", \"l\"(ptr %p)"]
        {
            let text = format!("define void @f(i32 %x, ptr %p) {{\n  {call}\n  ret void\n}}\n");
            assert!(parse(&text).unwrap().functions[0].calls.is_empty(), "{call}");
        }
    }

    #[test]
    fn attributes_of_a_call_are_its_own() {
        let call = calls("call void %f(ptr dereferenceable(8) %a) #3");
        assert!(call.attributes.contains("convergent") && call.attributes.contains("\"a\"=\"b c\""));
        assert!(calls("call void %f()").attributes.is_empty());
        assert!(calls("call void %f() convergent nounwind").attributes.contains("convergent"));
    }

    #[test]
    fn functions() {
        let text = "define hidden noundef range(i32 0, 2) i32 @f(ptr noundef captures(none) %0, i64 %n) #0 {\n}\n\
                    declare void @g(ptr, ...)\nattributes #0 = { convergent }\n";
        let module = parse(text).unwrap();
        let f = &module.functions[0];
        assert_eq!((f.ret.as_str(), f.params.len(), f.is_visible()), ("i32", 2, true));
        assert_eq!(f.params, ["ptr", "i64"]);
        assert!(f.has("convergent") && f.head.contains(&"hidden".to_owned()));
        assert_eq!(module.functions[1].params, ["ptr", "..."]);
    }

    #[test]
    fn globals() {
        let text = "@a = internal addrspace(3) global i32 undef, align 4\n@b = external global i8\n@\"c d\" = constant i8 0\n";
        let module = parse(text).unwrap();
        let seen: Vec<_> =
            module.globals.iter().map(|g| (g.name.as_str(), g.is_visible(), g.is_declared())).collect();
        assert_eq!(seen, [("a", false, false), ("b", false, true), ("c d", true, false)]);
    }

    #[test]
    fn the_unknown_is_an_error_with_its_line() {
        let error = parse("; ok\nmodule asm \"x\"\n").unwrap_err();
        assert!(format!("{error:#}").contains("line 2"));
        assert!(parse("define void @f() {\n  invoke void @g() to label %a unwind label %b\n}\n").is_err());
        assert!(parse("define void @f() #9 {\n}\n").is_err());
    }
}
