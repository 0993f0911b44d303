//! Figures as rows of tables: a row for what was measured, a column for each variant.

use super::{REFERENCES, cost};
use crate::figures::{Figure, Unit, Variant};
use crate::results::Results;
use std::collections::{BTreeMap, BTreeSet};

/// What several variants were measured in.
pub struct Row {
    /// The bench.
    pub group: String,
    /// What was measured.
    pub name: String,
    /// Sizes and the like.
    pub parameters: BTreeMap<String, String>,
    /// Of all its figures.
    pub unit: Unit,
    /// The figures.
    pub cells: BTreeMap<Variant, Figure>,
}

impl Row {
    /// Group, name and parameters.
    pub fn label(&self) -> String {
        format!("{} {}", self.group, self.short())
    }

    /// Name and parameters.
    pub fn short(&self) -> String {
        let parameters = self.parameters.iter().map(|(key, value)| format!(" {key}={value}"));
        self.name.clone() + &parameters.collect::<String>()
    }

    /// What the others are compared with.
    pub fn reference(&self) -> Option<&Figure> {
        REFERENCES.iter().find_map(|variant| self.cells.get(variant))
    }
}

/// All rows whose figures say something on the device, in the order in which they were measured.
pub fn rows(results: &Results) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let telling = |figure: &&Figure| results.is_telling(figure);
    for figure in results.figures.iter().filter(telling) {
        let same = |row: &&mut Row| {
            (row.group.as_str(), row.name.as_str(), &row.parameters, row.unit) == figure.key()
        };
        let row = match rows.iter_mut().find(same) {
            Some(row) => row,
            None => {
                let Figure { group, name, parameters, unit, .. } = figure.clone();
                rows.push(Row { group, name, parameters, unit, cells: BTreeMap::new() });
                rows.last_mut().expect("it was pushed")
            }
        };
        row.cells.insert(figure.variant, figure.clone());
    }
    rows
}

/// A table in Markdown for each group, by name.
pub fn tables(results: &Results) -> BTreeMap<String, String> {
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows(results) {
        groups.entry(row.group.clone()).or_default().push(row);
    }
    let table = |(group, rows): (String, Vec<Row>)| {
        let text = table(&rows, results);
        (group, text)
    };
    groups.into_iter().map(table).collect()
}

fn table(rows: &[Row], results: &Results) -> String {
    let variants: BTreeSet<Variant> = rows.iter().flat_map(|row| row.cells.keys().copied()).collect();
    let mut text = String::from("| what | unit |");
    variants.iter().for_each(|variant| text += &format!(" {} |", variant.word()));
    text += &format!("\n|{}\n", "---|".repeat(variants.len() + 2));
    for row in rows {
        text += &format!("| {} | {} |", row.short(), meaning(row, results));
        for variant in &variants {
            let cell =
                row.cells.get(variant).map_or_else(|| "-".to_owned(), |figure| cell(row, figure, results));
            text += &format!(" {cell} |");
        }
        text.push('\n');
    }
    text
}

/// What the numbers of a row are.
fn meaning(row: &Row, results: &Results) -> String {
    match row.unit {
        Unit::Cycles | Unit::Count => row.unit.word().to_owned(),
        Unit::BytesPerSecond | Unit::Flops if ceiling(row, results).is_some() => {
            format!("{}, part of the ceiling", row.unit.word())
        }
        _ => match row.reference() {
            Some(reference) => format!("cost, {} = 1", reference.variant.word()),
            None => row.unit.word().to_owned(),
        },
    }
}

fn cell(row: &Row, figure: &Figure, results: &Results) -> String {
    let spread =
        if figure.samples.len() > 1 { format!(" ±{:.0} %", 50.0 * figure.spread()) } else { String::new() };
    let number = match row.unit {
        Unit::Cycles | Unit::Count => short(figure.median()),
        Unit::BytesPerSecond | Unit::Flops => match (ceiling(row, results), row.reference()) {
            (Some(ceiling), _) => format!("{:.1} %", 100.0 * figure.median() / ceiling),
            (None, Some(reference)) => format!("{:.2}", cost(figure, reference)),
            (None, None) => format!("{:.3e}", figure.median()),
        },
        Unit::Seconds => match row.reference() {
            Some(reference) => format!("{:.2}", cost(figure, reference)),
            None => format!("{:.3e}", figure.median()),
        },
    };
    number + &spread
}

/// What the run's ceiling programs reached in the row's unit; none for the ceilings themselves.
fn ceiling(row: &Row, results: &Results) -> Option<f64> {
    if row.name.starts_with("ceiling") {
        return None;
    }
    // The bodies are in float, all else is in double.
    let name = match row.unit {
        Unit::BytesPerSecond => "ceiling_copy",
        Unit::Flops if row.name == "nbody" => "ceiling_float",
        Unit::Flops => "ceiling_double",
        _ => return None,
    };
    results.figures.iter().find(|figure| figure.name == name).map(Figure::median)
}

/// A count without digits that say nothing.
fn short(number: f64) -> String {
    if number.fract() == 0.0 || number.abs() >= 1000.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::parse;

    #[test]
    fn times_are_ratios_rates_parts_of_the_ceiling_and_cycles_as_they_are() {
        let of = |variant, lines: &str| parse(lines, variant).unwrap().figures;
        let figures = [
            of(
                Variant::Ours,
                "figure a x seconds : 2\nfigure a y bytes_per_second : 50\nfigure a z t=1 cycles : 10 12",
            ),
            of(Variant::Llvm22, "figure a x seconds : 4"),
            of(Variant::Raw, "figure programs ceiling_copy bytes_per_second : 200"),
        ];
        let results = Results { figures: figures.concat(), ..Results::default() };
        let tables = tables(&results);
        assert_eq!(
            tables["a"],
            "| what | unit | ours | llvm22 |\n|---|---|---|---|\n| x | cost, llvm22 = 1 | 0.50 | 1.00 |\n\
             | y | bytes_per_second, part of the ceiling | 25.0 % | - |\n| z t=1 | cycles | 11 ±9 % | - |\n"
        );
        assert!(tables["programs"].contains("| cost, raw = 1 | 1.00 |"), "{}", tables["programs"]);
    }
}
