//! Calls, returns (PTX ISA 9.0, 9.7.12.5, 9.7.12.6 and the ABI of 7.1), and the functions that the device supplies itself (CUDA C++
//! Programming Guide, "Dynamic Global Memory Allocation", "Formatted Output", "Assertion", "Trap function").

use super::fault::Fault;
use super::lanes::{Lanes, lanes_of};
use super::place::event;
use super::printf;
use super::spaces::Spaces;
use super::warp::Warp;
use crate::code::{
    CallSite, CallTarget, Extern, FUNCTION_WINDOW, Function, FunctionId, FunctionKind, LANES, Module, Reg,
    Slot, Src, WINDOW_SHIFT,
};
use crate::report::ReportKind;
use crate::watch::{At, Watch};

/// Bytes of a register of 64 bits in the register file.
const WORD: u32 = 8 * LANES as u32;

/// What the first active lane calls, and the lanes that call the same.
pub struct Callee {
    pub function: FunctionId,
    pub lanes: u32,
}

/// Looks up the callee.
///
/// # Errors
/// A pointer that is not that of a function, or of one with another signature.
///
/// # Safety
/// The site belongs to the function of the frame that `l` points to.
pub unsafe fn callee(module: &Module, site: &CallSite, l: &Lanes) -> Result<Callee, Box<Fault>> {
    let pointer = match site.target {
        CallTarget::Direct(function) => return Ok(Callee { function, lanes: l.mask }),
        CallTarget::Indirect(pointer) => pointer,
    };
    // SAFETY: by the caller's promise.
    let pointers: [u64; LANES] = unsafe { l.get(pointer) };
    let first = l.mask.trailing_zeros() as usize & 31;
    let pointer = pointers[first];
    let bad = |why: String| {
        Fault::at_lane(ReportKind::Execution, first, format!("call through the pointer {pointer:#x}, {why}"))
    };
    let index = (pointer - (pointer >> WINDOW_SHIFT << WINDOW_SHIFT)) >> 4;
    let function = module.functions.get(index as usize);
    let function = match function {
        _ if pointer == 0 => return Err(bad("a null pointer".into())),
        Some(f)
            if pointer >> WINDOW_SHIFT == FUNCTION_WINDOW >> WINDOW_SHIFT && pointer.is_multiple_of(16) =>
        {
            f
        }
        _ => return Err(bad("which is not the address of a function".into())),
    };
    let mut words = 0;
    // A function may take fewer arguments than it is given, as on a GPU: flang's functions of empty tasks lack the task.
    let takes = function.param_words == 0
        || site.args.iter().any(|slot| {
            words += slot.words;
            words == function.param_words
        });
    let ret = site.ret.map_or(0, |slot| slot.words);
    // A function that returns nothing may be called for a value, which is then undefined as on a GPU: flang's task functions
    // are, which libomp's interface calls as functions of type int. A result may be dropped.
    let returns = ret == function.return_words
        || site.ret.is_none()
        || function.return_words == 0 && !matches!(function.kind, FunctionKind::Extern(_));
    if function.kind == FunctionKind::Entry || !takes || !returns {
        let words = site.args.iter().map(|slot| slot.words).sum::<u32>();
        return Err(bad(format!(
            "with {} bytes of arguments and {} of return value: {} takes {} and returns {}",
            words * 8,
            ret * 8,
            function.name,
            function.param_words * 8,
            function.return_words * 8,
        )));
    }
    let same = lanes_of(l.mask).filter(|&i| pointers[i] == pointer);
    Ok(Callee { function: FunctionId(index as u32), lanes: same.fold(0, |lanes, i| lanes | 1 << i) })
}

/// Copies registers of 64 bits between frames, for the lanes of `mask`.
fn copy_words(to: &Lanes, to_offset: u32, from: &Lanes, slot: Slot, mask: u32) {
    let to = Lanes { mask, ..*to };
    for word in 0..slot.words {
        // SAFETY: the slots of a call lie in the caller's register file, parameters and return value in the callee's, and
        // their sizes agree (`super::verify`, and `callee` for pointers).
        unsafe {
            let value: [u64; LANES] = from.get(Src((slot.offset + word * WORD) as i32));
            to.put(Reg(to_offset + word * WORD), value);
        }
    }
}

/// Makes the frame of a call that lanes `mask` of `frame` make at instruction `pc`, with the arguments in it.
///
/// # Errors
/// The stack is full, or the callee has no body.
pub fn enter(
    module: &Module,
    warp: &mut Warp,
    frame: u32,
    pc: u32,
    function: FunctionId,
    mask: u32,
) -> Result<u32, Box<Fault>> {
    let code = &module.functions[function.0 as usize];
    if code.code.is_empty() {
        return Err(Fault::new(
            ReportKind::UndefinedSymbol,
            format!("call of the function {}, which is defined nowhere", code.name),
        ));
    }
    let inner = warp.enter(module, function, Some(frame), pc, mask).map_err(|overflow| {
        Fault::new(
            ReportKind::Execution,
            format!(
                "stack overflow: the call of {} would need {} bytes of stack for the thread, more than the {} there are",
                code.name,
                overflow.bytes,
                super::warp::LOCAL_LIMIT
            ),
        )
    })?;
    let (outer_code, site) = site(module, warp, frame, pc);
    let from = warp.frames[frame as usize].lanes(outer_code, mask);
    let to = warp.frames[inner as usize].lanes(code, mask);
    let mut offset = 0;
    for slot in &site.args {
        if offset == code.param_words * WORD {
            break; // it takes no more (`callee`)
        }
        copy_words(&to, offset, &from, *slot, mask);
        offset += slot.words * WORD;
    }
    Ok(inner)
}

/// The function of a frame and the call that it makes at `pc`.
fn site<'a>(module: &'a Module, warp: &Warp, frame: u32, pc: u32) -> (&'a Function, &'a CallSite) {
    let function = &module.functions[warp.frames[frame as usize].function.0 as usize];
    let crate::code::Op::Call { site } = function.code[pc as usize].op else {
        unreachable!("a frame's call is a call");
    };
    (function, &function.calls[site as usize])
}

/// Lanes `mask` return from `frame`: their return value goes to the caller. Returns the caller's frame and the
/// instruction after the call; none in the frame of the kernel.
pub fn leave(module: &Module, warp: &mut Warp, frame: u32, mask: u32) -> Option<(u32, u32)> {
    let inner = &warp.frames[frame as usize];
    let (outer, call, id) = (inner.parent?, inner.call, inner.function);
    let code = &module.functions[id.0 as usize];
    let (outer_code, site) = site(module, warp, outer, call);
    if let Some(slot) = site.ret
        && code.return_words > 0
    {
        let from = warp.frames[frame as usize].lanes(code, mask);
        let to = warp.frames[outer as usize].lanes(outer_code, mask);
        let value = Slot { offset: code.param_words * WORD, words: slot.words };
        copy_words(&to, slot.offset, &from, value, mask);
    }
    warp.leave(frame, mask);
    Some((outer, call + 1))
}

/// The service that a function is, if the device supplies it.
pub fn service(function: &Function) -> Option<Extern> {
    match function.kind {
        FunctionKind::Extern(service) => Some(service),
        _ => None,
    }
}

/// One lane's view of memory.
struct LaneMemory<'a, 'm> {
    spaces: &'a Spaces<'m>,
    lane: usize,
}

impl printf::Source for LaneMemory<'_, '_> {
    type Error = Box<Fault>;
    fn read(&mut self, address: u64, to: &mut [u8]) -> Result<(), Box<Fault>> {
        self.spaces.read_bytes(address, to, self.lane)
    }
}

/// The message of a failed assertion as CUDA words it (CUDA C++ Programming Guide, "Assertion").
fn assertion(at: &At<'_, '_>, lane: usize, file: &str, line: u32, function: &str, message: &str) -> String {
    let ([a, b, c], [x, y, z]) = (at.cta.id, [0, 1, 2].map(|d| at.warp.tid[d][lane]));
    format!(
        "{file}:{line}: {function}: block: [{a},{b},{c}], thread: [{x},{y},{z}] Assertion `{message}` failed."
    )
}

/// Does what a function of the device does, for the active lanes of the frame of `at`.
///
/// # Errors
/// A bad argument, or the end that the kernel asks for.
///
/// # Safety
/// The site belongs to the function of the frame of `at`.
pub unsafe fn serve<W: Watch>(
    at: &At<'_, '_>,
    service: Extern,
    site: &CallSite,
    watch: &mut W,
) -> Result<(), Box<Fault>> {
    let (launch, l, spaces) = (at.launch, at.registers, at.spaces);
    if W::ON {
        watch.each(|o| o.serve(at));
    }
    // Word `k` of the arguments.
    let argument = |k: usize, lane: usize| -> u64 {
        let offset = site.args.iter().flat_map(|slot| (0..slot.words).map(|w| slot.offset + w * WORD)).nth(k);
        // SAFETY: the slots lie in the register file.
        offset.map_or(0, |offset| unsafe { l.lane(Src(offset as i32), lane) })
    };
    let mut results = [0u64; LANES];
    for lane in lanes_of(l.mask) {
        let mut memory = LaneMemory { spaces, lane };
        let a = |k| argument(k, lane);
        match service {
            Extern::Malloc => {
                results[lane] = launch.memory.malloc(a(0), event(at, lane)).unwrap_or(0);
                if W::ON {
                    watch.each(|o| o.malloc(at, lane, results[lane], a(0)));
                }
            }
            Extern::Free => {
                if a(0) != 0 {
                    if W::ON {
                        watch.each(|o| o.free(at, lane, a(0)));
                    }
                    let done = launch.memory.free(a(0), Some(event(at, lane)));
                    done.map_err(|why| Fault::at_lane(ReportKind::Execution, lane, why))?;
                }
            }
            // CUDA's vprintf returns the number of arguments, or -1 without a format.
            Extern::Vprintf if a(0) == 0 => results[lane] = u64::from(u32::MAX),
            Extern::Vprintf => match printf::format(&mut memory, a(0), a(1)) {
                Ok((text, count)) => {
                    (launch.output)(&text);
                    results[lane] = count.into();
                }
                Err(printf::Error::Memory(mut fault)) => {
                    fault.message = format!("printf: {}", fault.message);
                    return Err(fault);
                }
                Err(printf::Error::Format(why)) => {
                    return Err(Fault::at_lane(ReportKind::Execution, lane, why));
                }
            },
            Extern::AssertFail | Extern::AssertFailLibc => {
                let mut text = |k| {
                    let bytes = printf::string(&mut memory, a(k), 1 << 12)?;
                    Ok::<_, Box<Fault>>(String::from_utf8_lossy(&bytes).into_owned())
                };
                let (message, file, function) = (text(0)?, text(1)?, text(3)?);
                let line = a(2) as u32;
                return Err(Fault::at_lane(
                    ReportKind::Assert,
                    lane,
                    assertion(at, lane, &file, line, &function, &message),
                ));
            }
            Extern::Abort => return Err(Fault::at_lane(ReportKind::Trap, lane, "abort()")),
        }
    }
    if let Some(slot) = site.ret {
        // SAFETY: the slot lies in the register file.
        unsafe { l.put(Reg(slot.offset), results) };
    }
    Ok(())
}
