//! A PTX module as the list of its directives, with what each defines and mentions.

use crate::scan::{Kind, Token, line_of, tokens};
use anyhow::{Result, bail};
use std::ops::Range;

/// Who sees a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// No directive: this module alone.
    Internal,
    /// `.extern`: defined in another module.
    Extern,
    /// `.visible`.
    Visible,
    /// `.weak`, and `.common`: one of several definitions is taken.
    Weak,
}

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// `.func`
    Function,
    /// `.entry`
    Kernel,
    /// A variable in any state space.
    Variable,
    /// A variable whose size the launch decides: `.extern .shared x[]`.
    DynamicShared,
    /// `.alias name, function`: another name for a function.
    Alias,
}

/// One directive that declares or defines a symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it is.
    pub sort: Sort,
    /// Who sees it.
    pub linkage: Linkage,
    /// Its name.
    pub name: String,
    /// Whether this is the definition.
    pub defined: bool,
    /// Its tokens in [`Module::tokens`], without those of the linkage.
    pub tokens: Range<usize>,
    /// Its first tokens: all of a declaration, the signature of a function.
    pub signature: Range<usize>,
    /// The end of its text.
    pub end: usize,
}

/// A source file named by `.file`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The number by which `.loc` names it.
    pub number: String,
    /// What follows the number.
    pub text: String,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The file it came from, for messages.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// `.version`: major and minor number.
    pub version: (u32, u32),
    /// The number in `.target sm_90a`.
    pub target: u32,
    /// What follows it: `a`, `f` or nothing.
    pub target_suffix: String,
    /// All declarations and definitions, in their order.
    pub symbols: Vec<Symbol>,
    /// All `.file`.
    pub files: Vec<File>,
}

impl Module {
    /// Reads a module; `name` is for messages.
    ///
    /// # Errors
    /// The text is not PTX. Instructions are not looked at.
    pub fn parse(name: &str, text: String) -> Result<Self> {
        let tokens = match tokens(&text) {
            Ok(tokens) => tokens,
            Err(error) => bail!("{name}, {error}"),
        };
        let mut module = Self {
            name: name.to_owned(),
            text,
            tokens,
            version: (0, 0),
            target: 0,
            target_suffix: String::new(),
            symbols: vec![],
            files: vec![],
        };
        let mut reader = Reader { module: &module, at: 0, symbols: vec![], files: vec![] };
        let (version, target) = reader.head()?;
        while reader.at < module.tokens.len() {
            reader.directive()?;
        }
        let (symbols, files) = (reader.symbols, reader.files);
        (module.version, module.symbols, module.files) = (version, symbols, files);
        (module.target, module.target_suffix) = target;
        Ok(module)
    }

    /// The text of a token.
    pub fn word(&self, token: usize) -> &str {
        &self.text[self.tokens[token].place.clone()]
    }
}

/// A place in a module.
struct Reader<'a> {
    module: &'a Module,
    at: usize,
    symbols: Vec<Symbol>,
    files: Vec<File>,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, expected: &str) -> Result<T> {
        let Module { name, text, tokens, .. } = self.module;
        let (found, at) = match tokens.get(self.at) {
            Some(token) => (&text[token.place.clone()], token.place.start),
            None => ("the end", text.len()),
        };
        bail!("{name}, line {}: expected {expected}, found `{found}`", line_of(text, at))
    }

    fn peek(&self) -> &'a str {
        if self.at < self.module.tokens.len() { self.module.word(self.at) } else { "" }
    }

    /// The next token, of the kind `kind`.
    fn next(&mut self, kind: Kind, expected: &str) -> Result<&'a str> {
        if self.module.tokens.get(self.at).is_none_or(|token| token.kind != kind) {
            return self.error(expected);
        }
        self.at += 1;
        Ok(self.module.word(self.at - 1))
    }

    fn word(&mut self, expected: &str) -> Result<&'a str> {
        self.next(Kind::Word, expected)
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.peek() != wanted {
            return self.error(&format!("`{wanted}`"));
        }
        self.at += 1;
        Ok(())
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.peek() == wanted;
        self.at += usize::from(found);
        found
    }

    /// Passes over what stands in brackets, from the opening one.
    fn group(&mut self) -> Result<()> {
        let mut depth = 0;
        while self.at < self.module.tokens.len() {
            match self.peek() {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        self.error("a closing bracket")
    }

    /// `.version` and `.target`, which every module begins with.
    fn head(&mut self) -> Result<((u32, u32), (u32, String))> {
        self.expect(".version")?;
        let number = self.peek();
        let version = number
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some(version) = version else { return self.error("a version") };
        self.at += 1;
        self.expect(".target")?;
        let digits = self.peek().strip_prefix("sm_").unwrap_or("");
        let suffix = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let Ok(target) = digits[..digits.len() - suffix.len()].parse() else {
            return self.error("sm_<number>");
        };
        self.at += 1;
        while self.eat(",") {
            self.word("an option of the target")?; // `debug`: of no use without the sections of debug information
        }
        Ok((version, (target, suffix.to_owned())))
    }

    fn directive(&mut self) -> Result<()> {
        let linkage = match self.peek() {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::Extern,
            ".weak" | ".common" => Linkage::Weak,
            _ => Linkage::Internal,
        };
        // `.common` must stay in front of its variable, or the variable would be defined twice.
        self.at += usize::from(linkage != Linkage::Internal);
        match self.peek() {
            ".func" => self.function(linkage, Sort::Function),
            ".entry" => self.function(linkage, Sort::Kernel),
            ".global" | ".const" | ".shared" => self.variable(linkage),
            _ if linkage != Linkage::Internal => self.error("a function or variable"),
            ".alias" => self.alias(),
            ".address_size" => {
                self.at += 1;
                self.expect("64")
            }
            ".file" => self.file(),
            ".section" => {
                self.at += 1;
                self.word("the name of a section")?;
                self.group()
            }
            ".pragma" => {
                while self.peek() != ";" && self.at < self.module.tokens.len() {
                    self.at += 1;
                }
                self.expect(";")
            }
            ";" => self.expect(";"),
            _ => self.error("a directive"),
        }
    }

    fn function(&mut self, linkage: Linkage, sort: Sort) -> Result<()> {
        let start = self.at;
        self.at += 1;
        if self.peek() == "(" {
            self.group()?;
        }
        let name = self.word("the name of a function")?;
        if self.peek() == "(" {
            self.group()?;
        }
        // The rest of a signature; limits of a kernel are part of the definition alone.
        self.eat(".noreturn");
        let signature = start..self.at;
        while !matches!(self.peek(), ";" | "{") && self.at < self.module.tokens.len() {
            self.at += 1;
        }
        let defined = self.peek() == "{";
        if defined {
            self.group()?
        } else {
            self.expect(";")?
        };
        self.enter(sort, linkage, name, defined, start, signature);
        Ok(())
    }

    fn variable(&mut self, linkage: Linkage) -> Result<()> {
        let start = self.at;
        let space = self.peek();
        let name = loop {
            match self.word("the name of a variable")? {
                ".align" => {
                    self.word("an alignment")?;
                }
                ".attribute" => self.group()?,
                word if word.starts_with('.') => {}
                name => break name,
            }
        };
        let mut unsized_array = false;
        while self.peek() == "[" {
            unsized_array |= self.module.tokens.get(self.at + 1).is_some_and(|t| t.kind == Kind::Mark(b']'));
            self.group()?;
        }
        if self.eat("=") {
            if self.peek() == "{" {
                self.group()?;
            }
            while !matches!(self.peek(), ";" | ",") && self.at < self.module.tokens.len() {
                self.at += 1;
            }
        }
        self.expect(";")?;
        let dynamic = space == ".shared" && linkage == Linkage::Extern && unsized_array;
        let sort = if dynamic { Sort::DynamicShared } else { Sort::Variable };
        self.enter(sort, linkage, name, linkage != Linkage::Extern, start, start..self.at - 1);
        Ok(())
    }

    fn alias(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 1;
        let name = self.word("a name")?;
        self.expect(",")?;
        self.word("the name of a function")?;
        self.expect(";")?;
        // The declaration of the name says who sees it.
        let declared = self.symbols.iter().find(|symbol| symbol.name == name && !symbol.defined);
        let linkage = declared.map_or(Linkage::Internal, |symbol| symbol.linkage);
        self.enter(Sort::Alias, linkage, name, true, start, start..self.at);
        Ok(())
    }

    fn file(&mut self) -> Result<()> {
        self.at += 1;
        let number = self.word("the number of a file")?.to_owned();
        let start = self.module.tokens.get(self.at).map_or(0, |token| token.place.start);
        self.next(Kind::String, "the name of a file")?;
        while self.eat(",") {
            self.word("a number")?;
        }
        let end = self.module.tokens[self.at - 1].place.end;
        self.files.push(File { number, text: self.module.text[start..end].to_owned() });
        Ok(())
    }

    fn enter(
        &mut self,
        sort: Sort,
        linkage: Linkage,
        name: &str,
        defined: bool,
        start: usize,
        signature: Range<usize>,
    ) {
        let end = self.module.tokens[self.at - 1].place.end;
        let (name, tokens) = (name.to_owned(), start..self.at);
        self.symbols.push(Symbol { sort, linkage, name, defined, tokens, signature, end });
    }
}

impl Module {
    /// Bytes of a variable.
    pub fn size_of(&self, variable: &Symbol) -> Option<u64> {
        let mut bytes = 1;
        let mut words = variable.signature.clone().map(|token| self.word(token));
        while let Some(word) = words.next() {
            match word {
                ".align" => _ = words.next(),
                "=" => break,
                "[" => bytes *= words.next()?.parse::<u64>().ok()?,
                _ => {
                    // `.u32`, `.f64`; `.v2` is a vector of two.
                    let number =
                        |prefix: &[char]| word.strip_prefix('.')?.strip_prefix(prefix)?.parse::<u64>().ok();
                    bytes *=
                        number(&['v']).or(number(&['b', 'u', 's', 'f']).map(|bits| bits / 8)).unwrap_or(1);
                }
            }
        }
        Some(bytes)
    }
}
