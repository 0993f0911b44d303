//! Values of variables by their kinds: numbers, sizes, switches. One that cannot be read is as good as none, with a warning.

/// Reads variables.
pub(super) struct Reader<F> {
    /// Looks a variable up.
    pub(super) variable: F,
    /// About values that were ignored.
    pub(super) warnings: Vec<String>,
}

impl<F: Fn(&'static str) -> Option<String>> Reader<F> {
    /// The value without blanks around it; an empty one counts as unset.
    pub(super) fn text(&self, name: &'static str) -> Option<String> {
        let text = (self.variable)(name)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(super) fn parsed<T>(
        &mut self,
        name: &'static str,
        wanted: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = parse(&text);
        if value.is_none() {
            self.warnings.push(format!("{name}='{text}' is ignored: it is not {wanted}"));
        }
        value
    }

    pub(super) fn number(&mut self, name: &'static str, least: i64, most: i64) -> Option<i64> {
        self.parsed(name, &format!("a number from {least} to {most}"), |text| {
            let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            value.ok().filter(|value| (least..=most).contains(value))
        })
    }

    pub(super) fn positive(&mut self, name: &'static str) -> Option<u32> {
        self.number(name, 1, i32::MAX.into()).map(|value| value as u32)
    }

    pub(super) fn size(&mut self, name: &'static str) -> Option<usize> {
        self.number(name, 0, i64::MAX).map(|value| value as usize)
    }

    pub(super) fn fraction(&mut self, name: &'static str) -> Option<f32> {
        self.parsed(name, "a number from 0 to 1", |text| {
            text.parse().ok().filter(|value| (0.0..=1.0).contains(value))
        })
    }

    pub(super) fn switch(&mut self, name: &'static str) -> Option<bool> {
        self.parsed(name, "true or false", switch)
    }
}

/// A switch in LLVM's words for on and off.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
