//! The text of statements of serial code, and of functions.

use super::super::program::{Address, Case, Function, Leave, Stmt, Var};
use super::{Emitter, stored};
use std::fmt::Write;

impl Emitter<'_> {
    fn name_of(&self, function: usize) -> String {
        format!("function_{}_{function}", self.program.number)
    }

    /// Writes a function of the program. It has the hidden zero from its caller.
    pub(super) fn function(&mut self, number: usize) {
        let program = self.program;
        let Function { values, references, inlined, body, result } = &program.functions[number];
        let values = values.iter().map(|var| format!("{} v{var}", self.ty(*var).name()));
        let pointers = references.iter().map(|var| format!("{} *v{var}", self.ty(*var).name()));
        let parameters: Vec<_> = [String::from("u32 v0")].into_iter().chain(values).chain(pointers).collect();
        self.pointers = references.iter().copied().filter(|var| !self.is_array(*var)).collect();
        let mut text = String::new();
        self.block(&mut text, body);
        // In the block, for the variables that are declared there.
        let end = text.rfind('}').expect("a block ends with a brace");
        text.insert_str(end, &format!("return {};\n", self.expr(result)));
        self.pointers.clear();
        let head = format!("OWN u64 {}({})", self.name_of(number), parameters.join(", "));
        self.define(&head, *inlined, &text);
    }

    fn address(&self, array: Var, address: &Address) -> String {
        match address {
            Address::Element(index) => format!("&{}", self.element(array, index)),
            Address::Behind(pointer, 0) => format!("v{pointer}"),
            Address::Behind(pointer, by) => {
                let first_too_far = self.program.variables[array].length - by;
                let array = self.name(array);
                format!("(v{pointer} - {array} < {first_too_far} ? v{pointer} + {by} : {array})")
            }
            Address::Choice(of, addresses) => {
                let [a, b] = of.each_ref().map(|e| self.expr(e));
                let [c, d] = addresses.each_ref().map(|address| self.address(array, address));
                format!("({a} < {b} ? {c} : {d})")
            }
        }
    }

    /// Writes one of the statements that only serial code has.
    pub(super) fn serial(&mut self, text: &mut String, stmt: &Stmt) {
        match stmt {
            Stmt::While { counter, most, condition, body_first, calls, body } => {
                let head = format!("while (v{counter} < {most} && ({} & 3))", self.expr(condition));
                let (before, behind) =
                    if *body_first { ("do", head + ";\n") } else { (&*head, String::new()) };
                let step = if *calls { format!("step(&v{counter})") } else { format!("++v{counter}") };
                let _ = write!(text, "u32 v{counter} = 0;\n{before} {{\n{step};\n");
                self.block(text, body);
                *text += "}\n";
                *text += &behind;
            }
            Stmt::Switch { value, cases } => {
                let _ = writeln!(text, "switch ({} % {}) {{", self.expr(value), cases.len() + 1);
                for (number, Case { body, falls }) in cases.iter().enumerate() {
                    let _ = write!(text, "case {number}: ");
                    self.block(text, body);
                    *text += if *falls { "" } else { "break;\n" };
                }
                *text += "}\n";
            }
            Stmt::Leave { condition, how } => {
                let how = match how {
                    Leave::Break => "break".to_owned(),
                    Leave::Continue => "continue".to_owned(),
                    Leave::Return(value) => format!("return {}", self.expr(value)),
                };
                let _ = writeln!(text, "if (({} & 3) == 0) {how};", self.expr(condition));
            }
            Stmt::Call { function, arguments, references, result } => {
                let parameters = &self.program.functions[*function].values;
                let values = parameters
                    .iter()
                    .zip(arguments)
                    .map(|(parameter, argument)| stored(self.ty(*parameter), &self.expr(argument)));
                let pointers = references.iter().map(|var| self.address_of(*var));
                let arguments: Vec<_> = [self.scalar(0)].into_iter().chain(values).chain(pointers).collect();
                let ty = self.ty(*result);
                let call = format!("{}({})", self.name_of(*function), arguments.join(", "));
                let (ty, value) = (ty.name(), stored(ty, &call));
                // A use, for else clang takes the call for nothing (docs/upstream.md).
                let _ = writeln!(text, "{ty} v{result} = {value};\n(void)v{result};");
            }
            Stmt::Point { pointer, array, to, declares } => {
                let ty = if *declares { format!("{} *", self.ty(*array).name()) } else { String::new() };
                let _ = writeln!(text, "{ty}v{pointer} = {};", self.address(*array, to));
                self.pointers.insert(*pointer);
            }
            _ => unreachable!("{stmt:?} is no statement of serial code alone"),
        }
    }
}
