//! Where something happened, in words, for reports: kernel, CTA, warp, lane, function, PTX line, source line.

use super::fault::Fault;
use super::group::{Group, State};
use super::warp::Warp;
use super::{CtaState, Launch};
use crate::check::Place;
use crate::code::{LANES, Module};
use crate::mem::Event;
use crate::report::Report;

/// Callers that a report names at most.
const CALLERS: usize = 12;

/// The place of an instruction, for findings.
pub fn place(module: &Module, function: u32, pc: u32) -> Place {
    let f = &module.functions[function as usize];
    let source = |at: &crate::code::SourceLine| {
        let file = module.files.get(&at.file).cloned().unwrap_or_else(|| "?".into());
        (file, at.line, at.column)
    };
    let span = f.source_at(pc);
    Place {
        function: f.name.clone(),
        ptx_line: f.lines.get(pc as usize).copied().unwrap_or(f.line),
        source: span.map(|span| source(&span.at)),
        inlined_at: span.and_then(|span| span.inlined_at.as_ref()).map(source),
    }
}

/// "function f, PTX line 12 (file.c:3:5)".
fn at(module: &Module, function: u32, pc: u32) -> String {
    let f = &module.functions[function as usize];
    let line = f.lines.get(pc as usize).copied().unwrap_or(f.line);
    let mut text = format!("{}, PTX line {line}", f.name);
    let source = |at: &crate::code::SourceLine| {
        let file = module.files.get(&at.file).map_or("?", String::as_str);
        match at.column {
            0 => format!("{file}:{}", at.line),
            column => format!("{file}:{}:{column}", at.line),
        }
    };
    if let Some(span) = f.source_at(pc) {
        text += &format!(" ({}", source(&span.at));
        if let Some(outer) = &span.inlined_at {
            text += &format!(", inlined at {}", source(outer));
        }
        text.push(')');
    }
    text
}

/// What a lane does to an allocation at an instruction.
pub fn event(at: &crate::watch::At<'_, '_>, lane: usize) -> Event {
    let (launch, function) = (at.launch, at.warp.frames[at.frame as usize].function);
    let key = (launch.module_number, launch.entry.0, function.0, at.pc);
    let place = launch.memory.place_text(key, || {
        let kernel = &launch.module.functions[launch.entry.0 as usize].name;
        format!("kernel {kernel}, function {}", self::at(launch.module, function.0, at.pc))
    });
    Event { place, cta: at.cta.id, thread: [0, 1, 2].map(|d| at.warp.tid[d][lane]) }
}

/// "(1,0,0)".
fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// A lane mask in words.
fn lanes(mask: u32) -> String {
    match mask.count_ones() {
        1 => format!("lane {}", mask.trailing_zeros()),
        32 => "all lanes".to_owned(),
        _ => format!("lanes {mask:#010x}"),
    }
}

/// The kernel and its launch.
fn kernel(launch: &Launch<'_>) -> String {
    let config = &launch.config;
    let name = &launch.module.functions[launch.entry.0 as usize].name;
    format!("kernel {name}, grid {}, block {}", triple(config.grid), triple(config.block))
}

/// The report of a fault of a running group.
pub fn report(launch: &Launch<'_>, cta: &CtaState, warp: &Warp, group: &Group, fault: Fault) -> Report {
    let mut place = format!("CTA {}, warp {}, {}", triple(cta.id), warp.index, lanes(group.lanes));
    if let Some(lane) = fault.lane {
        let tid = [0, 1, 2].map(|d| warp.tid[d][lane]);
        place = format!("CTA {}, warp {}, lane {lane}, thread {}", triple(cta.id), warp.index, triple(tid));
        place += &format!("; active: {}", lanes(group.lanes));
    }
    let report = Report::new(fault.kind, fault.message).with(format!("in {}", kernel(launch))).with(place);
    chain(launch, warp, group, report, "")
}

/// Adds the function of a group and its callers.
fn chain(launch: &Launch<'_>, warp: &Warp, group: &Group, mut report: Report, indent: &str) -> Report {
    let mut frame = &warp.frames[group.frame as usize];
    report = report.with(format!("{indent}in function {}", at(launch.module, frame.function.0, group.pc)));
    for _ in 0..CALLERS {
        let Some(outer) = frame.parent else { return report };
        let call = frame.call;
        frame = &warp.frames[outer as usize];
        report = report.with(format!("{indent}called by {}", at(launch.module, frame.function.0, call)));
    }
    report.with(format!("{indent}and so on, {} calls deep", warp.frames[group.frame as usize].depth))
}

/// Adds the state of all groups of a CTA, one line each.
pub fn states(launch: &Launch<'_>, cta: &CtaState, warps: &[Warp], mut report: Report) -> Report {
    for warp in warps {
        for group in &warp.groups {
            let state = match group.state {
                State::Ready => "can run".to_owned(),
                State::Arriving { id, aligned: true, .. } => {
                    let missing = warp.live & !group.lanes;
                    format!("waits at the aligned barrier {id} for {} of its warp", lanes(missing))
                }
                State::Arriving { id, .. } => format!("arrives at barrier {id}"),
                State::Barrier { id } => {
                    format!("waits at barrier {id}: {}", cta.barriers.describe(id, cta.live))
                }
                State::WarpOperation { mask } => {
                    format!("waits in a warp operation of {}", lanes(mask))
                }
            };
            let frame = &warp.frames[group.frame as usize];
            let place = at(launch.module, frame.function.0, group.pc);
            report = report.with(format!("warp {}, {}: {state}; in {place}", warp.index, lanes(group.lanes)));
        }
        let exited = start_lanes(launch, warp) & !warp.live;
        if exited != 0 {
            report = report.with(format!("warp {}, {}: exited", warp.index, lanes(exited)));
        }
    }
    report
}

/// The lanes that a warp was made with.
fn start_lanes(launch: &Launch<'_>, warp: &Warp) -> u32 {
    let threads = launch.config.block.iter().product::<u32>();
    let count = threads.saturating_sub(warp.index * LANES as u32).min(LANES as u32);
    if count == 0 { 0 } else { u32::MAX >> (LANES as u32 - count) }
}

/// The head of a report about a whole CTA.
pub fn of_cta(
    launch: &Launch<'_>,
    cta: &CtaState,
    kind: crate::report::ReportKind,
    message: String,
) -> Report {
    Report::new(kind, message).with(format!("in {}, CTA {}", kernel(launch), triple(cta.id)))
}
