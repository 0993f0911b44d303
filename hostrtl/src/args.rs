//! The argument list of a kernel, from the maps of its construct (LLVM: `processDataBefore`).

use crate::arrays::{Argument, Arrays};
use crate::device::{DevicePtr, DeviceResult};
use crate::error::Result;
use crate::queue::{Action, Known, Step, Transfer, name_of};
use crate::region::Region;
use crate::table::{Lookup, Table};
use crate::tool::{self, Work};
use abi::kernel::{FallbackLaunchEnvironment, KernelLaunchEnvironment};
use abi::map::MapType;

/// Private variables of at most this many bytes travel together, in one transfer.
const PACKED_SIZE: usize = 1024;

/// Bits that mark a variable captured by a lambda.
const LAMBDA_CAPTURE: u64 = MapType::PTR_AND_OBJ.0 | MapType::LITERAL.0 | MapType::IMPLICIT.0;

/// Alignment of a team's memory, a line of a GPU's caches.
const TEAM_ALIGNMENT: u64 = 128;

/// What the hidden first parameter of a kernel is about.
#[derive(Clone, Copy, Debug)]
pub struct Hidden {
    /// Bytes of the buffer for reductions over teams.
    pub reduction_buffer: usize,
    /// Bytes of the device's memory that each team has in the place of shared memory.
    pub team_memory: u32,
    /// How many teams there are.
    pub teams: u64,
}

impl Region<'_> {
    /// Fills the queue's argument list, under the lock of the table that the maps have just been through. What is still to
    /// be sent is planned, but for the common block ([`Region::send_packed`]).
    ///
    /// With a hidden parameter (launch packets of version 3) the launch environment comes first.
    pub fn build_arguments(
        &mut self,
        table: &Table,
        maps: &Arrays<'_>,
        hidden: Option<Hidden>,
    ) -> Result<()> {
        let queue = self.queue();
        queue.arguments.clear();
        queue.positions.clear();
        queue.packed.clear();
        queue.staging.clear();
        queue.environment = 0;
        if let Some(hidden) = hidden {
            self.push_launch_environment(&hidden)?;
        }
        for index in 0..maps.len() {
            let map = maps.get(index);
            let position = if map.kind.is_target_param() {
                let next_is_member = index + 1 < maps.len() && maps.get(index + 1).kind.parent().is_some();
                let value = self.argument(table, &map, index, next_is_member)?;
                let arguments = &mut self.queue().arguments;
                arguments.push(value);
                Some(arguments.len() - 1)
            } else {
                if map.kind.0 & LAMBDA_CAPTURE == LAMBDA_CAPTURE {
                    self.patch_capture(table, maps, &map);
                }
                None
            };
            self.queue().positions.push(position);
        }
        Ok(())
    }

    /// Adds the hidden first argument.
    fn push_launch_environment(&mut self, hidden: &Hidden) -> DeviceResult<()> {
        if hidden.reduction_buffer == 0 && hidden.team_memory == 0 {
            self.queue().arguments.push(KernelLaunchEnvironment::NONE);
            return Ok(());
        }
        // Also where no team has such memory, so that nobody finds the mark of another launch behind the environment.
        let mut environment = FallbackLaunchEnvironment::default();
        if hidden.reduction_buffer > 0 {
            environment.environment.reduction_buffer = self.reduction_buffer(hidden.reduction_buffer)?.0;
        }
        if hidden.team_memory > 0 {
            let size = u64::from(hidden.team_memory);
            let stride = size.next_multiple_of(TEAM_ALIGNMENT);
            let bytes = usize::try_from(stride.saturating_mul(hidden.teams)).unwrap_or(usize::MAX);
            let memory = self.block_until_end(0, bytes)?.0;
            let mark = FallbackLaunchEnvironment::MARK;
            environment = FallbackLaunchEnvironment { mark, memory, size, stride, ..environment };
        }
        let queue = self.queue();
        queue.packed.push((queue.arguments.len(), queue.staging.len(), 0));
        queue.arguments.push(0);
        queue.staging.extend_from_slice(bytemuck::bytes_of(&environment));
        queue.environment = queue.staging.len();
        Ok(())
    }

    /// Memory of the device until the construct ends, for what has that address on the host, or 0.
    fn block_until_end(&mut self, host: usize, size: usize) -> DeviceResult<DevicePtr> {
        let mut scope = tool::begin(self.device.id, || Work::Allocate { host, bytes: size });
        let address = self.device.memory.alloc(self.device.device.as_ref(), size)?;
        scope.allocated(address);
        drop(scope);
        self.queue().actions.push(Action::Free { address, size });
        Ok(address)
    }

    fn argument(
        &mut self,
        table: &Table,
        map: &Argument<'_>,
        index: usize,
        next_is_member: bool,
    ) -> Result<u64> {
        if map.kind.is_literal() {
            return Ok(map.base as u64);
        }
        let base_offset = map.base.wrapping_sub(map.begin);
        if map.kind.is_private() {
            if map.size <= PACKED_SIZE && !next_is_member {
                self.pack(map, base_offset);
                return Ok(0);
            }
            return Ok(self.private_block(map)?.0.wrapping_add(base_offset as u64));
        }
        let base = match map.kind.is_ptr_and_obj() {
            // SAFETY: the base of such a map is the address of a pointer (`RawArrays::view`).
            true => unsafe { (map.base as *const usize).read_unaligned() },
            false => map.base,
        };
        self.device.print_found(table, map.begin, map.size);
        // What is not mapped keeps its host address, as if it were firstprivate (OpenMP 5.2, 5.8.6).
        let address = match self.queue().addresses.get(index) {
            Some(Known::At(address)) => Some(*address),
            Some(Known::Absent) => None,
            Some(Known::Unasked) | None => device_address(table, map.begin, map.size),
        };
        let begin = address.map_or(map.begin as u64, |address| address.0);
        Ok(begin.wrapping_add(base.wrapping_sub(map.begin) as u64))
    }

    /// Puts a small private variable into the common block; its address is filled in by `send_packed`.
    fn pack(&mut self, map: &Argument<'_>, base_offset: usize) {
        let queue = self.queue();
        // As aligned as on the host, up to 16 bytes.
        let alignment = 1_usize << map.begin.trailing_zeros().min(4);
        let offset = queue.staging.len().next_multiple_of(alignment);
        queue.staging.resize(offset + map.size, 0);
        if map.kind.is_to() {
            // SAFETY: the program's variable (`RawArrays::view`).
            let value = unsafe { core::slice::from_raw_parts(map.begin as *const u8, map.size) };
            queue.staging[offset..].copy_from_slice(value);
        }
        let position = queue.arguments.len();
        queue.packed.push((position, offset, base_offset));
    }

    /// A private variable with a device block of its own.
    fn private_block(&mut self, map: &Argument<'_>) -> DeviceResult<DevicePtr> {
        let address = self.block_until_end(map.begin, map.size)?;
        if map.kind.is_to() {
            let name = name_of(map.name);
            self.queue().steps.push(Step::To(Transfer {
                device: address,
                host: map.begin,
                size: map.size,
                name,
            }));
        }
        Ok(address)
    }

    /// Lets a captured pointer in the device copy of a lambda point to the device.
    fn patch_capture(&mut self, table: &Table, maps: &Arrays<'_>, map: &Argument<'_>) {
        let queue = self.queue();
        let Some(parent) = map.kind.parent() else { return };
        let Some(position) = queue.positions.get(parent).copied().flatten() else { return };
        let lambda = queue.arguments[position];
        let Some(target) = device_address(table, map.begin, map.size) else { return };
        let device = DevicePtr(lambda).offset(map.base.wrapping_sub(maps.get(parent).begin));
        queue.steps.push(Step::Bytes { device, bytes: Box::new(target.0.to_le_bytes()), name: 0 });
    }

    /// Sends launch environment and packed variables in one transfer and fills their addresses in.
    pub(crate) fn send_packed(&mut self) -> DeviceResult<()> {
        if self.queue().packed.is_empty() {
            return Ok(());
        }
        let block = self.send_staging()?;
        let queue = self.queue();
        for (position, offset, base_offset) in &queue.packed {
            queue.arguments[*position] = block.offset(*offset).offset(*base_offset).0;
        }
        Ok(())
    }
}

fn device_address(table: &Table, begin: usize, size: usize) -> Option<DevicePtr> {
    match table.lookup(begin, size) {
        Lookup::Contained(key) | Lookup::Overlaps(key) => {
            table.get(key).map(|entry| entry.device_address(begin))
        }
        Lookup::Absent => None,
    }
}
