//! A warp: its frames and its local memory; its groups of lanes are in [`super::group`].
//!
//! A **frame** belongs to the lanes that made one call together; frames form a tree by parent and are used again when
//! their last lane has left.

use super::group::{Group, State};
use super::lanes::Lanes;
use super::spaces::{LOCAL_START, LocalRow, Spaces};
use crate::code::{Chunk, Function, FunctionId, LANES, Module, Pred, Reg};
use crate::mem::PATTERN;

/// Bytes of local memory of a thread at most: the hardware's limit.
pub const LOCAL_LIMIT: u32 = 512 << 10;
/// Bytes that a call takes of that limit at least, for what the hardware would save on the stack.
pub const LEAST_FRAME: u32 = 64;

/// The activation of a function by some lanes.
pub struct Frame {
    /// Function.
    pub function: FunctionId,
    registers: Vec<Chunk>,
    /// Predicates, then the carry flag.
    predicates: Vec<u32>,
    /// Frame of the call; none for the kernel.
    pub parent: Option<u32>,
    /// Instruction of the call.
    pub call: u32,
    /// Lanes in this frame or in one called from it.
    pub lanes: u32,
    /// Where its local memory starts.
    pub local_base: u32,
    /// Where its variables end and memory taken with `alloca` begins.
    pub local_start: u32,
    /// Where it ends.
    pub local_end: u32,
    /// Number of callers.
    pub depth: u32,
    /// Where the stack of each lane ends, once one of them has taken memory with `alloca`.
    pub tops: Option<Box<[u32; LANES]>>,
}

impl Frame {
    /// Access to the registers, for the lanes of `mask`.
    pub fn lanes(&mut self, function: &Function, mask: u32) -> Lanes {
        let predicates = self.predicates.as_mut_ptr();
        Lanes {
            registers: self.registers.as_mut_ptr().cast(),
            constants: function.constants.chunks.as_ptr().cast(),
            predicates,
            // The entry after the predicates.
            carry: predicates.wrapping_add(function.predicates as usize),
            mask,
        }
    }
}

/// The stack of a thread is full.
#[derive(Debug)]
pub struct StackOverflow {
    /// Bytes that it would need.
    pub bytes: u64,
}

/// A warp of a CTA.
pub struct Warp {
    /// Number in the CTA.
    pub index: u32,
    /// Threads that have not exited.
    pub live: u32,
    /// All groups but the running one.
    pub groups: Vec<Group>,
    /// All frames, those in `free` included.
    pub frames: Vec<Frame>,
    free: Vec<u32>,
    local: Vec<LocalRow>,
    /// Turns so far.
    pub turn: u64,
    /// The group that has waited longest is chosen next.
    pub fair: bool,
    /// `%tid` of each lane, by dimension.
    pub tid: [[u32; LANES]; 3],
    block: [u32; 3],
}

impl Warp {
    /// A warp without threads.
    pub fn new() -> Self {
        Self {
            index: 0,
            live: 0,
            groups: Vec::new(),
            frames: Vec::new(),
            free: Vec::new(),
            local: Vec::new(),
            turn: 0,
            fair: false,
            tid: [[0; LANES]; 3],
            block: [0; 3],
        }
    }

    /// Makes it warp `index` of a CTA of shape `block`, with all threads at the start of `entry`.
    ///
    /// # Errors
    /// The local memory of the kernel is beyond the limit.
    pub fn start(
        &mut self,
        module: &Module,
        entry: FunctionId,
        parameters: &[u8],
        index: u32,
        block: [u32; 3],
    ) -> Result<(), StackOverflow> {
        let threads = block.iter().product::<u32>();
        let count = (threads - index * LANES as u32).min(LANES as u32);
        self.live = u32::MAX >> (LANES as u32 - count);
        self.groups.clear();
        self.free.clear();
        self.free.extend(0..self.frames.len() as u32);
        self.turn = 0;
        self.fair = false;
        if (self.index, self.block) != (index, block) {
            self.index = index;
            self.block = block;
            for lane in 0..LANES {
                let linear = index * LANES as u32 + lane as u32;
                self.tid[0][lane] = linear % block[0];
                self.tid[1][lane] = linear / block[0] % block[1];
                self.tid[2][lane] = linear / block[0] / block[1];
            }
        }
        let frame = self.enter(module, entry, None, 0, self.live)?;
        let lanes = self.frames[frame as usize].lanes(&module.functions[entry.0 as usize], u32::MAX);
        for (word, bytes) in parameters.chunks(8).enumerate() {
            let mut value = [0; 8];
            value[..bytes.len()].copy_from_slice(bytes);
            // SAFETY: an entry's first registers hold its parameter block, whose size the launch has compared with
            // `parameters`.
            unsafe {
                let register = crate::code::Reg((word * 8 * LANES) as u32);
                lanes.put(register, [u64::from_le_bytes(value); LANES]);
            }
        }
        self.groups.push(Group { lanes: self.live, pc: 0, frame, state: State::Ready, ran: 0 });
        Ok(())
    }

    /// Makes a frame for a call.
    ///
    /// # Errors
    /// The stack is full.
    pub fn enter(
        &mut self,
        module: &Module,
        function: FunctionId,
        parent: Option<u32>,
        call: u32,
        lanes: u32,
    ) -> Result<u32, StackOverflow> {
        let code = &module.functions[function.0 as usize];
        let (base, depth) = match parent.map(|p| &self.frames[p as usize]) {
            None => (LOCAL_START, 0),
            Some(frame) => (frame.local_end, frame.depth + 1),
        };
        // Rows are shared by the lanes, so no frame starts inside of one.
        let base = u64::from(base).next_multiple_of(u64::from(code.local_align.max(8)));
        let end = base + u64::from(code.local_bytes).next_multiple_of(8);
        let stack = end + u64::from(depth) * u64::from(LEAST_FRAME);
        if stack > LOCAL_LIMIT.into() {
            return Err(StackOverflow { bytes: stack });
        }
        self.reserve(end);
        let index = self.free.pop().unwrap_or_else(|| {
            self.frames.push(Frame {
                function,
                registers: Vec::new(),
                predicates: Vec::new(),
                parent,
                call,
                lanes,
                local_base: 0,
                local_start: 0,
                local_end: 0,
                depth,
                tops: None,
            });
            self.frames.len() as u32 - 1
        });
        let frame = &mut self.frames[index as usize];
        frame.function = function;
        frame.parent = parent;
        frame.call = call;
        frame.lanes = lanes;
        frame.local_base = base as u32;
        frame.local_start = end as u32;
        frame.local_end = end as u32;
        frame.depth = depth;
        frame.tops = None;
        let chunks = code.register_bytes as usize / size_of::<Chunk>();
        if frame.registers.len() < chunks {
            frame.registers.resize(chunks, Chunk([PATTERN; 64]));
        }
        let predicates = code.predicates as usize + 1;
        if frame.predicates.len() < predicates {
            frame.predicates.resize(predicates, 0);
        }
        // The constants false and true.
        frame.predicates[0] = 0;
        frame.predicates[1] = u32::MAX;
        Ok(index)
    }

    /// Makes the rows of local memory up to byte `end` exist.
    pub fn reserve(&mut self, end: u64) {
        let rows = end as usize / 8;
        if self.local.len() < rows {
            let fill = u64::from_ne_bytes([PATTERN; 8]);
            self.local.resize(rows.next_power_of_two(), [fill; LANES]);
        }
    }

    /// Takes lanes out of a frame; it is free when its last lane is gone.
    pub fn leave(&mut self, frame: u32, lanes: u32) {
        let f = &mut self.frames[frame as usize];
        f.lanes &= !lanes;
        if f.lanes == 0 {
            self.free.push(frame);
        }
    }

    /// Lanes exit: they leave their frame and all its callers'.
    pub fn exit(&mut self, frame: u32, lanes: u32) {
        let mut next = Some(frame);
        while let Some(frame) = next {
            next = self.frames[frame as usize].parent;
            self.leave(frame, lanes);
        }
        self.live &= !lanes;
    }

    /// What the warp can access while it is in `frame`.
    pub fn spaces<'a>(&mut self, frame: u32, base: &Spaces<'a>) -> Spaces<'a> {
        Spaces {
            local: self.local.as_mut_ptr(),
            local_end: self.frames[frame as usize].local_end.into(),
            ..*base
        }
    }

    /// The lanes of a group where a predicate of its function is true.
    pub fn predicate(&mut self, module: &Module, group: &Group, pred: Pred) -> u32 {
        // SAFETY: the predicate stands in an instruction of the frame's function (`super::verify`).
        unsafe { self.lanes(module, group).predicate(pred) & group.lanes }
    }

    /// Gives all lanes of a group the same value of a 32-bit register.
    pub fn put(&mut self, module: &Module, group: &Group, dst: Reg, value: u32) {
        // SAFETY: the register stands in an instruction of the frame's function (`super::verify`).
        unsafe { self.lanes(module, group).put(dst, [value; LANES]) }
    }

    /// The same with a predicate.
    pub fn put_predicate(&mut self, module: &Module, group: &Group, dst: Pred, value: bool) {
        // SAFETY: as above.
        unsafe { self.lanes(module, group).put_predicate(dst, if value { u32::MAX } else { 0 }) }
    }

    /// The registers of a group.
    fn lanes(&mut self, module: &Module, group: &Group) -> Lanes {
        let frame = &mut self.frames[group.frame as usize];
        frame.lanes(&module.functions[frame.function.0 as usize], group.lanes)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A warp with two frames and no group.
    pub fn warp() -> Warp {
        let mut warp = Warp::new();
        let module = Module { functions: vec![super::super::testing::function(64)], ..Module::default() };
        warp.start(&module, FunctionId(0), &[], 0, [32, 1, 1]).unwrap();
        let inner = warp.enter(&module, FunctionId(0), Some(0), 0, 0xff).unwrap();
        assert_eq!(inner, 1);
        warp.groups.clear();
        warp
    }

    #[test]
    fn frames_are_used_again_when_the_last_lane_has_left() {
        let mut w = warp();
        w.leave(1, 0x0f);
        assert!(w.free.is_empty());
        w.exit(1, 0xf0);
        assert_eq!(w.free, [1]);
        assert_eq!(w.live, !0xf0);
    }
}
