//! The page: one file with the figures as JSON, and the script and style that show them. No network is needed.

use super::figures::Figures;
use super::{Kernel, ModuleText, Profile};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

/// Lines that are shown around one that was executed.
const AROUND: u32 = 4;
/// Rows for barriers of a kernel.
const MOST_BARRIERS: usize = 200;

/// A text whose lines are shown beside the figures.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Text {
    /// A source file.
    Source(String),
    /// The PTX of a function of a module: instructions without a source line.
    Ptx(u64, usize),
}

/// The texts with the lines of them that have figures.
#[derive(Default)]
struct Texts {
    numbers: HashMap<String, usize>,
    all: Vec<(Text, BTreeSet<u32>)>,
}

impl Texts {
    /// The number of a text.
    fn number(&mut self, key: String, text: Text) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push((text, BTreeSet::new()));
            self.all.len() - 1
        })
    }
}

/// Thousandths of a second, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// What a user calls the kernel: clang's names for target regions hold the function and the line.
fn title(name: &str) -> String {
    let region = || {
        // __omp_offloading_<device>_<file>_<function>_l<line>[_<number>]
        let rest = name.strip_prefix("__omp_offloading_")?;
        let rest = rest.split_once('_')?.1.split_once('_')?.1;
        let (function, line) = rest.rsplit_once("_l")?;
        let digits = line.find('_').map_or(line, |end| &line[..end]);
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{function}, line {digits}"))
    };
    region().unwrap_or_else(|| name.to_owned())
}

/// The page.
pub fn html(profile: &Profile) -> String {
    // No text of a program can end the element that it stands in.
    let data = data(profile).to_string().replace('<', "\\u003c");
    include_str!("page.html")
        .replace("/*STYLE*/", include_str!("page.css"))
        .replace("/*SCRIPT*/", include_str!("page.js"))
        .replace("/*DATA*/", &data)
}

fn data(profile: &Profile) -> Value {
    let mut texts = Texts::default();
    let kernels: Vec<Value> = profile.kernels.iter().map(|k| kernel(profile, k, &mut texts)).collect();
    let launches: Vec<Value> = profile
        .launches
        .iter()
        .map(|l| {
            let times = [milliseconds(l.start), milliseconds(l.time)];
            json!([
                l.kernel,
                times[0],
                times[1],
                l.grid,
                l.block,
                l.shared,
                l.executions,
                l.threads,
                l.failed
            ])
        })
        .collect();
    let samples: Vec<Value> =
        profile.samples.iter().map(|(at, bytes)| json!([milliseconds(*at), bytes])).collect();
    json!({
        "command": std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "),
        "fields": Figures::NAMES,
        "launch_count": profile.launch_count,
        "launches": launches,
        "kernels": kernels,
        "texts": texts.all.iter().map(|(text, lines)| shown(profile, text, lines)).collect::<Vec<_>>(),
        "peak": profile.peak,
        "samples": samples,
        "end": milliseconds(profile.started.elapsed()),
    })
}

fn kernel(profile: &Profile, kernel: &Kernel, texts: &mut Texts) -> Value {
    let module = &profile.modules[&kernel.module];
    let name = &module.functions[kernel.entry.0 as usize].name;
    let mut total = Figures::default();
    let mut mix: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut rows: BTreeMap<(usize, u32), Figures> = BTreeMap::new();
    let mut barriers = Vec::new();
    for (number, code) in kernel.code.iter().enumerate() {
        let function = &module.functions[number];
        for (pc, figures) in code.iter().enumerate().filter(|(_, f)| f.executions > 0) {
            total += figures;
            let class = serde_json::to_value(function.classes[pc]).unwrap_or_default();
            let of_class = mix.entry(class.as_str().unwrap_or_default().to_owned()).or_default();
            of_class.0 += figures.executions;
            of_class.1 += figures.threads;
            let (text, line) = match &function.source[pc] {
                Some(at) => {
                    let file = module.files.get(&at.file).map_or("?", String::as_str);
                    (texts.number(format!("source {file}"), Text::Source(file.to_owned())), at.line)
                }
                None => {
                    let key = format!("ptx {} {}", kernel.module, function.name);
                    (texts.number(key, Text::Ptx(kernel.module, number)), function.lines[pc])
                }
            };
            texts.all[text].1.insert(line);
            *rows.entry((text, line)).or_default() += figures;
            if figures.arrivals > 0 {
                let place = [json!(function.name), json!(function.lines[pc]), json!(text), json!(line)];
                barriers.push((figures.wait, json!([place, figures.arrivals, figures.wait])));
            }
        }
    }
    barriers.sort_by_key(|(wait, _)| std::cmp::Reverse(*wait));
    barriers.truncate(MOST_BARRIERS);
    let rows: Vec<Value> =
        rows.iter().map(|((text, line), figures)| json!([text, line, figures.array()])).collect();
    json!({
        "name": name,
        "title": title(name),
        "launches": kernel.launches,
        "ctas": kernel.ctas,
        "time": milliseconds(kernel.time),
        "lanes": kernel.lanes.to_vec(),
        "total": total.array(),
        "mix": mix.into_iter().map(|(class, (a, b))| json!([class, a, b])).collect::<Vec<_>>(),
        "barriers": barriers.into_iter().map(|(_, row)| row).collect::<Vec<_>>(),
        "rows": rows,
    })
}

/// The name of a text, and those of its lines that are worth showing.
fn shown(profile: &Profile, text: &Text, lines: &BTreeSet<u32>) -> Value {
    let (name, whole) = match text {
        Text::Source(file) => (file.clone(), read_source(Path::new(file), &profile.folder)),
        Text::Ptx(module, function) => {
            let ModuleText { functions, ptx, .. } = &profile.modules[module];
            let name = format!("{}: instructions without a source line", functions[*function].name);
            (name, (!ptx.is_empty()).then(|| ptx.clone()))
        }
    };
    let Some(whole) = whole else { return json!({ "name": name, "found": false, "lines": [] }) };
    let all: Vec<&str> = whole.lines().collect();
    let wanted: BTreeSet<u32> = lines
        .iter()
        .flat_map(|&line| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
        .collect();
    let lines: Vec<Value> =
        wanted.into_iter().filter_map(|line| Some(json!([line, all.get(line as usize - 1)?]))).collect();
    json!({ "name": name, "found": true, "lines": lines })
}

/// A source file, if it is where the compiler found it.
fn read_source(file: &Path, folder: &Path) -> Option<String> {
    let bytes = std::fs::read(folder.join(file)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn titles_of_target_regions() {
        for (name, want) in [
            ("__omp_offloading_fe00_123abc_main_l12", "main, line 12"),
            ("__omp_offloading_10_2_a_long_name_l3_7", "a_long_name, line 3"),
            ("saxpy", "saxpy"),
            ("__omp_offloading_x", "__omp_offloading_x"),
        ] {
            assert_eq!(title(name), want);
        }
    }
}
