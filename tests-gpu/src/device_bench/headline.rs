//! The headline: what generic kernels pay against SPMD kernels, as a table.

use crate::figures::{Figure, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The costs of the table: name, the figure of the generic kernel, that of the SPMD kernel, each as group and name.
const PAIRS: [(&str, [&str; 2], [&str; 2]); 2] = [
    ("barrier", ["barriers", "kmpc_barrier_generic"], ["barriers", "kmpc_barrier_spmd"]),
    ("empty parallel region", ["parallel-runtime", "empty"], ["parallel-spmd", "empty"]),
];

/// A Markdown table of generic and SPMD costs, `generic / SPMD = ratio` in each cell: a row for each cost and size of team,
/// a column for each variant. Empty if there are no such figures.
pub fn headline(figures: &[Figure]) -> String {
    let find = |[group, name]: [&str; 2], variant, parameters| {
        let of = |figure: &&Figure| {
            (figure.group.as_str(), figure.name.as_str()) == (group, name)
                && figure.variant == variant
                && &figure.parameters == parameters
        };
        figures.iter().find(of).map(Figure::median)
    };
    let mut rows: BTreeMap<_, BTreeMap<Variant, String>> = BTreeMap::new();
    let mut variants = BTreeSet::new();
    for (index, (_, generic, spmd)) in PAIRS.into_iter().enumerate() {
        let first = |figure: &&Figure| [figure.group.as_str(), figure.name.as_str()] == generic;
        for figure in figures.iter().filter(first) {
            let Some(spmd) = find(spmd, figure.variant, &figure.parameters) else { continue };
            let generic = figure.median();
            let cell = format!("{generic:.1} / {spmd:.1} = {:.2}", generic / spmd);
            let number = |key: &str| figure.parameters.get(key).and_then(|text| text.parse::<u64>().ok());
            let parameters = &figure.parameters;
            let order = (index, parameters.get("teams"), number("threads"), parameters);
            rows.entry(order).or_default().insert(figure.variant, cell);
            variants.insert(figure.variant);
        }
    }
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    text += "| generic / SPMD, cycles |";
    variants.iter().for_each(|variant| text += &format!(" {} |", variant.word()));
    text += "\n|";
    text += &"---|".repeat(variants.len() + 1);
    for ((index, _, _, parameters), cells) in rows {
        let words: Vec<_> = parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let _ = write!(text, "\n| {}, {} |", PAIRS[index].0, words.join(" "));
        for variant in &variants {
            text += &format!(" {} |", cells.get(variant).map_or("-", String::as_str));
        }
    }
    text + "\n\nThe main thread of a generic kernel has a warp for itself: of 1024 threads 992 are in the region.\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::parse;

    #[test]
    fn rows_are_sizes_and_columns_variants() {
        let of = |variant, lines: &str| parse(lines, variant).unwrap().figures;
        let ours = "\
figure barriers kmpc_barrier_spmd teams=1 threads=1024 cycles : 20
figure barriers kmpc_barrier_generic teams=1 threads=1024 cycles : 30 50 40
figure barriers kmpc_barrier_spmd teams=1 threads=32 cycles : 10
figure barriers kmpc_barrier_generic teams=1 threads=32 cycles : 15
figure barriers kmpc_barrier_generic team=half teams=1 threads=32 cycles : 15
";
        let llvm = "\
figure barriers kmpc_barrier_spmd teams=1 threads=32 cycles : 10
figure barriers kmpc_barrier_generic teams=1 threads=32 cycles : 25
";
        let figures = [of(Variant::Ours, ours), of(Variant::Llvm22, llvm)].concat();
        let table = "\
| generic / SPMD, cycles | ours | llvm22 |
|---|---|---|
| barrier, teams=1 threads=32 | 15.0 / 10.0 = 1.50 | 25.0 / 10.0 = 2.50 |
| barrier, teams=1 threads=1024 | 40.0 / 20.0 = 2.00 | - |

";
        let text = headline(&figures);
        assert!(text.starts_with(table), "{text}");
        assert_eq!(headline(&figures[..1]), "");
    }
}
