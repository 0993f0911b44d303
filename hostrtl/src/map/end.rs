//! Unmapping at the end of a construct.

use crate::arrays::{Argument, Arrays};
use crate::error::{Error, PresentOn, Result};
use crate::info::InfoFlags;
use crate::loaded::is_constant;
use crate::lock;
use crate::mapper;
use crate::queue::{Action, Mapped, Use};
use crate::region::Region;
use crate::table::{Count, Lookup, Table};
use crate::tool::{self, Work};
use abi::map::MapType;
use std::collections::HashMap;

/// A map that a construct ends.
#[derive(Debug)]
struct End {
    mapped: Mapped,
    /// The entry it lies in.
    key: usize,
    /// Whether it is a use of the entry.
    counts: bool,
}

/// The maps that a construct ends, in the order in which it does.
#[derive(Default, Debug)]
pub(crate) struct Ends {
    all: Vec<End>,
    /// Whether parts of a mapper are among them. Only then may a construct have several uses of an entry that are one for the program: of a
    /// structure and of its member with a mapper.
    has_mapper: bool,
    /// How many uses of an entry it has, by the kind of the uses. Empty without mappers.
    uses: HashMap<(usize, bool), u64>,
}

impl Ends {
    fn clear(&mut self) {
        self.all.clear();
        self.has_mapper = false;
        self.uses.clear();
    }

    fn count_uses(&mut self) {
        for end in self.all.iter().filter(|end| self.has_mapper && end.counts) {
            *self.uses.entry((end.key, end.mapped.kind.is_hold())).or_default() += 1;
        }
    }
}

/// How many uses of an entry the construct has yet to end; one less are left if the map is one of them.
fn take_use(uses: &mut HashMap<(usize, bool), u64>, end: &End) -> u64 {
    let Some(left) = uses.get_mut(&(end.key, end.mapped.kind.is_hold())) else { return 1 };
    let before = *left;
    *left -= u64::from(end.counts);
    before.max(1)
}

impl Region<'_> {
    /// Unmaps what the construct mapped at its begin.
    ///
    /// What nobody else uses goes now: its copy comes behind the kernel, in the same queue. What others use, too, stays in
    /// use until the kernel is done ([`Region::end_late`]): the last user may be another queue, which is not behind this
    /// kernel. Where every map only counts down, and not to zero, the table's lock is not needed.
    pub fn end_of_own(&mut self, maps: &Arrays<'_>) -> Result<()> {
        if !self.queue().simple {
            return self.end(maps);
        }
        let _scope = tool::begin(self.device.id, || Work::Unmap);
        let queue = self.queue();
        // Last map first, here too.
        queue.uses.reverse();
        let is_shared = |used: &Use| used.counts.get(used.mapped.kind.is_hold()) != Count::ONE;
        queue.late.extend(queue.uses.extract_if(.., |used| is_shared(used)));
        if queue.uses.is_empty() {
            return Ok(());
        }
        let mut uses = core::mem::take(&mut queue.uses);
        let device = self.device;
        let mut table = lock(&device.table);
        // Nobody else can have come before the lock was there and gone since.
        self.queue().late.extend(uses.extract_if(.., |used| is_shared(used)));
        self.end_uses(&mut table, &mut uses)?;
        self.queue().uses = uses;
        drop(table);
        self.perform()
    }

    /// Ends the uses that others shared, when the queue is done. True: this was the last user of some, and their copies
    /// are in the queue now.
    pub(crate) fn end_late(&mut self) -> Result<bool> {
        let queue = self.queue();
        queue.late.retain(|used| !used.counts.release_unless_last(used.mapped.kind.is_hold()));
        if queue.late.is_empty() {
            return Ok(false);
        }
        let mut late = core::mem::take(&mut queue.late);
        let device = self.device;
        let mut table = lock(&device.table);
        self.end_uses(&mut table, &mut late)?;
        self.queue().late = late;
        drop(table);
        self.perform()?;
        Ok(true)
    }

    fn end_uses(&mut self, table: &mut Table, uses: &mut Vec<Use>) -> Result<()> {
        let mut ends = uses.drain(..).map(|used| End { mapped: used.mapped, key: used.key, counts: true });
        ends.try_for_each(|end| self.end_entry(table, &end, 1))
    }

    /// Unmaps, last map first; what is no longer used goes when the queue is done.
    pub fn end(&mut self, maps: &Arrays<'_>) -> Result<()> {
        let _scope = tool::begin(self.device.id, || Work::Unmap);
        maps.check(self.location)?;
        let device = self.device;
        let mut table = lock(&device.table);
        // From here on they are what the maps below say.
        self.queue().uses.clear();
        let mut ends = core::mem::take(&mut self.queue().ends);
        ends.clear();
        self.collect_ends(&table, maps, &mut ends)?;
        ends.count_uses();
        for end in &ends.all {
            let uses = take_use(&mut ends.uses, end);
            self.end_entry(&mut table, end, uses)?;
        }
        self.queue().ends = ends;
        drop(table);
        self.perform()
    }

    /// What the maps end, last map first; of a map with a mapper, its parts.
    fn collect_ends(&self, table: &Table, maps: &Arrays<'_>, ends: &mut Ends) -> Result<()> {
        for index in (0..maps.len()).rev() {
            let map = maps.get(index);
            if map.kind.is_literal() || map.kind.is_private() {
                continue;
            }
            if let Some(mapper) = map.mapper {
                // SAFETY: the program passed this function as the mapper of this map.
                let mut parts = unsafe { mapper::components(mapper, &map) };
                ends.has_mapper = true;
                // SAFETY: parts of a mapped object, as the program's mapper describes them.
                self.collect_ends(table, &unsafe { parts.view() }, ends)?;
            } else if !map.kind.is_attach()
                && let Some(end) = self.end_of(table, &map)?
            {
                ends.all.push(end);
            }
        }
        Ok(())
    }

    fn end_of(&self, table: &Table, map: &Argument<'_>) -> Result<Option<End>> {
        let Argument { begin, size, kind, .. } = *map;
        let key = match table.lookup(begin, size) {
            Lookup::Contained(key) => key,
            Lookup::Overlaps(key) if kind.is_implicit() => key,
            _ if kind.is_present() && !self.device.shares_memory() => {
                return Err(Error::NotPresent { on: PresentOn::End, begin, size });
            }
            // Not mapped: the map is ignored (OpenMP 5.2, 5.8.3).
            _ => return Ok(None),
        };
        let counts = kind.parent().is_none() || kind.is_ptr_and_obj();
        Ok(Some(End { mapped: Mapped { begin, size, kind }, key, counts }))
    }

    /// Ends a map that lies in an entry, of which the construct has yet to end so many uses, this one included.
    fn end_entry(&mut self, table: &mut Table, end: &End, uses: u64) -> Result<()> {
        let End { mapped: Mapped { begin, size, kind }, key, counts } = *end;
        let Some(entry) = table.get_mut(key) else { return Ok(()) };
        let (hold, delete) = (kind.is_hold(), kind.is_delete());
        if delete {
            entry.counts.reset(hold);
        }
        let before = if counts { entry.counts.decrement(hold) } else { entry.counts.get(hold) };
        let last = before.is_at_most(uses) && entry.counts.get(!hold).is_zero();
        entry.users += 1;
        self.wait_for(entry)?;
        if self.device.info.has(InfoFlags::MAPPING_EXISTS) {
            let action = match (counts, last && before == Count::ONE, delete) {
                (false, ..) => " (update suppressed)",
                (true, true, true) => " (reset, delayed deletion)",
                (true, true, false) => " (decremented, delayed deletion)",
                (true, false, _) => " (decremented)",
            };
            self.device.print_lookup(entry, begin, size, hold, action);
        }
        // clang says `tofrom` of constants that a region uses and nobody maps: a copy to them would end the program.
        let comes_back = |kind: MapType| kind.is_from() && !(kind.is_implicit() && is_constant(begin, size));
        if (last || kind.is_always()) && size > 0 && comes_back(kind) {
            self.plan_copy_from(entry, begin, size);
            if last {
                // Whoever maps the data again before it is gone waits for this copy, or it might come after theirs.
                self.claim(entry);
            }
        }
        // After the copy, whose pointers have to be restored before the entry goes.
        self.queue().actions.push(Action::LeaveEntry { key });
        Ok(())
    }
}
