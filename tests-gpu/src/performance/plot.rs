//! Rows as horizontal bars.

use super::table::Row;
use super::{Variant, cost};
use anyhow::{Result, anyhow};
use plotters::prelude::*;

const WIDTH: u32 = 900;
/// Place for the names.
const LEFT: i32 = 330;
const RIGHT: i32 = 60;
const TOP: i32 = 50;
/// Height of a bar, and of the space between two rows.
const BAR: i32 = 11;
const GAP: i32 = 9;
/// A bar that would be longer is cut, and its number tells.
const MOST: f64 = 8.0;

fn colour(variant: Variant) -> RGBColor {
    match variant {
        Variant::Ours => RGBColor(44, 123, 182),
        Variant::Passes => RGBColor(26, 152, 80),
        Variant::Llvm22 => RGBColor(215, 125, 40),
        Variant::RustLlvm22 => RGBColor(235, 170, 140),
        Variant::Llvm19 => RGBColor(230, 190, 110),
        Variant::Cuda => RGBColor(110, 110, 110),
        Variant::Rust => RGBColor(222, 120, 31),
        Variant::Raw => RGBColor(190, 190, 190),
    }
}

/// The cost of each variant beside that of the row's reference; none without rows that have one. Shorter is better.
///
/// # Errors
/// The image cannot be drawn.
pub fn bars(title: &str, rows: &[Row]) -> Result<Option<String>> {
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row.cells.len() > 1)
        .filter_map(|row| Some((row, row.reference().filter(|reference| reference.median() > 0.0)?)))
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let bars: i32 = rows.iter().map(|(row, _)| row.cells.len() as i32).sum();
    let height = TOP + bars * BAR + rows.len() as i32 * GAP + 20;
    let mut svg = String::new();
    let mut draw = || -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        let font = |size: i32| ("sans-serif", size).into_font();
        area.draw(&Text::new(format!("{title}: cost, reference = 1, shorter is better"), (10, 8), font(15)))?;
        let mut at = 10;
        for variant in Variant::ALL {
            if rows.iter().any(|(row, _)| row.cells.contains_key(&variant)) {
                area.draw(&Rectangle::new([(at, 30), (at + 10, 40)], colour(variant).filled()))?;
                area.draw(&Text::new(variant.word(), (at + 14, 29), font(12)))?;
                at += 95;
            }
        }
        let scale = f64::from(WIDTH as i32 - LEFT - RIGHT) / MOST;
        let mut y = TOP;
        for (row, reference) in &rows {
            let middle = y + row.cells.len() as i32 * BAR / 2 - 6;
            area.draw(&Text::new(format!("{} {}", row.short(), row.unit.word()), (10, middle), font(11)))?;
            for (&variant, figure) in &row.cells {
                let cost = cost(figure, reference);
                let x = LEFT + (cost.min(MOST) * scale) as i32;
                area.draw(&Rectangle::new([(LEFT, y), (x, y + BAR - 1)], colour(variant).filled()))?;
                area.draw(&Text::new(format!("{cost:.2}"), (x + 4, y), font(10)))?;
                y += BAR;
            }
            y += GAP;
        }
        let one = LEFT + scale as i32;
        area.draw(&PathElement::new(vec![(one, TOP - 4), (one, y)], BLACK))?;
        area.present()
    };
    draw().map_err(|error| anyhow!("plot of {title}: {error}"))?;
    Ok(Some(svg))
}
